package closemap_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/dolthub/swiss"
	elliotchance "github.com/elliotchance/orderedmap/v3"
	wk8 "github.com/wk8/go-ordered-map/v2"

	"example.com/idlab/impls/closemap"
)

// A table is what the benchmarks need of a map. One interface call an operation
// is part of every figure but iteration's.
type table interface {
	Set(k, v uint64)
	Get(k uint64) (uint64, bool)
	Delete(k uint64) bool
	sum() uint64 // of all values, by the table's own way to iterate
}

// contestants are compared in one run. All start empty: growth is part of insertion.
var contestants = []struct {
	name string
	make func() table
}{
	{"closemap", func() table { return closeTable{closemap.New[uint64, uint64]()} }},
	{"wk8", func() table { return wk8Table{wk8.New[uint64, uint64]()} }},
	{"elliotchance", func() table { return elliotTable{elliotchance.NewOrderedMap[uint64, uint64]()} }},
	{"gomap", func() table { return goTable{} }},
	{"dolthub", func() table { return swissTable{swiss.NewMap[uint64, uint64](0)} }},
}

type closeTable struct {
	*closemap.Map[uint64, uint64]
}

func (t closeTable) sum() (s uint64) {
	for _, v := range t.All() {
		s += v
	}
	return s
}

type wk8Table struct {
	m *wk8.OrderedMap[uint64, uint64]
}

func (t wk8Table) Set(k, v uint64)             { t.m.Set(k, v) }
func (t wk8Table) Get(k uint64) (uint64, bool) { return t.m.Get(k) }
func (t wk8Table) Delete(k uint64) bool        { _, ok := t.m.Delete(k); return ok }
func (t wk8Table) sum() (s uint64) {
	for p := t.m.Oldest(); p != nil; p = p.Next() {
		s += p.Value
	}
	return s
}

type elliotTable struct {
	m *elliotchance.OrderedMap[uint64, uint64]
}

func (t elliotTable) Set(k, v uint64)             { t.m.Set(k, v) }
func (t elliotTable) Get(k uint64) (uint64, bool) { return t.m.Get(k) }
func (t elliotTable) Delete(k uint64) bool        { return t.m.Delete(k) }
func (t elliotTable) sum() (s uint64) {
	for e := t.m.Front(); e != nil; e = e.Next() {
		s += e.Value
	}
	return s
}

type goTable map[uint64]uint64

func (t goTable) Set(k, v uint64)             { t[k] = v }
func (t goTable) Get(k uint64) (uint64, bool) { v, ok := t[k]; return v, ok }
func (t goTable) Delete(k uint64) bool        { n := len(t); delete(t, k); return len(t) < n }
func (t goTable) sum() (s uint64) {
	for _, v := range t {
		s += v
	}
	return s
}

type swissTable struct {
	m *swiss.Map[uint64, uint64]
}

func (t swissTable) Set(k, v uint64)             { t.m.Put(k, v) }
func (t swissTable) Get(k uint64) (uint64, bool) { return t.m.Get(k) }
func (t swissTable) Delete(k uint64) bool        { return t.m.Delete(k) }
func (t swissTable) sum() (s uint64) {
	t.m.Iter(func(_, v uint64) bool { s += v; return false })
	return s
}

// A workload is n distinct random keys in the order of insertion, and at least
// two million of them drawn anew for queries: few ones would stay in the cache.
type workload struct {
	keys, shuffled, queries []uint64
	total                   uint64 // of the keys, which are the values too
	drawn                   uint64 // of the queries
}

var workloads = map[int]*workload{}

func load(n int) *workload {
	if w := workloads[n]; w != nil {
		return w
	}
	clear(workloads)
	r := rand.New(rand.NewPCG(uint64(n), 1))
	w := &workload{keys: make([]uint64, n)}
	for i := range w.keys {
		k := uint64(i)*0x9e3779b97f4a7c15 + 1 // a bijection, so distinct
		k ^= k >> 32
		w.keys[i] = k * 0xd6e8feb86659fd93
		w.total += w.keys[i]
	}
	w.shuffled = append([]uint64(nil), w.keys...)
	r.Shuffle(n, func(i, j int) { w.shuffled[i], w.shuffled[j] = w.shuffled[j], w.shuffled[i] })
	w.queries = make([]uint64, max(n, 1<<21))
	for i := range w.queries {
		w.queries[i] = w.keys[r.IntN(n)]
		w.drawn += w.queries[i]
	}
	workloads[n] = w
	return w
}

func (w *workload) fill(t table) table {
	for _, k := range w.keys {
		t.Set(k, k)
	}
	return t
}

