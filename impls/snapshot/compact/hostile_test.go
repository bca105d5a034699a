package compact_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/compact"
	"example.com/idlab/impls/snapshot/internal/statetest"
)

// sealed appends the checksum that content should have.
func sealed(content []byte) []byte {
	sum := crc32.Checksum(content, crc32.MakeTable(crc32.Castagnoli))
	return binary.LittleEndian.AppendUint32(slices.Clone(content), sum)
}

// content returns a form of statetest.Small without its checksum.
func content(t testing.TB, name string) []byte {
	t.Helper()
	form, err := compact.Append(nil, statetest.Small()[name])
	if err != nil {
		t.Fatal(err)
	}
	return form[:len(form)-4]
}

// Each is refused with a message of its own.
func TestHostile(t *testing.T) {
	const header, flagsAt, sessionsAt, clustersAt, uuidsAt = "\xf1IDC\x01", 5, 6, 7, 8
	replaced := func(of string, at int, by ...byte) []byte {
		c := content(t, of)
		return sealed(append(append(slices.Clone(c[:at]), by...), c[at+1:]...))
	}
	last := func(of string) int { return len(content(t, of)) - 1 }
	messages := map[string]string{}
	for _, h := range []struct {
		name   string
		form   []byte
		field  string
		offset int64
	}{
		{"nothing", nil, "magic", 0},
		{"another magic", replaced("v3", 1, 'i'), "magic", 0},
		{"only the beginning", []byte(header + "\x01\x00\x00"), "length", 8},
		{"version 2", replaced("v3", 4, 2), "version", 4},
		{"a damaged sum", append(sealed(content(t, "v3"))[:len(content(t, "v3"))], 1, 2, 3, 4), "checksum", int64(len(content(t, "v3")))},
		{"flag 16", replaced("v3", flagsAt, 17), "flags", flagsAt},
		{"sharded without session", replaced("v3", flagsAt, 5), "flags", flagsAt},
		{"sharded version 2", replaced("v3", flagsAt, 6), "flags", flagsAt},
		{"a shard that is not sharded", replaced("v3", flagsAt, 11), "flags", flagsAt},
		{"many sessions", replaced("v3", sessionsAt, 0xff, 0xff, 0x7f), "sessions", uuidsAt + 2},
		{"more sessions than 2^31", replaced("v3", sessionsAt, 0xff, 0xff, 0xff, 0xff, 0x7f), "sessionCount", sessionsAt},
		{"more sessions than 2^64", replaced("v3", sessionsAt, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1), "sessionCount", sessionsAt},
		{"more clusters than the length allows", replaced("v3", clustersAt, 0xff, 0x7f), "clusterCount", clustersAt},
		{"fewer clusters than the sessions have", replaced("v3", clustersAt, 2), "sessions[1].clusters", -1},
		{"a zero too many", sealed(append(content(t, "v3"), 0)), "end", int64(last("v3")) + 1},
		{"garbage behind", sealed(append(content(t, "empty"), 0, 0, 0, 0, 0, 0, 0, 0, 5)), "end", int64(last("empty")) + 9},
		{"the filling of the last UUID", replaced("v3", uuidsAt+30, 0xff), "sessions", uuidsAt + 30},
	} {
		t.Run(h.name, func(t *testing.T) {
			s, err := compact.Parse(h.form)
			var e *snapshot.Error
			if s != nil || !errors.As(err, &e) {
				t.Fatalf("%v, %v", s, err)
			}
			if e.Field != h.field || h.offset != e.Offset {
				t.Errorf("%v: names %s at %d, not %s at %d", err, e.Field, e.Offset, h.field, h.offset)
			}
			if before, ok := messages[err.Error()]; ok {
				t.Errorf("%q is said of %q too", err, before)
			}
			messages[err.Error()] = h.name
		})
	}
}

