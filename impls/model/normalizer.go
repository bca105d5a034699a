package model

import (
	"iter"

	"example.com/idlab/impls"
)

// Normalizer is the model of an [impls.Normalizer].
type Normalizer struct{ runs []impls.Run }

func (n *Normalizer) Append(r impls.Run) error {
	var last int64
	if len(n.runs) > 0 {
		last = n.runs[len(n.runs)-1].Last()
	}
	if err := impls.CheckRun(r, last); err != nil {
		return err
	}
	if len(n.runs) > 0 && r.First == last+1 {
		n.runs[len(n.runs)-1].Count += r.Count
	} else {
		n.runs = append(n.runs, r)
	}
	return nil
}

func (n *Normalizer) Contains(gen int64) bool {
	for _, r := range n.runs {
		if r.First <= gen && gen <= r.Last() {
			return true
		}
	}
	return false
}

func (n *Normalizer) Runs(first, last int64) iter.Seq[impls.Run] {
	return func(yield func(impls.Run) bool) {
		for _, r := range n.runs {
			if r, ok := r.Clip(first, last); ok && !yield(r) {
				return
			}
		}
	}
}

func (n *Normalizer) RunCount() int { return len(n.runs) }
