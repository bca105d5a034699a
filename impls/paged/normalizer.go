package paged

import (
	"fmt"
	"iter"
	"math/bits"
	"unsafe"

	"example.com/idlab/impls"
)

// span is how wide a run or a gap may be to be kept as bits: 256 bytes.
const span = 2048

// Normalizer is an [impls.Normalizer] that keeps neighbouring runs as bits, one
// a generation count, and a run wider than 2,048 as itself. It is a list of
// stretches, each with bits of its own or one wide run; a gap wider than 2,048
// begins a new one, so a run takes 544 bytes at the most, mostly a few.
//
// Contains is one look at the bits while the longest stretch, or the last one,
// has the generation count, and else a binary search over the stretches.
type Normalizer struct {
	main      stretch // the longest with bits
	stretches []stretch
	words     []uint64
	last      impls.Run // the last run, with what was merged into it
	runs      int
}

// stretch is the generation counts [first, first+size).
type stretch struct {
	first int64
	size  uint64
	word  int // of its first bit, which is bit 0 of it; or -1, all are in one run
}

// NewNormalizer returns an empty normalizer.
func NewNormalizer() *Normalizer { return &Normalizer{} }

// Append costs O(1) and a step for 64 generation counts of a narrow run.
func (n *Normalizer) Append(r impls.Run) error {
	if err := impls.CheckRun(r, max(n.last.First+n.last.Count-1, 0)); err != nil {
		return err
	}
	if n.runs > 0 && r.First == n.last.First+n.last.Count {
		whole := impls.Run{First: n.last.First, Count: n.last.Count + r.Count}
		s := &n.stretches[len(n.stretches)-1]
		switch {
		case s.word < 0:
			s.size += uint64(r.Count)
		case whole.Count > span:
			n.cut(n.last.First)
			n.stretches = append(n.stretches, stretch{first: whole.First, size: uint64(whole.Count), word: -1})
		default:
			n.fill(r)
		}
		n.last = whole
		return nil
	}
	switch {
	case r.Count > span:
		n.stretches = append(n.stretches, stretch{first: r.First, size: uint64(r.Count), word: -1})
	default:
		if k := len(n.stretches); k == 0 || n.stretches[k-1].word < 0 || r.First-n.last.Last() > span {
			n.stretches = append(n.stretches, stretch{first: r.First, word: len(n.words)})
		}
		n.fill(r)
	}
	n.last = r
	n.runs++
	return nil
}

// fill sets the bits of a run in the last stretch.
func (n *Normalizer) fill(r impls.Run) {
	s := &n.stretches[len(n.stretches)-1]
	from := uint64(r.First - s.first)
	s.size = from + uint64(r.Count)
	for uint64(len(n.words)-s.word)*64 < s.size {
		n.words = append(n.words, 0)
	}
	words := n.words[s.word:]
	for at := from; at < s.size; {
		k := min(64-at&63, s.size-at)
		words[at>>6] |= (1<<k - 1) << (at & 63)
		at += k
	}
	if s.size > n.main.size || s.word == n.main.word {
		n.main = *s
	}
}

// cut takes what the last stretch has from first on away, and the stretch if
// nothing remains.
func (n *Normalizer) cut(first int64) {
	k := len(n.stretches) - 1
	s := &n.stretches[k]
	size := uint64(first - s.first)
	s.size = size
	n.words = n.words[:s.word+int(size+63)/64]
	if size&63 != 0 {
		n.words[len(n.words)-1] &= 1<<(size&63) - 1
	}
	if s.word == n.main.word {
		n.main = *s
	}
	if size == 0 {
		n.stretches = n.stretches[:k]
	}
}

func (n *Normalizer) Contains(gen int64) bool {
	at := uint64(gen - n.main.first)
	if at >= n.main.size {
		return n.search(gen)
	}
	i := n.main.word + int(at>>6)
	return i < len(n.words) && n.words[i]>>(at&63)&1 != 0
}

