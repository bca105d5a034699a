package compare

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// scalings draws each benchmark over the documents whose size is known.
func (e *engine) scalings(s *Set, sizes map[string]float64, axis string) []Scaling {
	var out []Scaling
	for _, series := range seriesOf(s, sizes) {
		sc := Scaling{Benchmark: series[0].Series(), Unit: UnitTime, Axis: axis}
		for _, who := range s.Subjects() {
			if who.Twin {
				continue
			}
			curve := Series{Name: who.Backend, Role: who.Role()}
			for _, id := range series {
				if x := s.Sample(id, who, UnitTime); x != nil {
					sum := summarize(x.Values, false, e.Confidence)
					curve.Points = append(curve.Points, ScalePoint{id.Doc, sizes[id.Doc], sum.Center, sum.interval()})
				}
			}
			if len(curve.Points) > 0 {
				curve.Growth = e.growth(curve.Points)
				sc.Series = append(sc.Series, curve)
			}
		}
		out = append(out, sc)
	}
	return out
}

// seriesOf groups what was timed by everything but the document, keeping
// documents of a known size, smallest first, and series of two or more.
func seriesOf(s *Set, sizes map[string]float64) [][]ID {
	by := make(map[string][]ID)
	for _, id := range s.IDs(UnitTime) {
		if sizes[id.Doc] > 0 {
			by[id.Series()] = append(by[id.Series()], id)
		}
	}
	var out [][]ID
	for _, name := range sortedKeys(by, strings.Compare) {
		ids := by[name]
		slices.SortFunc(ids, func(a, b ID) int {
			if c := cmp.Compare(sizes[a.Doc], sizes[b.Doc]); c != 0 {
				return c
			}
			return strings.Compare(a.Doc, b.Doc)
		})
		if len(ids) > 1 {
			out = append(out, ids)
		}
	}
	return out
}

// growth fits log time = a + k log size through the documents' medians. The
// interval is the regression's own, by Student's t: it holds the noise and how
// far the growth is from a power, which the blocks' noise alone would hide. It
// needs three different sizes.
func (e *engine) growth(points []ScalePoint) *GrowthExponent {
	var x, y []float64
	different := make(map[float64]bool)
	for _, p := range points {
		x, y = append(x, math.Log(p.Size)), append(y, math.Log(p.Center))
		different[p.Size] = true
	}
	if len(different) < 3 {
		return nil
	}
	n := float64(len(x))
	mx, _ := meanSD(x)
	my, _ := meanSD(y)
	var sxx, sxy, syy float64
	for i := range x {
		sxx += (x[i] - mx) * (x[i] - mx)
		sxy += (x[i] - mx) * (y[i] - my)
		syy += (y[i] - my) * (y[i] - my)
	}
	k := sxy / sxx
	rest := max(0, syy-k*sxy)
	h := studentQuantile(e.Confidence, len(x)-2) * math.Sqrt(rest/(n-2)/sxx)
	g := &GrowthExponent{Exponent: k, Interval: Interval{Float(k - h), Float(k + h), e.Confidence}, RSquared: 1, Sizes: len(different)}
	if syy > 0 {
		g.RSquared = 1 - rest/syy
	}
	return g
}
