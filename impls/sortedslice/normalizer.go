package sortedslice

import (
	"iter"
	"sort"
	"unsafe"

	"example.com/idlab/impls"
)

// Normalizer is an [impls.Normalizer] on one sorted slice of runs. Contains
// costs log2(runs) comparisons, Append O(1), a run 16 bytes.
type Normalizer struct{ runs []impls.Run }

// NewNormalizer returns an empty normalizer.
func NewNormalizer() *Normalizer { return &Normalizer{} }

func (n *Normalizer) Append(r impls.Run) error {
	if len(n.runs) == 0 {
		if err := impls.CheckRun(r, 0); err != nil {
			return err
		}
		n.runs = append(n.runs, r)
		return nil
	}
	last := &n.runs[len(n.runs)-1]
	if err := impls.CheckRun(r, last.Last()); err != nil {
		return err
	}
	if r.First == last.Last()+1 {
		last.Count += r.Count
		return nil
	}
	n.runs = append(n.runs, r)
	return nil
}

// after returns the position of the first run that ends at or after gen.
func (n *Normalizer) after(gen int64) int {
	return sort.Search(len(n.runs), func(i int) bool { return n.runs[i].Last() >= gen })
}

func (n *Normalizer) Contains(gen int64) bool {
	at := n.after(gen)
	return at < len(n.runs) && n.runs[at].First <= gen
}

func (n *Normalizer) Runs(first, last int64) iter.Seq[impls.Run] {
	return func(yield func(impls.Run) bool) {
		for _, r := range n.runs[n.after(first):] {
			r, ok := r.Clip(first, last)
			if !ok || !yield(r) {
				return
			}
		}
	}
}

func (n *Normalizer) RunCount() int { return len(n.runs) }

// Bytes is [impls.Sizer]: the exact size of the slice, with its reserve.
func (n *Normalizer) Bytes() int64 { return int64(cap(n.runs)) * int64(unsafe.Sizeof(impls.Run{})) }
