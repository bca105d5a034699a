package idcompressor_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// outOfOrder fails unless the range is refused with those starts.
func (e env) outOfOrder(c *compressor, r idcompressor.CreationRange, expected, actual int64) {
	e.Helper()
	err := e.refuseFinalize(c, idcompressor.ErrOutOfOrder, r)
	order, ok := errors.AsType[*idcompressor.OrderError](err)
	if !ok {
		e.Fatalf("%v is no OrderError", err)
	}
	e.equal("starts", *order, idcompressor.OrderError{ExpectedStart: expected, ActualStart: actual})
}

func TestFinalize(t *testing.T) {
	run(t, "R55", func(e env) {
		c := e.new()
		e.gen(c, 3)
		r := e.take(c)
		e.finalize(r, c)
		e.outOfOrder(c, r, -4, -1)
	})
	run(t, "R56", func(e env) {
		c := e.new()
		e.gen1(c)
		e.take(c)
		e.gen1(c)
		e.outOfOrder(c, e.take(c), -1, -2)
	})
	run(t, "first generation count below 1", func(e env) {
		c := e.new()
		e.outOfOrder(c, ranged(s2, 0, 1, 1), -1, 0)
		e.outOfOrder(c, ranged(s2, -1, 1, 1), -1, 1)
		e.refuseFinalize(c, idcompressor.ErrMalformedRange, ranged(s2, 0, 0, 1))
	})
	run(t, "R57", func(e env) {
		for size1 := int64(1); size1 <= 4; size1++ {
			for n := 1; n <= int(size1)+1; n++ {
				c := e.new(size(size1))
				ids := e.gen(c, n)
				e.sync(c)
				ops := e.ops(c, ids)
				allFinal(e, "op forms", ops, true)
				distinct(e, "op form", ops)
			}
		}
	})
	run(t, "R58 R59", func(e env) {
		a, b := e.new(), e.new(session(add(s1, 5)))
		e.gen1(a)
		e.gen1(b)
		ra, rb := e.take(a), e.take(b)
		e.finalize(ra, a)
		e.refuseFinalize(a, idcompressor.ErrCollision, rb)
		e.finalize(rb, b)
		e.refuseFinalize(b, idcompressor.ErrCollision, ra)
	})
	run(t, "R64 expansion", func(e env) {
		a, b := e.new(size(2)), e.new(session(s2))
		e.gen1(a)
		e.sync(a, b)
		e.equal("first", clusters(a), []impls.Cluster{{BaseGen: 1, Capacity: 3, Count: 1}})
		e.gen(a, 3)
		e.sync(a, b)
		e.equal("grown", clusters(a), []impls.Cluster{{BaseGen: 1, Capacity: 6, Count: 4}})
		e.equal("bytes", e.serialized(b, false), e.serialized(a, false))
	})
	run(t, "overflow", func(e env) {
		c := e.new()
		e.finalize(ranged(s2, 1, 2, 3), c)
		e.finalize(ranged(s3, 1, 1, 1), c)
		e.finalize(ranged(s2, 3, 5, 4), c)
		e.equal("clusters", clusters(c), []impls.Cluster{
			{Session: 1, BaseGen: 1, Capacity: 5, Count: 5},
			{Session: 2, BaseFinal: 5, BaseGen: 1, Capacity: 2, Count: 1},
			{Session: 1, BaseFinal: 7, BaseGen: 6, Capacity: 6, Count: 2},
		})
	})
	run(t, "invalid session", func(e env) {
		e.refuseFinalize(e.new(), idcompressor.ErrInvalidUUID, ranged(uuid.Nil, 1, 1, 1))
	})
	run(t, "Q33", func(e env) { // the size of a range is for everyone
		c := e.new(size(100))
		e.gen1(c)
		r := e.take(c)
		r.IDs.RequestedClusterSize = 1
		e.finalize(r, c)
		e.equal("capacity", clusters(c)[0].Capacity, int64(2))
	})
	run(t, "Q32", func(e env) {
		c := e.new()
		before := c.Fingerprint()
		e.finalize(idcompressor.CreationRange{}, c)
		e.equal("state", c.Fingerprint(), before)
	})
}

