package idcompressor_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// forest is one session spread over shards in a document with another session:
// tokens go both ways, and every shard takes in the one order of ranges at its
// own pace.
type forest struct {
	env
	shards []*shardNode
	remote *compressor
	order  []idcompressor.CreationRange
	made   map[id]uuid.UUID // by the form that was given out
}

type shardNode struct {
	*compressor
	parent *shardNode // nil for the root
	at     int        // ranges taken in
}

func (f *forest) node(t *rapid.T) *shardNode {
	f.TB = t
	return f.shards[rapid.IntRange(0, len(f.shards)-1).Draw(t, "shard")]
}

func (f *forest) leaf(n *shardNode) bool {
	return n.parent != nil && !slices.ContainsFunc(f.shards, func(m *shardNode) bool { return m.parent == n })
}

func (f *forest) Shard(t *rapid.T) {
	n := f.node(t)
	if len(f.shards) > 8 {
		return
	}
	count := rapid.IntRange(1, 3).Draw(t, "n")
	shards, err := n.Shard(int64(count))
	if idcompressor.ErrorClass(err) == "shard" { // the limit
		return
	}
	f.must(err)
	for _, s := range shards {
		f.shards = append(f.shards, &shardNode{compressor: f.load(s.Data), parent: n, at: n.at})
	}
}

func (f *forest) Generate(t *rapid.T) {
	n := f.node(t)
	for _, x := range f.gen(n.compressor, rapid.IntRange(1, 3).Draw(t, "n")) {
		if _, again := f.made[x]; again {
			t.Fatalf("%d was given out twice", x)
		}
		f.made[x] = f.stable(n.compressor, x)
	}
}

func (f *forest) Up(t *rapid.T) {
	if n := f.node(t); n.parent != nil {
		f.up(n.parent.compressor, f.token(n.compressor))
	}
}

func (f *forest) Down(t *rapid.T) {
	if n := f.node(t); n.parent != nil {
		f.down(n.parent.compressor, n.compressor)
	}
}

func (f *forest) Dispose(t *rapid.T) {
	n := f.node(t)
	if !f.leaf(n) {
		return
	}
	f.reclaim(n.parent.compressor, n.compressor)
	f.shards = slices.DeleteFunc(f.shards, func(m *shardNode) bool { return m == n })
}

// Range sends a range of the root, or of the other session.
func (f *forest) Range(t *rapid.T) {
	f.TB = t
	c := f.shards[0].compressor
	if rapid.Bool().Draw(t, "remote") {
		c = f.remote
		f.gen1(c)
	}
	f.order = append(f.order, f.take(c))
}

func (f *forest) Deliver(t *rapid.T) {
	n := f.node(t)
	for ; n.at < len(f.order) && rapid.Bool().Draw(t, "more"); n.at++ {
		f.finalize(f.order[n.at], n.compressor)
	}
}

// Hostile gives a shard tokens that are not for it, or claim too much.
func (f *forest) Hostile(t *rapid.T) {
	n := f.node(t)
	gen := rapid.OneOf(rapid.Int64Range(-5, -1), rapid.Int64Range(impls.MaxID, 1<<62)).Draw(t, "gen")
	up := idcompressor.ShardSyncToken{LocalGenCount: gen, ShardID: nines, Disposed: rapid.Bool().Draw(t, "disposed")}
	for _, m := range f.shards {
		if m.parent == n {
			up.ShardID = f.token(m.compressor).ShardID
		}
	}
	f.refuseUp(n.compressor, up, idcompressor.ErrShard)
	down := idcompressor.ParentShardSyncToken{LocalGenCount: gen, ShardID: nines}
	if n.parent != nil {
		down.ShardID = f.token(n.compressor).ShardID
	}
	f.refuseDown(n.compressor, down)
	if n.parent != nil {
		f.refused(n.compressor, idcompressor.ErrShard, func() error { _, err := n.TakeNextCreationRange(); return err })
	}
	f.refused(n.compressor, idcompressor.ErrShard, func() error { _, err := n.Shard(1 << 40); return err })
}

func (f *forest) Resume(t *rapid.T) {
	n := f.node(t)
	f.roundTrips(n.compressor)
	n.compressor = f.resume(n.compressor)
}

// Check: what a shard knows is right, and what it generated up to it knows.
func (f *forest) Check(t *rapid.T) {
	f.TB = t
	root := f.shards[0]
	for _, n := range f.shards {
		f.must(n.CheckInvariants())
		s, err := n.State(true)
		f.must(err)
		for x, u := range f.made {
			gen, _ := numeric(u).Sub(numeric(s1))
			known := int64(gen) < s.Local.Generated
			got, err := n.Decompress(x)
			if err == nil && got != u || err != nil && known && !x.IsFinal() {
				t.Fatalf("%d is %s, %v at generation count %d, want %s", x, got, err, s.Local.Generated, u)
			}
			if found, ok := n.TryRecompress(u); ok != known || ok && found != x {
				t.Fatalf("%s is %d, %v at generation count %d, want %d", u, found, ok, s.Local.Generated, x)
			}
			if known && n.at == root.at {
				if o := f.op(n.compressor, x); f.env.session(n.compressor, o, s1) != x {
					t.Fatalf("op form %d of %d does not come back", o, x)
				}
			}
		}
		for c := range n.Clusters() {
			for i := range min(c.Count, 5) {
				final := id(c.BaseFinal + i)
				want := add(n.Table().SessionID(c.Session).UUID(), c.BaseGen+i-1)
				f.env.equal("finalized", f.stable(n.compressor, final), want)
			}
		}
	}
}

func TestShardMachine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := env{t, rapid.SampledFrom(impls.Backends()).Draw(t, "backend")}
		f := &forest{env: e, made: map[id]uuid.UUID{}, remote: e.new(session(s2))}
		f.shards = []*shardNode{{compressor: e.new(size(rapid.Int64Range(1, 9).Draw(t, "size")))}}
		t.Repeat(map[string]func(*rapid.T){
			"": f.Check, "shard": f.Shard, "generate": f.Generate, "generate more": f.Generate, "up": f.Up, "down": f.Down,
			"dispose": f.Dispose, "range": f.Range, "deliver": f.Deliver, "hostile": f.Hostile, "resume": f.Resume,
		})
		// All tokens and ranges arrive: everything is known to the root.
		for len(f.shards) > 1 {
			i := slices.IndexFunc(f.shards, f.leaf)
			n := f.shards[i]
			e.reclaim(n.parent.compressor, n.compressor)
			f.shards = slices.Delete(f.shards, i, i+1)
		}
		root := f.shards[0].compressor
		for _, r := range append(f.order[f.shards[0].at:], e.take(root)) {
			e.finalize(r, root)
		}
		for x, u := range f.made {
			e.known(root, x, u)
			allFinal(e, "op form", []op{e.op(root, x)}, true)
		}
		e.roundTrips(root)
	})
}
