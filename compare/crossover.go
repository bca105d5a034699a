package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A field holds contestants' times at points along an axis: mean logarithms
// at once, the bootstrap's draws when they are needed.
type field struct {
	*contest
	first int       // the contest's part of the first point
	x     []float64 // the axis' values, ascending
	log   bool      // interpolate on a logarithmic axis
	noise float64   // a difference of logarithms below which nobody is ahead
	mean  [][]float64
	draws [][][]float64 // [point][contestant][draw], see prepare
}

// newField looks up ids, one a point, for the candidates that have them all.
func (e *engine) newField(s *Set, ids []ID, x []float64, logAxis bool) *field {
	g := newGrid(s, func(id ID, who Subject) (ID, string, bool) {
		return id, who.Backend, who.Role() == Candidate && slices.Contains(ids, id)
	})
	var needs []need
	for _, id := range ids {
		needs = append(needs, newNeed(id.String(), UnitTime, id.String(), 1, 1, []ID{id}, equal(1)))
	}
	f := &field{contest: &contest{}, x: x, log: logAxis, noise: max(math.Log1p(e.Margin), s.twinNoise(ids))}
	f.fill(g, e.PairByIndex, needs...)
	for _, p := range f.parts {
		f.mean = append(f.mean, logs(p.center))
	}
	return f
}

// cut is the field of n points from the first on, over other axis values.
func (f *field) cut(first, n int, x []float64) *field {
	return &field{contest: f.contest, first: first, x: x, log: f.log, noise: f.noise, mean: f.mean[first : first+n]}
}

// prepare makes the draws. Draws of ratios to the best differ from draws of
// times by a constant a point, which cancels wherever contestants are compared.
func (f *field) prepare(e *engine) {
	if f.draws != nil {
		return
	}
	for k := range f.x {
		f.draws = append(f.draws, e.drawMeans(f.parts[f.first+k].logs, f.paired, f.first+k))
	}
}

// test compares b with a at a point.
func (f *field) test(e *engine, point, a, b int) Comparison {
	p := &f.parts[f.first+point]
	return e.compareRows(p.logs[a], p.logs[b], p.exact, f.paired, 1)
}

// at is an axis value as it is interpolated.
func (f *field) at(x float64) float64 {
	if f.log {
		return math.Log(x)
	}
	return x
}

func (f *field) axis(v float64) float64 {
	if f.log {
		return math.Exp(v)
	}
	return v
}

