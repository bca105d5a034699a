package compare

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Comparison is how one sample stands to another.
type Comparison struct {
	N      int // blocks, or the smaller sample's size
	Paired bool
	Ratio  Float    // next over base; unknown with zeros
	Of     Interval // of Ratio
	P      Float    // not corrected; unknown for exact units
	Method Method

	exact    bool // of an exact unit: different says all
	differs  bool // exact values that differ
	lower    bool // exact values that went down
	Warnings []string
}

// Compare compares next with base in a unit that is not exact. Both with
// blocks are paired by block, else the samples are unpaired. family is how
// many p-values will be corrected together: it decides, before any figure is
// looked at, whether a rank test can become significant at all. If it cannot
// (a sign-flip test of six blocks ends at p = 0.03, and Holm would multiply
// it), Student's test on the logarithms is used, which assumes that they are
// roughly normal.
func (o Options) Compare(base, next *Sample, family int) Comparison {
	return newEngine(o).compare(base, next, family)
}

func (e *engine) compare(base, next *Sample, family int) Comparison {
	x, y := paired(base, next)
	if x == nil && e.PairByIndex && len(base.Values) == len(next.Values) {
		x, y = logs(base.Values), logs(next.Values)
	}
	if len(x) >= 2 {
		return e.comparePaired(x, y, family)
	}
	return e.compareUnpaired(base.Values, next.Values, family)
}

// comparePaired compares the logarithms of paired measurements.
func (e *engine) comparePaired(x, y []float64, family int) Comparison {
	d := make([]float64, len(x))
	for i := range d {
		d[i] = y[i] - x[i]
	}
	mean, iv := e.interval(d)
	c := Comparison{N: len(d), Paired: true, Ratio: expF(Float(mean)), Of: expIv(iv), Method: BySignFlip}
	if signFlipFloor(len(d))*float64(family) <= e.Alpha {
		c.P = Float(SignFlip(d, e.Seed))
	} else {
		c.Method, c.P = ByPairedT, Float(pairedT(d))
	}
	if len(d) < MinBlocks {
		c.warn("need >= %d blocks for an interval of the ratio, have %d", MinBlocks, len(d))
		c.Of = unbounded(e.Confidence)
	}
	return c
}

// maxPairs bounds the pairwise differences of the Hodges-Lehmann estimate.
const maxPairs = 1 << 18

// compareUnpaired compares plain samples: the U test with the estimate and the
// interval that invert it (Hodges and Lehmann, 1963), on logarithms, so that
// the shift is a ratio.
func (e *engine) compareUnpaired(x, y []float64, family int) Comparison {
	c := Comparison{N: min(len(x), len(y)), Method: ByUTest, Ratio: unknown, Of: unbounded(e.Confidence)}
	thresholds := &benchmath.Thresholds{CompareAlpha: e.Alpha}
	u := benchmath.AssumeNothing.Compare(benchmath.NewSample(slices.Clone(x), thresholds), benchmath.NewSample(slices.Clone(y), thresholds))
	c.P = Float(u.P)
	for _, w := range u.Warnings {
		c.warn("%v", w)
	}
	lx, ly := logs(x), logs(y)
	if lx == nil || ly == nil {
		c.warn("a value of zero has no ratio")
		return c
	}
	if uTestFloor(len(x), len(y))*float64(family) > e.Alpha || len(x)*len(y) > maxPairs {
		p, diff, se, df := welch(lx, ly)
		c.Method, c.P, c.Ratio = ByWelch, Float(p), expF(Float(diff))
		if !math.IsInf(se, 0) {
			h := se * distuv.StudentsT{Sigma: 1, Nu: df}.Quantile((1+e.Confidence)/2)
			c.Of = Interval{expF(Float(diff - h)), expF(Float(diff + h)), e.Confidence}
		}
		return c
	}
	diff, iv := hodgesLehmann(lx, ly, e.Confidence)
	c.Ratio, c.Of = expF(Float(diff)), expIv(iv)
	return c
}

// hodgesLehmann is the median of all differences y - x, and the interval of
// those the U test would not reject.
func hodgesLehmann(x, y []float64, confidence float64) (float64, Interval) {
	d := make([]float64, 0, len(x)*len(y))
	for _, a := range x {
		for _, b := range y {
			d = append(d, b-a)
		}
	}
	slices.Sort(d)
	m, n := float64(len(x)), float64(len(y))
	iv := unbounded(confidence)
	k := int(m*n/2 - normalQuantile(confidence)*math.Sqrt(m*n*(m+n+1)/12))
	if k >= 1 {
		iv.Low, iv.High = Float(d[k-1]), Float(d[len(d)-k])
	}
	return (d[(len(d)-1)/2] + d[len(d)/2]) / 2, iv
}

// CompareExact compares figures that repeating does not change: any difference
// is one, without a test and without a division. Should they vary all the same,
// only ranges that do not overlap differ.
func CompareExact(base, next *Sample) Comparison {
	a, b := summarizeExact(base.Values), summarizeExact(next.Values)
	c := Comparison{N: min(len(base.Values), len(next.Values)), exact: true, Method: ByExact, P: unknown, Ratio: unknown}
	c.lower = b.Center < a.Center
	c.differs = b.Low > a.High || b.High < a.Low
	if a.Center == b.Center {
		c.Ratio = 1
	} else if a.Center != 0 {
		c.Ratio = Float(b.Center / a.Center)
	}
	c.Of = Interval{c.Ratio, c.Ratio, 1}
	for _, s := range []summary{a, b} {
		c.Warnings = append(c.Warnings, s.Warnings...)
	}
	c.Warnings = slices.Compact(c.Warnings)
	return c
}

func (c *Comparison) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}

// Mark judges c by its p, after correction for its family, and the margin.
// better is the unit's good direction: -1 less, +1 more, 0 unknown.
func (c *Comparison) Mark(p Float, better int, alpha, margin float64) Mark {
	var up, down = Different, Different
	if better != 0 {
		up, down = Worse, Better
		if better > 0 {
			up, down = Better, Worse
		}
	}
	if c.exact {
		switch {
		case !c.differs:
			return Equivalent
		case c.lower:
			return down
		}
		return up
	}
	switch {
	case insideMargin(c.Of, margin):
		return Equivalent
	case !beyondMargin(c.Ratio, margin) || !(float64(p) < alpha):
		return Unclear
	case c.Ratio > 1:
		return up
	}
	return down
}

// insideMargin reports whether a ratio's whole interval is practically 1.
func insideMargin(iv Interval, margin float64) bool {
	return iv.Low.Known() && iv.High.Known() && float64(iv.Low) >= 1/(1+margin) && float64(iv.High) <= 1+margin
}

// beyondMargin reports whether a ratio is practically not 1.
func beyondMargin(r Float, margin float64) bool {
	return r.Known() && (float64(r) > 1+margin || float64(r) < 1/(1+margin))
}

func unbounded(confidence float64) Interval {
	return Interval{Float(math.Inf(-1)), Float(math.Inf(1)), confidence}
}

func expF(x Float) Float {
	if !x.Known() {
		return x // an open end stays open below: a ratio's lower end is then unknown, not 0
	}
	return Float(math.Exp(float64(x)))
}

func expIv(i Interval) Interval { return Interval{expF(i.Low), expF(i.High), i.Confidence} }

// logs returns the logarithms, nil when a value has none.
func logs(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		if v <= 0 {
			return nil
		}
		out[i] = math.Log(v)
	}
	return out
}
