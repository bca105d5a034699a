package closemap

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/google/go-cmp/cmp"
)

// change is a number of buckets and the length at which a map got it.
type change struct{ Buckets, Len int }

func watchBuckets[K comparable, V any](m *Map[K, V], changes *[]change) {
	b := m.Stats().Buckets
	if c := *changes; len(c) == 0 || c[len(c)-1].Buckets != b {
		*changes = append(*changes, change{b, m.Len()})
	}
}

func TestBucketSequences(t *testing.T) {
	m := New[int, int]()
	var up, down []change
	watchBuckets(m, &up)
	for i := range 100 {
		m.Set(i, i)
		watchBuckets(m, &up)
	}
	if diff := cmp.Diff([]change{{2, 0}, {4, 5}, {8, 9}, {16, 17}, {32, 33}, {64, 65}}, up); diff != "" {
		t.Errorf("inserting (-want +got):\n%s", diff)
	}
	watchBuckets(m, &down)
	for i := range 100 {
		m.Delete(i)
		watchBuckets(m, &down)
	}
	if diff := cmp.Diff([]change{{64, 100}, {32, 31}, {16, 15}, {8, 7}, {4, 3}, {2, 1}}, down); diff != "" {
		t.Errorf("deleting (-want +got):\n%s", diff)
	}
}

func TestRebuildAtTheSameSize(t *testing.T) {
	m := New[int, int]()
	for i := range 16 {
		m.Set(i, i)
	}
	entries := &m.entries[0]
	for i := range 8 {
		m.Delete(2 * i)
	}
	if got, want := m.Stats(), (Stats{Buckets: 8, Capacity: 16, Used: 16, Deleted: 8, Bytes: 512}); got != want {
		t.Fatalf("before the rebuild: %+v, want %+v", got, want)
	}
	m.Set(16, 16)
	if got, want := m.Stats(), (Stats{Buckets: 8, Capacity: 16, Used: 9, Bytes: 512}); got != want {
		t.Fatalf("after it: %+v, want %+v", got, want)
	}
	if entries != &m.entries[0] {
		t.Error("a rebuild at the same size moved the arrays")
	}
}

