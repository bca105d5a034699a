package backendtest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"example.com/idlab/impls"
	"example.com/idlab/impls/model"
	"pgregory.net/rapid"
)

// normalizerLockstep makes the same calls on the model and on the normalizer
// under test.
type normalizerLockstep struct {
	want    model.Normalizer
	got     impls.Normalizer
	history []impls.Run
}

func (l *normalizerLockstep) violated(what string, got, want any) error {
	return fmt.Errorf("%s = %v, want %v\nafter appending %+v", what, got, want, l.history)
}

// append appends r to both, or is refused by both.
func (l *normalizerLockstep) append(r impls.Run) (err error) {
	defer l.explain(&err)
	what := fmt.Sprintf("Append(%+v)", r)
	got, want := l.got.Append(r), l.want.Append(r)
	if errors.Is(got, impls.ErrRun) != errors.Is(want, impls.ErrRun) || (got == nil) != (want == nil) {
		return l.violated(what, got, want)
	}
	if got == nil {
		l.history = append(l.history, r)
	}
	return nil
}

// explain turns a panic into an error.
func (l *normalizerLockstep) explain(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the normalizer panics: %v\nafter appending %+v", p, l.history)
	}
}

// verify compares every lookup around every edge.
func (l *normalizerLockstep) verify() (err error) {
	defer l.explain(&err)
	if got, want := l.got.RunCount(), l.want.RunCount(); got != want {
		return l.violated("RunCount()", got, want)
	}
	gens := slices.Clone(marks)
	for r := range l.want.Runs(math.MinInt64, math.MaxInt64) {
		gens = append(gens, r.First-1, r.First, r.First+r.Count/2, r.Last(), r.Last()+1)
	}
	slices.Sort(gens)
	gens = slices.Compact(gens)
	for i, gen := range gens {
		if got, want := l.got.Contains(gen), l.want.Contains(gen); got != want {
			return l.violated(fmt.Sprintf("Contains(%d)", gen), got, want)
		}
		// A run alone, a few, all that follow; nothing; and backwards.
		for _, last := range []int64{gen, gens[min(i+3, len(gens)-1)], gens[min(i+11, len(gens)-1)], math.MaxInt64, gens[max(i-2, 0)]} {
			if err := l.runs(gen, last); err != nil {
				return err
			}
		}
	}
	if n, ok := l.got.(impls.Invarianter); ok {
		if err := n.CheckInvariants(); err != nil {
			return fmt.Errorf("CheckInvariants() = %w\nafter appending %+v", err, l.history)
		}
	}
	return nil
}

func (l *normalizerLockstep) runs(first, last int64) error {
	want := slices.Collect(l.want.Runs(first, last))
	seq := l.got.Runs(first, last)
	for range 2 { // an iter.Seq starts anew each time
		if got := slices.Collect(seq); !slices.Equal(got, want) {
			return l.violated(fmt.Sprintf("Runs(%d, %d)", first, last), got, want)
		}
	}
	for range seq {
		break // must not go on
	}
	return nil
}

// runs returns runs from pairs of first and count.
func runs(pairs ...int64) (rs []impls.Run) {
	for p := range slices.Chunk(pairs, 2) {
		rs = append(rs, impls.Run{First: p[0], Count: p[1]})
	}
	return rs
}