// What the columns hold is checked as what package snapshot reads.
func TestHostileColumns(t *testing.T) {
	for name, change := range map[string]func(*snapshot.State){
		"clusters[1].capacity": func(s *snapshot.State) { s.Clusters[1].Capacity = 0 },
		"clusters[2].capacity": func(s *snapshot.State) { s.Clusters[2].Capacity = snapshot.MaxID },
		"clusters[1].count":    func(s *snapshot.State) { s.Clusters[1].Count = 7 },
		"sessions[1]":          func(s *snapshot.State) { s.Sessions[1] = s.Sessions[0] },
		"generated":            func(s *snapshot.State) { s.Local.Generated, s.Local.Runs = 3, nil },
		"cursor":               func(s *snapshot.State) { s.Local.Cursor = 0 },
		"runs[1].count":        func(s *snapshot.State) { s.Local.Runs[1].Count = 4 },
		"runs[1]":              func(s *snapshot.State) { s.Local.Runs[1].Count = 0 },
		"stride":               func(s *snapshot.State) { s.Local.Sharding.Stride = 1_000_001 },
		"originalStride":       func(s *snapshot.State) { s.Local.Sharding.Original = 0 },
		"children[1]":          func(s *snapshot.State) { s.Local.Sharding.Children[1] = s.Local.Sharding.Children[0] },
	} {
		s := statetest.Small()["v3-sharded-root"]
		s.Clusters = slices.Clone(s.Clusters)
		change(s)
		form, err := compact.Append(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		var e *snapshot.Error
		if _, err := compact.Parse(form); !errors.As(err, &e) || e.Field != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A flipped bit is found, wherever it is, and so is a form that ends early.
func TestDamage(t *testing.T) {
	forms := map[string][]byte{"document": nil}
	forms["document"], _ = compact.Append(nil, statetest.Document(20, 3))
	for name := range statetest.Small() {
		forms[name] = sealed(content(t, name))
	}
	for name, form := range forms {
		var where *snapshot.Error
		for i := range len(form) * 8 {
			form[i/8] ^= 1 << (i % 8)
			if _, err := compact.Parse(form); !errors.As(err, &where) {
				t.Errorf("%s: bit %d flipped: %v", name, i, err)
			}
			form[i/8] ^= 1 << (i % 8)
		}
		for n := range form {
			if _, err := compact.Parse(form[:n]); !errors.As(err, &where) {
				t.Errorf("%s: %d of %d bytes: %v", name, n, len(form), err)
			}
		}
	}
}

// The same bit flipped by someone who knows the checksum: it is refused, or is
// a state that can be written.
func TestEveryBitFlippedAndSealed(t *testing.T) {
	for name := range statetest.Small() {
		c := content(t, name)
		for i := range len(c) * 8 {
			c[i/8] ^= 1 << (i % 8)
			checkParses(t, sealed(c))
			c[i/8] ^= 1 << (i % 8)
		}
	}
}

// checkParses checks that a form is refused with an error that says where, or
// holds a state that comes back from all its forms.
func checkParses(t testing.TB, form []byte) {
	t.Helper()
	s, err := compact.Parse(form)
	if err != nil {
		var e *snapshot.Error
		if s != nil || !errors.As(err, &e) {
			t.Fatalf("%x: %v", form, err)
		}
		return
	}
	if err := s.Check(); err != nil {
		t.Fatalf("%x: %v", form, err)
	}
	checkRoundTrip(t, s)
	data, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	back, err := snapshot.Parse(data)
	if err != nil || !cmp.Equal(s, back, equateEmpty) {
		t.Fatalf("%x: comes back otherwise from Fluid's form: %v", form, err)
	}
}

// FuzzParse: any content, with the checksum it should have, is refused or holds
// a state that can be written.
func FuzzParse(f *testing.F) {
	for name := range statetest.Small() {
		f.Add(content(f, name))
	}
	form, _ := compact.Append(nil, statetest.Document(5, 9))
	f.Add(form[:len(form)-4])
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) > 1<<16 {
			return
		}
		checkParses(t, sealed(content))
	})
}

