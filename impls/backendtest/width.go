package backendtest

import (
	"fmt"
	"runtime"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
	"pgregory.net/rapid"
)

// widest is how many bytes one more cluster or run may add, whatever its width.
const widest = 4096

// bytesOf returns what x takes by its own account, or what fresh, which makes
// another of the same content, adds to the heap.
func bytesOf[T any](x T, fresh func() T) int64 {
	if s, ok := any(x).(impls.Sizer); ok {
		return s.Bytes()
	}
	_, n := heapOf(fresh)
	return n
}

// heapOf returns what build makes and the bytes it leaves on the heap.
func heapOf[T any](build func() T) (T, int64) {
	inUse := func() int64 {
		runtime.GC()
		runtime.GC() // the first may leave pools behind
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := inUse()
	x := build()
	n := inUse() - before
	runtime.KeepAlive(x)
	return x, n
}

// wideHistories lead up to clusters of the greatest widths, narrow ones between
// them so that nothing is aligned.
func wideHistories() map[string]history {
	a, b := numericuuid.UUID{Hi: 5, Lo: 1 << 63}, numericuuid.UUID{Hi: 1 << 50, Lo: 9}
	start := history{{method: addSession, id: a}, {method: addSession, id: b}}
	app := func(h history, s impls.Session, capacity, count int64) history {
		l := lockstep{want: newModel(h)}
		c := impls.Cluster{Session: s, BaseFinal: end(l.want), BaseGen: 1, Capacity: capacity, Count: count}
		if last, ok := l.want.LastCluster(s); ok {
			c.BaseGen = last.GenLimit()
		}
		return append(h[:len(h):len(h)], call{method: appendCluster, c: c})
	}
	grow := func(h history, s impls.Session, capacity, count int64) history {
		return append(h[:len(h):len(h)], call{method: resizeLast, s: s, c: impls.Cluster{Capacity: capacity, Count: count}})
	}
	one := app(app(start, 0, 3, 2), 1, 7, 7)
	mixed := one
	for i, width := range []int64{1 << 20, 1<<20 + 1, 5, 1 << 30, 1<<45 - 1, 1, 1 << 45, 1 << 50} {
		mixed = app(mixed, impls.Session(i%2), width, max(width-int64(i%3), 0))
	}
	many := one
	for i := range 24 {
		many = app(many, impls.Session(i%2), 1<<45+int64(i), 1<<45)
	}
	return map[string]history{
		"a cluster of 2^20":                     app(one, 0, 1<<20, 1<<20),
		"a cluster of 2^45":                     app(one, 0, 1<<45, 1<<45),
		"a cluster of 2^45, reserved":           app(one, 0, 1<<45, 1),
		"a cluster of 2^53-1 in an empty table": app(start, 1, impls.MaxID, impls.MaxID),
		"a cluster up to 2^53-1":                app(one, 1, impls.MaxID-10, impls.MaxID-11),
		"clusters of 2^20 to 2^50":              app(mixed, 1, impls.MaxID-end(newModel(mixed)), 1),
		"24 clusters of 2^45":                   many,
		"a cluster that grows to 2^45":          grow(grow(one, 1, 1<<20, 1<<19), 1, 1<<45, 1<<44+1),
		"a cluster that grows to 2^53-1":        grow(one, 1, impls.MaxID-3, impls.MaxID-3),
		"an only cluster that grows to 2^53-1":  grow(grow(app(start, 0, 1, 1), 0, 1<<33, 0), 0, impls.MaxID, impls.MaxID),
	}
}

// testWidths holds a table to the rule of widths: bytes and steps grow with
// the number of clusters, never with how wide they are.
func testWidths(t rapid.TB, b impls.Backend) {
	for name, h := range wideHistories() {
		l := newLockstep(b)
		at := 0
		replay := func() impls.ClusterTable {
			table := b.NewTable()
			for _, c := range h[:at] {
				c.do(table)
			}
			return table
		}
		before := bytesOf(l.got, replay)
		for at = 1; at <= len(h); at++ {
			must(t, l.do(h[at-1]))
			after := bytesOf(l.got, replay)
			if grew := after - before; grew >= widest {
				t.Fatalf("%s: %v adds %d bytes, want less than %d\nafter\n%v", name, &h[at-1], grew, widest, h[:at-1])
			}
			before = after
			must(t, l.verify())
			if p, ok := l.got.(impls.Prober); ok && p.ProbeBound() > greatestBound(at) {
				t.Fatalf("%s: ProbeBound() = %d, want at most %d\nafter\n%v", name, p.ProbeBound(), greatestBound(at), h[:at])
			}
		}
	}
}

// testNormalizerWidths does so for runs.
func testNormalizerWidths(t rapid.TB, b impls.Backend) {
	strides := make([]impls.Run, 64)
	for i := range strides {
		strides[i] = impls.Run{First: int64(i)*2_000_000 + 3, Count: 1_000_000}
	}
	adjoining := make([]impls.Run, 64)
	for i := range adjoining {
		adjoining[i] = impls.Run{First: int64(i)*1_000_000 + 1, Count: 1_000_000}
	}
	sparse := make([]impls.Run, 50)
	for i := range sparse {
		sparse[i] = impls.Run{First: 1 << i, Count: max(1, int64(1)<<i/3)}
	}
	for name, runs := range map[string][]impls.Run{
		"strides of 1,000,000":           strides,
		"adjoining strides of 1,000,000": adjoining,
		"runs of 2^0 to 2^49":            sparse,
		"a run of 2^45":                  {{First: 2, Count: 3}, {First: 70, Count: 1 << 45}, {First: 1 << 50, Count: 1}},
		"a run that ends at 2^53-3":      {{First: 1, Count: 1<<53 - 3}, {First: impls.MaxID, Count: 1}},
		"a token at 2^53-3":              {{First: 1, Count: 5}, {First: 1<<53 - 3, Count: 1}},
	} {
		l := normalizerLockstep{got: b.NewNormalizer()}
		at := 0
		replay := func() impls.Normalizer {
			n := b.NewNormalizer()
			for _, r := range runs[:at] {
				must(t, n.Append(r))
			}
			return n
		}
		before := bytesOf(l.got, replay)
		for at = 1; at <= len(runs); at++ {
			must(t, l.append(runs[at-1]))
			after := bytesOf(l.got, replay)
			if grew := after - before; grew >= widest {
				t.Fatalf("%s: Append(%+v) adds %d bytes, want less than %d\nafter %v", name, runs[at-1], grew, widest, runs[:at-1])
			}
			before = after
			must(t, l.verify())
		}
	}
}

// testSizes compares what a large table says it takes with what the heap says.
func testSizes(t rapid.TB, b impls.Backend) {
	if _, ok := b.NewTable().(impls.Sizer); !ok {
		t.Skipf("%s does not know its size", b.Name)
	}
	for _, d := range []document{
		{keys: spreadKeys, order: shuffled, nSessions: 5000, nClusters: 15_000, capacity: capacities["512"]},
		{keys: spreadKeys, nSessions: 10, nClusters: 15_000, capacity: capacities["small"]},
	} {
		h := d.build().history()
		var half int64
		table, heap := heapOf(func() impls.ClusterTable {
			table := b.NewTable()
			for i, c := range h {
				if i == len(h)/2 {
					half = table.(impls.Sizer).Bytes()
				}
				c.do(table)
			}
			return table
		})
		runtime.KeepAlive(h) // or its own end would count
		got := table.(impls.Sizer).Bytes()
		checkSize(t, fmt.Sprint(d), half, got, heap)
	}
}

func testNormalizerSizes(t rapid.TB, b impls.Backend) {
	if _, ok := b.NewNormalizer().(impls.Sizer); !ok {
		t.Skipf("the normalizer of %s does not know its size", b.Name)
	}
	const runs = 50_000
	var half int64
	n, heap := heapOf(func() impls.Normalizer {
		n := b.NewNormalizer()
		for i := range int64(runs) {
			if i == runs/2 {
				half = n.(impls.Sizer).Bytes()
			}
			if err := n.Append(impls.Run{First: 5*i + 1, Count: 1 + i%3}); err != nil {
				t.Fatalf("Append(run %d) = %v", i, err)
			}
		}
		return n
	})
	checkSize(t, "50,000 runs", half, n.(impls.Sizer).Bytes(), heap)
}

// checkSize allows a third more or less than the heap: an account of arrays is
// exact but for the rounding of their sizes, one of a library's nodes is not.
func checkSize(t rapid.TB, what string, half, got, heap int64) {
	t.Logf("%s: Bytes() = %d, the heap grew by %d", what, got, heap)
	switch {
	case half <= 0 || got < half:
		t.Fatalf("Bytes() = %d half way and %d at the end, want more and more: %s", half, got, what)
	case got < heap*2/3 || got > heap*4/3:
		t.Fatalf("Bytes() = %d, want within a third of %d, which the heap grew by: %s", got, heap, what)
	}
}
