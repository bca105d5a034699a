package idcompressor_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/google/uuid"

	"example.com/idlab/impls/idcompressor"
)

// node is a shard of a tree, and what it must be able to decompress.
type node struct {
	*compressor
	parent   *node
	children []*node
	last     int64       // its own newest generation count
	synced   map[id]bool // IDs of children it was synced with, and what those knew
}

// tree is a session spread over shards.
type tree struct {
	env
	active []*node
	made   map[id]uuid.UUID // every ID of the tree
}

func (t *tree) split(n *node, count int) {
	t.Helper()
	before := n.Fingerprint()
	shards, err := n.Shard(int64(count))
	if errors.Is(err, idcompressor.ErrShard) { // R200: the limit, and nothing else
		t.equal("state", n.Fingerprint(), before)
		return
	}
	t.must(err)
	for _, s := range shards {
		child := &node{compressor: t.load(s.Data), parent: n, last: n.last, synced: maps.Clone(n.synced)}
		n.children = append(n.children, child)
		t.active = append(t.active, child)
	}
}

// merge takes in a child's progress, by a token of either kind.
func (t *tree) merge(child *node, token idcompressor.ShardSyncToken) {
	t.Helper()
	t.up(child.parent.compressor, token)
	maps.Copy(child.parent.synced, child.synced)
}

func (t *tree) unshard(n *node) {
	t.Helper()
	if n.parent == nil || len(n.children) > 0 {
		return
	}
	t.merge(n, t.dispose(n.compressor))
	not := func(m *node) bool { return m != n }
	n.parent.children = filter(n.parent.children, not)
	t.active = filter(t.active, not)
}

func filter[T any](xs []T, keep func(T) bool) []T {
	var kept []T
	for _, x := range xs {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

func (t *tree) generate(n *node) {
	t.Helper()
	x := t.gen1(n.compressor)
	// R197: never the same twice. An ID is its UUID here, since all are local.
	if _, again := t.made[x]; again || x.IsFinal() {
		t.Fatalf("%d was generated twice, or is final", x)
	}
	t.made[x] = add(s1, -int64(x)-1)
	n.synced[x] = true
	n.last = -int64(x)
}

func (t *tree) validate() {
	t.Helper()
	for _, n := range t.active {
		t.must(n.CheckInvariants())
		for x, u := range t.made {
			// R198: all down to its own last; R199: all it was synced with.
			if -int64(x) > n.last && !n.synced[x] {
				continue
			}
			if got, err := n.Decompress(x); err != nil || got != u {
				t.Fatalf("R198 R199: %d is %s, %v, want %s", x, got, err, u)
			}
		}
	}
}

func TestShardFuzz(t *testing.T) {
	for _, c := range []struct {
		ops     int
		weights [4]int // shard, unshard, sync, generate
		every   int
		seed    uint64
	}{
		{200, [4]int{2, 2, 5, 10}, 50, 42},
		{1000, [4]int{3, 3, 5, 20}, 100, 123},
		{5000, [4]int{2, 10, 5, 20}, 200, 456},
		{3000, [4]int{5, 1, 15, 20}, 100, 789},
	} {
		run(t, "R197 R198 R199 R200", func(e env) {
			ops, every := c.ops, c.every
			if e.backend.Name != idcompressor.DefaultBackend.Name { // the whole of it on one backend
				ops = min(ops, 200)
			}
			root := &node{compressor: e.new(), synced: map[id]bool{}}
			tr := &tree{env: e, active: []*node{root}, made: map[id]uuid.UUID{}}
			r := newWeighted(c.seed)
			for step := range ops {
				n := tr.active[r.IntN(len(tr.active))]
				switch r.pick(c.weights[:]...) {
				case 0:
					tr.split(n, 1+r.IntN(3))
				case 1:
					tr.unshard(n)
				case 2:
					if n.parent != nil {
						tr.merge(n, e.token(n.compressor))
					}
				case 3:
					tr.generate(n)
				}
				if step%every == every-1 {
					tr.validate()
				}
			}
			for _, n := range tr.active {
				e.same(n.compressor, e.resume(n.compressor), true, true)
			}
		})
	}
}
