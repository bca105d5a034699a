package compact_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/compact"
)

// document is one of the lab's: every cluster has 512 IDs and is full but for
// each session's last, whose count is uniform in 1..512.
func document(sessions, each int) *snapshot.State {
	r := rand.New(rand.NewPCG(1, uint64(sessions)))
	s := &snapshot.State{Version: snapshot.V3}
	var order []int32
	for i := range sessions {
		s.Sessions = append(s.Sessions, numericuuid.UUID{Hi: r.Uint64() >> 6, Lo: r.Uint64()})
		for range each {
			order = append(order, int32(i))
		}
	}
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	left := make([]int, sessions)
	name := make([]int32, sessions)
	for i := range left {
		left[i], name[i] = each, -1
	}
	seen := int32(0)
	for _, o := range order {
		if name[o] < 0 {
			name[o] = seen
			seen++
		}
		count := int64(512)
		if left[o]--; left[o] == 0 {
			count = 1 + r.Int64N(512)
		}
		s.Clusters = append(s.Clusters, snapshot.Cluster{Session: name[o], Capacity: 512, Count: count})
	}
	return s
}

// bound is the entropy of such a document in bytes: 122 bits a session, the
// interleavings up to naming the sessions, and 9 bits a session.
func bound(sessions, each int) float64 {
	lg := func(n int) float64 { v, _ := math.Lgamma(float64(n) + 1); return v / math.Ln2 }
	interleavings := lg(sessions*each) - float64(sessions)*lg(each) - lg(sessions)
	return (float64(sessions)*(122+9) + interleavings) / 8
}

func TestNearTheBound(t *testing.T) {
	for _, c := range []struct {
		name           string
		sessions, each int
		most           float64
	}{{"sessions", 10_000, 3, 1.10}, {"clusters", 100, 3_000, 1.04}, {"small", 100, 3, 1.10}} {
		form, err := compact.Append(nil, document(c.sessions, c.each))
		if err != nil {
			t.Fatal(err)
		}
		b := bound(c.sessions, c.each)
		t.Logf("%s: %d bytes, %.4f times the bound of %.0f", c.name, len(form), float64(len(form))/b, b)
		if float64(len(form)) > c.most*b {
			t.Errorf("%s: %d bytes are more than %.2f times the bound of %.0f", c.name, len(form), c.most, b)
		}
	}
}

var equateEmpty = cmpopts.EquateEmpty()

func checkRoundTrip(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *snapshot.State) []byte {
	t.Helper()
	form, err := compact.Append(nil, s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	back, err := compact.Parse(form)
	if err != nil {
		t.Fatalf("%v\nof %+v", err, s)
	}
	// cmp takes seconds for a large document.
	same := slices.Equal(s.Clusters, back.Clusters) && slices.Equal(s.Sessions, back.Sessions)
	if small := len(s.Clusters) < 1000; small || !same {
		if diff := cmp.Diff(s, back, equateEmpty); diff != "" {
			t.Fatalf("comes back otherwise:\n%s", diff)
		}
	} else if diff := cmp.Diff(s.Local, back.Local, equateEmpty); diff != "" {
		t.Fatalf("local state comes back otherwise:\n%s", diff)
	}
	return form
}

func TestRoundTripDocuments(t *testing.T) {
	checkRoundTrip(t, &snapshot.State{Version: snapshot.V2})
	checkRoundTrip(t, document(100, 3))
	checkRoundTrip(t, document(10_000, 3))
	checkRoundTrip(t, document(100, 3_000))
}

// Ghost sessions may have many clusters in a row, which cost next to nothing.
func TestAlikeIsFilled(t *testing.T) {
	s := &snapshot.State{Version: snapshot.V3, Sessions: make([]numericuuid.UUID, 1)}
	for range 100_000 {
		s.Clusters = append(s.Clusters, snapshot.Cluster{Capacity: 1, Count: 1})
	}
	form := checkRoundTrip(t, s)
	if n := len(form); n < 100_000/8-100 || n > 100_000/8+100 {
		t.Errorf("%d bytes", n)
	}
	s.Clusters = s.Clusters[:1]
	s.Local = &snapshot.Local{Generated: 200_000, Cursor: 1}
	for i := range int64(20_000) {
		s.Local.Runs = append(s.Local.Runs, snapshot.Run{First: 1 + 3*i, Count: 2})
	}
	checkRoundTrip(t, s)
}

func TestFluidSnapshots(t *testing.T) {
	files, _ := filepath.Glob("../../../../shared/fluid-snapshots/*/*")
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
			continue // a README
		}
		form := checkRoundTrip(t, s)
		back, _ := compact.Parse(form)
		if again, _ := back.AppendText(nil); !bytes.Equal(again, text) {
			t.Errorf("%s comes back as %s", filepath.Base(file), again)
		}
	}
}