func TestFinalizeForked(t *testing.T) {
	run(t, "Q29 Q28", func(e env) {
		c := e.new()
		e.gen(c, 2)
		e.refuseFinalize(c, idcompressor.ErrForkedSession, ranged(s1, 1, 3, 1))
		e.outOfOrder(c, ranged(s1, 2, 9, 1), -1, -2) // order is judged first
		e.refuseFinalize(c, idcompressor.ErrMalformedRange, ranged(s1, 1, 3, 0))
		e.finalize(ranged(s1, 1, 2, 1), c)
		e.next(c, 2) // of its own cluster, no other's
		e.refuseFinalize(c, idcompressor.ErrForkedSession, ranged(s1, 3, 2, 1))
	})
	run(t, "Q29 fork before collision", func(e env) {
		c := e.new()
		e.finalize(ranged(add(s1, 3), 1, 1, 1), c)
		e.refuseFinalize(c, idcompressor.ErrForkedSession, ranged(s1, 1, 3, 1))
		e.gen(c, 3)
		e.refuseFinalize(c, idcompressor.ErrCollision, ranged(s1, 1, 3, 1))
	})
	run(t, "Q29 sharded root", func(e env) {
		c := e.new()
		_, err := c.Shard(1)
		e.must(err)
		e.next(c, -2)
		e.refuseFinalize(c, idcompressor.ErrForkedSession, ranged(s1, 1, 3, 1))
		e.finalize(ranged(s1, 1, 2, 1), c)
	})
	run(t, "Q29 Q99 child", func(e env) {
		root := e.new()
		shards, err := root.Shard(1)
		e.must(err)
		child := e.load(shards[0].Data)
		e.next(root, -2, -4)
		e.next(child, -3)
		r := e.take(root)
		e.finalize(r, root, child) // reaches to 4, the child is at 3
		e.equal("decompress", e.stable(child, 3), add(s1, 3))
		e.refused(child, idcompressor.ErrUnknownID, func() error { _, err := child.NormalizeToSessionSpace(3, s1); return err })
		e.notFound(child, add(s1, 3))
		e.roundTrips(child)
		token, err := root.ChildShardSyncToken(shards[0].Token)
		e.must(err)
		e.must(child.SynchronizeWithParent(token))
		e.equal("session form", e.session(child, 3, s1), id(-4))
		e.known(child, -4, add(s1, 3))
	})
}

func TestRefusedRangesLeaveNothing(t *testing.T) {
	run(t, "Q20", func(e env) {
		c := e.new()
		e.outOfOrder(c, ranged(s2, 2, 1, 1), -1, -2)
		e.refused(c, idcompressor.ErrUnknownSession, func() error { _, err := c.NormalizeToSessionSpace(-1, s2); return err })
		e.same(c, e.new(), false, true)
		e.finalize(ranged(s2, 1, 1, 1), c)
	})
	run(t, "Q22", func(e env) { // on a new cluster
		c := e.with(1)
		for range 3 {
			e.refuseFinalize(c, idcompressor.ErrCollision, ranged(add(s1, 5), 1, 1, 1))
		}
		e.notFound(c, add(s1, 6))
		e.roundTrips(c)
	})
	run(t, "Q23", func(e env) { // on expansion
		c := e.new()
		e.finalize(ranged(add(s2, 10), 1, 1, 1), c)
		e.finalize(ranged(s2, 1, 5, 2), c) // UUIDs +0..+6
		e.refuseFinalize(c, idcompressor.ErrCollision, ranged(s2, 6, 5, 2))
		e.finalize(ranged(s2, 6, 2, 2), c)
		e.refuseFinalize(c, idcompressor.ErrCollision, ranged(s2, 8, 3, 2))
	})
	run(t, "Q24", func(e env) { // on overflow
		c := e.new()
		e.finalize(ranged(s2, 1, 1, 1), c) // +0, +1
		e.finalize(ranged(add(s2, 5), 1, 1, 1), c)
		e.refuseFinalize(c, idcompressor.ErrCollision, ranged(s2, 2, 4, 1))
		e.outOfOrder(c, ranged(s2, 4, 1, 1), -2, -4)
		e.finalize(ranged(s2, 2, 2, 1), c) // +3, +4
	})
	run(t, "Q30", func(e env) {
		// The nearest session below is empty, and so hides an older one.
		c := e.new(session(add(s2, 5)))
		e.finalize(ranged(s2, 1, 1, 512), c)
		e.finalize(ranged(add(s2, 10), 1, 1, 1), c)
		control := e.new()
		e.finalize(ranged(s2, 1, 1, 512), control)
		e.refuseFinalize(control, idcompressor.ErrCollision, ranged(add(s2, 10), 1, 1, 1))
	})
	run(t, "Q31", func(e env) {
		// Unwrapped: no collision of the last UUIDs with the first.
		c := e.new()
		e.finalize(ranged(uuid.MustParse("00000000-0000-4000-8000-000000000000"), 1, 1, 1), c)
		e.finalize(ranged(uuid.MustParse("ffffffff-ffff-4fff-bfff-fffffffffffe"), 1, 1, 1), c)
		e.refuseFinalize(c, idcompressor.ErrExhausted, ranged(uuid.MustParse("ffffffff-ffff-4fff-bfff-ffffffffffff"), 1, 1, 1))
	})
}

// carried are the local ranges of a range: finalizing does not look at them.
func TestLocalRangesAreNotRead(t *testing.T) {
	run(t, "R154", func(e env) {
		a, b := e.new(), e.new()
		e.finalize(ranged(s2, 1, 3, 2), a)
		e.finalize(ranged(s2, 1, 3, 2, impls.Run{First: 1, Count: 3}), b)
		e.equal("state", b.Fingerprint(), a.Fingerprint())
	})
}
