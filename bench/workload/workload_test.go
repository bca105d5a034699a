package workload

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/idlab/impls"
	_ "example.com/idlab/impls/control"
	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/model"
	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/sortedslice"
)

func embedded(t testing.TB, name string) *Document {
	t.Helper()
	d, err := Embedded(name, 1)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What design.md says of the embedded documents.
func TestEmbedded(t *testing.T) {
	for _, c := range []struct {
		name               string
		sessions, clusters int
	}{{"small", 100, 3}, {"sessions", 10_000, 3}, {"clusters", 100, 3000}, {"7x5", 7, 5}} {
		d := embedded(t, c.name)
		if got := len(d.Sessions); got != c.sessions+1 {
			t.Errorf("%s: %d sessions, want %d and the measuring one", c.name, got, c.sessions)
		}
		want, err := Clusters(c.name)
		if err != nil || len(d.Clusters) != want || want != c.sessions*c.clusters+ownClusters {
			t.Errorf("%s: %d clusters, Clusters says %d, %v", c.name, len(d.Clusters), want, err)
		}
		count := make([]int, len(d.Sessions))
		var least, most int64 = capacity, 1
		for i, cl := range d.Clusters {
			count[cl.Session]++
			last := count[cl.Session] == c.clusters || cl.Session == 0 && count[0] == ownClusters
			if cl.Capacity != capacity || !last && cl.Count != capacity || cl.Count < 1 {
				t.Fatalf("%s: cluster %d is %+v", c.name, i, cl)
			}
			if last && cl.Session != 0 {
				least, most = min(least, cl.Count), max(most, cl.Count)
			}
			if i > 0 && c.sessions >= 100 && d.Clusters[i-1].Session == cl.Session {
				t.Errorf("%s: clusters %d and %d are one", c.name, i-1, i)
			}
		}
		for s, n := range count[1:] {
			if n != c.clusters {
				t.Errorf("%s: session %d has %d clusters", c.name, s+1, n)
			}
		}
		if c.sessions >= 100 && (least > 60 || most < capacity-60) {
			t.Errorf("%s: last counts are %d to %d, not uniform in 1..512", c.name, least, most)
		}
		again := embedded(t, c.name)
		if !bytes.Equal(d.text(), again.text()) {
			t.Errorf("%s: the same seed gives another document", c.name)
		}
		if other, _ := Embedded(c.name, 2); bytes.Equal(d.text(), other.text()) {
			t.Errorf("%s: another seed gives the same document", c.name)
		}
	}
}

// The measuring session has 10,000 IDs in all four states.
func TestMeasuringSession(t *testing.T) {
	for _, name := range []string{"small", "one-writer"} {
		own := embedded(t, name).own()
		if n := len(own.local) + len(own.unacked) + len(own.eager); n != ownGenerated {
			t.Errorf("%s: %d own IDs", name, n)
		}
		if len(own.local) == 0 || len(own.unacked) == 0 || len(own.eager) == 0 {
			t.Errorf("%s: a state is missing", name)
		}
		unacked := 0
		for _, gen := range own.eager {
			if gen > ownAcknowledged {
				unacked++
			}
		}
		if unacked == 0 {
			t.Errorf("%s: no eager ID awaits acknowledgement", name)
		}
	}
}

func TestOneWriter(t *testing.T) {
	d := embedded(t, oneWriterName)
	var sum int64
	for _, n := range d.writes {
		if n < 1 || n > 64 {
			t.Fatalf("a range of %d", n)
		}
		sum += n
	}
	if sum != oneWriterIDs || d.Clusters[0].Count != oneWriterIDs {
		t.Errorf("%d IDs in ranges, %d in the cluster", sum, d.Clusters[0].Count)
	}
}

// The list, the ranges and a compressor that made the IDs itself must come to
// the same document.
func TestRangesBuildTheDocument(t *testing.T) {
	for _, name := range []string{"small", "20x7", oneWriterName} {
		d := embedded(t, name)
		c, err := idcompressor.New(idcompressor.WithSession(d.Sessions[0].UUID()))
		if err != nil {
			t.Fatal(err)
		}
		for r := range d.Ranges() {
			if r.SessionID == c.LocalSessionID() {
				if err := c.SetClusterSize(r.IDs.RequestedClusterSize); err != nil {
					t.Fatal(err)
				}
				if _, err := c.AppendGenerate(nil, int(r.IDs.Count)); err != nil {
					t.Fatal(err)
				}
				if r, err = c.TakeNextCreationRange(); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.FinalizeCreationRange(r); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.AppendGenerate(nil, ownGenerated-ownAcknowledged); err != nil {
			t.Fatal(err)
		}
		got, err := c.State(true)
		if err != nil {
			t.Fatal(err)
		}
		want := d.State()
		if diff := cmp.Diff(want.Clusters, inOrderOf(got, want)); diff != "" {
			t.Errorf("%s: clusters differ (-list +ranges):\n%.2000s", name, diff)
		}
		if diff := cmp.Diff(want.Local.Runs, got.Local.Runs); diff != "" {
			t.Errorf("%s: runs differ (-list +ranges):\n%s", name, diff)
		}
	}
}

// inOrderOf returns the clusters of got with sessions as want numbers them.
func inOrderOf(got, want *snapshot.State) []snapshot.Cluster {
	position := map[any]int32{}
	for i, id := range want.Sessions {
		position[id] = int32(i)
	}
	var clusters []snapshot.Cluster
	for _, c := range got.Clusters {
		c.Session = position[got.Sessions[c.Session]]
		clusters = append(clusters, c)
	}
	return clusters
}

// Every benchmark must run and be answered right on the naive model and on the
// textbook backend, and its name be a good one.
func TestTable(t *testing.T) {
	for _, doc := range []string{"7x3", "one-writer"} {
		d := embedded(t, doc)
		for _, backend := range []impls.Backend{model.Backend, sortedslice.Backend} {
			s := NewSubject(d, backend)
			for _, b := range Table() {
				if b.Op == "FinalizeRange" && backend.Name == "model" && b.Variant == "ids=new" {
					continue // quadratic
				}
				if doc == oneWriterName && backend.Name == "model" && b.Variant == "from=ranges" {
					continue
				}
				r, err := Measure(&b, s, time.Microsecond, false)
				if errors.Is(err, ErrDoesNotApply) {
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", b.Name(s), err)
					continue
				}
				if err := Lint(r.Name); err != nil {
					t.Error(err)
				}
				if ns, ok := r.Metric("ns/op"); !ok || !(ns > 0) {
					t.Errorf("%s: %v ns/op", r.Name, ns)
				}
			}
		}
	}
}

// A backend that answers wrong must not get a figure, in any lookup it gets wrong.
func TestWrongAnswersAreCaught(t *testing.T) {
	wrong, err := impls.Lookup("wrong")
	if err != nil {
		t.Fatal(err)
	}
	s := NewSubject(embedded(t, "50x3"), wrong)
	for _, key := range []string{"Decompress/ids=random", "Decompress/ids=random/batch=1024", "Decompress/ids=range/batch=1024"} {
		b, ok := Lookup(key)
		if !ok {
			t.Fatal(key)
		}
		_, err := Measure(b, s, time.Millisecond, false)
		var caught *WrongAnswerError
		if !errors.As(err, &caught) || !strings.Contains(err.Error(), "backend=wrong") {
			t.Errorf("%s: %v, want a WrongAnswerError that names the backend", key, err)
		}
	}
}

// An error that all answers share must not cancel itself.
func TestChecksumSeesSharedErrors(t *testing.T) {
	sum := func(n int, answer func(i uint64) uint64) (sum uint64) {
		for i := range n {
			sum = fold(sum, answer(uint64(i)))
		}
		return sum
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{64, lot, 8 * lot} {
		start := r.Uint64N(1 << 40)
		right := sum(n, func(i uint64) uint64 { return start + i })
		for bit := range 45 {
			off := uint64(1) << bit
			for what, answer := range map[string]func(i uint64) uint64{
				"too great": func(i uint64) uint64 { return start + i + off },
				"too small": func(i uint64) uint64 { return start + i - off },
				"flipped":   func(i uint64) uint64 { return (start + i) ^ off },
			} {
				if sum(n, answer) == right {
					t.Errorf("%d answers, all %s by %d, have the checksum of the right ones", n, what, off)
				}
			}
		}
	}
}

// The null backend is the floor: its answers are not compared.
func TestNullIsMeasured(t *testing.T) {
	null, err := impls.Lookup("null")
	if err != nil {
		t.Fatal(err)
	}
	s := NewSubject(embedded(t, "50x3"), null)
	quick, err := Select(Quick, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range quick {
		if _, err := Measure(&b, s, time.Microsecond, false); err != nil && !errors.Is(err, ErrDoesNotApply) {
			t.Errorf("%s: %v", b.Key(), err)
		}
	}
}

// Allocations are exact: the same in every run.
func TestAllocationsAreExact(t *testing.T) {
	for _, key := range []string{"Build", "Generate/ids=eager", "FinalizeRange/ids=known", "FinalizeRange/ids=new", "Decompress/ids=random", "Serialize/form=v3"} {
		b, _ := Lookup(key)
		var first Result
		for i := range 3 {
			r, err := Measure(b, NewSubject(embedded(t, "small"), sortedslice.Backend), time.Microsecond, false)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = r
			}
			for _, unit := range []string{"B/op", "allocs/op", "inuse-bytes"} {
				want, _ := first.Metric(unit)
				if got, _ := r.Metric(unit); got != want {
					t.Errorf("%s: %v %s, and %v before", key, got, unit, want)
				}
			}
		}
	}
}

// Benchmarks that change a compressor share one, in an order that is shuffled:
// whatever came before, the next lot must be what it says it is.
func TestChangesInAnyOrder(t *testing.T) {
	var changing []Benchmark
	for _, b := range Table() {
		if b.Op == "Generate" || b.Op == "TakeRange" || b.Op == "FinalizeRange" {
			changing = append(changing, b)
		}
	}
	d := embedded(t, "9x3")
	rapid.Check(t, func(t *rapid.T) {
		s := NewSubject(d, sortedslice.Backend)
		for range 3 {
			b := rapid.SampledFrom(changing).Draw(t, "benchmark")
			m, err := NewMeter(&b, s)
			if err != nil {
				t.Fatal(err)
			}
			for range rapid.IntRange(0, 2).Draw(t, "lots") {
				if err := m.Lot(); err != nil {
					t.Fatal(err)
				}
			}
			for range rapid.IntRange(0, 20).Draw(t, "ones") {
				if m.body.One == nil {
					break
				}
				one, err := m.body.One()
				if err == nil {
					err = one()
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if m.body.Finish != nil {
				if err := m.body.Finish(); err != nil {
					t.Fatal(err)
				}
			}
			table := s.scratch.c.Table()
			for session, want := range s.scratch.last {
				c, ok := table.LastCluster(impls.Session(session))
				if got := (lastCluster{c.BaseFinal, c.BaseGen, c.Capacity, c.Count}); ok && got != want {
					t.Fatalf("after %s session %d has the last cluster %+v, want %+v", b.Key(), session, got, want)
				}
			}
		}
	})
}

func TestTail(t *testing.T) {
	for _, key := range []string{"Generate/ids=eager", "FinalizeRange/ids=new"} {
		b, _ := Lookup(key)
		r, err := Measure(b, NewSubject(embedded(t, "small"), sortedslice.Backend), time.Microsecond, true)
		if err != nil {
			t.Fatal(err)
		}
		last := 0.0
		for _, q := range quantiles {
			v, ok := r.Metric(q.unit)
			if !ok || v < last {
				t.Errorf("%s: %s is %v after %v", key, q.unit, v, last)
			}
			last = v
		}
	}
}

// A document must come out of every form as it went in.
func TestLoad(t *testing.T) {
	d := embedded(t, "20x3")
	c, err := d.Compressor(sortedslice.Backend)
	if err != nil {
		t.Fatal(err)
	}
	binary, err := c.AppendSerialized(nil, true)
	if err != nil {
		t.Fatal(err)
	}
	stored := map[string][]byte{"binary": binary}
	for _, f := range Forms() {
		if stored[f.Name], err = f.Encode(nil, c); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range stored {
		got, err := Load("Some File-12.b64", data, 1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Name != "some-file_12" {
			t.Errorf("%s: the document is named %s", name, got.Name)
		}
		if diff := cmp.Diff(d.Sessions, got.Sessions[1:]); diff != "" {
			t.Errorf("%s: sessions differ: %s", name, diff)
		}
		b, _ := Lookup("Recompress/ids=random")
		if _, err := Measure(b, NewSubject(got, sortedslice.Backend), time.Microsecond, false); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []string{"", "prose\n", "\x1f\x8bno gzip", "\x28\xb5\x2f\xfdno zstd", "AAAA"} {
		if _, err := Load("bad", []byte(bad), 1); err == nil {
			t.Errorf("%q is no document", bad)
		}
	}
}

// Text that somebody packed is recognized too, and a little data that unpacks to
// very much is refused before it does.
func TestLoadPacked(t *testing.T) {
	c, err := embedded(t, "20x3").Compressor(sortedslice.Backend)
	if err != nil {
		t.Fatal(err)
	}
	text, err := c.AppendSerializedText(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	for name, pack := range map[string]func(dst, data []byte) ([]byte, error){"gzip": gzipBytes, "zstd": zstdBytes} {
		packed, err := pack(nil, text)
		if err == nil {
			_, err = Load("text", packed, 1)
		}
		if err != nil {
			t.Errorf("%s of text: %v", name, err)
		}
		bomb, err := pack(nil, make([]byte, leastUnpacked+leastUnpacked/4))
		if err == nil {
			_, err = Load("bomb", bomb, 1)
		}
		if !errors.Is(err, errUnpacked) {
			t.Errorf("%s of zeros, %d bytes: %v", name, len(bomb), err)
		}
	}
}

func TestRestore(t *testing.T) {
	d := embedded(t, "20x3")
	data, err := d.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Restore(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d.State(), got.State()); diff != "" {
		t.Error(diff)
	}
	if a, b := d.places().at(5), got.places().at(5); a != b {
		t.Errorf("other queries: %v and %v", a, b)
	}
}

func TestUnknownDocument(t *testing.T) {
	for _, name := range []string{"", "nothing", "0x3", "1x3", "3x", "999999999x999999999", "3x0", "3x3x3"} {
		if _, err := Embedded(name, 1); !errors.Is(err, ErrUnknownDocument) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 3000).Draw(t, "n")
		p := newPermutation(n, random(rapid.Uint64().Draw(t, "seed"), ""))
		seen := make([]bool, n)
		for i := range n {
			x := p.at(i)
			if x < 0 || x >= n || seen[x] {
				t.Fatalf("%d is there twice or outside", x)
			}
			seen[x] = true
		}
	})
}

// Queries are the finalized IDs of all other sessions, every one once, however
// wide clusters are.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		state := &snapshot.State{Version: snapshot.V3, Sessions: randomSessions(random(1, ""), 3)}
		width := rapid.OneOf(rapid.Int64Range(1, 20), rapid.Int64Range(1, 1<<45))
		for range rapid.IntRange(1, 40).Draw(t, "clusters") {
			c := snapshot.Cluster{Session: int32(rapid.IntRange(0, 2).Draw(t, "session")), Capacity: width.Draw(t, "capacity")}
			c.Count = rapid.Int64Range(0, c.Capacity).Draw(t, "count")
			state.Clusters = append(state.Clusters, c)
		}
		d, err := FromState("x", state, 1)
		if err != nil {
			t.Fatal(err)
		}
		var total int64
		for _, c := range d.Clusters {
			if c.Session != 0 {
				total += c.Count
			}
		}
		q := d.places()
		if total == 0 && q.len() == 0 {
			return
		}
		n := q.len()
		if int64(n) != min(total, fewestQueries) {
			t.Fatalf("%d queries of %d IDs", n, total)
		}
		seen := map[int64]bool{}
		for i := range min(n, 2000) {
			p := q.at(i)
			if seen[p.final] {
				t.Fatalf("%d is asked for twice", p.final)
			}
			seen[p.final] = true
			if at := d.placeOf(p.final); at != p {
				t.Fatalf("%+v, the list has %+v", p, at)
			}
		}
	})
}

// placeOf finds a final ID by looking at every cluster.
func (d *Document) placeOf(final int64) place {
	gens := make([]int64, len(d.Sessions))
	var base int64
	for _, c := range d.Clusters {
		if final >= base && final < base+c.Count {
			return place{final, gens[c.Session] + 1 + final - base, c.Session}
		}
		base += c.Capacity
		gens[c.Session] += c.Capacity
	}
	return place{}
}

func TestCleanName(t *testing.T) {
	for in, want := range map[string]string{
		"/a/b/Friends Forever.json.gz": "friends-forever", "x-12": "x_12", "-": "document", "Ünicode": "nicode",
		"doc.b64": "doc", "a--b": "a--b",
	} {
		got := CleanName(in)
		if got != want && in != "a--b" {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
		if err := Lint("Build/doc=" + got + "/backend=x"); err != nil {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestLint(t *testing.T) {
	for name, ok := range map[string]bool{
		"Decompress/doc=small/backend=paged":                               true,
		"Decompress/doc=small/backend=paged/aa=twin/ids=random/cache=cold": true,
		"Decompress":                                     false,
		"Decompress/doc=small":                           false,
		"Decompress/backend=paged/doc=small":             false,
		"Decompress/doc=small/backend=paged/ids=a b":     false,
		"Decompress/doc=small-2/backend=paged":           false,
		"Decompress/doc=small/backend=paged/nope=1":      false,
		"Decompress/doc=small/backend=paged/paged":       false,
		"Nothing/doc=small/backend=paged":                false,
		"Decompress/doc=small/backend=paged/ids=x/ids=x": false,
		"Decompress/doc=small/backend=paged/ids=":        false,
	} {
		if err := Lint(name); (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSelect(t *testing.T) {
	all, err := Select(Quick, []string{"decompress", "Recompress/ids=miss"})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range all {
		if b.Op != "Decompress" && b.Key() != "Recompress/ids=miss" {
			t.Errorf("%s was not asked for", b.Key())
		}
	}
	if len(all) < 5 {
		t.Errorf("only %d benchmarks", len(all))
	}
	if _, err := Select(Quick, []string{"Decompres"}); err == nil || !strings.Contains(err.Error(), "Decompress") {
		t.Errorf("%v does not say what there is", err)
	}
}

// What a Build reports as its growth of the heap is the compressor's, and not
// what the lab makes beside it the first time.
func TestBuildCountsTheCompressorAlone(t *testing.T) {
	b, _ := Lookup("Build")
	s := NewSubject(embedded(t, "1000x3"), sortedslice.Backend)
	var heap [2]float64
	for i := range heap {
		r, err := Measure(b, s, 0, false)
		if err != nil {
			t.Fatal(err)
		}
		heap[i], _ = r.Metric("heap-bytes")
	}
	if first := heap[0] - heap[1]; first > 32<<10 {
		t.Errorf("the heap grew by %v bytes at first, and then by %v", heap[0], heap[1])
	}
}