// each runs body for every size and contestant. Body does the operation on all
// of a workload once in every turn of b.Loop and returns how many that were.
func each(b *testing.B, body func(b *testing.B, w *workload, empty func() table) int) {
	for _, n := range []int{1 << 10, 1 << 16, 1 << 20, 1 << 22} {
		for _, c := range contestants {
			b.Run(fmt.Sprintf("n=%d/map=%s", n, c.name), func(b *testing.B) {
				if testing.Short() && n > 1<<16 {
					b.Skip("short")
				}
				w := load(n)
				ops := body(b, w, c.make)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(ops), "ns/op")
			})
		}
	}
}

func same(b *testing.B, got, want uint64) {
	if got != want {
		b.Fatalf("checksum %#x, want %#x: the table answers wrongly", got, want)
	}
}

func BenchmarkMapInsert(b *testing.B) {
	each(b, func(b *testing.B, w *workload, empty func() table) int {
		var t table
		for b.Loop() {
			t = w.fill(empty())
		}
		b.StopTimer()
		same(b, t.sum(), w.total)
		b.ReportMetric(bytesPerEntry(w, empty), "bytes/entry")
		return len(w.keys)
	})
}

// bytesPerEntry is what the heap grows by when a table is filled.
func bytesPerEntry(w *workload, empty func() table) float64 {
	heap := func() uint64 {
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	before := heap()
	t := w.fill(empty())
	after := heap()
	runtime.KeepAlive(t)
	return float64(after-before) / float64(len(w.keys))
}

func BenchmarkMapHit(b *testing.B) {
	each(b, func(b *testing.B, w *workload, empty func() table) int {
		t := w.fill(empty())
		for b.Loop() {
			var s uint64
			for _, k := range w.queries {
				v, _ := t.Get(k)
				s += v
			}
			same(b, s, w.drawn)
		}
		return len(w.queries)
	})
}

// BenchmarkMapHitBatch is BenchmarkMapHit by 1,024 keys a call.
func BenchmarkMapHitBatch(b *testing.B) {
	for _, n := range []int{1 << 10, 1 << 16, 1 << 20, 1 << 22} {
		b.Run(fmt.Sprintf("n=%d/map=closemap", n), func(b *testing.B) {
			if testing.Short() && n > 1<<16 {
				b.Skip("short")
			}
			w := load(n)
			m := closemap.New[uint64, uint64]()
			w.fill(closeTable{m})
			var values [1024]uint64
			var found [1024]bool
			for b.Loop() {
				var s uint64
				for keys := range slices.Chunk(w.queries, len(values)) {
					m.GetBatch(keys, values[:], found[:])
					for i := range keys {
						s += values[i]
					}
				}
				same(b, s, w.drawn)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(w.queries)), "ns/op")
		})
	}
}

func BenchmarkMapMiss(b *testing.B) {
	each(b, func(b *testing.B, w *workload, empty func() table) int {
		t := w.fill(empty())
		for b.Loop() {
			found := uint64(0)
			for _, k := range w.queries {
				if _, ok := t.Get(k + 1); ok {
					found++
				}
			}
			same(b, found, 0)
		}
		return len(w.queries)
	})
}

func BenchmarkMapIterate(b *testing.B) {
	each(b, func(b *testing.B, w *workload, empty func() table) int {
		t := w.fill(empty())
		for b.Loop() {
			same(b, t.sum(), w.total)
		}
		return len(w.keys)
	})
}

func BenchmarkMapDelete(b *testing.B) {
	each(b, func(b *testing.B, w *workload, empty func() table) int {
		for b.Loop() {
			b.StopTimer()
			t := w.fill(empty())
			b.StartTimer()
			deleted := uint64(0)
			for _, k := range w.shuffled {
				if t.Delete(k) {
					deleted++
				}
			}
			same(b, deleted, uint64(len(w.keys)))
		}
		return len(w.keys)
	})
}

// BenchmarkMapQueue takes the first entry, deletes it and appends another, as
// often as there are entries, for the tables that have a first one.
func BenchmarkMapQueue(b *testing.B) {
	const n = 64000
	b.Run(fmt.Sprintf("n=%d/map=closemap", n), func(b *testing.B) {
		m := closemap.New[uint64, uint64]()
		for i := range uint64(n) {
			m.Set(i, i)
		}
		want := uint64(0)
		for b.Loop() {
			for range n {
				k, _, ok := m.PopFirst()
				if !ok || k != want {
					b.Fatalf("PopFirst = %d, %t; want %d", k, ok, want)
				}
				m.Set(k+n, k)
				want++
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/op")
	})
	b.Run(fmt.Sprintf("n=%d/map=wk8", n), func(b *testing.B) {
		m := wk8.New[uint64, uint64]()
		for i := range uint64(n) {
			m.Set(i, i)
		}
		for b.Loop() {
			for range n {
				k := m.Oldest().Key
				m.Delete(k)
				m.Set(k+n, k)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/op")
	})
}
