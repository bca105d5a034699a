package idcompressor_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/model"
)

// machine is a small network of compressors on any backends beside their
// naive twins. Every call, valid or not, is answered by both.
type machine struct {
	nodes    []*machineNode
	order    []delivery // the one total order
	backends []impls.Backend
}

type machineNode struct {
	env
	*compressor
	twin *naive
	at   int
}

// delivery is a range, or a ghost session that all make by themselves.
type delivery struct {
	r     idcompressor.CreationRange
	ghost uuid.UUID
	n     int64
}

var ghosts = []uuid.UUID{
	uuid.MustParse("10000000-0000-4000-8000-000000000000"),
	uuid.MustParse("f0000000-0000-4fff-bfff-fffffffffff0"),
}

func newMachine(t *rapid.T) *machine {
	m := &machine{backends: append(impls.Backends(), model.Backend)}
	for _, s := range []uuid.UUID{s1, s2, s3} {
		e := env{t, rapid.SampledFrom(m.backends).Draw(t, "backend")}
		size1 := rapid.Int64Range(1, 6).Draw(t, "size")
		m.nodes = append(m.nodes, &machineNode{env: e, compressor: e.new(session(s), size(size1)), twin: newNaive(s, size1)})
	}
	return m
}

func (m *machine) node(t *rapid.T) *machineNode {
	n := m.nodes[rapid.IntRange(0, len(m.nodes)-1).Draw(t, "node")]
	n.TB = t
	return n
}

func (m *machine) Generate(t *rapid.T) {
	n, k := m.node(t), rapid.IntRange(1, 8).Draw(t, "n")
	var want []id
	for range k {
		want = append(want, n.twin.generate())
	}
	if rapid.Bool().Draw(t, "batch") {
		got, err := n.AppendGenerate(nil, k)
		n.must(err)
		n.env.equal("IDs", got, want)
	} else {
		n.next(n.compressor, want...)
	}
}

func (m *machine) Take(t *rapid.T) {
	n := m.node(t)
	var got, want idcompressor.CreationRange
	if rapid.Bool().Draw(t, "unfinalized") {
		got, want = n.takeUnfinalized(n.compressor), n.twin.take(n.twin.begin(n.twin.session))
	} else {
		got, want = n.take(n.compressor), n.twin.take(n.twin.cursor)
	}
	n.env.equal("range", got, want)
	m.order = append(m.order, delivery{r: got})
}

func (m *machine) Reset(t *rapid.T) {
	n := m.node(t)
	n.must(n.ResetUnfinalizedCreationRange())
	n.twin.cursor = n.twin.begin(n.twin.session)
}

func (m *machine) Ghost(t *rapid.T) {
	m.order = append(m.order, delivery{ghost: rapid.SampledFrom(ghosts).Draw(t, "session"), n: rapid.Int64Range(0, 4).Draw(t, "n")})
}

func (m *machine) Deliver(t *rapid.T) {
	n := m.node(t)
	for range rapid.IntRange(1, 5).Draw(t, "n") {
		n.deliver(m)
	}
}

func (n *machineNode) deliver(m *machine) {
	n.Helper()
	if n.at == len(m.order) {
		return
	}
	d := m.order[n.at]
	n.at++
	if d.ghost != (uuid.UUID{}) {
		n.env.equal("ghost IDs", n.ghost(n.compressor, d.ghost, int(d.n)), n.twin.ghost(d.ghost, d.n))
		return
	}
	n.try(d.r)
}

// try finalizes a range, or sees it refused.
func (n *machineNode) try(r idcompressor.CreationRange) {
	n.Helper()
	before := n.Fingerprint()
	want := n.twin.finalize(r)
	err := n.FinalizeCreationRange(r)
	n.env.equal("class of "+fmt.Sprint(err), idcompressor.ErrorClass(err), want)
	if err != nil {
		n.env.equal("state after "+err.Error(), n.Fingerprint(), before)
	}
}

// Hostile gives a node ranges that must be refused.
func (m *machine) Hostile(t *rapid.T) {
	n := m.node(t)
	session := rapid.SampledFrom([]uuid.UUID{s1, s2, s3, ghosts[0], nines}).Draw(t, "session")
	near := n.twin.begin(session)
	r := ranged(session,
		near+rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(-near-2, 3)).Draw(t, "first"),
		rapid.OneOf(rapid.Int64Range(-1, 40), rapid.Int64Range(1<<53-3, 1<<62)).Draw(t, "count"),
		rapid.OneOf(rapid.Int64Range(-1, 3), rapid.Int64Range(1<<20-1, 1<<62)).Draw(t, "size"))
	want := n.twin.judge(r)
	if want == "" { // it would be taken in, and the clients diverge
		more := r.IDs.FirstGenCount + r.IDs.Count - 1 - int64(len(n.twin.finals[session]))
		if more <= impls.MaxID-r.IDs.RequestedClusterSize-int64(len(n.twin.slots)) {
			return
		}
		want = "exhausted"
	}
	before := n.Fingerprint()
	err := n.FinalizeCreationRange(r)
	n.env.equal("class of "+fmt.Sprint(err), idcompressor.ErrorClass(err), want)
	n.env.equal("state", n.Fingerprint(), before)
}

