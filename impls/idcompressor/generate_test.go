package idcompressor_test

import (
	"math"
	"testing"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
)

func TestGenerate(t *testing.T) {
	run(t, "R6", func(e env) {
		c := e.new()
		x := e.gen1(c)
		e.known(c, x, s1)
	})
	run(t, "R10 R11 R12", func(e env) {
		c := e.new(size(3))
		ids := e.gen(c, 2)
		e.sync(c)
		ids = append(ids, e.gen(c, 4)...)
		e.equal("IDs", ids, []id{-1, -2, 2, 3, 4, -6})
		e.sync(c)
		ops := e.ops(c, ids)
		allFinal(e, "op forms", ops, true)
		for i, x := range ids {
			if x.IsFinal() {
				e.equal("op form of an eager ID", ops[i], op(x))
			}
			e.equal("session form", e.session(c, ops[i], s1), x)
		}
	})
	run(t, "R13", func(e env) {
		c := e.new()
		a := e.gen1(c)
		first := e.take(c)
		b := e.gen1(c)
		second := e.take(c)
		e.finalize(first, c)
		e.finalize(second, c)
		for _, x := range []id{a, b} {
			o := e.op(c, x)
			allFinal(e, "op form", []op{o}, true)
			e.equal("session form", e.session(c, o, s1), x)
		}
	})
	run(t, "R14 R15 R16", func(e env) {
		c := e.new(size(2))
		e.next(c, -1)
		e.sync(c)
		e.next(c, 1, 2, -4)
		b := e.take(c)
		e.next(c, -5)
		last := e.take(c)
		e.finalize(b, c)
		e.next(c, 5)
		// R15: before C is finalized; R16: after it.
		for range 2 {
			e.known(c, -5, add(s1, 4))
			e.known(c, 5, add(s1, 5))
			if last.IDs != nil {
				e.finalize(last, c)
				last.IDs = nil
			}
		}
	})
	run(t, "R17 R18", func(e env) {
		c := e.new(size(10))
		ids := e.gen(c, 2)
		r1 := e.take(c)
		ids = append(ids, e.gen(c, 2)...)
		r2 := e.take(c)
		e.finalize(r1, c)
		ids = append(ids, e.gen(c, 2)...)
		e.equal("IDs", ids, []id{-1, -2, -3, -4, 4, 5})
		r3 := e.take(c)
		e.finalize(r2, c)
		e.finalize(r3, c)
		ids = append(ids, e.gen(c, 2)...)
		e.equal("last two", ids[6:], []id{6, 7})
		distinct(e, "ID", ids)
		distinct(e, "UUID", e.stables(c, ids))
	})
	run(t, "R19 R20 R21 R22 R23", func(e env) {
		c := e.new(size(2))
		ids := e.gen(c, 2)
		r1 := e.take(c)
		ids = append(ids, e.gen(c, 3)...)
		r2 := e.take(c)
		e.finalize(r1, c)
		allFinal(e, "R19: op form of the 4th", []op{e.op(c, ids[3])}, true)
		allFinal(e, "R20: op form of the 5th", []op{e.op(c, ids[4])}, false)
		ids = append(ids, e.gen1(c)) // R21
		allFinal(e, "R21: 6th", ids[5:], false)
		r3 := e.take(c)
		e.finalize(r2, c)
		allFinal(e, "R22: all op forms", e.ops(c, ids), true)
		e.finalize(r3, c)
		ids = append(ids, e.gen1(c))
		allFinal(e, "R23: 7th", ids[6:], true)
		distinct(e, "ID", ids)
		distinct(e, "UUID", e.stables(c, ids))
	})
}

func TestDocumentUniqueID(t *testing.T) {
	run(t, "R7 R8 R9", func(e env) {
		c := e.new(size(2))
		unique := func() idcompressor.DocumentUniqueID {
			e.Helper()
			d, err := c.GenerateDocumentUniqueID()
			e.must(err)
			return d
		}
		d := unique() // R7
		e.equal("first", []any{d.IsFinal(), d.Stable, d.String()}, []any{false, s1, s1.String()})
		e.sync(c)
		for _, want := range []op{1, 2} { // R8
			d := unique()
			e.equal("eager", []any{d.IsFinal(), d.Final, d.Stable}, []any{true, want, uuid.Nil})
			e.equal("text", d.String(), map[op]string{1: "1", 2: "2"}[want])
		}
		d = unique() // R9: the full cluster; the UUID takes a generation count
		e.equal("last", []any{d.IsFinal(), d.Stable}, []any{false, add(s1, 3)})
		e.next(c, -5)
	})
}

