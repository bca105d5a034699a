package idcompressor

import (
	"iter"
	"sort"

	"example.com/idlab/impls"
)

// runView is a normalizer's state: a frozen one and the runs after it, which
// nobody changes.
type runView struct {
	frozen impls.Normalizer
	added  []impls.Run
}

// after returns the position of the first added run that ends at or after gen.
func (v *runView) after(gen int64) int {
	return sort.Search(len(v.added), func(i int) bool { return v.added[i].Last() >= gen })
}

func (v *runView) Contains(gen int64) bool {
	if gen < v.added[0].First {
		return v.frozen.Contains(gen)
	}
	i := v.after(gen)
	return i < len(v.added) && v.added[i].First <= gen
}

// Runs does not merge the first added run with the last frozen one where they
// adjoin; who asks does.
func (v *runView) Runs(first, last int64) iter.Seq[impls.Run] {
	return func(yield func(impls.Run) bool) {
		for r := range v.frozen.Runs(first, last) {
			if !yield(r) {
				return
			}
		}
		for _, r := range v.added[v.after(first):] {
			r, ok := r.Clip(first, last)
			if !ok || !yield(r) {
				return
			}
		}
	}
}

func (v *runView) RunCount() int { return v.frozen.RunCount() + len(v.added) }

// Append panics: a view is read-only.
func (v *runView) Append(impls.Run) error { panic("idcompressor: a view is read-only") }
