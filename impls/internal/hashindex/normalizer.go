package hashindex

import (
	"fmt"
	"iter"
	"unsafe"

	"example.com/idlab/impls"
)

// runShift makes a block of 64 generation counts: runs are often short.
const runShift = 6

// Normalizer is an [impls.Normalizer] on a hash map: runs in order, and a map
// from blocks to the first run that begins there.
type Normalizer struct {
	runs   []impls.Run
	firsts blocks
}

// NewNormalizer returns an empty normalizer.
func NewNormalizer(maps Maps) *Normalizer {
	return &Normalizer{firsts: blocks{maps.Numbers(0), runShift}}
}

func (n *Normalizer) Append(r impls.Run) error {
	var last impls.Run // its first is 0 and its last -1 if there is none
	if len(n.runs) > 0 {
		last = n.runs[len(n.runs)-1]
	}
	if err := impls.CheckRun(r, max(last.Last(), 0)); err != nil {
		return err
	}
	if last.Count > 0 && r.First == last.Last()+1 {
		n.runs[len(n.runs)-1].Count += r.Count
		return nil
	}
	n.firsts.add(0, last.First, r.First, int32(len(n.runs)))
	n.runs = append(n.runs, r)
	return nil
}

// atOrBelow returns the position of the last run that begins at or below gen,
// or -1.
func (n *Normalizer) atOrBelow(gen int64) int {
	return n.firsts.locate(0, gen, len(n.runs), func(i int) int64 { return n.runs[i].First })
}

func (n *Normalizer) Contains(gen int64) bool {
	at := n.atOrBelow(gen)
	return at >= 0 && gen <= n.runs[at].Last()
}

func (n *Normalizer) Runs(first, last int64) iter.Seq[impls.Run] {
	return func(yield func(impls.Run) bool) {
		at := n.atOrBelow(first)
		if at < 0 || n.runs[at].Last() < first {
			at++
		}
		for _, r := range n.runs[at:] {
			r, ok := r.Clip(first, last)
			if !ok || !yield(r) {
				return
			}
		}
	}
}

func (n *Normalizer) RunCount() int { return len(n.runs) }

// Bytes is [impls.Sizer]: exact but for the map, which see.
func (n *Normalizer) Bytes() int64 {
	return int64(cap(n.runs))*int64(unsafe.Sizeof(impls.Run{})) + n.firsts.m.Bytes()
}

// CheckInvariants is [impls.Invarianter].
func (n *Normalizer) CheckInvariants() error {
	end, entries := int64(-1), 0
	var last int64
	for i, r := range n.runs {
		if r.First <= end+1 || r.First < 1 || r.Count < 1 {
			return fmt.Errorf("run %d is %+v after one that ends at %d", i, r, end)
		}
		if at := n.atOrBelow(r.First); at != i {
			return fmt.Errorf("run %d is found as %d", i, at)
		}
		if _, ok := n.firsts.entry(0, last, r.First); ok {
			entries++
		}
		last, end = r.First, r.Last()
	}
	if got := n.firsts.m.Len(); got != entries {
		return fmt.Errorf("%d runs have %d entries, the map has %d", len(n.runs), entries, got)
	}
	return nil
}
