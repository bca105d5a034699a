package idcompressor_test

import (
	"math"
	"testing"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/snapshot"
)

type snapshotRun = snapshot.Run

func (e env) refuseUp(c *compressor, token idcompressor.ShardSyncToken, class error) {
	e.Helper()
	e.refused(c, class, func() error { return c.SynchronizeWithShard(token) })
}

func (e env) refuseDown(c *compressor, token idcompressor.ParentShardSyncToken) {
	e.Helper()
	e.refused(c, idcompressor.ErrShard, func() error { return c.SynchronizeWithParent(token) })
}

func TestShardSync(t *testing.T) {
	run(t, "R176", func(e env) {
		c := e.new()
		token, err := c.ShardSyncToken()
		if token != nil || err != nil {
			e.Fatal(token, err)
		}
		child := e.shard(c, 1)[0]
		e.refused(c, idcompressor.ErrShard, func() error { _, err := c.ShardSyncToken(); return err })
		e.token(child)
		e.next(child, -3)
		e.shard(child, 1)
		e.token(child) // a non-leaf too
	})
	run(t, "R177", func(e env) {
		c := e.new()
		child := e.shard(c, 1)[0]
		e.next(child, -3)
		e.unknown(c, -3, add(s1, 2))
		e.up(c, e.token(child))
		e.known(c, -3, e.stable(child, -3))
	})
	run(t, "R178", func(e env) {
		c := e.new()
		child := e.shard(c, 1)[0]
		for next := id(-3); next >= -13; next -= 4 {
			e.next(child, next, next-2)
			e.unknown(c, next-2)
			e.up(c, e.token(child))
			e.known(c, next, e.stable(child, next))
			e.known(c, next-2, e.stable(child, next-2))
		}
		e.reclaim(c, child)
	})
	run(t, "R179", func(e env) {
		root := e.new()
		child := e.shard(root, 1)[0]
		grandchild := e.shard(child, 1)[0]
		e.next(grandchild, -7, -11)
		e.up(child, e.token(grandchild))
		e.up(root, e.token(child))
		for _, x := range []id{-7, -11} {
			e.known(root, x, e.stable(grandchild, x))
		}
	})
	run(t, "R180 R181", func(e env) {
		c := e.new()
		child := e.shard(c, 1)[0]
		e.next(child, -3, -5)
		token := e.dispose(child)
		e.equal("token", token.LocalGenCount, int64(5))
		e.up(c, token)
		e.known(c, -5, add(s1, 4))
		e.next(c, -7, -8)
		e.refused(child, idcompressor.ErrDisposed, func() error { _, err := child.Generate(); return err })
	})
	run(t, "R182", func(e env) {
		c := e.with(3, size(512))
		child := e.shard(c, 1)[0]
		e.next(c, -5)
		e.reclaim(c, child)
		allFinal(e, "IDs", e.gen(c, 3), true)
	})
	run(t, "R183", func(e env) {
		c := e.new()
		child := e.shard(c, 1)[0]
		e.next(c, -2)
		e.next(child, -3)
		e.reclaim(c, child)
		distinct(e, "UUID", e.stables(c, []id{-1, -2}))
	})
	run(t, "R184", func(e env) {
		c := e.new()
		child := e.shard(c, 1)[0]
		token := e.dispose(child)
		e.equal("token", token.LocalGenCount, int64(1))
		e.up(c, token)
		e.next(c, -3)
	})
	run(t, "R185", func(e env) {
		c := e.new()
		children := e.shard(c, 3)
		for i, child := range children {
			e.gen(child, i+1)
		}
		e.reclaim(c, children[2], children[0], children[1])
		e.next(c, -17)
	})
	run(t, "R186", func(e env) {
		root := e.new()
		children := e.shard(root, 2)
		e.next(root, -3)
		e.next(children[0], -4)
		grand := e.shard(children[0], 2)
		e.next(grand[0], -16)
		e.next(grand[1], -19)
		e.next(children[1], -5)
		e.reclaim(children[0], grand...)
		e.next(children[0], -25)
		e.next(children[1], -8, -11)
		e.reclaim(root, children...)
		e.next(root, -28)
	})
	run(t, "R187", func(e env) {
		c := e.new()
		child := e.shard(c, 1)[0]
		e.next(child, -3)
		e.reclaim(c, child)
		token, err := c.ShardSyncToken()
		if token != nil || err != nil {
			e.Fatal(token, err)
		}
		e.known(c, -3, add(s1, 2))
		e.next(c, -5)
	})
	run(t, "Q92", func(e env) {
		c := e.new()
		children := e.shard(c, 2)
		token := e.token(children[0])
		unsharded := e.new()
		e.refuseUp(unsharded, token, idcompressor.ErrShard)
		e.refuseUp(e.new(idcompressor.WithVersion(idcompressor.V2)), token, idcompressor.ErrShard)
		e.refuseUp(c, idcompressor.ShardSyncToken{ShardID: s3, LocalGenCount: -1}, idcompressor.ErrShard)
		e.refuseUp(c, idcompressor.ShardSyncToken{ShardID: uuid.Nil}, idcompressor.ErrShard)
		// The stride: the current one, but for the last child's disposal.
		e.reclaim(c, children[0])
		e.next(c, -6)
		e.reclaim(c, children[1])
		e.next(c, -7)
		c = e.new()
		children = e.shard(c, 2)
		e.reclaim(c, children[1]) // at 2: by threes, to 3
		e.next(children[0], -4)
		e.reclaim(c, children[0]) // by ones, to 5
		e.next(c, -6)
	})
	run(t, "Q93", func(e env) {
		for _, x := range []struct{ local, target, stride, want int64 }{
			{0, 1, 2, 2}, {0, 2, 2, 4}, {0, 3, 2, 4}, {3, 5, 3, 6}, {3, 6, 3, 9}, {5, 5, 3, 5},
		} {
			c := e.load(doc(3, 1, 1, 0, s1, int(x.local), 1, 0, 1, int(x.stride), 1, 1, s2, 0))
			e.up(c, idcompressor.ShardSyncToken{ShardID: s2, LocalGenCount: x.target})
			s, err := c.State(true)
			e.must(err)
			e.equal("generation count", s.Local.Generated, x.want)
		}
		c := e.new()
		e.shard(c, 1)
		s, err := c.State(true)
		e.must(err)
		child := s.Local.Sharding.Children[0].UUID()
		e.refuseUp(c, idcompressor.ShardSyncToken{ShardID: child, LocalGenCount: 1<<53 - 2}, idcompressor.ErrShard)
		e.up(c, idcompressor.ShardSyncToken{ShardID: child, LocalGenCount: 1<<53 - 3})
		e.refused(c, idcompressor.ErrExhausted, func() error { _, err := c.Generate(); return err })
		e.roundTrips(c)
	})
	run(t, "Q31 backfill", func(e env) {
		c := e.new(session(uuid.MustParse("ffffffff-ffff-4fff-bfff-fffffffffff0"))) // 16 UUIDs
		child := e.shard(c, 1)[0]
		token := e.token(child)
		token.LocalGenCount = 16
		e.refuseUp(c, token, idcompressor.ErrExhausted)
		e.refused(child, idcompressor.ErrExhausted, func() error {
			return child.SynchronizeWithParent(idcompressor.ParentShardSyncToken{ShardID: token.ShardID, LocalGenCount: 17})
		})
		token.LocalGenCount = 15
		e.up(c, token)
	})
	run(t, "Q96", func(e env) {
		c := e.new()
		shards, err := c.Shard(2)
		e.must(err)
		token := shards[0].Token
		e.gen(c, 4)
		before := c.Fingerprint()
		e.up(c, token) // stale: does nothing
		e.equal("state", c.Fingerprint(), before)
		token.Disposed = true // an unused child, by its first token
		e.up(c, token)
		e.refuseUp(c, token, idcompressor.ErrShard)
		last := shards[1].Token
		last.Disposed = true
		e.up(c, last)
		e.refuseUp(c, last, idcompressor.ErrShard)
	})
	run(t, "Q103", func(e env) {
		c := e.new()
		token, err := c.DisposeShard()
		if token != nil || err != nil {
			e.Fatal(token, err)
		}
		e.next(c, -1)
		child := e.shard(c, 1)[0]
		e.refused(c, idcompressor.ErrShard, func() error { _, err := c.DisposeShard(); return err })
		twin := e.resume(child)
		e.dispose(child)
		e.equal("session", child.LocalSessionID(), s1)
		equal, err := twin.Equal(child, true)
		e.must(err)
		e.equal("equal to the disposed", equal, true)
	})
}

