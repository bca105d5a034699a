package compare

import "math"

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
	subjects := s.Subjects()
	for _, id := range s.IDs(UnitTime) {
		for _, who := range subjects {
			if who.Role() != Twin {
				continue
			}
			x, y := s.Sample(id, Subject{Backend: who.Backend}, UnitTime), s.Sample(id, who, UnitTime)
			if x == nil || y == nil {
				continue
			}
			a, _ := meanSD(logs(x.Values))
			b, _ := meanSD(logs(y.Values))
			l := s.luck[id.Series()]
			l.squares += (a - b) * (a - b)
			l.n++
			s.luck[id.Series()] = l
		}
	}
}
