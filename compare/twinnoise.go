package compare

import (
	"iter"
	"math"
)

// luck sums up how far apart equal code was measured in a series.
type luck struct {
	squares float64 // of the twins' log ratios over all documents
	n       int
}

// twinNoise is how far apart equal code is measured in the series of ids, in
// most cases: 1.96 times the root mean square of the twins' log ratios over all
// documents. Intervals do not hold it, since a process that is lucky, with its
// memory say, is so in all its samples. It is 0 where twins tell too little.
func (s *Set) twinNoise(ids []ID) float64 {
	const fewest = 3
	s.luckOnce.Do(s.findLuck)
	var all luck
	seen := make(map[string]bool)
	for _, id := range ids {
		if name := id.Series(); !seen[name] {
			seen[name] = true
			all.squares += s.luck[name].squares
			all.n += s.luck[name].n
		}
	}
	if all.n < fewest {
		return 0
	}
	return 1.96 * math.Sqrt(all.squares/float64(all.n))
}

// findLuck fills s.luck, always in the same order: sums depend on it.
func (s *Set) findLuck() {
	s.luck = make(map[string]luck)
	for t := range s.twinTimes() {
		a, _ := meanSD(logs(t.first.Values))
		b, _ := meanSD(logs(t.second.Values))
		l := s.luck[t.id.Series()]
		l.squares += (a - b) * (a - b)
		l.n++
		s.luck[t.id.Series()] = l
	}
}

// A twinTime is a backend's times in a benchmark, and those of its twin.
type twinTime struct {
	id            ID
	backend       string
	first, second *Sample
}

// twinTimes yields all there are, by benchmark and backend.
func (s *Set) twinTimes() iter.Seq[twinTime] {
	return func(yield func(twinTime) bool) {
		subjects := s.Subjects()
		for _, id := range s.IDs(UnitTime) {
			for _, who := range subjects {
				if who.Twin {
					continue
				}
				t := twinTime{id, who.Backend, s.Sample(id, who, UnitTime), s.Sample(id, Subject{who.Backend, true}, UnitTime)}
				if t.first != nil && t.second != nil && !yield(t) {
					return
				}
			}
		}
	}
}