func TestDisposed(t *testing.T) {
	run(t, "R188 R189", func(e env) {
		root := e.with(1)
		children := e.shard(root, 2)
		child := children[0]
		before, sibling := root.Fingerprint(), children[1].Fingerprint()
		e.dispose(child)
		other := e.new()
		for name, call := range map[string]func() error{
			"Generate":                      func() error { _, err := child.Generate(); return err },
			"GenerateDocumentUniqueID":      func() error { _, err := child.GenerateDocumentUniqueID(); return err },
			"AppendGenerate":                func() error { _, err := child.AppendGenerate(nil, -1); return err },
			"BeginGhostSession":             func() error { return child.BeginGhostSession(uuid.Nil, nil) },
			"TakeNextCreationRange":         func() error { _, err := child.TakeNextCreationRange(); return err },
			"TakeUnfinalizedCreationRange":  func() error { _, err := child.TakeUnfinalizedCreationRange(); return err },
			"ResetUnfinalizedCreationRange": child.ResetUnfinalizedCreationRange,
			"FinalizeCreationRange":         func() error { return child.FinalizeCreationRange(idcompressor.CreationRange{}) },
			"NormalizeToOpSpace":            func() error { _, err := child.NormalizeToOpSpace(0); return err },
			"NormalizeToSessionSpace":       func() error { _, err := child.NormalizeToSessionSpace(0, uuid.Nil); return err },
			"own NormalizeToSessionSpace":   func() error { _, err := child.NormalizeToSessionSpace(-1, s1); return err },
			"TryNormalizeToSessionSpace":    func() error { _, _, err := child.TryNormalizeToSessionSpace(-1); return err },
			"Decompress":                    func() error { _, err := child.Decompress(-1); return err },
			"Decompress final":              func() error { _, err := child.Decompress(0); return err },
			"AppendStableID":                func() error { _, err := child.AppendStableID(nil, 0); return err },
			"AppendDecompress":              func() error { _, err := child.AppendDecompress(nil, nil); return err },
			"AppendDecompressRange":         func() error { _, err := child.AppendDecompressRange(nil, -1, -1); return err },
			"Recompress":                    func() error { _, err := child.Recompress(uuid.Nil); return err },
			"AppendSerialized":              func() error { _, err := child.AppendSerialized(nil, false); return err },
			"MarshalText":                   func() error { _, err := child.MarshalText(); return err },
			"State":                         func() error { _, err := child.State(true); return err },
			"Equal":                         func() error { _, err := child.Equal(other, true); return err },
			"SetClusterSize":                func() error { return child.SetClusterSize(0) },
			"Shard":                         func() error { _, err := child.Shard(0); return err },
			"ShardSyncToken":                func() error { _, err := child.ShardSyncToken(); return err },
			"DisposeShard":                  func() error { _, err := child.DisposeShard(); return err },
			"SynchronizeWithShard":          func() error { return child.SynchronizeWithShard(idcompressor.ShardSyncToken{}) },
			"ChildShardSyncToken":           func() error { _, err := child.ChildShardSyncToken(idcompressor.ShardSyncToken{}); return err },
			"SynchronizeWithParent":         func() error { return child.SynchronizeWithParent(idcompressor.ParentShardSyncToken{}) },
		} {
			t.Run(name, func(t *testing.T) { env{t, e.backend}.refused(child, idcompressor.ErrDisposed, call) })
		}
		if _, ok := child.TryRecompress(s1); ok {
			e.Error("TryRecompress finds an ID")
		}
		if ids, known := child.AppendRecompress(nil, nil, []uuid.UUID{s1}); known != 0 || ids[0] != 0 {
			e.Error("AppendRecompress finds an ID")
		}
		e.equal("root", root.Fingerprint(), before)
		e.equal("sibling", children[1].Fingerprint(), sibling)
		e.next(other, -1)
	})
}

