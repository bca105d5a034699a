package paged_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/paged"
	"example.com/idlab/impls/sortedslice"
)

// document is one of the lab's, at the seam: clusters of 512 in random order,
// full but for each session's last, after 10,000 IDs of a session more.
type document struct {
	name              string
	sessions, perEach int
}

var documents = []document{
	{"sessions", 10_000, 3},
	{"clusters", 100, 3_000},
	{"large", 1_000, 3_000},
	{"large-sessions", 1_000_000, 3},
}

// fill builds the document in t and returns its finalized final IDs.
func (d document) fill(t impls.ClusterTable) (finals, bounds []int64) {
	r := rand.New(rand.NewPCG(1, 2))
	order := make([]impls.Session, 0, d.sessions*d.perEach)
	for s := range d.sessions {
		for range d.perEach {
			order = append(order, impls.Session(s+1))
		}
	}
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	sessions := make([]numericuuid.UUID, d.sessions+1)
	for i := range sessions {
		sessions[i] = numericuuid.UUID{Hi: r.Uint64() >> 6, Lo: r.Uint64()}
	}
	// A sorted slice of a million sessions takes minutes to insert one by one.
	t.(impls.BulkLoader).Load(sessions, 0, func(func(impls.Cluster) bool) {})
	gens := make([]int64, d.sessions+1)
	var limit int64
	add := func(s impls.Session, capacity, count int64) {
		t.AppendCluster(impls.Cluster{Session: s, BaseFinal: limit, BaseGen: gens[s] + 1, Capacity: capacity, Count: count})
		finals, bounds = append(finals, limit), append(bounds, limit+count)
		limit += capacity
		gens[s] += capacity
	}
	add(0, 700, 700)
	for _, s := range order {
		count := int64(512)
		if gens[s] == 512*int64(d.perEach-1) {
			count = 1 + r.Int64N(512)
		}
		add(s, 512, count)
		if r.IntN(len(order)) < 18 {
			add(0, 517, 517)
		}
	}
	return finals, bounds
}

// queries returns millions of finalized IDs in random order.
func queries(t impls.ClusterTable, finals, bounds []int64) ([]int64, []numericuuid.UUID) {
	r := rand.New(rand.NewPCG(3, 4))
	qs := make([]int64, 1<<21)
	ids := make([]numericuuid.UUID, len(qs))
	for i := range qs {
		k := r.IntN(len(finals))
		qs[i] = finals[k] + r.Int64N(bounds[k]-finals[k])
		ids[i], _ = t.StableID(qs[i])
	}
	return qs, ids
}

// BenchmarkSeam compares the table with the textbook form, without a
// compressor. Its rounds are interleaved; ns/op is per ID.
func BenchmarkSeam(b *testing.B) {
	for _, d := range documents {
		b.Run("doc="+d.name, func(b *testing.B) {
			tables := []struct {
				name  string
				table impls.ClusterTable
			}{{"sortedslice", sortedslice.New()}, {"paged", paged.New()}}
			var qs []int64
			var ids []numericuuid.UUID
			for _, t := range tables {
				finals, bounds := d.fill(t.table)
				if qs == nil {
					qs, ids = queries(t.table, finals, bounds)
				}
			}
			var want uint64
			for i := range qs {
				want += ids[i].Lo
			}
			for round := range 3 {
				for _, t := range tables {
					name := fmt.Sprintf("/round=%d/backend=%s", round, t.name)
					benchmarkTable(b, name, t.table, qs, ids)
				}
			}
		})
	}
}

func benchmarkTable(b *testing.B, name string, table impls.ClusterTable, qs []int64, ids []numericuuid.UUID) {
	const block = 1024
	perID := func(b *testing.B, n int) { b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/op") }
	blocks := func(op string, f func(from int)) {
		b.Run("op="+op+name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				f(n % len(qs))
				n += block
			}
			perID(b, n)
		})
	}
	blocks("decompress", func(from int) {
		for i, q := range qs[from : from+block] {
			if id, ok := table.StableID(q); !ok || id != ids[from+i] {
				b.Fatalf("StableID(%d) = %v, want %v", q, id, ids[from+i])
			}
		}
	})
	blocks("recompress", func(from int) {
		for i, id := range ids[from : from+block] {
			if p := table.ByStableID(id); p.Final != qs[from+i] {
				b.Fatalf("ByStableID(%v) = %v, want %d", id, p, qs[from+i])
			}
		}
	})
	blocks("own", func(from int) { // what normalizing to session space asks
		for i, q := range qs[from : from+block] {
			if gen := table.GenInSession(0, q); gen != 0 && table.SessionID(0).Add(uint64(gen-1)) != ids[from+i] {
				b.Fatalf("GenInSession(0, %d) = %d", q, gen)
			}
		}
	})
	if t, ok := table.(impls.BatchTable); ok {
		dst := make([]numericuuid.UUID, block)
		blocks("decompress-batch", func(from int) {
			if n := t.StableIDs(dst, qs[from:from+block]); n != block || dst[n-1] != ids[from+n-1] {
				b.Fatalf("StableIDs did %d", n)
			}
		})
		places := make([]impls.Place, block)
		blocks("recompress-batch", func(from int) {
			if t.ByStableIDs(places, ids[from:from+block]); places[block-1].Final != qs[from+block-1] {
				b.Fatalf("ByStableIDs: %v", places[block-1])
			}
		})
		blocks("decompress-range", func(from int) {
			t.StableIDRange(dst, qs[from]>>10<<10)
		})
	}
	if t, ok := table.(impls.Sizer); ok {
		b.Run("op=clusters"+name, func(b *testing.B) {
			for b.Loop() {
				n := 0
				for range table.Clusters() {
					n++
				}
				if n != table.ClusterCount() {
					b.Fatal(n)
				}
			}
			perID(b, b.N*table.ClusterCount())
			b.ReportMetric(float64(t.Bytes())/float64(table.ClusterCount()), "bytes/cluster")
		})
	}
}
