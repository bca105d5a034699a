package idcompressor_test

import (
	"math"
	"testing"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

func TestDecompress(t *testing.T) {
	run(t, "R67 R68", func(e env) {
		c := e.new()
		e.unknown(c, -1) // R67
		e.unknown(c, 0)  // R68
		for _, x := range []id{-2, 1, math.MaxInt64, math.MinInt64, impls.MaxID, -impls.MaxID} {
			e.unknown(c, x)
		}
	})
	run(t, "R69 R74", func(e env) {
		c := e.new()
		x := e.gen1(c)
		e.known(c, x, s1)
		e.sync(c)
		e.known(c, x, s1)
	})
	run(t, "R70", func(e env) {
		c := e.new()
		x := e.gen1(c)
		e.sync(c)
		e.equal("UUID", e.stable(c, e.session(c, e.op(c, x), s1)), s1)
	})
	run(t, "R71 R77", func(e env) {
		c := e.with(1)
		x := e.gen1(c)
		allFinal(e, "eager", []id{x}, true)
		e.known(c, x, add(s1, 1))
	})
	run(t, "text", func(e env) {
		c := e.with(1)
		e.gen(c, 7)
		for _, x := range []id{0, 1, -8, -1} {
			text, err := c.AppendStableID([]byte("id "), x)
			e.must(err)
			e.equal("text", string(text), "id "+e.stable(c, x).String())
		}
		e.refused(c, idcompressor.ErrUnknownID, func() error {
			text, err := c.AppendStableID([]byte("id "), 99)
			e.equal("text", string(text), "id ")
			return err
		})
	})
	run(t, "Q3", func(e env) { // reserved, but never generated
		c := e.with(1)
		e.unknown(c, 5)
		e.next(c, 1, 2, 3, 4, 5)
		e.known(c, 5, add(s1, 5))
	})
	run(t, "Q4", func(e env) { // reserved for an ID that began as a local one
		c := e.new(size(2))
		e.gen1(c)
		r1 := e.take(c)
		e.gen1(c)
		r2 := e.take(c)
		e.finalize(r1, c)
		e.unknown(c, 1)
		e.known(c, -2, add(s1, 1))
		e.finalize(r2, c)
		e.equal("UUID", e.stable(c, 1), add(s1, 1))
	})
	run(t, "Q9", func(e env) { // the negative form of an eager ID
		c := e.with(1)
		e.next(c, 1)
		e.unknown(c, -2)
		e.refused(c, idcompressor.ErrUnknownID, func() error { _, err := c.NormalizeToOpSpace(-2); return err })
		e.refused(c, idcompressor.ErrUnknownID, func() error { _, err := c.NormalizeToSessionSpace(-2, s1); return err })
	})
	run(t, "Q13", func(e env) {
		// IDs are integers in Go: of the odd numbers only extremes are left.
		c := e.with(1)
		for _, x := range []id{math.MinInt64, -math.MaxInt64, math.MaxInt64, 1 << 53} {
			e.unknown(c, x)
		}
	})
}

func TestRecompress(t *testing.T) {
	run(t, "R75", func(e env) {
		a, b := e.new(), e.new(session(s2))
		e.gen1(a)
		e.sync(a, b)
		allFinal(e, "remote ID", []id{e.recompress(b, s1)}, true)
	})
	run(t, "R76", func(e env) {
		e.notFound(e.with(1), uuid.MustParse("5fff846a-efd4-42fb-8b78-b32ce2672f99"))
	})
	run(t, "Q1", func(e env) {
		c := e.new()
		e.finalize(ranged(s2, 1, 2, 5), c)
		e.known(c, 1, add(s2, 1))
		for offset := int64(2); offset <= 8; offset++ {
			e.notFound(c, add(s2, offset))
		}
	})
	run(t, "Q2", func(e env) {
		c := e.with(1)
		for offset := int64(1); offset <= 6; offset++ {
			e.notFound(c, add(s1, offset))
		}
	})
	run(t, "Q10", func(e env) { // below the own session
		c := e.new()
		e.gen1(c)
		e.notFound(c, add(s1, -1))
		e.notFound(c, uuid.MustParse("00000000-0000-4000-8000-000000000000"))
	})
	run(t, "Q11", func(e env) { // the limits at 2^53-1
		c := e.new()
		e.finalize(ranged(s2, 1, impls.MaxID-1, 1), c)
		e.known(c, impls.MaxID-2, add(s2, impls.MaxID-2))
		e.notFound(c, add(s2, impls.MaxID-1))
		e.notFound(c, add(s2, impls.MaxID))
		e.notFound(c, add(s2, 1<<53))
		local := e.nearEnd(s1, impls.MaxID)
		e.known(local, -impls.MaxID, add(s1, impls.MaxID-1))
		e.notFound(local, add(s1, impls.MaxID))
		e.notFound(local, add(s1, 1<<53))
	})
	run(t, "Q12", func(e env) {
		c := e.with(1)
		for _, u := range []uuid.UUID{
			{}, uuid.MustParse("88888888-8888-1888-b088-888888888888"), uuid.MustParse("88888888-8888-4888-f088-888888888888"), uuid.Max,
		} {
			if x, ok := c.TryRecompress(u); ok || x != 0 {
				e.Fatalf("%s is %d", u, x)
			}
			e.refused(c, idcompressor.ErrInvalidUUID, func() error { _, err := c.Recompress(u); return err })
		}
	})
	run(t, "Q14", func(e env) {
		// Q20 leaves no empty session behind to hide anything.
		c := e.new()
		e.finalize(ranged(s2, 1, 3, 2), c)
		e.refuseFinalize(c, idcompressor.ErrOutOfOrder, ranged(add(s2, 1), 2, 1, 1))
		e.known(c, 2, add(s2, 2))
	})
	run(t, "Q15", func(e env) {
		// The overlap of own local IDs and a remote session shows when the
		// own range is finalized.
		c := e.new()
		e.gen(c, 6)
		e.finalize(ranged(add(s1, 5), 1, 1, 1), c)
		e.equal("UUID of -6", e.stable(c, -6), add(s1, 5))
		e.equal("UUID of 0", e.stable(c, 0), add(s1, 5))
		e.equal("ID", e.recompress(c, add(s1, 5)), id(0))
		e.refuseFinalize(c, idcompressor.ErrCollision, e.take(c))
	})
	run(t, "Q59", func(e env) {
		// Sessions that overlap load, and the nearest lower one answers.
		state, err := e.new().State(false)
		e.must(err)
		state.Sessions = append(state.Sessions, numeric(s2), numeric(add(s2, 3)))
		state.Clusters = append(state.Clusters, cluster(0, 10, 5), cluster(1, 2, 1))
		c, err := idcompressor.FromState(state, session(s1), idcompressor.WithBackend(e.backend))
		e.must(err)
		e.equal("one final", e.stable(c, 3), add(s2, 3))
		e.equal("other final", e.stable(c, 10), add(s2, 3))
		e.equal("ID", e.recompress(c, add(s2, 3)), id(10))
	})
}

// The reference keeps its sessions in an append-only sorted map; what of that
// map's behaviour is left here is the index of sessions by UUID.
func TestSessionIndex(t *testing.T) {
	for _, n := range []int64{99, 100} {
		run(t, "R223 R225 R227 R228", func(e env) {
			c := e.new(session(nines))
			var want []uuid.UUID
			for i := range n {
				s := add(s1, 1000+2*i) // even keys
				want = append(want, s)
				e.finalize(ranged(s, 1, 1, 1), c)
				e.equal("R227: size", c.Table().SessionCount(), int(i)+2)
				var all []uuid.UUID
				for s := range c.Sessions() {
					all = append(all, s)
				}
				e.equal("R228: order", all, append([]uuid.UUID{nines}, want...))
			}
			table := c.Table()
			for i := range n {
				at, ok := table.LookupSession(numeric(want[i])) // R223
				e.equal("R223: present", []any{at, ok}, []any{impls.Session(i + 1), true})
				_, ok = table.LookupSession(numeric(add(want[i], 1)))
				e.equal("R223: missing", ok, false)
				for _, above := range []int64{0, 1} { // R225: exact, and the next lower
					at, ok := table.NearestSession(numeric(add(want[i], above)))
					e.equal("R225", []any{at, ok}, []any{impls.Session(i + 1), true})
				}
			}
			_, ok := table.NearestSession(numeric(add(s1, 999)))
			e.equal("R225: below all", ok, false)
			at, _ := table.NearestSession(numeric(add(want[n-1], 1<<50)))
			e.equal("R225: above all but the own", at, impls.Session(n))
		})
	}
}
