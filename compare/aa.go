package compare

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// worstShown is how many of the largest differences an AA lists.
const worstShown = 10

// SelfTest compares every backend that was measured twice with its twin, by
// the rules that compare different backends. Equal things must not differ: it
// passes when at least 95 of 100 benchmarks show no difference, judged one by
// one, and no backend's score is told apart from its twin's.
func SelfTest(s *Set, o Options) (AA, error) {
	if err := o.check(); err != nil {
		return AA{}, err
	}
	if err := s.Check(); err != nil {
		return AA{}, err
	}
	return newEngine(o).selfTest(s), nil
}

func (e *engine) selfTest(s *Set) AA {
	if probe := e.measureNoise(s).Probe; probe.Known() {
		// The twins' own difference is what is judged here; it must not also
		// raise the margin it is judged by.
		e = newEngine(e.Options)
		e.Margin = max(e.Margin, float64(probe))
	}
	aa := AA{Alpha: e.Alpha, Margin: e.Margin, Cases: e.twins(s)}
	var cells []AACell
	var ps []float64
	var comparisons []Comparison
	few := false
	for t := range s.twinTimes() {
		c := e.compare(t.first, t.second, 1)
		m := c.Mark(c.P, -1, e.Alpha, e.Margin)
		cells = append(cells, AACell{t.id.String(), t.backend, c.Ratio, c.Of, c.P, m})
		comparisons, ps = append(comparisons, c), append(ps, float64(c.P))
		few = few || c.N < MinBlocks
		if float64(c.P) < e.Alpha {
			aa.Significant++
		}
		if isDifference(m) {
			aa.Different++
		}
	}
	for i, p := range Holm(ps) {
		if isDifference(comparisons[i].Mark(Float(p), -1, e.Alpha, e.Margin)) {
			aa.Corrected++
		}
	}
	aa.Comparisons = len(cells)
	slices.SortStableFunc(cells, func(a, b AACell) int { return cmp.Compare(distance(b.Ratio), distance(a.Ratio)) })
	aa.Worst = cells[:min(worstShown, len(cells))]
	if few {
		aa.Warnings = append(aa.Warnings, "too few blocks: differences could not show")
	}
	if len(cells) == 0 {
		aa.Warnings = append(aa.Warnings, "nothing was measured twice")
	}
	aa.Passed = len(cells) > 0 && !few && aa.Different*20 <= len(cells) &&
		!slices.ContainsFunc(aa.Cases, func(c AACase) bool { return isDifference(c.Mark) })
	return aa
}

func isDifference(m Mark) bool { return m == Better || m == Worse || m == Different }

// distance is how far a ratio is from 1, in either direction.
func distance(r Float) float64 {
	if !r.Known() {
		return 0
	}
	return math.Abs(math.Log(float64(r)))
}

// twins compares the score of each backend measured twice with its twin's. The
// memory of equal code is equal, so only times count.
func (e *engine) twins(s *Set) []AACase {
	var cases []AACase
	var ps []float64
	var comparisons []Comparison
	for _, who := range s.Subjects() {
		if !who.Twin {
			continue
		}
		c := &contest{}
		g := newGrid(s, func(id ID, x Subject) (ID, string, bool) {
			return id, x.String(), x.Backend == who.Backend && forBackend(id)
		})
		ids := g.shared(UnitTime) // a twin may run a shorter list
		share, _ := shares(ids, e.Shares)
		if len(g.names()) < 2 || len(ids) == 0 || sumAbs(share) == 0 {
			continue
		}
		c.fill(g, e.PairByIndex, newNeed("speed", UnitTime, "speed", 1, 1, ids, share))
		scores := c.scores()
		x := e.compareRows(scores[0], scores[1], false, c.paired, 1)
		if len(scores[0]) < MinBlocks {
			x.P = 1
		}
		cases, comparisons, ps = append(cases, AACase{Backend: who.Backend, Ratio: x.Ratio, Interval: x.Of}), append(comparisons, x), append(ps, float64(x.P))
	}
	for i, p := range Holm(ps) {
		cases[i].P = Float(p)
		cases[i].Mark = comparisons[i].Mark(Float(p), -1, e.Alpha, e.Margin)
	}
	slices.SortFunc(cases, func(a, b AACase) int { return strings.Compare(a.Backend, b.Backend) })
	return cases
}
