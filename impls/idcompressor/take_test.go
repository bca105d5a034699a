package idcompressor_test

import (
	"testing"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// runs are the local ID ranges of a range that has IDs.
func runs(r idcompressor.CreationRange) []impls.Run { return r.IDs.LocalIDRanges }

func (e env) empty(r idcompressor.CreationRange) {
	e.Helper()
	e.equal("range", r, idcompressor.CreationRange{SessionID: s1})
}

func TestTakeNext(t *testing.T) {
	run(t, "R34", func(e env) { e.empty(e.take(e.new())) })
	run(t, "R35", func(e env) {
		c := e.new()
		e.gen1(c)
		e.equal("count", e.take(c).IDs.Count, int64(1))
	})
	run(t, "R36", func(e env) {
		c := e.new()
		e.gen(c, 10)
		e.equal("count", e.take(c).IDs.Count, int64(10))
	})
	run(t, "R37 R38 R39 R40 R41", func(e env) {
		c := e.new(size(1))
		e.next(c, -1) // R37
		r := e.take(c)
		e.equal("R37", runs(r), []impls.Run{{First: 1, Count: 1}})
		e.finalize(r, c)
		e.next(c, 1) // R38
		r = e.take(c)
		e.equal("R38", len(runs(r)), 0)
		e.finalize(r, c)
		e.gen1(c) // -3, capacity 4 from now on
		e.sync(c)
		e.next(c, 3, -5) // R39
		r = e.take(c)
		e.equal("R39", runs(r), []impls.Run{{First: 5, Count: 1}})
		ids := e.gen(c, 2) // R40
		r.IDs.RequestedClusterSize = 4
		e.finalize(r, c)
		ids = append(ids, e.gen(c, 5)...)
		e.equal("R40", ids, []id{-6, -7, 7, 8, -10, -11, -12})
		e.equal("R41", runs(e.take(c)), []impls.Run{{First: 6, Count: 2}, {First: 10, Count: 3}})
	})
	run(t, "Q27", func(e env) {
		// Finalizing from elsewhere does not move the cursor: these IDs are
		// returned again.
		c := e.new()
		e.gen(c, 2)
		e.finalize(ranged(s1, 1, 2, 5), c)
		e.equal("range", e.take(c), ranged(s1, 1, 2, fixtureSize, impls.Run{First: 1, Count: 2}))
		// After a reset the range in flight arrives, and its IDs are re-taken.
		d := e.new()
		e.gen(d, 2)
		flying := e.take(d)
		e.must(d.ResetUnfinalizedCreationRange())
		e.finalize(flying, d)
		again := e.take(d)
		e.equal("again", again, flying)
		e.refuseFinalize(d, idcompressor.ErrOutOfOrder, again)
	})
}

// mixed returns the compressor of R48 with ranges 2, 3 and 4 outstanding.
func (e env) mixed() (*compressor, []idcompressor.CreationRange) {
	e.Helper()
	c := e.new(size(2))
	e.gen1(c)
	r1 := e.take(c)
	e.next(c, -2)
	r2 := e.take(c)
	e.finalize(r1, c)
	e.next(c, 2)
	r3 := e.take(c)
	e.next(c, -4)
	r4 := e.take(c)
	e.equal("range 2", runs(r2), []impls.Run{{First: 2, Count: 1}})
	e.equal("range 3", len(runs(r3)), 0)
	e.equal("range 4", runs(r4), []impls.Run{{First: 4, Count: 1}})
	return c, []idcompressor.CreationRange{r2, r3, r4}
}

func TestTakeUnfinalized(t *testing.T) {
	run(t, "R42", func(e env) {
		c := e.new()
		r := e.takeUnfinalized(c)
		e.empty(r)
		before := c.Fingerprint()
		e.finalize(r, c)
		e.equal("state", c.Fingerprint(), before)
	})
	run(t, "R43", func(e env) { e.empty(e.takeUnfinalized(e.with(1))) })
	run(t, "R44 R45 R46 R47", func(e env) {
		c := e.new(size(2))
		e.gen1(c)
		e.take(c)
		e.equal("R44", e.takeUnfinalized(c), ranged(s1, 1, 1, 2, impls.Run{First: 1, Count: 1}))
		e.gen1(c)
		retaken := e.takeUnfinalized(c)
		e.equal("R45", retaken, ranged(s1, 1, 2, 2, impls.Run{First: 1, Count: 2}))
		e.empty(e.take(c)) // R46
		e.gen1(c)
		next := e.take(c)
		e.equal("R47", next, ranged(s1, 3, 1, 2, impls.Run{First: 3, Count: 1}))
		e.finalize(retaken, c)
		e.finalize(next, c)
	})
	run(t, "R48 R49", func(e env) {
		c, outstanding := e.mixed()
		r := e.takeUnfinalized(c)
		e.equal("R48", r, ranged(s1, 2, 3, 2, impls.Run{First: 2, Count: 1}, impls.Run{First: 4, Count: 1}))
		e.finalize(r, c)
		for _, r := range outstanding { // R49
			e.refuseFinalize(c, idcompressor.ErrOutOfOrder, r)
		}
	})
	run(t, "Q26", func(e env) {
		// A session finalized beyond what was generated is refused where it
		// would come about, so that taking cannot meet it.
		c := e.new()
		e.gen1(c)
		e.refuseFinalize(c, idcompressor.ErrForkedSession, ranged(s1, 1, 2, 5))
		e.equal("range", e.takeUnfinalized(c), ranged(s1, 1, 1, fixtureSize, impls.Run{First: 1, Count: 1}))
	})
}

func TestReset(t *testing.T) {
	reset := func(e env, c *compressor) {
		e.Helper()
		e.must(c.ResetUnfinalizedCreationRange())
	}
	run(t, "R50 R51", func(e env) {
		c := e.new(size(2))
		e.gen1(c)
		e.take(c)
		reset(e, c)
		e.equal("R50", e.take(c), ranged(s1, 1, 1, 2, impls.Run{First: 1, Count: 1}))
		reset(e, c)
		e.gen1(c)
		e.equal("R51", e.take(c), ranged(s1, 1, 2, 2, impls.Run{First: 1, Count: 2}))
	})
	run(t, "R52", func(e env) {
		c := e.with(3)
		reset(e, c)
		e.empty(e.take(c))
	})
	run(t, "R53", func(e env) {
		c := e.new(size(2))
		e.gen1(c)
		e.take(c)
		for range 3 {
			reset(e, c)
		}
		e.gen1(c)
		e.equal("range", e.take(c), ranged(s1, 1, 2, 2, impls.Run{First: 1, Count: 2}))
	})
	run(t, "R54", func(e env) {
		c, _ := e.mixed()
		reset(e, c)
		r := e.take(c)
		e.equal("range", r, ranged(s1, 2, 3, 2, impls.Run{First: 2, Count: 1}, impls.Run{First: 4, Count: 1}))
		e.finalize(r, c)
		allFinal(e, "op forms", e.ops(c, []id{-1, -2, 2, -4}), true)
	})
}