func TestSyncWithParent(t *testing.T) {
	run(t, "R190", func(e env) {
		c := e.new()
		child := e.shard(c, 1)[0]
		e.next(c, -2)
		token, err := c.ChildShardSyncToken(e.token(child))
		e.must(err)
		data, err := token.MarshalJSON()
		e.must(err)
		e.equal("JSON", string(data), `{"type":"parentIdSpaceShardSyncToken","shardId":"`+token.ShardID.String()+`","localGenCount":2}`)
		e.unknown(child, -2)
		e.must(child.SynchronizeWithParent(token))
		e.known(child, -2, e.stable(c, -2))
		distinct(e, "ID", append(e.gen(c, 3), e.gen(child, 3)...))
		e.up(c, e.token(child))
		e.known(c, -9, add(s1, 8))
	})
	run(t, "R191", func(e env) {
		c := e.new()
		child := e.shard(c, 1)[0]
		e.next(c, -2)
		e.next(child, -3)
		before := child.Fingerprint()
		for range 2 {
			e.down(c, child)
			e.equal("state", child.Fingerprint(), before)
			e.known(child, -2, add(s1, 1))
		}
	})
	run(t, "R192 Q98", func(e env) {
		c := e.new()
		children := e.shard(c, 2)
		token, err := c.ChildShardSyncToken(e.token(children[0]))
		e.must(err)
		e.refuseDown(children[1], token)
		e.next(children[1], -5)
		e.refuseDown(c, token) // also on a root, and on one that is not sharded
		e.refuseDown(e.new(), token)
		// Q98: the token is judged before its generation count, and an active
		// child's generation count is not looked at.
		odd := e.token(children[0])
		odd.LocalGenCount = -7
		again, err := c.ChildShardSyncToken(odd)
		e.must(err)
		e.equal("token", again, token)
		e.dispose(children[0])
		reclaimed := odd
		reclaimed.LocalGenCount, reclaimed.Disposed = 1, true
		e.up(c, reclaimed)
		e.refused(c, idcompressor.ErrShard, func() error { _, err := c.ChildShardSyncToken(reclaimed); return err })
	})
	run(t, "R193 R194", func(e env) {
		// Fractions, NaN and infinity are refused where JSON is read.
		c := e.new()
		child := e.shard(c, 1)[0]
		e.next(c, -2)
		for _, gen := range []int64{-1, math.MinInt64, 1 << 53, math.MaxInt64, impls.MaxID} {
			for _, disposed := range []bool{false, true} {
				token := e.token(child)
				token.LocalGenCount, token.Disposed = gen, disposed
				if gen == impls.MaxID && disposed { // R194: and the child stays active
					e.refuseUp(c, token, idcompressor.ErrShard)
					continue
				}
				e.refuseUp(c, token, idcompressor.ErrShard)
				e.refuseDown(child, idcompressor.ParentShardSyncToken{ShardID: token.ShardID, LocalGenCount: gen})
			}
		}
		e.next(child, -3)
		e.reclaim(c, child)
	})
	run(t, "R195", func(e env) {
		c := e.new()
		child := e.shard(c, 1)[0]
		e.next(c, -2)
		e.next(child, -3)
		e.up(c, e.token(child))
		e.next(c, -6)
		r := e.take(c)
		e.finalize(r, c)
		e.down(c, child)
		e.finalize(r, child)
		for _, x := range []id{-2, -3} {
			e.equal("UUID", e.stable(child, x), e.stable(c, x))
			e.equal("op form", e.op(child, x), e.op(c, x))
		}
		x := e.gen1(child)
		e.up(c, e.token(child))
		e.known(c, x, e.stable(child, x))
	})
	run(t, "R196", func(e env) {
		var ranges []idcompressor.CreationRange
		c := e.new(idcompressor.WithEventHook(func(ev idcompressor.Event) {
			if r, ok := ev.(idcompressor.RangeFinalizedEvent); ok {
				ranges = append(ranges, r.Range)
			}
		}))
		child := e.shard(c, 1)[0]
		remote := e.new(session(s2))
		x := e.gen1(remote)
		e.sync(remote, c)
		y := e.gen1(remote)
		e.sync(remote, c)
		e.refuseSession(child, idcompressor.ErrUnknownSession, op(x), s2)
		for _, r := range ranges {
			e.finalize(r, child)
		}
		for _, z := range []id{x, y} {
			o := e.op(remote, z)
			e.equal("UUID", e.stable(child, e.session(child, o, s2)), e.stable(remote, z))
		}
	})
	run(t, "Q99", func(e env) {
		// A child that applies the root's range before it is synced: see also
		// TestFinalizeForked. Decompressing goes on working.
		c := e.new()
		child := e.shard(c, 1)[0]
		e.next(c, -2, -4, -6)
		e.sync(c, child)
		for gen := int64(2); gen <= 6; gen++ {
			e.equal("UUID", e.stable(child, id(gen-1)), add(s1, gen-1))
			e.refuseSession(child, idcompressor.ErrUnknownID, op(gen-1), s1)
			e.notFound(child, add(s1, gen-1))
		}
		e.must(child.ResetUnfinalizedCreationRange())
		e.roundTrips(child)
		e.down(c, child)
		e.known(child, -6, add(s1, 5))
		e.next(child, -9)
	})
}