// Reading takes at most 200 times the input and 16 KiB: see Parse.
func TestMemory(t *testing.T) {
	const constant = 16 << 10
	one := statetest.Document(1, 1).Sessions
	alike := func(clusters, runs int) *snapshot.State {
		s := &snapshot.State{Version: snapshot.V3, Sessions: one, Local: &snapshot.Local{Generated: int64(clusters + 3*runs), Cursor: 1}}
		for range clusters {
			s.Clusters = append(s.Clusters, snapshot.Cluster{Capacity: 1, Count: 1})
		}
		for i := range int64(runs) {
			s.Local.Runs = append(s.Local.Runs, snapshot.Run{First: 1 + 3*i, Count: 2})
		}
		return s
	}
	many := statetest.Document(2_500, 1)
	many.Clusters = many.Clusters[:1]
	crowded := &snapshot.State{Version: snapshot.V3, Sessions: many.Sessions, Local: alike(300_000, 0).Local, Clusters: alike(300_000, 0).Clusters}
	// All in one place of a hash table.
	colliding := &snapshot.State{Version: snapshot.V3, Clusters: alike(100_000, 0).Clusters}
	for i := range uint64(10_000) {
		colliding.Sessions = append(colliding.Sessions, numericuuid.UUID{Hi: i, Lo: i << 32})
	}
	for name, s := range map[string]*snapshot.State{
		"empty": {Version: snapshot.V3}, "clusters": alike(512, 0), "many clusters": alike(100_000, 0),
		"runs": alike(0, 100_000), "clusters and runs": alike(50_000, 50_000), "sessions": many,
		"sessions and clusters": crowded, "colliding sessions": colliding, "document": statetest.Document(1000, 3),
	} {
		form, err := compact.Append(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		for what, form := range map[string][]byte{"right": form, "last byte cut": sealed(form[:len(form)-5])} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			compact.Parse(form)
			runtime.ReadMemStats(&after)
			got := int(after.TotalAlloc - before.TotalAlloc)
			t.Logf("%s, %s: %d bytes for %d: %.1f times", name, what, got, len(form), float64(got)/float64(len(form)))
			if got > 200*len(form)+constant {
				t.Errorf("%s, %s: %d bytes for %d", name, what, got, len(form))
			}
		}
	}
}

// A session without clusters between those that have some must not be looked at
// again for each of them: this would take minutes.
func TestEmptySessionsBetween(t *testing.T) {
	const third = 50_000
	s := statetest.Document(3*third, 1)
	s.Clusters = s.Clusters[:0]
	s.Clusters = append(s.Clusters, snapshot.Cluster{Session: third, Capacity: 1, Count: 1})
	for i := range int32(third) {
		s.Clusters = append(s.Clusters, snapshot.Cluster{Session: i, Capacity: 1, Count: 1})
	}
	checkRoundTrip(t, s)
}

func ExampleAppend() {
	s := &snapshot.State{
		Version:  snapshot.V3,
		Sessions: []numericuuid.UUID{{Hi: 0x0100fc785949941d, Lo: 0x0507417d99a05ee9}},
		Clusters: []snapshot.Cluster{{Session: 0, Capacity: 522, Count: 10}},
	}
	form, err := compact.Append(nil, s)
	if err != nil {
		fmt.Println(err)
		return
	}
	back, err := compact.Parse(form)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _ := back.AppendText(nil)
	fmt.Printf("%d bytes, which are %d in Fluid's form\n%s\n", len(form), len(text), text)
	// Output:
	// 33 bytes, which are 96 in Fluid's form
	// AAAAAAAACEAAAAAAAAAAAAAAAAAAAPA/AAAAAAAA8D/pXqCZfUEHBR2USVl4/AABAAAAAAAAAAAAAAAAAFCAQAAAAAAAACRA
}