// search is Contains outside the main stretch.
func (n *Normalizer) search(gen int64) bool {
	k := n.stretchOf(gen)
	if k == len(n.stretches) {
		return false
	}
	s := &n.stretches[k]
	at := uint64(gen - s.first)
	return at < s.size && (s.word < 0 || n.words[s.word+int(at>>6)]>>(at&63)&1 != 0)
}

// stretchOf returns the last stretch that begins at or before gen, or the
// first, or 0 if there is none.
func (n *Normalizer) stretchOf(gen int64) int {
	lo := 0
	for k := len(n.stretches); k > 1; {
		half := k / 2
		lo += half & upTo(n.stretches[lo+half].first, gen)
		k -= half
	}
	return lo
}

func (n *Normalizer) Runs(first, last int64) iter.Seq[impls.Run] {
	return func(yield func(impls.Run) bool) {
		first := max(first, 1)
		for k := n.stretchOf(first); k < len(n.stretches) && n.stretches[k].first <= last; k++ {
			s := &n.stretches[k]
			if s.word < 0 {
				r, ok := impls.Run{First: s.first, Count: int64(s.size)}.Clip(first, last)
				if ok && !yield(r) {
					return
				}
				continue
			}
			words := n.words[s.word : s.word+int(s.size+63)/64]
			// A run never goes on in the next stretch.
			for at := uint64(max(first-s.first, 0)); at < s.size; {
				from := nextBit(words, at, 0)
				if from >= s.size {
					break // a wide run that took its beginning away has left zeros
				}
				at = min(nextBit(words, from, ^uint64(0)), s.size)
				r, ok := impls.Run{First: s.first + int64(from), Count: int64(at - from)}.Clip(first, last)
				if !ok || !yield(r) {
					return
				}
			}
		}
	}
}

// nextBit returns the place of the first bit from at on that is one, or with
// flip ^0 zero, or the number of bits.
func nextBit(words []uint64, at, flip uint64) uint64 {
	for i := at >> 6; i < uint64(len(words)); i++ {
		w := words[i] ^ flip
		if i == at>>6 {
			w &= ^uint64(0) << (at & 63)
		}
		if w != 0 {
			return i<<6 + uint64(bits.TrailingZeros64(w))
		}
	}
	return uint64(len(words)) << 6
}

func (n *Normalizer) RunCount() int { return n.runs }

// Bytes is [impls.Sizer]: the exact size of the arrays, with their reserve.
func (n *Normalizer) Bytes() int64 {
	return int64(cap(n.words))*8 + int64(cap(n.stretches))*int64(unsafe.Sizeof(stretch{}))
}

// CheckInvariants is [impls.Invarianter].
func (n *Normalizer) CheckInvariants() error {
	var last impls.Run
	runs, word, limit := 0, 0, int64(0)
	for k := range n.stretches {
		s := &n.stretches[k]
		if s.first < 1 || s.first < limit || s.size == 0 {
			return fmt.Errorf("stretch %d: %+v after %d", k, *s, limit)
		}
		limit = s.first + int64(s.size)
		if s.word < 0 {
			continue
		}
		if s.word != word {
			return fmt.Errorf("stretch %d begins at word %d, not %d", k, s.word, word)
		}
		word += int(s.size+63) / 64
		if at := s.size & 63; at != 0 && n.words[word-1]>>at != 0 {
			return fmt.Errorf("stretch %d has bits past its end", k)
		}
	}
	if word != len(n.words) {
		return fmt.Errorf("%d words, %d of them in stretches", len(n.words), word)
	}
	for r := range n.Runs(1, impls.MaxID) {
		if runs > 0 && r.First <= last.Last()+1 || r.Count < 1 {
			return fmt.Errorf("run %+v after %+v", r, last)
		}
		runs, last = runs+1, r
	}
	if runs != n.runs || last != n.last {
		return fmt.Errorf("%d runs, the last %+v; counted %d, the last %+v", n.runs, n.last, runs, last)
	}
	return nil
}