// Resume takes a node through its serialized form, perhaps to another backend.
func (m *machine) Resume(t *rapid.T) {
	n := m.node(t)
	n.backend = rapid.SampledFrom(m.backends).Draw(t, "backend")
	n.compressor = n.resume(n.compressor)
}

func (m *machine) Size(t *rapid.T) {
	n, s := m.node(t), rapid.Int64Range(-1, 9).Draw(t, "size")
	if s < 1 {
		n.refused(n.compressor, idcompressor.ErrInvalidArgument, func() error { return n.SetClusterSize(s) })
		return
	}
	n.must(n.SetClusterSize(s))
	n.twin.size = s
}

// Ask asks a node about any ID, form and UUID, known or not.
func (m *machine) Ask(t *rapid.T) {
	n := m.node(t)
	for range 8 {
		x := rapid.Int64Range(-int64(len(n.twin.forms))-3, int64(len(n.twin.slots))+3).Draw(t, "ID")
		origin := rapid.SampledFrom([]uuid.UUID{s1, s2, s3, ghosts[0], ghosts[1]}).Draw(t, "session")
		offset := rapid.Int64Range(-1, int64(max(len(n.twin.forms), len(n.twin.finals[origin])))+2).Draw(t, "offset")
		n.ask(x, origin, add(origin, offset))
	}
}

func (n *machineNode) ask(x int64, origin, u uuid.UUID) {
	n.Helper()
	before := n.Fingerprint()
	check := func(call string, got any, err error, want any, class string) {
		n.Helper()
		if idcompressor.ErrorClass(err) != class || err == nil && got != want {
			n.Fatalf("%s of %d, %s, %s: %v, %v, want %v, %q", call, x, origin, u, got, err, want, class)
		}
	}
	stable, err := n.Decompress(id(x))
	wantStable, class := n.twin.decompress(id(x))
	check("decompress", stable, err, wantStable, class)
	text, err := n.AppendStableID(nil, id(x))
	check("text", string(text), err, wantStable.String(), class)
	form, err := n.NormalizeToOpSpace(id(x))
	wantOp, class := n.twin.toOp(id(x))
	check("op form", form, err, wantOp, class)
	found, err := n.NormalizeToSessionSpace(op(x), origin)
	wantID, class := n.twin.toSession(op(x), origin)
	check("session form", found, err, wantID, class)
	found, ok, err := n.TryNormalizeToSessionSpace(op(x))
	if x < 0 {
		check("session form without origin", ok, err, false, "")
	} else {
		check("session form without origin", found, err, wantID, class)
	}
	found, err = n.Recompress(u)
	wantID, ok = n.twin.recompress(u)
	class = "unknown-stable-id"
	if ok {
		class = ""
	}
	check("recompress", found, err, wantID, class)
	n.env.equal("state", n.Fingerprint(), before)
}

// Check holds after every step.
func (m *machine) Check(t *rapid.T) {
	for _, n := range m.nodes {
		n.TB = t
		n.must(n.compressor.CheckInvariants())
		s, err := n.State(true)
		n.must(err)
		n.env.equal("generated", s.Local.Generated, int64(len(n.twin.forms)))
		n.env.equal("cursor", s.Local.Cursor, n.twin.cursor)
		var runs []impls.Run
		for _, r := range s.Local.Runs {
			runs = append(runs, impls.Run(r))
		}
		n.env.equal("runs", runs, n.twin.runs(1))
		var at int
		for c := range n.Clusters() {
			for i := range c.Capacity {
				want := slot{session: n.Table().SessionID(c.Session).UUID(), gen: c.BaseGen + i, finalized: i < c.Count}
				if at >= len(n.twin.slots) || n.twin.slots[at] != want {
					n.Fatalf("final %d is %+v, and not in the naive twin", at, want)
				}
				at++
			}
		}
		n.env.equal("finals", at, len(n.twin.slots))
		n.env.equal("size", n.ClusterSize(), n.twin.size)
	}
}

// converge delivers all and compares the nodes.
func (m *machine) converge(t *rapid.T) {
	for _, n := range m.nodes {
		n.TB = t
		for n.at < len(m.order) {
			n.deliver(m)
		}
		n.same(n.compressor, m.nodes[0].compressor, false, true)
		n.roundTrips(n.compressor)
		for x := range int64(len(n.twin.slots)) {
			n.ask(x, s1, add(s1, x))
		}
	}
}

func TestMachine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t)
		t.Repeat(map[string]func(*rapid.T){
			"": m.Check, "generate": m.Generate, "take": m.Take, "reset": m.Reset, "ghost": m.Ghost, "deliver": m.Deliver,
			"deliver more": m.Deliver, "hostile": m.Hostile, "resume": m.Resume, "size": m.Size, "ask": m.Ask,
		})
		m.converge(t)
	})
}
