package snapshot_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/internal/statetest"
)

// Every file of the reference's own snapshots loads and is written back to itself.
func TestFluidSnapshots(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/fluid-snapshots/*/*")
	if len(files) == 0 {
		t.Skip("no ../shared here")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := snapshot.ParseText(text)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
			continue
		}
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
		if back, _ := s.AppendText(nil); !bytes.Equal(back, text) {
			t.Errorf("%s comes back as %s", filepath.Base(file), back)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := statetest.State().Draw(t, "state")
		data, err := s.AppendBinary([]byte("before"))
		if err != nil || len(data) != len("before")+s.Size() {
			t.Fatalf("%d bytes and not %d: %v", len(data), s.Size(), err)
		}
		text, err := s.AppendText([]byte("before"))
		if err != nil {
			t.Fatal(err)
		}
		for form, parse := range map[string]func() (*snapshot.State, error){
			"binary": func() (*snapshot.State, error) { return snapshot.Parse(data[len("before"):]) },
			"text":   func() (*snapshot.State, error) { return snapshot.ParseText(text[len("before"):]) },
			"reader": func() (*snapshot.State, error) {
				return snapshot.ReadText(bytes.NewReader(text[len("before"):]), s.Size())
			},
		} {
			back, err := parse()
			if err != nil {
				t.Fatalf("%s: %v", form, err)
			}
			if diff := cmp.Diff(s, back, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s comes back otherwise:\n%s", form, diff)
			}
		}
	})
}

// In a small form of every kind, each bit is flipped: it is refused, or loads
// and is written back as it is.
func TestEveryBitFlipped(t *testing.T) {
	for name := range statetest.Small() {
		data := small(t, name)
		loaded := 0
		for i := range 8 * len(data) {
			data[i/8] ^= 1 << (i % 8)
			if checkLoads(t, data) {
				loaded++
			}
			data[i/8] ^= 1 << (i % 8)
		}
		t.Logf("%s: %d of %d load", name, loaded, 8*len(data))
	}
}

// checkLoads checks that data is refused with an error that says where, or is
// what is written of what was loaded. It reports which.
func checkLoads(t testing.TB, data []byte) bool {
	t.Helper()
	s, err := snapshot.Parse(data)
	if err != nil {
		var e *snapshot.Error
		if s != nil || !errors.As(err, &e) {
			t.Fatalf("%x: %v", data, err)
		}
		if c, err := load(data); c != nil || err == nil {
			t.Fatalf("%x is refused, and loads", data)
		}
		return false
	}
	if back, err := s.AppendBinary(nil); err != nil || !bytes.Equal(back, data) {
		t.Fatalf("%x is written back as %x: %v", data, back, err)
	}
	_, twice := s.Duplicate()
	if err := s.Check(); (err != nil) != twice {
		t.Fatalf("%x is checked otherwise when it was read: %v", data, err)
	}
	options := []idcompressor.Option{idcompressor.WithVersion(s.Version)}
	if s.Local == nil {
		options = append(options, own)
	}
	c, err := idcompressor.Load(data, options...)
	if err != nil {
		if twice && errors.Is(err, idcompressor.ErrCorrupt) || slices.Contains(s.Sessions, ownID) && errors.Is(err, idcompressor.ErrSessionExists) {
			return false
		}
		t.Fatalf("%x is read, and does not load: %v", data, err)
	}
	back, err := c.AppendSerialized(nil, s.Local != nil)
	want, _ := asLoaded(s).AppendBinary(nil)
	if err != nil || !bytes.Equal(back, want) {
		t.Fatalf("%x is serialized as\n%x, and not\n%x: %v", data, back, want, err)
	}
	return true
}

// asLoaded returns the state that a compressor has after loading s: without
// session, those without clusters are gone (Q56); adjacent runs are one (Q58).
func asLoaded(s *snapshot.State) *snapshot.State {
	if s.Local == nil {
		c := &snapshot.State{Version: s.Version, Clusters: slices.Clone(s.Clusters)}
		place := map[int32]int32{}
		for i, id := range s.Sessions {
			if slices.ContainsFunc(s.Clusters, func(c snapshot.Cluster) bool { return c.Session == int32(i) }) {
				place[int32(i)] = int32(len(c.Sessions))
				c.Sessions = append(c.Sessions, id)
			}
		}
		for i := range c.Clusters {
			c.Clusters[i].Session = place[c.Clusters[i].Session]
		}
		return c
	}
	c, l := *s, *s.Local
	l.Runs = nil
	for _, r := range s.Local.Runs {
		if n := len(l.Runs); n > 0 && l.Runs[n-1].First+l.Runs[n-1].Count == r.First {
			l.Runs[n-1].Count += r.Count
		} else {
			l.Runs = append(l.Runs, r)
		}
	}
	c.Local = &l
	return &c
}

func TestDuplicate(t *testing.T) {
	// The hash of all of these is the same.
	collide := func(n int) []numericuuid.UUID {
		ids := make([]numericuuid.UUID, n)
		for i := range ids {
			ids[i] = numericuuid.UUID{Hi: uint64(i), Lo: uint64(i) << 32}
		}
		return ids
	}
	for name, ids := range map[string][]numericuuid.UUID{
		"random": statetest.Document(2000, 1).Sessions, "colliding": collide(2000), "two": collide(2), "one": collide(1), "none": nil,
	} {
		s := &snapshot.State{Sessions: slices.Clone(ids)}
		if i, ok := s.Duplicate(); ok {
			t.Errorf("%s: %d is there twice", name, i)
		}
		if len(ids) < 2 {
			continue
		}
		for _, at := range []int{1, len(ids) / 2, len(ids) - 1} {
			copy(s.Sessions, ids)
			s.Sessions[len(ids)-1] = ids[0]
			s.Sessions[at] = ids[at-1]
			if i, ok := s.Duplicate(); !ok || i != at {
				t.Errorf("%s: %d, %t, not %d", name, i, ok, at)
			}
		}
	}
}

func TestInVersion(t *testing.T) {
	for name, s := range statetest.Small() {
		for _, version := range []int{snapshot.V2, snapshot.V3} {
			got, err := s.InVersion(version)
			if sharded := s.Local != nil && s.Local.Sharding != nil; sharded && version == snapshot.V2 {
				if !errors.Is(err, snapshot.ErrSharded) {
					t.Errorf("%s in version 2: %v", name, err)
				}
				continue
			}
			if err != nil || got.Version != version || got.Check() != nil {
				t.Errorf("%s in version %d: %+v, %v", name, version, got, err)
				continue
			}
			if back, err := got.InVersion(s.Version); err != nil || cmp.Diff(s, back) != "" {
				t.Errorf("%s in version %d and back: %+v, %v", name, version, back, err)
			}
		}
	}
	if _, err := statetest.Small()["v3"].InVersion(4); !errors.Is(err, snapshot.ErrUnsupportedVersion) {
		t.Error(err)
	}
}

func TestCheck(t *testing.T) {
	wide := numericuuid.UUID{Hi: 1 << 58}
	for _, c := range []struct {
		field, of string
		change    func(s *snapshot.State)
	}{
		{"version", "v3", func(s *snapshot.State) { s.Version = 4 }},
		{"sessions[1]", "v3", func(s *snapshot.State) { s.Sessions[1] = wide }},
		{"sessions[1]", "v3", func(s *snapshot.State) { s.Sessions[1] = s.Sessions[0] }},
		{"clusters[1].session", "v3", func(s *snapshot.State) { s.Clusters[1].Session = -1 }},
		{"clusters[1].capacity", "v3", func(s *snapshot.State) { s.Clusters[1].Capacity = -1 }},
		{"clusters[1].count", "v3", func(s *snapshot.State) { s.Clusters[1].Count = -1 }},
		{"sessionCount", "v3-with-session", func(s *snapshot.State) { s.Sessions, s.Clusters = nil, nil }},
		{"generated", "v3-with-session", func(s *snapshot.State) { s.Local.Generated, s.Local.Runs = 1<<53, nil }},
		{"runs[0].first", "v3-with-session", func(s *snapshot.State) { s.Local.Runs[0].First = -1 }},
		{"hasShardingState", "v3-shard", func(s *snapshot.State) { s.Version = 2 }},
		{"originalStride", "v3-shard", func(s *snapshot.State) { s.Local.Sharding.Original = 99 }},
		{"children[0]", "v3-shard", func(s *snapshot.State) { s.Local.Sharding.Children[0] = wide }},
		{"children[1]", "v3-sharded-root", func(s *snapshot.State) { s.Local.Sharding.Children[1] = s.Local.Sharding.Children[0] }},
		{"shardID", "v3-shard", func(s *snapshot.State) { s.Local.Sharding.ShardID = &wide }},
	} {
		s := statetest.Small()[c.of]
		s.Clusters = slices.Clone(s.Clusters)
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", c.of, err)
		}
		c.change(s)
		err := s.Check()
		checkError(t, err, c.field, -1)
	}
}