// leaders are the contestants that are best at some point, in order of points.
func (f *field) leaders() []int {
	var out []int
	for _, means := range f.mean {
		if i := slices.Index(means, slices.Min(means)); !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// runnerUp is the contestant with the best mean over all points but for lead; -1 without one.
func (f *field) runnerUp(lead int) int {
	best, who := math.Inf(1), -1
	for i := range f.names {
		var sum float64
		for _, means := range f.mean {
			sum += means[i]
		}
		if i != lead && sum < best {
			best, who = sum, i
		}
	}
	return who
}

// crossings returns the axis values where diff, linear between points, changes sign.
func (f *field) crossings(diff func(point int) float64) []float64 {
	var out []float64
	last, before := -1, 0.0 // the latest point with a difference
	for k := range f.x {
		d := diff(k)
		if d == 0 {
			continue
		}
		if last >= 0 && d*before < 0 {
			u, v := f.at(f.x[last]), f.at(f.x[k])
			out = append(out, f.axis(u+(v-u)*before/(before-d)))
		}
		last, before = k, d
	}
	return out
}

// crossovers finds where the leaders along the axis change places with each
// other; with one leader all along, it says so against the runner-up.
func (e *engine) crossovers(f *field, axis, benchmark string) []Crossover {
	if len(f.names) < 2 {
		return nil
	}
	leaders := f.leaders()
	if len(leaders) == 1 {
		return e.pairCrossovers(f, leaders[0], f.runnerUp(leaders[0]), axis, benchmark)
	}
	var out []Crossover
	for i, a := range leaders {
		for _, b := range leaders[i+1:] {
			out = append(out, e.pairCrossovers(f, a, b, axis, benchmark)...)
		}
	}
	return out
}

func (e *engine) pairCrossovers(f *field, a, b int, axis, benchmark string) []Crossover {
	base := Crossover{Axis: axis, Benchmark: benchmark, A: f.names[a], B: f.names[b], From: f.x[0], To: f.x[len(f.x)-1]}
	diff := func(point int) float64 { return f.mean[point][b] - f.mean[point][a] } // above 0: a is ahead
	// told says who is surely ahead at a point, "" for nobody.
	told := func(point int) string {
		c := f.test(e, point, a, b)
		switch {
		case !c.Of.Known() || c.Of.Low <= 1 && c.Of.High >= 1 || math.Abs(diff(point)) < f.noise:
			return ""
		case c.Of.Low > 1:
			return base.A
		}
		return base.B
	}
	points := f.crossings(diff)
	if len(points) == 0 {
		c := base
		c.At, c.Interval = unknown, unbounded(e.Confidence)
		c.Below = told(0)
		for k := range f.x {
			if told(k) != c.Below {
				c.Below = ""
			}
		}
		c.Above, c.Decided = c.Below, c.Below != ""
		c.Sentence = c.say()
		return []Crossover{c}
	}
	var out []Crossover
	for _, at := range points {
		c := base
		c.At = Float(at)
		c.Interval = e.crossingInterval(f, a, b, at)
		c.Below, c.Above = base.B, base.A
		k := 0
		for k+2 < len(f.x) && f.x[k+1] <= at {
			k++
		}
		for k > 0 && diff(k) == 0 {
			k--
		}
		if diff(k) > 0 {
			c.Below, c.Above = base.A, base.B
		}
		// Decided when some point on either side, up to the next crossing, tells.
		c.Decided = f.tells(told, at, -1, points, c.Below) && f.tells(told, at, +1, points, c.Above)
		c.Sentence = c.say()
		out = append(out, c)
	}
	return out
}

// tells reports whether a measured point on one side of at, and not beyond
// another crossing, shows who ahead.
func (f *field) tells(told func(int) string, at float64, side int, crossings []float64, who string) bool {
	for k, x := range f.x {
		if (x > at) != (side > 0) {
			continue
		}
		beyond := slices.ContainsFunc(crossings, func(c float64) bool {
			return c != at && (side > 0 && c > at && c < x || side < 0 && c < at && c > x)
		})
		if !beyond && told(k) == who {
			return true
		}
	}
	return false
}

// crossingInterval is where the crossing nearest to at falls in the draws. A
// draw without one has it beyond an end: below when the one who is ahead at
// the far end is ahead everywhere.
func (e *engine) crossingInterval(f *field, a, b int, at float64) Interval {
	f.prepare(e)
	found := make([]float64, e.Draws)
	last := len(f.x) - 1
	upperA := f.mean[last][b] > f.mean[last][a]
	for d := range found {
		diff := func(k int) float64 { return f.draws[k][b][d] - f.draws[k][a][d] }
		points := f.crossings(diff)
		switch {
		case len(points) > 0:
			found[d] = slices.MinFunc(points, func(x, y float64) int {
				return cmp.Compare(math.Abs(f.at(x)-f.at(at)), math.Abs(f.at(y)-f.at(at)))
			})
		case (diff(last) > 0) == upperA:
			found[d] = f.x[0]
		default:
			found[d] = f.x[last]
		}
	}
	low, high := quantiles(found, e.Confidence)
	return Interval{low, high, e.Confidence}
}

func (c *Crossover) say() string {
	over := fmt.Sprintf("%.3g to %.3g %s", c.From, c.To, c.Axis)
	switch {
	case !c.At.Known() && c.Below == "":
		return fmt.Sprintf("%s: %s and %s are not told apart everywhere from %s, and nowhere change places", c.Benchmark, c.A, c.B, over)
	case !c.At.Known():
		other := c.A
		if other == c.Below {
			other = c.B
		}
		return fmt.Sprintf("%s: %s is ahead of %s over all of %s", c.Benchmark, c.Below, other, over)
	}
	s := fmt.Sprintf("%s: %s is ahead below, %s above %.3g %s (%.3g..%.3g)", c.Benchmark, c.Below, c.Above, float64(c.At), c.Axis, float64(c.Interval.Low), float64(c.Interval.High))
	if !c.Decided {
		s += ", not told apart on both sides"
	}
	return s
}