// testNormalizerCases says what [impls.Normalizer] is to answer in the
// reference's own cases; R208 to R219 and Q115 are numbers of the conformance
// checklist. R220 to R232, Q114 and Q116 of that list have no meaning in Go: they
// are about the reference's append-only sorted map. Backends search in forms of
// their own, and the order which that map enforces is kept by the caller of a
// table and by [impls.CheckRun].
func testNormalizerCases(t rapid.TB, b impls.Backend) {
	of := func(rs ...impls.Run) impls.Normalizer {
		n := b.NewNormalizer()
		for _, r := range rs {
			if err := n.Append(r); err != nil {
				t.Fatalf("Append(%+v) = %v after a part of %+v", r, err, rs)
			}
		}
		return n
	}
	contains := func(name string, rs []impls.Run, yes, no []int64) {
		n := of(rs...)
		for _, gen := range yes {
			if !n.Contains(gen) {
				t.Errorf("%s: Contains(%d) = false, want true of %+v", name, gen, rs)
			}
		}
		for _, gen := range no {
			if n.Contains(gen) {
				t.Errorf("%s: Contains(%d) = true, want false of %+v", name, gen, rs)
			}
		}
	}
	between := func(name string, rs []impls.Run, first, last int64, want ...impls.Run) {
		if got := slices.Collect(of(rs...).Runs(first, last)); !slices.Equal(got, want) {
			t.Errorf("%s: Runs(%d, %d) = %+v, want %+v of %+v", name, first, last, got, want, rs)
		}
	}
	count := func(rs []impls.Run, want int) {
		if got := of(rs...).RunCount(); got != want {
			t.Errorf("RunCount() = %d, want %d of %+v", got, want, rs)
		}
	}

	contains("R208", nil, nil, []int64{0, 1, -1, impls.MaxID})
	contains("R209", runs(1, 5), []int64{1, 2, 5}, []int64{0, 6, -1})
	contains("R210", runs(1, 2, 6, 4, 15, 1), []int64{7}, []int64{11, 3})
	merging := runs(1, 2, 3, 4, 15, 1, 16, 2)
	contains("R211", merging, []int64{1, 4, 6, 15, 17}, []int64{7, 8})
	count(nil, 0)
	count(merging, 2)

	between("R212", nil, 1, 10)
	three := runs(2, 1, 4, 3, 9, 1)
	between("R213", three, 1, 10, three...)
	between("R213", three, 2, 9, three...)
	between("R214", three, 3, 9, three[1:]...)
	between("R215", three, 3, 8, three[1])
	between("R216", three, 5, 9, impls.Run{First: 5, Count: 2}, three[2])
	between("R217", three, 1, 5, three[0], impls.Run{First: 4, Count: 2})
	for gen := int64(4); gen <= 6; gen++ {
		between("R218", three, gen, gen, impls.Run{First: gen, Count: 1})
	}
	between("R219", three, 3, 3)
	between("Q115, from above to", three, 9, 2)

	// Q115: empty and overlapping runs are refused, and nothing has changed.
	refused := runs(10, 0, 10, -1, 0, 1, 0, 20, -5, 1, 9, 1, 9, 5, 4, 3, 1, 1, math.MinInt64, 1, impls.MaxID, 2, impls.MaxID+1, 1, 10, impls.MaxID, 10, math.MaxInt64, math.MaxInt64, math.MaxInt64)
	for _, r := range refused {
		n := of(three...)
		if err := n.Append(r); !errors.Is(err, impls.ErrRun) {
			t.Errorf("Q115: Append(%+v) = %v, want ErrRun after %+v", r, err, three)
		}
		if got := slices.Collect(n.Runs(math.MinInt64, math.MaxInt64)); !slices.Equal(got, three) || n.RunCount() != 3 {
			t.Errorf("Q115: %+v after the refused Append(%+v), want %+v", got, r, three)
		}
		if err := n.Append(impls.Run{First: 10, Count: 1}); err != nil || n.RunCount() != 3 || !n.Contains(10) {
			t.Errorf("Q115: after the refused Append(%+v) a good one goes wrong: %v", r, err)
		}
	}
	for _, r := range []impls.Run{{First: 0, Count: 1}, {First: 1}, {First: -1, Count: 3}, {First: 1, Count: impls.MaxID + 1}} {
		if err := b.NewNormalizer().Append(r); !errors.Is(err, impls.ErrRun) {
			t.Errorf("Append(%+v) = %v, want ErrRun on an empty normalizer", r, err)
		}
	}
	whole := runs(1, impls.MaxID)
	contains("everything", whole, []int64{1, 64, 1 << 45, impls.MaxID}, []int64{0, impls.MaxID + 1, math.MaxInt64})
	between("everything", whole, math.MinInt64, math.MaxInt64, whole...)
}

// run returns what g means for a normalizer that ends at last: a run, now and
// then one to be refused.
func (g gene) run(last int64) impls.Run {
	v := int64(g.value)
	gap := [...]int64{0, 1, 2, 7, 62, 63, 64, 65, 511, 1000, 1023, 1 << 20, 1 << (v % 50), v % 100, v % 5000, v}[g.pick%16]
	count := [...]int64{1, 2, 3, 10, 62, 63, 64, 65, 512, 1000, 1024, 1_000_000, 1 << (v % 45), v % 100, v % 5000, v}[g.form%16]
	if g.kind%16 < 14 {
		return impls.Run{First: last + 1 + gap, Count: max(count, 1)}
	}
	return impls.Run{First: last - gap/2, Count: count - 1}
}

// evolve appends what the genes mean and compares after each step.
func (l *normalizerLockstep) evolve(genes []gene) error {
	for _, g := range genes {
		var last int64
		for r := range l.want.Runs(1, math.MaxInt64) {
			last = r.Last()
		}
		if err := l.append(g.run(last)); err != nil {
			return err
		}
		if err := l.verify(); err != nil {
			return err
		}
	}
	return nil
}

func testNormalizerSteps(t rapid.TB, b impls.Backend) {
	rapid.Check(t, func(t *rapid.T) {
		l := normalizerLockstep{got: b.NewNormalizer()}
		must(t, l.verify())
		must(t, l.evolve(drawGenes(t, 2)))
	})
}

// testNormalizerLarge asks a normalizer of many runs about each of them.
func testNormalizerLarge(t rapid.TB, b impls.Backend) {
	n := b.NewNormalizer()
	var runs []impls.Run
	last := int64(0)
	for i := range uint64(20_000 / slowdown) {
		r := impls.Run{First: last + 2 + int64(spread(i)%200), Count: 1 + int64(spread(^i)%200)}
		if i%1000 == 0 {
			r.First += 1 << 30
		}
		must(t, n.Append(r))
		runs = append(runs, r)
		last = r.Last()
	}
	for i, r := range runs {
		for _, q := range []struct {
			gen  int64
			want bool
		}{{r.First - 1, false}, {r.First, true}, {r.Last(), true}, {r.Last() + 1, i+1 < len(runs) && runs[i+1].First == r.Last()+1}} {
			if got := n.Contains(q.gen); got != q.want {
				t.Fatalf("Contains(%d) = %v, want %v, at run %d of %d", q.gen, got, q.want, i, len(runs))
			}
		}
		upTo := min(i+3, len(runs))
		if got := slices.Collect(n.Runs(r.First, runs[upTo-1].Last())); !slices.Equal(got, runs[i:upTo]) {
			t.Fatalf("Runs(%d, %d) = %+v, want %+v", r.First, runs[upTo-1].Last(), got, runs[i:upTo])
		}
	}
	if got := n.RunCount(); got != len(runs) {
		t.Fatalf("RunCount() = %d, want %d", got, len(runs))
	}
}