// Deleted entries never make the arrays more than four times as large as the
// live ones need, whatever the churn.
func TestChurnIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m := New[int, int]()
	for phase := range 40 {
		grow := r.IntN(100)
		for range 1000 {
			if k := r.IntN(1 << (4 + phase%10)); r.IntN(100) < grow {
				m.Set(k, k)
			} else if !m.Delete(k) {
				m.PopFirst()
			}
			if err := bounded(m.Stats(), m.Len()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// In a queue of n entries, one in front is deleted and another appended for ever:
// memory stays, and so does the work.
func TestPopFirstSteps(t *testing.T) {
	const n = 64000
	m := New[int, int]()
	for i := range n {
		m.Set(i, i)
	}
	for _, k := range rand.Perm(n)[:n/2] { // holes anywhere
		m.Delete(k)
	}
	steps, pops, live := 0, 0, m.Len()
	for i := range 4 * n {
		before, epoch := m.first, m.order.epoch
		m.PopFirst()
		pops++
		if m.order.epoch == epoch {
			steps += m.first - before
		}
		m.Set(n+i, i)
		if m.first == m.used {
			t.Fatal("the map lost its entries")
		}
	}
	// Each deleted entry is passed once: the popped ones and the holes.
	if limit := pops + n/2; steps > limit {
		t.Errorf("%d pops took %d steps, want at most %d", pops, steps, limit)
	}
	if m.Len() != live || m.Stats().Capacity > 4*live {
		t.Errorf("%+v after the queue, %d entries", m.Stats(), live)
	}
}

func TestLimit(t *testing.T) {
	m := New[int, int]()
	m.limit = 6
	for i := range 6 {
		m.Set(i, i)
	}
	before := slices.Collect(m.Keys())
	var limit *LimitError
	if err := m.TrySet(6, 6); !errors.As(err, &limit) || limit.Limit != 6 || !strings.Contains(err.Error(), "at most 6 entries") {
		t.Fatalf("TrySet beyond the limit: %v", err)
	}
	if !slices.Equal(before, slices.Collect(m.Keys())) || m.Has(6) {
		t.Fatal("an insertion that was refused changed the map")
	}
	if err := m.TrySet(5, 50); err != nil {
		t.Fatalf("TrySet of a key that is there: %v", err)
	}
	func() {
		defer func() {
			if err, _ := recover().(error); !errors.As(err, &limit) {
				t.Errorf("Set beyond the limit panics with %v", err)
			}
		}()
		m.Set(6, 6)
	}()
	// Deleted entries do not count, and the arrays stay within four times the limit.
	for i := range 1000 {
		m.Delete(i)
		if err := m.TrySet(i+6, i); err != nil {
			t.Fatal(err)
		}
		if s := m.Stats(); s.Capacity > 4*m.limit {
			t.Fatalf("%+v with a limit of %d", s, m.limit)
		}
	}
	defer func() {
		if err, _ := recover().(error); !errors.As(err, &limit) {
			t.Errorf("New with room for too many panics with %v", err)
		}
	}()
	New[int, int](WithCapacity(MaxEntries + 1))
}

// The largest table is twice MaxEntries. Its links keep their parts apart.
func TestLinksOfTheLargestTable(t *testing.T) {
	const capacity = 2 * MaxEntries
	for _, h := range []uint64{0, math.MaxUint64, 0x0123456789abcdef} {
		for _, i := range []int{0, 1, capacity/2 - 1, capacity - 1} {
			p := newProbe(h, careFor(capacity))
			l := p.to(i)
			if int(l&(capacity-1)) != i || l&linked == 0 || l&more != 0 || !p.matches(l) || !p.matches(l|more) || l == dead {
				t.Errorf("hash %#x, entry %d: link %#x", h, i, l)
			}
		}
		if p := newProbe(h, careFor(capacity)); p.matches(0) || p.matches(dead) {
			t.Errorf("hash %#x matches no link", h)
		}
	}
}

// The heads that a bucket finds are those that a loop finds.
func TestBucketChoices(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	care := careFor(1 << 26) // four bits of tag: many agree
	for range 20000 {
		var b bucket
		for n := range b {
			if r.IntN(3) > 0 {
				b[n] = newProbe(r.Uint64(), care).to(r.IntN(1<<26)) | more&link(r.Uint32())
			}
		}
		p := newProbe(r.Uint64(), care)
		var matching, free, gotMatching, gotFree []uint
		for n := range uint(4) {
			if p.matches(b[n]) {
				matching = append(matching, n)
			}
			if b[n] == 0 {
				free = append(free, n)
			}
		}
		for c := b.matching(p); c != 0; c &= c - 1 {
			gotMatching = append(gotMatching, c.first())
		}
		for c := b.free(); c != 0; c &= c - 1 {
			gotFree = append(gotFree, c.first())
		}
		slices.Sort(gotMatching)
		slices.Sort(gotFree)
		if !slices.Equal(matching, gotMatching) || !slices.Equal(free, gotFree) {
			t.Fatalf("%#x: matching %v, want %v; free %v, want %v", b, gotMatching, matching, gotFree, free)
		}
	}
}

func TestFloats(t *testing.T) {
	m := New[float64, int]()
	nan, zero := math.NaN(), math.Copysign(0, -1)
	m.Set(zero, 1)
	m.Set(0, 2)
	if v, ok := m.Get(zero); m.Len() != 1 || v != 2 || !ok {
		t.Errorf("-0 and +0 are two keys: %d entries, %d, %t", m.Len(), v, ok)
	}
	if k, _, _ := m.First(); !math.Signbit(k) {
		t.Error("the key that was set second replaced the first")
	}
	for i := range 100 {
		m.Set(nan, i)
	}
	if m.Has(nan) || m.Delete(nan) || m.Len() != 101 {
		t.Errorf("NaN is found; %d entries", m.Len())
	}
	m.Delete(0)
	for i := range 100 {
		if k, v, ok := m.PopFirst(); k == k || v != i || !ok {
			t.Fatalf("PopFirst %d = %v, %d, %t", i, k, v, ok)
		}
	}
	if _, _, ok := m.PopFirst(); ok || m.Len() != 0 {
		t.Errorf("%d entries left", m.Len())
	}
}

func TestUncomparableKeyChangesNothing(t *testing.T) {
	m := New[any, int]()
	m.Set("a", 1)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a slice as key is taken")
			}
		}()
		m.Set([]int{1}, 2)
	}()
	if v, ok := m.Get("a"); v != 1 || !ok || m.Len() != 1 {
		t.Errorf("%d, %t, %d entries after the panic", v, ok, m.Len())
	}
}

