package idcompressor_test

import (
	"math"
	"testing"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// shard splits c and loads the children.
func (e env) shard(c *compressor, n int) []*compressor {
	e.Helper()
	shards, err := c.Shard(int64(n))
	e.must(err)
	e.must(c.CheckInvariants())
	children := make([]*compressor, len(shards))
	for i, s := range shards {
		children[i] = e.load(s.Data)
	}
	return children
}

func (e env) token(c *compressor) idcompressor.ShardSyncToken {
	e.Helper()
	token, err := c.ShardSyncToken()
	e.must(err)
	return *token
}

// dispose disposes a child.
func (e env) dispose(c *compressor) idcompressor.ShardSyncToken {
	e.Helper()
	token, err := c.DisposeShard()
	e.must(err)
	return *token
}

// reclaim disposes children and gives their tokens to the parent.
func (e env) reclaim(parent *compressor, children ...*compressor) {
	e.Helper()
	for _, child := range children {
		e.up(parent, e.dispose(child))
	}
}

func (e env) up(parent *compressor, token idcompressor.ShardSyncToken) {
	e.Helper()
	e.must(parent.SynchronizeWithShard(token))
	e.must(parent.CheckInvariants())
}

// down gives the parent's progress to a child.
func (e env) down(parent, child *compressor) {
	e.Helper()
	token, err := parent.ChildShardSyncToken(e.token(child))
	e.must(err)
	e.must(child.SynchronizeWithParent(token))
	e.must(child.CheckInvariants())
}

func (e env) refuseShard(c *compressor, class error, n int64) {
	e.Helper()
	e.refused(c, class, func() error { _, err := c.Shard(n); return err })
}

func TestShard(t *testing.T) {
	run(t, "R156 R157", func(e env) {
		// Counts that are no integers, as 1.5, NaN and infinity, do not exist in Go.
		for sharded, next := range map[bool]id{false: -1, true: -2} {
			for _, n := range []int64{0, -1, math.MinInt64, 1 << 53, math.MaxInt64} {
				c := e.new()
				if sharded {
					e.shard(c, 1)
				}
				e.refuseShard(c, idcompressor.ErrShard, n)
				e.next(c, next)
			}
		}
		c := e.new() // R157
		e.shard(c, 1)
		e.refuseShard(c, idcompressor.ErrShard, impls.MaxID)
		e.next(c, -2)
	})
	run(t, "R158 R159 R160", func(e env) {
		c := e.new()
		ids := e.gen(c, 3)
		shards, err := c.Shard(2)
		e.must(err)
		e.equal("R158: shards", len(shards), 2)
		allFinal(e, "R158: next", e.gen(c, 1), false)
		for _, s := range shards {
			child := e.load(s.Data)
			e.equal("R159: token", s.Token, e.token(child))
			e.equal("R159: disposed", s.Token.Disposed, false)
			down, err := c.ChildShardSyncToken(s.Token)
			e.must(err)
			e.equal("R159: parent's token", down.ShardID, s.Token.ShardID)
			for i, x := range ids { // R160
				e.known(child, x, add(s1, int64(i)))
				e.known(c, x, add(s1, int64(i)))
			}
		}
		if shards[0].Token.ShardID == shards[1].Token.ShardID {
			e.Fatal("R159: shard IDs are the same")
		}
	})
	run(t, "R161", func(e env) {
		c := e.new()
		children := e.shard(c, 2)
		e.next(children[0], -4)
		e.unknown(children[1], -4)
		e.unknown(c, -4, add(s1, 3))
	})
	run(t, "R162", func(e env) {
		c := e.new()
		e.gen(c, 3)
		children := e.shard(c, 2)
		e.next(c, -6)
		e.next(children[0], -7)
		e.next(children[1], -8)
	})
	run(t, "R163", func(e env) {
		c := e.new()
		e.gen(c, 5)
		children := e.shard(c, 2)
		e.next(c, -8)
		e.next(children[0], -9)
		e.next(children[1], -10)
	})
	run(t, "R164", func(e env) {
		c := e.new()
		children := e.shard(c, 2)
		e.next(c, -3, -6)
		e.next(children[0], -4, -7)
		e.next(children[1], -5, -8)
	})
	run(t, "R165", func(e env) {
		c := e.with(1, size(512))
		children := e.shard(c, 1)
		allFinal(e, "parent", e.gen(c, 20), false)
		allFinal(e, "child", e.gen(children[0], 20), false)
	})
	run(t, "R166", func(e env) {
		c := e.new()
		child := e.shard(c, 2)[0]
		e.next(child, -4)
		e.equal("UUID", e.stable(child, -3), add(s1, 2))
		for _, x := range []id{-6, -9, -7} {
			e.unknown(child, x)
		}
		e.next(c, -3, -6, -9)
		e.unknown(c, -12)
	})
	run(t, "R167", func(e env) {
		c := e.new()
		e.gen(c, 5)
		e.shard(c, 2)
		e.known(c, -5, add(s1, 4))
		e.equal("count", e.take(c).IDs.Count, int64(5))
		e.next(c, -8)
	})
	run(t, "R168", func(e env) {
		c := e.new()
		child := e.shard(c, 1)[0]
		e.next(c, -2, -4, -6)
		e.next(child, -3, -5)
		e.equal("token", e.dispose(child).LocalGenCount, int64(5))
	})
	run(t, "R169", func(e env) {
		c := e.new()
		old := e.shard(c, 2)[0]
		e.next(c, -3)
		fresh := e.shard(c, 1)[0]
		e.next(fresh, -12)
		e.next(old, -4)
		e.next(c, -9)
	})
	run(t, "Q90", func(e env) { // the limit is inclusive
		c := e.load(doc(3, 1, 1, 0, s1, 0, 1, 0, 1, 250_000, 1, 0, 0))
		e.refuseShard(c, idcompressor.ErrShard, 4)
		shards, err := c.Shard(3)
		e.must(err)
		e.equal("shards", len(shards), 3)
		e.next(c, -1_000_000)
		e.refuseShard(c, idcompressor.ErrShard, 1)
	})
	run(t, "Q91", func(e env) { // count, ghost, version, limit
		c := e.new(idcompressor.WithVersion(idcompressor.V2))
		e.must(c.BeginGhostSession(s2, func() error {
			e.refuseShard(c, idcompressor.ErrShard, 0)
			e.refuseShard(c, idcompressor.ErrGhost, impls.MaxID)
			return nil
		}))
		e.refuseShard(c, idcompressor.ErrShard, 1)
	})
	run(t, "shard IDs", func(e env) {
		c := e.new(shardIDs(s2, s2))
		e.refuseShard(c, idcompressor.ErrInvalidArgument, 2)
		c = e.new(shardIDs(s2, s3, s2))
		e.shard(c, 1)
		e.shard(c, 1)
		e.refuseShard(c, idcompressor.ErrInvalidArgument, 1) // still active
		c = e.new(shardIDs(uuid.Nil))
		e.refuseShard(c, idcompressor.ErrInvalidUUID, 1)
	})
	run(t, "Q94 shard", func(e env) { // children beyond the last generation count
		c := e.nearEnd(s1, impls.MaxID-2)
		e.refuseShard(c, idcompressor.ErrExhausted, 3)
		child := e.shard(c, 2)[1]
		e.equal("child", e.token(child).LocalGenCount, int64(impls.MaxID))
		e.refused(child, idcompressor.ErrExhausted, func() error { _, err := child.Generate(); return err })
	})
	run(t, "Q95", func(e env) {
		// Only the last reclaim narrows the stride, and to the original one.
		c := e.new()
		old := e.shard(c, 2)
		fresh := e.shard(c, 1)
		e.next(c, -6)
		e.reclaim(c, fresh[0])
		e.next(c, -12) // the wide stride still
		e.reclaim(c, old[0])
		e.next(c, -18)
		e.reclaim(c, old[1])
		e.next(c, -19)
	})
	run(t, "Q100", func(e env) {
		// Two copies of one shard collide, which nobody can notice: the doc
		// comment of Shard says so.
		c := e.new()
		shards, err := c.Shard(1)
		e.must(err)
		e.equal("IDs", e.gen(e.load(shards[0].Data), 2), e.gen(e.load(shards[0].Data), 2))
	})
	run(t, "Q101", func(e env) {
		c := e.with(1)
		e.next(c, 1, 2)
		child := e.shard(c, 1)[0]
		e.next(c, -5)
		s, err := c.State(true)
		e.must(err)
		e.equal("runs", s.Local.Runs, []snapshotRun{{First: 1, Count: 1}, {First: 4, Count: 2}})
		e.known(c, 2, add(s1, 2))
		e.equal("op form of a backfilled ID", e.op(c, -4), op(3))
		e.known(child, 2, add(s1, 2))
	})
	run(t, "Q102", func(e env) {
		c := e.with(1, size(9)) // capacity 10
		child := e.shard(c, 1)[0]
		e.next(c, -3)
		e.reclaim(c, child)
		e.next(c, 3, 4, 5, 6, 7, 8, 9, -11)
	})
	run(t, "Q105", func(e env) {
		c := e.with(1)
		want := e.serialized(c, false)
		e.shard(c, 2)
		e.equal("bytes", e.serialized(c, false), want)
	})
}

func TestShardSerialization(t *testing.T) {
	run(t, "R136", func(e env) {
		c := e.new()
		e.shard(c, 2)
		e.next(c, -3, -6)
		d := e.resume(c)
		e.same(c, d, true, true)
		e.next(d, -9)
	})
	run(t, "R137", func(e env) {
		c := e.new(idcompressor.WithVersion(idcompressor.V2))
		e.gen(c, 2)
		d := e.load(e.serialized(c, true), idcompressor.WithVersion(idcompressor.V2))
		e.equal("version", d.Version(), idcompressor.V2)
		token, err := d.DisposeShard()
		if token != nil || err != nil {
			e.Fatal(token, err)
		}
		e.next(d, -3)
	})
	run(t, "R138", func(e env) {
		root := e.new()
		child := e.shard(root, 2)[0]
		grandchild := e.shard(child, 2)[0]
		e.next(root, -3)
		e.next(child, -10)
		e.next(grandchild, -13)
		for c, next := range map[*compressor]id{root: -6, child: -19, grandchild: -22} {
			d := e.resume(c)
			e.same(c, d, true, true)
			e.next(d, next)
		}
	})
}

func TestShardRanges(t *testing.T) {
	run(t, "R170", func(e env) {
		c := e.new()
		e.gen(c, 3)
		children := e.shard(c, 2)
		e.next(c, -6, -9)
		for _, child := range children {
			e.gen(child, 2)
		}
		e.equal("range", e.take(c), ranged(s1, 1, 9, fixtureSize, impls.Run{First: 1, Count: 9}))
	})
	run(t, "R171 R172 Q97", func(e env) {
		c := e.new()
		e.gen(c, 2)
		e.take(c)
		child := e.shard(c, 1)[0]
		e.gen1(child)
		e.refused(child, idcompressor.ErrShard, func() error { _, err := child.TakeNextCreationRange(); return err })
		e.refused(child, idcompressor.ErrShard, func() error { _, err := child.TakeUnfinalizedCreationRange(); return err })
		e.must(child.ResetUnfinalizedCreationRange()) // Q97: which is allowed
		e.gen1(c)
		e.equal("first", e.take(c).IDs.FirstGenCount, int64(3))
		e.equal("all", e.takeUnfinalized(c).IDs.FirstGenCount, int64(1))
	})
	run(t, "R173", func(e env) {
		c := e.new()
		child := e.shard(c, 1)[0]
		e.next(c, -2, -4)
		e.next(child, -3, -5)
		e.reclaim(c, child)
		e.equal("range", e.take(c), ranged(s1, 1, 6, fixtureSize, impls.Run{First: 1, Count: 6}))
		e.next(c, -7, -8)
		e.equal("range", e.take(c), ranged(s1, 7, 2, fixtureSize, impls.Run{First: 7, Count: 2}))
	})
	run(t, "R174 R175", func(e env) {
		c := e.new()
		e.shard(c, 1)
		e.next(c, -2, -4)
		r := e.take(c)
		e.equal("R174", r, ranged(s1, 1, 4, fixtureSize, impls.Run{First: 1, Count: 4}))
		e.finalize(r, c) // R175
		e.next(c, -6)
		e.equal("R174", e.take(c), ranged(s1, 5, 2, fixtureSize, impls.Run{First: 5, Count: 2}))
	})
}
