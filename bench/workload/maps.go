package workload

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/dolthub/swiss"
	elliotchance "github.com/elliotchance/orderedmap/v3"
	wk8 "github.com/wk8/go-ordered-map/v2"

	"example.com/idlab/impls/closemap"
)

// MapDocument is what maps are measured on: the integers 0, 1, ..., n-1 in
// random order, each with itself as its value.
const MapDocument = "integers"

// MapSizes are the n.
func MapSizes() []int { return []int{1000, 64_000, 1_000_000} }

// mostFifo is the greatest n for which V8's map can be asked to be a queue:
// taking its first entry takes as long as many were taken.
const mostFifo = 64_000

// intMap is what the benchmarks need of a map. A call of it, 2 ns, is part of
// every figure but iteration's.
type intMap interface {
	set(k uint64)
	get(k uint64) (uint64, bool)
	delete(k uint64) bool
	sum() uint64 // of all values, by the map's own way to iterate
}

// intQueue is a map that has a first entry.
type intQueue interface {
	intMap
	popFirst() uint64
}

type contestant struct {
	name string
	make func() intMap
}

var contestants = []contestant{
	{"closemap", func() intMap { return closeMap{closemap.New[uint64, uint64]()} }},
	{"wk8", func() intMap { return wk8Map{wk8.New[uint64, uint64]()} }},
	{"elliotchance", func() intMap { return elliotMap{elliotchance.NewOrderedMap[uint64, uint64]()} }},
	{"gomap", func() intMap { return goMap{} }},
	{"swissmap", func() intMap { return swissMap{swiss.NewMap[uint64, uint64](0)} }},
}

type closeMap struct{ m *closemap.Map[uint64, uint64] }

func (t closeMap) set(k uint64)                { t.m.Set(k, k) }
func (t closeMap) get(k uint64) (uint64, bool) { return t.m.Get(k) }
func (t closeMap) delete(k uint64) bool        { return t.m.Delete(k) }
func (t closeMap) popFirst() uint64            { k, _, _ := t.m.PopFirst(); return k }
func (t closeMap) sum() (s uint64) {
	for k, v := range t.m.All() {
		s += k + v
	}
	return s
}

type wk8Map struct {
	m *wk8.OrderedMap[uint64, uint64]
}

func (t wk8Map) set(k uint64)                { t.m.Set(k, k) }
func (t wk8Map) get(k uint64) (uint64, bool) { return t.m.Get(k) }
func (t wk8Map) delete(k uint64) bool        { _, ok := t.m.Delete(k); return ok }
func (t wk8Map) popFirst() uint64 {
	k := t.m.Oldest().Key
	t.m.Delete(k)
	return k
}
func (t wk8Map) sum() (s uint64) {
	for p := t.m.Oldest(); p != nil; p = p.Next() {
		s += p.Key + p.Value
	}
	return s
}

type elliotMap struct {
	m *elliotchance.OrderedMap[uint64, uint64]
}

func (t elliotMap) set(k uint64)                { t.m.Set(k, k) }
func (t elliotMap) get(k uint64) (uint64, bool) { return t.m.Get(k) }
func (t elliotMap) delete(k uint64) bool        { return t.m.Delete(k) }
func (t elliotMap) popFirst() uint64 {
	k := t.m.Front().Key
	t.m.Delete(k)
	return k
}
func (t elliotMap) sum() (s uint64) {
	for e := t.m.Front(); e != nil; e = e.Next() {
		s += e.Key + e.Value
	}
	return s
}

type goMap map[uint64]uint64

func (t goMap) set(k uint64)                { t[k] = k }
func (t goMap) get(k uint64) (uint64, bool) { v, ok := t[k]; return v, ok }
func (t goMap) delete(k uint64) bool        { n := len(t); delete(t, k); return len(t) < n }
func (t goMap) sum() (s uint64) {
	for k, v := range t {
		s += k + v
	}
	return s
}

type swissMap struct{ m *swiss.Map[uint64, uint64] }

func (t swissMap) set(k uint64)                { t.m.Put(k, k) }
func (t swissMap) get(k uint64) (uint64, bool) { return t.m.Get(k) }
func (t swissMap) delete(k uint64) bool        { return t.m.Delete(k) }
func (t swissMap) sum() (s uint64) {
	t.m.Iter(func(k, v uint64) bool { s += k + v; return false })
	return s
}

