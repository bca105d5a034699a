package hashindex_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/idlab/impls"
	"example.com/idlab/impls/closetable"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/swissdolthub"
	"example.com/idlab/impls/swissgo"
)

// These benchmarks are for tuning the index. Backends are compared with others
// by those of the folder bench.

var backends = []impls.Backend{swissgo.Backend, swissdolthub.Backend, closetable.Backend}

// shape is a table of clusters of 512 in random order.
type shape struct{ sessions, chain int }

func (s shape) String() string { return fmt.Sprintf("%dx%d", s.sessions, s.chain) }

var shapes = []shape{{10_000, 3}, {100, 3000}}

func (s shape) ids() []numericuuid.UUID {
	rng := rand.New(rand.NewPCG(1, 2))
	ids := make([]numericuuid.UUID, s.sessions)
	for i := range ids {
		ids[i] = numericuuid.UUID{Hi: rng.Uint64() >> 6, Lo: rng.Uint64()}
	}
	return ids
}

func (s shape) build(b impls.Backend) impls.ClusterTable {
	rng := rand.New(rand.NewPCG(3, 4))
	t := b.NewTable()
	for _, id := range s.ids() {
		t.AddSession(id)
	}
	const capacity = 512
	gens := make([]int64, s.sessions)
	for i, owner := range rng.Perm(s.sessions * s.chain) {
		session := impls.Session(owner % s.sessions)
		t.AppendCluster(impls.Cluster{Session: session, BaseFinal: int64(i) * capacity,
			BaseGen: gens[session] + 1, Capacity: capacity, Count: capacity})
		gens[session] += capacity
	}
	return t
}

// each runs f for all shapes and backends on queries at random.
func each(b *testing.B, f func(b *testing.B, t impls.ClusterTable, finals []int64, ids []numericuuid.UUID)) {
	for _, s := range shapes {
		for _, backend := range backends {
			t := s.build(backend)
			rng := rand.New(rand.NewPCG(5, 6))
			finals := make([]int64, 1<<20)
			ids := make([]numericuuid.UUID, len(finals))
			for i := range finals {
				finals[i] = rng.Int64N(int64(t.ClusterCount()) * 512)
				ids[i], _ = t.StableID(finals[i])
			}
			b.Run(s.String()+"/"+backend.Name, func(b *testing.B) { f(b, t, finals, ids) })
		}
	}
}

func BenchmarkStableID(b *testing.B) {
	each(b, func(b *testing.B, t impls.ClusterTable, finals []int64, _ []numericuuid.UUID) {
		for i := range b.N {
			if _, ok := t.StableID(finals[i%len(finals)]); !ok {
				b.Fatal("not found")
			}
		}
		b.ReportMetric(float64(t.(impls.Sizer).Bytes())/float64(t.ClusterCount()), "B/cluster")
	})
}

func BenchmarkByStableID(b *testing.B) {
	each(b, func(b *testing.B, t impls.ClusterTable, _ []int64, ids []numericuuid.UUID) {
		for i := range b.N {
			if !t.ByStableID(ids[i%len(ids)]).Found() {
				b.Fatal("not found")
			}
		}
	})
}

func BenchmarkGenInSession(b *testing.B) {
	each(b, func(b *testing.B, t impls.ClusterTable, finals []int64, _ []numericuuid.UUID) {
		for i := range b.N {
			t.GenInSession(impls.Session(i%t.SessionCount()), finals[i%len(finals)])
		}
	})
}

func BenchmarkNearestSession(b *testing.B) {
	each(b, func(b *testing.B, t impls.ClusterTable, _ []int64, ids []numericuuid.UUID) {
		for i := range b.N {
			if _, ok := t.NearestSession(ids[i%len(ids)]); !ok {
				b.Fatal("not found")
			}
		}
	})
}

// Sessions up to 200,000, so that the mean table has 100,000.
func BenchmarkAddSession(b *testing.B) {
	random := shape{200_000, 0}.ids()
	apart := make([]numericuuid.UUID, len(random))
	for i, at := range rand.New(rand.NewPCG(7, 8)).Perm(len(apart)) {
		apart[i] = numericuuid.UUID{Hi: 1 << 57, Lo: 1<<63 + uint64(at)}
	}
	hostile := make([]numericuuid.UUID, len(random)) // 17 at a time that share 114 bits
	for i := range hostile {
		hostile[i] = numericuuid.UUID{Hi: random[i/17].Hi, Lo: random[i/17].Lo&^0xff | uint64(i%17*15)}
	}
	for name, ids := range map[string][]numericuuid.UUID{"random": random, "one-apart": apart, "hostile": hostile} {
		for _, backend := range backends {
			b.Run(name+"/"+backend.Name, func(b *testing.B) {
				t := backend.NewTable()
				for i := range b.N {
					if i%len(ids) == 0 {
						t = backend.NewTable()
					}
					t.AddSession(ids[i%len(ids)])
				}
				b.ReportMetric(float64(t.(impls.Sizer).Bytes())/float64(t.SessionCount()), "B/session")
			})
		}
	}
}

func BenchmarkAppendCluster(b *testing.B) {
	for _, backend := range backends {
		b.Run(backend.Name, func(b *testing.B) {
			const most, capacity = 300_000, 512
			t := backend.NewTable()
			for i := range b.N {
				n := int64(i % most)
				if n == 0 {
					t = backend.NewTable()
					t.AddSession(numericuuid.UUID{})
				}
				t.AppendCluster(impls.Cluster{BaseFinal: n * capacity, BaseGen: n*capacity + 1, Capacity: capacity})
			}
		})
	}
}

func BenchmarkContains(b *testing.B) {
	for _, backend := range backends {
		b.Run(backend.Name, func(b *testing.B) {
			const runs = 100_000
			n := backend.NewNormalizer()
			gens := make([]int64, 1<<18)
			rng := rand.New(rand.NewPCG(9, 10))
			first := int64(1)
			for range runs {
				count := 1 + rng.Int64N(64)
				if err := n.Append(impls.Run{First: first, Count: count}); err != nil {
					b.Fatal(err)
				}
				first += count + 1 + rng.Int64N(64)
			}
			for i := range gens {
				gens[i] = rng.Int64N(first)
			}
			b.ResetTimer()
			found := 0
			for i := range b.N {
				if n.Contains(gens[i%len(gens)]) {
					found++
				}
			}
			if b.N > 1000 && found == 0 {
				b.Fatal("not found")
			}
			b.ReportMetric(float64(n.(impls.Sizer).Bytes())/runs, "B/run")
		})
	}
}