func TestHasherOfAnotherType(t *testing.T) {
	defer func() {
		if s, _ := recover().(string); !strings.Contains(s, "func(string) uint64") {
			t.Errorf("panics with %q", s)
		}
	}()
	New[int, int](WithHasher(func(string) uint64 { return 0 }))
}

func TestCapacityHint(t *testing.T) {
	m := New[uint64, uint64](WithCapacity(1000))
	if got := testing.AllocsPerRun(1, func() {
		for i := range uint64(1000) {
			m.Set(i, i)
		}
	}); got != 0 {
		t.Errorf("%v allocations filling what was asked for", got)
	}
	m = New[uint64, uint64](WithCapacity(1 << 16))
	m.Set(1, 1)
	m.Set(2, 2)
	m.Delete(1)
	if s := m.Stats(); s.Capacity != minCapacity {
		t.Errorf("%+v: a deletion gave nothing back", s)
	}
	New[int, int](WithCapacity(-1)).Set(1, 1)
}

// Every key kind of a size has an integer of its own, and named ones are integers.
func TestIntegerKeys(t *testing.T) {
	type id int16
	testIntegers[int](t)
	testIntegers[int8](t)
	testIntegers[id](t)
	testIntegers[int32](t)
	testIntegers[int64](t)
	testIntegers[uint](t)
	testIntegers[uint8](t)
	testIntegers[uint16](t)
	testIntegers[uint32](t)
	testIntegers[uint64](t)
	testIntegers[uintptr](t)
}

func testIntegers[K interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}](t *testing.T) {
	m := New[K, int]()
	if m.hash.fn != nil {
		t.Errorf("%T is not hashed as an integer", K(0))
	}
	for i := range 100 {
		m.Set(K(i), i)
	}
	for i := range 100 {
		if v, ok := m.Get(K(i)); v != i || !ok {
			t.Errorf("%T: Get(%d) = %d, %t", K(0), i, v, ok)
		}
	}
	if m.Has(K(100)) {
		t.Errorf("%T: Has(100)", K(0))
	}
}

// Integers of the usual patterns overflow their buckets about as seldom as
// random ones would: one bucket in twenty has more than four of two.
func TestIntegersSpread(t *testing.T) {
	const n = 1 << 14
	patterns := map[string]func(i uint64) uint64{
		"sequence":   func(i uint64) uint64 { return i },
		"negative":   func(i uint64) uint64 { return -i },
		"stride 8":   func(i uint64) uint64 { return i << 3 },
		"pages":      func(i uint64) uint64 { return i << 12 },
		"upper half": func(i uint64) uint64 { return i << 32 },
		"top bits":   func(i uint64) uint64 { return i << 50 },
		"grid":       func(i uint64) uint64 { return i>>7<<32 | i&127 },
		"decimal":    func(i uint64) uint64 { return i * 1000000 },
		"square":     func(i uint64) uint64 { return i * i },
		"bits":       func(i uint64) uint64 { return 1<<(i%64) | 1<<(i/64%64) | i<<20 },
	}
	for name, pattern := range patterns {
		for range 5 {
			m := New[uint64, struct{}](WithCapacity(n))
			for i := range uint64(n) {
				m.Set(pattern(i), struct{}{})
			}
			chained := 0
			for i := range m.entries {
				if m.entries[i].next != 0 {
					chained++
				}
			}
			// Random keys chain about 1 in 20 of their entries.
			if n := m.Len(); chained > n/8 {
				t.Errorf("%s: %d of %d entries have chains behind them", name, chained, n)
			}
		}
	}
}

func TestBytesAreExact(t *testing.T) {
	check := func(name string, got Stats, perEntry int) {
		t.Helper()
		if got.Bytes != got.Capacity*perEntry || got.Capacity != 1024 {
			t.Errorf("%s: %+v, want %d bytes for each of 1024", name, got, perEntry)
		}
	}
	check("uint64 to uint64", fill[uint64, uint64](), 8+24)
	check("uint32 to uint32", fill[uint32, uint32](), 8+12)
	check("uint32 to uint64", fill[uint32, uint64](), 8+16)
	check("uint64 to uint32", fill[uint64, uint32](), 8+16)
	check("uint64 to bool", fill[uint64, bool](), 8+16)
	check("set of uint64", fill[uint64, struct{}](), 8+16)
	check("set of uint32", fill[uint32, struct{}](), 8+8)
}