// MapKeys returns the keys of all benchmarks of maps.
func MapKeys() (keys []string) {
	for _, b := range mapBenchmarks(contestants[0]) {
		keys = append(keys, b.Key())
	}
	return keys
}

func isMapOp(op string) bool {
	return slices.ContainsFunc(mapBenchmarks(contestants[0]), func(b Benchmark) bool { return b.Op == op })
}

func mapBenchmarks(c contestant) (benchmarks []Benchmark) {
	for _, n := range MapSizes() {
		ops := []struct {
			name  string
			setup func(w mapWork) Body
		}{
			{"MapInsert", mapInsert}, {"MapHit", mapHit}, {"MapMiss", mapMiss}, {"MapIterate", mapIterate}, {"MapDelete", mapDelete},
		}
		if _, ok := c.make().(intQueue); ok && n <= mostFifo {
			ops = append(ops, struct {
				name  string
				setup func(w mapWork) Body
			}{"MapFifo", mapFifo})
		}
		for _, op := range ops {
			benchmarks = append(benchmarks, Benchmark{
				Op: op.name, Variant: fmt.Sprintf("n=%d", n), Per: "entry",
				Setup: func(s *Subject) (Body, error) { return op.setup(newMapWork(c, n, s.Document.Seed)), nil },
			})
		}
	}
	return benchmarks
}

// mapWork is the keys of a benchmark in two orders.
type mapWork struct {
	contestant
	keys, others []uint64
}

func newMapWork(c contestant, n int, seed uint64) mapWork {
	r := random(seed, MapDocument)
	order := func() []uint64 {
		keys := make([]uint64, n)
		for i, k := range r.Perm(n) {
			keys[i] = uint64(k)
		}
		return keys
	}
	return mapWork{c, order(), order()}
}

func (w *mapWork) full() intMap {
	m := w.make()
	for _, k := range w.keys {
		m.set(k)
	}
	return m
}

// total is the sum of 0, ..., n-1.
func (w *mapWork) total() uint64 { n := uint64(len(w.keys)); return n * (n - 1) / 2 }

func right(sum uint64) func() (uint64, error) {
	return func() (uint64, error) { return sum, nil }
}

func mapInsert(w mapWork) Body {
	var m intMap
	before := heapBytes()
	return Body{
		Ops:     len(w.keys),
		Prepare: func() error { m = nil; return nil },
		Run:     func() (uint64, error) { m = w.full(); return 0, nil },
		Want:    func() (uint64, error) { return m.sum() - 2*w.total(), nil },
		Metrics: func() ([]Metric, error) {
			after := heapBytes()
			runtime.KeepAlive(m)
			return []Metric{{"heap-bytes", float64(max(after, before) - before)}}, nil
		},
	}
}

func mapHit(w mapWork) Body {
	m := w.full()
	return Body{
		Ops: len(w.others),
		Run: func() (sum uint64, err error) {
			for _, k := range w.others {
				v, _ := m.get(k)
				sum += v
			}
			return sum, nil
		},
		Want: right(w.total()),
	}
}

func mapMiss(w mapWork) Body {
	m, n := w.full(), uint64(len(w.keys))
	return Body{
		Ops: len(w.others),
		Run: func() (found uint64, err error) {
			for _, k := range w.others {
				if _, ok := m.get(k + n); ok {
					found++
				}
			}
			return found, nil
		},
		Want: right(0),
	}
}

func mapIterate(w mapWork) Body {
	m := w.full()
	return Body{Ops: len(w.keys), Run: func() (uint64, error) { return m.sum(), nil }, Want: right(2 * w.total())}
}

func mapDelete(w mapWork) Body {
	var m intMap
	return Body{
		Ops:     len(w.keys),
		Prepare: func() error { m = w.full(); return nil },
		Run: func() (deleted uint64, err error) {
			for _, k := range w.others {
				if m.delete(k) {
					deleted++
				}
			}
			return deleted, nil
		},
		Want: right(uint64(len(w.keys))),
	}
}

// mapFifo takes the first entry until there is none.
func mapFifo(w mapWork) Body {
	var m intQueue
	var want uint64
	for _, k := range w.keys {
		want = fold(want, k)
	}
	return Body{
		Ops:     len(w.keys),
		Prepare: func() error { m = w.full().(intQueue); return nil },
		Run: func() (sum uint64, err error) {
			for range w.keys {
				sum = fold(sum, m.popFirst())
			}
			return sum, nil
		},
		Want: right(want),
	}
}
