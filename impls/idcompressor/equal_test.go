package idcompressor_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
)

// altered returns c as it would be with another state.
func (e env) altered(c *compressor, change func(s *snapshot.State)) *compressor {
	e.Helper()
	s, err := c.State(true)
	e.must(err)
	change(s)
	d, err := idcompressor.FromState(s, idcompressor.WithBackend(e.backend))
	e.must(err)
	return d
}

// differ fails unless two compressors differ with local state and not without.
func (e env) differ(a, b *compressor) {
	e.Helper()
	e.same(a, b, true, false)
	e.same(a, b, false, true)
}

func TestEqual(t *testing.T) {
	run(t, "R139", func(e env) {
		c := e.with(3)
		e.gen(c, 9)
		e.same(c, e.resume(c), true, true)
		fresh := e.load(e.serialized(c, false), session(uuid.New()))
		e.same(c, fresh, false, true)
		e.same(c, fresh, true, false)
		e.same(c, c, true, true)
	})
	run(t, "R140", func(e env) {
		a, b := e.new(), e.new()
		e.same(a, b, true, true)
		_, err := a.Shard(2)
		e.must(err)
		e.differ(a, b)
	})
	sharding := func(e env, change func(h *snapshot.Sharding)) {
		e.Helper()
		c := e.new()
		shards, err := c.Shard(2)
		e.must(err)
		child := e.load(shards[0].Data)
		_, err = child.Shard(2)
		e.must(err)
		e.differ(child, e.altered(child, func(s *snapshot.State) { change(s.Local.Sharding) }))
	}
	run(t, "R140a", func(e env) { sharding(e, func(h *snapshot.Sharding) { h.Stride = 18 }) })
	run(t, "R140b", func(e env) { sharding(e, func(h *snapshot.Sharding) { h.Original = 1 }) })
	run(t, "R140c", func(e env) {
		sharding(e, func(h *snapshot.Sharding) { h.ShardID = new(numeric(s3)) })
		sharding(e, func(h *snapshot.Sharding) { h.ShardID = nil })
	})
	run(t, "R140d", func(e env) { sharding(e, func(h *snapshot.Sharding) { h.Children[1] = numeric(s3) }) })
	run(t, "R140e", func(e env) {
		sharding(e, func(h *snapshot.Sharding) { h.Children = append(h.Children, numeric(s3)) })
	})
	run(t, "R140f", func(e env) {
		c := e.new()
		_, err := c.Shard(3)
		e.must(err)
		d := e.altered(c, func(s *snapshot.State) { slices.Reverse(s.Local.Sharding.Children) })
		e.same(c, d, true, true)
	})
	run(t, "Q70 Q71", func(e env) { // a prefix is not equal, in either direction
		for _, pair := range [][2]*compressor{
			{e.new(), e.with(1)},
			{e.new(), e.new()},
		} {
			e.finalize(ranged(s2, 1, 1, 1), pair[1])
			e.same(pair[0], pair[1], true, false)
			e.same(pair[0], pair[1], false, false)
		}
		a, b := e.new(), e.new()
		for _, c := range []*compressor{a, b} {
			e.finalize(ranged(s2, 1, 1, 1), c)
		}
		e.finalize(ranged(s2, 2, 1, 1), b) // same cluster, another count
		e.same(a, b, false, false)
		e.finalize(ranged(s2, 2, 1, 2), a)
		e.same(a, b, false, true)
		e.finalize(ranged(s2, 3, 1, 2), a) // another capacity
		e.finalize(ranged(s2, 3, 1, 3), b)
		e.same(a, b, false, false)
	})
	run(t, "Q72 Q56", func(e env) { // a session without clusters counts as absent
		c := e.new()
		e.finalize(ranged(s2, 1, 1, 1), c)
		state, err := c.State(false)
		e.must(err)
		state.Sessions = append(state.Sessions, numeric(s3))
		d, err := idcompressor.FromState(state, session(s1), idcompressor.WithBackend(e.backend))
		e.must(err)
		e.same(c, d, false, true)
		e.same(c, d, true, true)
		e.equal("dropped when written", e.serialized(d, false), e.serialized(c, false))
		// Written with session it stays, Q64.
		e.equal("bytes", len(e.serialized(d, true)), len(e.serialized(c, true))+16)
		e.roundTrips(d)
		e.refused(d, idcompressor.ErrUnknownSession, func() error { _, err := d.NormalizeToSessionSpace(-1, s3); return err })
		e.finalize(ranged(s3, 1, 1, 1), d)
	})
	run(t, "Q73", func(e env) {
		// The version, the cluster size and the own session, if empty, do not
		// count; the cursor does, with local state.
		a, b := e.new(), e.new(size(77), idcompressor.WithVersion(idcompressor.V2))
		e.same(a, b, true, true)
		e.differ(a, e.new(session(s2)))
		e.gen1(a)
		e.gen1(b)
		e.same(a, b, true, true)
		e.take(a)
		e.differ(a, b)
		e.take(b)
		e.same(a, b, true, true)
	})
	run(t, "runs", func(e env) { // the same counts, not the same local forms
		c := e.with(1)
		e.gen(c, 3)
		e.differ(c, e.altered(c, func(s *snapshot.State) { s.Local.Runs[0].Count = 2 }))
	})
	run(t, "children by the ten thousand", func(e env) {
		// A document may claim so many: comparing them is not quadratic.
		c := e.new()
		_, err := c.Shard(1)
		e.must(err)
		many := func(s *snapshot.State) {
			s.Local.Sharding.Children = make([]numericuuid.UUID, 50_000)
			for i := range s.Local.Sharding.Children {
				s.Local.Sharding.Children[i] = numericuuid.UUID{Lo: uint64(i)}
			}
		}
		a := e.altered(c, many)
		b := e.altered(c, func(s *snapshot.State) { many(s); slices.Reverse(s.Local.Sharding.Children) })
		e.same(a, b, true, true)
	})
}
