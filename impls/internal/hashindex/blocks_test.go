package hashindex

import (
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

type goMap[K comparable] map[K]int32

func (m goMap[K]) Get(k K) (int32, bool) { v, ok := m[k]; return v, ok }
func (m goMap[K]) Put(k K, v int32)      { m[k] = v }
func (m goMap[K]) Len() int              { return len(m) }
func (m goMap[K]) Bytes() int64          { return 0 }

var goMaps = Maps{
	Numbers:  func(int) Map[uint64] { return goMap[uint64]{} },
	Prefixes: func(int) Map[Prefix] { return goMap[Prefix]{} },
}

// Numbers of two owners with gaps of every size, beyond those that have keys on
// the lowest level, are found as a binary search finds them.
func TestBlocks(t *testing.T) {
	const owners = 2
	rapid.Check(t, func(t *rapid.T) {
		x := blocks{goMap[uint64]{}, rapid.SampledFrom([]uint8{runShift, idShift}).Draw(t, "shift")}
		var numbers [owners][]int64
		added := 0
		for owner := range numbers {
			ns := &numbers[owner]
			n := rapid.IntRange(0, 60).Draw(t, "gaps")
			gaps := rapid.SliceOfN(rapid.Int64Range(0, 50), n, n).Draw(t, "log2 of gaps")
			prev, number := int64(0), rapid.Int64Range(0, 3000).Draw(t, "first")
			for i := 0; ; i++ {
				x.add(int32(owner), prev, number, int32(i))
				added++
				*ns = append(*ns, number)
				if i == len(gaps) {
					break
				}
				prev = number
				number += 1<<gaps[i] + rapid.Int64Range(0, 1<<gaps[i]-1).Draw(t, "gap")
				if number > impls.MaxID {
					break
				}
			}
		}
		if x.m.Len() > added {
			t.Fatalf("%d numbers have %d entries", added, x.m.Len())
		}
		for owner, ns := range numbers {
			for _, n := range ns {
				for _, at := range []int64{n - 1, n, n + 1, n + 1<<9, n ^ 1<<10, n + 1<<20, n | 1<<40, 1<<63 - 1} {
					want := sort.Search(len(ns), func(i int) bool { return ns[i] > at }) - 1
					steps := 0
					y := blocks{counted[uint64]{x.m, &steps}, x.shift}
					got := y.locate(int32(owner), at, len(ns), func(i int) int64 { steps++; return ns[i] })
					if got != want {
						t.Fatalf("locate(%d) of owner %d = %d, want %d in %v", at, owner, got, want, ns)
					}
					if bound := locateBound(len(ns)); steps > bound {
						t.Fatalf("locate(%d) takes %d steps, want at most %d in %v", at, steps, bound, ns)
					}
				}
			}
		}
	})
}

// What is loaded has the entries that single calls make.
func TestLoadEntries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.Custom(func(t *rapid.T) numericuuid.UUID {
			// Few values of each part, so that prefixes of every length are shared.
			part := rapid.SampledFrom([]uint64{0, 1, 2, 3, 1 << 20, 1 << 57, 1<<57 + 1, 1<<58 - 1})
			return numericuuid.UUID{Hi: part.Draw(t, "hi"), Lo: part.Draw(t, "lo")<<6 | rapid.Uint64Range(0, 63).Draw(t, "low bits")}
		})
		n := rapid.IntRange(0, 300).Draw(t, "n")
		ids := rapid.SliceOfNDistinct(id, n, n, rapid.ID).Draw(t, "sessions")
		single, loaded := New(goMaps), New(goMaps)
		for _, id := range ids {
			single.AddSession(id)
		}
		var final int64
		gens := make([]int64, len(ids))
		for i := range 100 * min(len(ids), 1) {
			s := i * i % (i%7 + 1) % len(ids)
			capacity := int64(1) << (i % 13)
			single.AppendCluster(impls.Cluster{Session: impls.Session(s), BaseFinal: final, BaseGen: gens[s] + 1, Capacity: capacity})
			final += capacity
			gens[s] += capacity
		}
		if at, ok := loaded.Load(ids, single.ClusterCount(), slices.Values(slices.Collect(single.Clusters()))); !ok {
			t.Fatalf("Load = duplicate at %d of %v", at, ids)
		}
		for _, table := range []*Table{single, loaded} {
			if err := table.CheckInvariants(); err != nil {
				t.Fatal(err)
			}
		}
		same(t, "final ID", single.finals.m, loaded.finals.m)
		same(t, "generation count", single.gens.m, loaded.gens.m)
		// Leaves have other numbers, but the same prefixes.
		for p, v := range single.uuids.m.(goMap[Prefix]) {
			other, ok := loaded.uuids.m.Get(p)
			if !ok || (v == forked) != (other == forked) || (v >= 0) != (other >= 0) {
				t.Fatalf("the node of %x is %d, and loaded %d, %v", p, v, other, ok)
			}
		}
		if single.uuids.usual != loaded.uuids.usual || single.uuids.deepest != loaded.uuids.deepest {
			t.Fatalf("depths are %d and %d, and loaded %d and %d", single.uuids.usual, single.uuids.deepest, loaded.uuids.usual, loaded.uuids.deepest)
		}
	})
}

func same(t *rapid.T, what string, a, b Map[uint64]) {
	if a.Len() != b.Len() {
		t.Fatalf("%d entries by %s, and loaded %d", a.Len(), what, b.Len())
	}
	for k, v := range a.(goMap[uint64]) {
		if got, ok := b.Get(k); !ok || got != v {
			t.Fatalf("the entry of %x by %s is %d, and loaded %d, %v", k, what, v, got, ok)
		}
	}
}