func TestAppendGenerate(t *testing.T) {
	run(t, "as one by one", func(e env) {
		// Local, eager and local again; sharded; in a ghost session.
		for _, n := range []int{0, 1, 3, 5, 6, 20} {
			for name, prepare := range map[string]func(*compressor){
				"new":     func(*compressor) {},
				"room":    func(c *compressor) { e.gen(c, 2); e.sync(c) },
				"local":   func(c *compressor) { e.gen(c, 2); e.sync(c); e.gen(c, 9) },
				"sharded": func(c *compressor) { _, err := c.Shard(2); e.must(err) },
			} {
				one, batch := e.new(), e.new()
				prepare(one)
				prepare(batch)
				for range 2 {
					got, err := batch.AppendGenerate([]id{99}, n)
					e.must(err)
					e.equal(name, got, append([]id{99}, e.gen(one, n)...))
				}
				if name != "sharded" { // the children's IDs are random
					e.equal(name, batch.Fingerprint(), one.Fingerprint())
				}
				e.must(batch.CheckInvariants())
			}
		}
		ghost := e.new()
		e.must(ghost.BeginGhostSession(s2, func() error {
			got, err := ghost.AppendGenerate(nil, 3)
			e.equal("ghost IDs", got, []id{0, 1, 2})
			return err
		}))
	})
	run(t, "negative", func(e env) {
		c := e.new()
		e.refused(c, idcompressor.ErrInvalidArgument, func() error { _, err := c.AppendGenerate(nil, -1); return err })
	})
}

// nearEnd returns a compressor of session s that has generated gen IDs, all local.
func (e env) nearEnd(s uuid.UUID, gen int64, options ...idcompressor.Option) *compressor {
	e.Helper()
	c := e.new(append(options, session(s))...)
	state, err := c.State(true)
	e.must(err)
	state.Local.Generated = gen
	if gen > 0 {
		state.Local.Runs = append(state.Local.Runs[:0], wholeRun(gen))
	}
	c, err = idcompressor.FromState(state, append([]idcompressor.Option{idcompressor.WithBackend(e.backend)}, options...)...)
	e.must(err)
	return c
}

func TestExhausted(t *testing.T) {
	generate := func(c *compressor) func() error {
		return func() error { _, err := c.Generate(); return err }
	}
	run(t, "Q61", func(e env) { // generation counts end at 2^53-1
		c := e.nearEnd(s1, impls.MaxID-2)
		e.refused(c, idcompressor.ErrExhausted, func() error { _, err := c.AppendGenerate(nil, 3); return err })
		e.next(c, -(impls.MaxID - 1), -impls.MaxID)
		e.known(c, -impls.MaxID, add(s1, impls.MaxID-1))
		for range 3 {
			e.refused(c, idcompressor.ErrExhausted, generate(c))
			e.refused(c, idcompressor.ErrExhausted, func() error { _, err := c.GenerateDocumentUniqueID(); return err })
		}
		e.roundTrips(c)
	})
	run(t, "Q31 generate", func(e env) { // and UUIDs with the last one
		top := numericuuid.Max.UUID()
		c := e.new(session(add(top, -2)))
		e.next(c, -1, -2, -3)
		e.known(c, -3, top)
		e.refused(c, idcompressor.ErrExhausted, generate(c))
		e.refused(c, idcompressor.ErrExhausted, func() error { _, err := c.AppendGenerate(nil, 1); return err })
		e.refuseFinalize(c, idcompressor.ErrExhausted, ranged(add(top, -2), 1, 3, 1))
		e.notFound(c, uuid.MustParse("00000000-0000-4000-8000-000000000000"))
		last := e.new(session(top))
		e.next(last, -1)
		e.refused(last, idcompressor.ErrExhausted, generate(last))
	})
	run(t, "Q94", func(e env) { // a stride that does not fit any more
		c := e.new()
		_, err := c.Shard(2)
		e.must(err)
		state, err := c.State(true)
		e.must(err)
		state.Local.Generated = impls.MaxID - 5
		c, err = idcompressor.FromState(state, idcompressor.WithBackend(e.backend))
		e.must(err)
		e.next(c, -(impls.MaxID - 2))
		e.refused(c, idcompressor.ErrExhausted, generate(c))
		e.refused(c, idcompressor.ErrExhausted, func() error { _, err := c.AppendGenerate(nil, math.MaxInt); return err })
	})
	run(t, "Q21 Q31 finalize", func(e env) { // sums past 2^53-1
		c := e.new()
		e.finalize(ranged(s2, 1, impls.MaxID-20, 10), c)
		e.refuseFinalize(c, idcompressor.ErrExhausted, ranged(s3, 1, 6, 5))
		e.refuseFinalize(c, idcompressor.ErrExhausted, ranged(s3, 1, math.MaxInt64, 5))
		e.finalize(ranged(s3, 1, 5, 5), c)
		e.equal("clusters", len(clusters(c)), 2)
		e.refuseFinalize(c, idcompressor.ErrExhausted, ranged(s3, 6, 6, 1))
		e.finalize(ranged(s3, 6, 5, 1), c)
		e.equal("last", e.stable(c, impls.MaxID-1), add(s3, 9))
		e.unknown(c, impls.MaxID)
		e.roundTrips(c)
	})
	run(t, "Q21", func(e env) { // the bounds of the requested size are inclusive
		c := e.new()
		e.finalize(ranged(s2, 1, 1, 1), c)
		e.finalize(ranged(s3, 1, 1, 1<<20), c)
		e.equal("capacities", []int64{clusters(c)[0].Capacity, clusters(c)[1].Capacity}, []int64{2, 1<<20 + 1})
		for _, bad := range []idcompressor.CreationRange{
			ranged(s1, 1, 1, 0), ranged(s1, 1, 1, -1), ranged(s1, 1, 1, 1<<20+1), ranged(s1, 1, 0, 5), ranged(s1, 1, -1, 5), ranged(s1, 1, math.MinInt64, 5),
		} {
			e.refuseFinalize(c, idcompressor.ErrMalformedRange, bad)
		}
	})
}
