package btreetidwall

import (
	"math/rand/v2"
	"testing"

	"example.com/idlab/impls"
	"example.com/idlab/impls/backendtest"
	"example.com/idlab/impls/numericuuid"
)

func TestBackend(t *testing.T) { backendtest.Test(t, Backend) }
func FuzzBackend(f *testing.F) { backendtest.Fuzz(f, Backend) }

// The trees that count have the shape of those that answer, loaded or not.
func TestMirror(t *testing.T) {
	const sessions, clusters = 20_000, 60_000
	ids := make([]numericuuid.UUID, sessions)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range ids {
		ids[i] = numericuuid.UUID{Hi: rng.Uint64() >> 6, Lo: rng.Uint64()}
	}
	all := func(yield func(impls.Cluster) bool) {
		for i := range int64(clusters) {
			c := impls.Cluster{Session: impls.Session(i % sessions), BaseFinal: i * 512, BaseGen: i/sessions*512 + 1, Capacity: 512}
			if !yield(c) {
				return
			}
		}
	}
	loaded, single := New(), New()
	loaded.Load(ids, clusters, all)
	for _, id := range ids {
		single.AddSession(id)
	}
	for c := range all {
		single.AppendCluster(c)
	}
	for name, table := range map[string]*Table{"loaded": loaded, "single calls": single} {
		m := table.mirrored()
		for tree, heights := range map[string][2]int{
			"UUID":             {m.byID.Height(), table.byID.Height()},
			"final ID":         {m.byFinal.Height(), table.byFinal.Height()},
			"generation count": {m.byGen.Height(), table.byGen.Height()},
		} {
			if heights[0] != heights[1] || heights[0] < 2 {
				t.Errorf("%s: the tree by %s has height %d, its mirror %d", name, tree, heights[1], heights[0])
			}
		}
	}
}