func fill[K uint32 | uint64, V any]() Stats {
	var m Map[K, V]
	var v V
	for i := range 1024 {
		m.Set(K(i), v)
	}
	return m.Stats()
}

func TestAllocations(t *testing.T) {
	if checking {
		t.Skip("the checks allocate")
	}
	check := func(name string, want float64, f func()) {
		t.Helper()
		if got := testing.AllocsPerRun(20, f); got != want {
			t.Errorf("%s: %v allocations, want %v", name, got, want)
		}
	}
	const theMapItself = 1
	check("a first entry", theMapItself+2, func() {
		var m Map[uint64, uint64]
		m.Set(1, 1)
	})
	check("1000 entries, eight doublings", theMapItself+2*9, func() {
		var m Map[uint64, uint64]
		for i := range uint64(1000) {
			m.Set(i, i)
		}
	})
	m := New[uint64, uint64]()
	for i := range uint64(1000) {
		m.Set(i, i)
	}
	next, sum := uint64(1000), uint64(0)
	check("Get, Has, Set", 0, func() {
		v, _ := m.Get(7)
		m.Set(7, v)
		m.Has(10000)
	})
	check("a queue with its rebuilds", 0, func() {
		for range 2000 {
			m.PopFirst()
			m.Set(next, next)
			next++
		}
	})
	check("loops", 0, func() {
		for k, v := range m.All() {
			sum += k + v
		}
		for k := range m.Keys() {
			sum += k
		}
		for v := range m.Values() {
			sum += v
		}
	})
	s := NewSet[string]()
	check("a set's first member", 2, func() {
		s.Add("a")
		s.Clear()
	})
}

// Clear and shrinking give memory back, and what was deleted can be collected.
func TestMemoryComesBack(t *testing.T) {
	m := New[int, *[64]int]()
	var values []weak.Pointer[[64]int]
	for i := range 4 {
		v := new([64]int)
		values = append(values, weak.Make(v))
		m.Set(i, v)
	}
	m.Delete(0)
	m.PopFirst()
	runtime.GC()
	for i, v := range values {
		if alive := v.Value() != nil; alive != (i >= 2) {
			t.Errorf("value %d is alive: %t", i, alive)
		}
	}
	m.Clear()
	runtime.GC()
	if s := m.Stats(); s.Bytes != 0 || values[3].Value() != nil {
		t.Errorf("%+v after Clear", s)
	}
	runtime.KeepAlive(m)
}

func TestConcurrentReaders(t *testing.T) {
	m := New[int, int]()
	for i := range 1000 {
		m.Set(i, i)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			n := 0
			for k, v := range m.All() {
				if got, _ := m.Get(k); got != v {
					t.Errorf("Get(%d) = %d, want %d", k, got, v)
				}
				n++
			}
			c := m.Cursor()
			for _, _, ok := c.Next(); ok; _, _, ok = c.Next() {
				n++
			}
			if n != 2*m.Len() {
				t.Errorf("%d entries seen twice over", n)
			}
		})
	}
	wg.Wait()
}

// A batch answers as single calls do, whatever its length and the hash.
func TestGetBatch(t *testing.T) {
	for name, options := range hashers {
		m := New[int, int](options...)
		for size := range 300 {
			if size%3 == 0 {
				m.Delete(size / 2)
			}
			keys := make([]int, size)
			values, found := slices.Repeat([]int{-1}, size+1), slices.Repeat([]bool{true}, size+1)
			for i := range keys {
				keys[i] = (i * 7) % (2*size + 1)
			}
			m.GetBatch(keys, values, found)
			for i, k := range keys {
				if v, ok := m.Get(k); values[i] != v || found[i] != ok {
					t.Fatalf("%s: key %d of %d: %d, %t; want %d, %t", name, k, size, values[i], found[i], v, ok)
				}
			}
			if values[size] != -1 {
				t.Fatal("written behind the end")
			}
			m.Set(size, size+1)
		}
	}
}