// state draws any state that a form can hold.
func state() *rapid.Generator[*snapshot.State] {
	return rapid.Custom(func(t *rapid.T) *snapshot.State {
		s := &snapshot.State{Version: rapid.IntRange(2, 3).Draw(t, "version")}
		withSession := rapid.Bool().Draw(t, "withSession")
		least := 0
		if withSession {
			least = 1
		}
		ids := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) numericuuid.UUID {
			return numericuuid.UUID{Hi: rapid.Uint64Range(0, 1<<58-1).Draw(t, "hi"), Lo: rapid.Uint64Range(0, 1<<63).Draw(t, "lo")}
		}), least, 6, func(id numericuuid.UUID) numericuuid.UUID { return id }).Draw(t, "sessions")
		s.Sessions = ids
		size := rapid.OneOf(rapid.Int64Range(1, 4), rapid.Just[int64](512), rapid.Int64Range(1, 1<<45))
		if len(ids) > 0 {
			for range rapid.IntRange(0, 12).Draw(t, "clusters") {
				c := snapshot.Cluster{Session: int32(rapid.IntRange(0, len(ids)-1).Draw(t, "owner")), Capacity: size.Draw(t, "capacity")}
				c.Count = rapid.OneOf(rapid.Just(c.Capacity), rapid.Int64Range(0, c.Capacity)).Draw(t, "count")
				s.Clusters = append(s.Clusters, c)
			}
		}
		if withSession {
			s.Local = drawLocal(t, s)
		}
		if s.Check() != nil {
			t.Skip("past the last UUID")
		}
		return s
	})
}

func drawLocal(t *rapid.T, s *snapshot.State) *snapshot.Local {
	l := &snapshot.Local{Generated: 1 << 50}
	l.Cursor = rapid.Int64Range(1, l.Generated+1).Draw(t, "cursor")
	var last int64
	for range rapid.IntRange(0, 5).Draw(t, "runs") {
		r := snapshot.Run{First: last + rapid.Int64Range(1, 1000).Draw(t, "gap"), Count: rapid.Int64Range(1, 1<<40).Draw(t, "length")}
		l.Runs = append(l.Runs, r)
		last = r.First + r.Count - 1
	}
	if s.Version == snapshot.V3 && rapid.Bool().Draw(t, "sharded") {
		h := &snapshot.Sharding{Original: rapid.Int64Range(1, 10).Draw(t, "original")}
		h.Stride = h.Original * rapid.Int64Range(1, 10).Draw(t, "factor")
		for i := range rapid.IntRange(0, 3).Draw(t, "children") {
			h.Children = append(h.Children, numericuuid.UUID{Lo: uint64(i)})
		}
		if rapid.Bool().Draw(t, "shard") {
			h.ShardID = &numericuuid.UUID{Hi: 1<<58 - 1, Lo: 7}
		}
		l.Sharding = h
	}
	return l
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, state().Draw(t, "state")) })
}

func TestCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := state().Draw(t, "state")
		one, err := compact.Hash(s)
		if err != nil {
			t.Fatal(err)
		}
		// The same document, seen by another session in another order.
		other := &snapshot.State{Version: snapshot.V2, Sessions: make([]numericuuid.UUID, len(s.Sessions)+1)}
		order := rapid.Permutation(indices(len(s.Sessions))).Draw(t, "order")
		for i, at := range order {
			other.Sessions[at+1] = s.Sessions[i]
		}
		for _, c := range s.Clusters {
			c.Session = int32(order[c.Session] + 1)
			other.Clusters = append(other.Clusters, c)
		}
		if two, _ := compact.Hash(other); one != two {
			t.Fatalf("equal documents have two hashes:\n%+v\n%+v", s, other)
		}
		if len(s.Clusters) == 0 {
			return
		}
		at := rapid.IntRange(0, len(s.Clusters)-1).Draw(t, "changed")
		if c := &other.Clusters[at]; c.Count > 0 {
			c.Count--
			if two, _ := compact.Hash(other); one == two {
				t.Fatalf("another count of cluster %d has the same hash", at)
			}
		}
	})
}

func indices(n int) []int {
	is := make([]int, n)
	for i := range is {
		is[i] = i
	}
	return is
}

// A flipped bit is found, wherever it is, and so is a form that ends early.
func TestDamage(t *testing.T) {
	form, err := compact.Append(nil, document(20, 3))
	if err != nil {
		t.Fatal(err)
	}
	var where *snapshot.Error
	for i := range len(form) * 8 {
		form[i/8] ^= 1 << (i % 8)
		if _, err := compact.Parse(form); !errors.As(err, &where) {
			t.Errorf("bit %d flipped: %v", i, err)
		}
		form[i/8] ^= 1 << (i % 8)
	}
	for n := range form {
		if _, err := compact.Parse(form[:n]); !errors.As(err, &where) {
			t.Errorf("%d of %d bytes: %v", n, len(form), err)
		}
	}
}

func BenchmarkAppend(b *testing.B) { benchmark(b, false) }
func BenchmarkParse(b *testing.B)  { benchmark(b, true) }

func benchmark(b *testing.B, parse bool) {
	for name, s := range map[string]*snapshot.State{"sessions": document(10_000, 3), "clusters": document(100, 3_000)} {
		b.Run("doc="+name, func(b *testing.B) {
			form, err := compact.Append(nil, s)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if parse {
					_, err = compact.Parse(form)
				} else {
					form, err = compact.Append(form[:0], s)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(s.Clusters)), "ns/cluster")
		})
	}
}
