package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// MinGate is the fewest samples a side of a time that the gate judges: under
// four no rank test reaches p < 0.05.
const MinGate = 4

// GateOptions configure Gate. Options' margin, alpha, confidence and seed
// apply; its weights and shares do not.
type GateOptions struct {
	Options
	Exact          bool // only exact figures: what CI should gate on
	AnyEnvironment bool // compare across machines or Go versions all the same
}

// The statuses of a GateResult, which are exit statuses.
const (
	GatePass       = 0
	GateRegression = 1
	GateCannotTell = 2
)

// A GateResult is what the gate found.
type GateResult struct {
	Status       int      `json:"status"`
	Sentence     string   `json:"sentence"`
	Problems     []string `json:"problems"` // why it cannot tell; FILE:LINE: cause where a line is to blame
	Regressions  []Change `json:"regressions"`
	Improvements []Change `json:"improvements"`
	Compared     int      `json:"compared"` // figures compared
	Margin       float64  `json:"margin"`   // used for times: max(user's, measured noise)
	Drift        float64  `json:"drift"`    // the margin of single benchmarks, where that is more
	Noise        Noise    `json:"noise"`    // the noisier of both sides
	Warnings     []string `json:"warnings"`
}

// A Change is one figure that moved.
type Change struct {
	Benchmark string   `json:"benchmark"` // the full name, or "all N benchmarks" for their geometric mean
	Unit      string   `json:"unit"`
	Base      float64  `json:"base"` // medians, or the exact values
	New       float64  `json:"new"`
	Ratio     Float    `json:"ratio"` // unknown from 0
	Delta     float64  `json:"delta"`
	Interval  Interval `json:"interval"` // of the ratio
	P         Float    `json:"p"`        // Holm-corrected over all times; unknown for exact figures
	Method    Method   `json:"method"`
	Exact     bool     `json:"exact"`
	Warnings  []string `json:"warnings"`
}

// String writes the change with its direction in numbers: "Generate/doc=small/backend=paged allocs/op: 0 -> 1".
func (c Change) String() string {
	by := fmt.Sprintf("%+.4g", c.Delta)
	if c.Ratio.Known() {
		by = fmt.Sprintf("%+.1f %%", 100*(float64(c.Ratio)-1))
	}
	p := ""
	if c.P.Known() {
		p = fmt.Sprintf(", p=%.3g", float64(c.P))
	}
	return fmt.Sprintf("%s %s: %.4g -> %.4g (%s%s)", c.Benchmark, c.Unit, c.Base, c.New, by, p)
}

// Gate compares the candidates' figures of next with base's.
//
// An exact figure regresses by any step in the bad direction, from 0 too. A
// time regresses when its median is worse by more than the margin and the
// difference is significant after Holm's correction over all times, the
// geometric mean of all benchmarks among them, which finds a slowdown of
// everything that is too small to see in each. The margin is never under the
// noise of either side: of the probe, of the twins, and of the repeated samples
// themselves. That of a single benchmark is not under the drift either, see
// drift. Other figures that are not exact (garbage collection, tails, the heap)
// are compare's to show: they move by themselves.
//
// The two sides were measured at different times, so that their blocks are not
// pairs, whatever their numbers, and the unpaired tests are used. It cannot tell
// when a benchmark or a unit is on one side only, a time has fewer than MinGate
// samples, the environments differ, or the files are not this lab's.
func Gate(base, next *Set, o GateOptions) (GateResult, error) {
	if err := o.check(); err != nil {
		return GateResult{}, err
	}
	g := gate{GateOptions: o, engine: newEngine(o.Options), base: base, next: next}
	g.result.Margin = o.Margin
	if !g.judgeable() {
		return g.conclude(), nil
	}
	g.measureNoise()
	g.pairUp()
	g.compareTimes()
	g.compareExactFigures()
	if g.result.Compared == 0 && len(g.result.Problems) == 0 {
		g.problem("there is nothing to compare")
	}
	return g.conclude(), nil
}

type gate struct {
	GateOptions
	result     GateResult
	engine     *engine
	base, next *Set
	keys       []sampleKey // on both sides, sorted
}

func (g *gate) problem(format string, args ...any) {
	g.result.Problems = append(g.result.Problems, fmt.Sprintf(format, args...))
}

// judgeable checks both sides and their environments.
func (g *gate) judgeable() bool {
	for _, s := range []*Set{g.base, g.next} {
		checks := []func() error{s.checkNames, func() error { return s.checkEnvironment() }, s.checkTimes}
		if g.Exact {
			checks = checks[:2]
		}
		for _, check := range checks {
			if err := check(); err != nil {
				g.problem("%v", err)
				break
			}
		}
	}
	if len(g.result.Problems) > 0 {
		return false
	}
	unsaid, err := sameEnvironment(g.base, g.next)
	if err != nil {
		if !g.AnyEnvironment {
			g.problem("%v", err)
			return false
		}
		g.warn("%v", err)
	}
	if len(unsaid) > 0 {
		g.warn("only one side says its %s: the environments may differ", strings.Join(unsaid, ", "))
	}
	return true
}

func (g *gate) warn(format string, args ...any) {
	g.result.Warnings = append(g.result.Warnings, fmt.Sprintf(format, args...))
}

func (g *gate) measureNoise() {
	a, b := g.engine.measureNoise(g.base), g.engine.measureNoise(g.next)
	worse := func(x, y Float) Float {
		if !x.Known() || y > x {
			return y
		}
		return x
	}
	g.result.Noise = Noise{Probe: worse(a.Probe, b.Probe), Twin: worse(a.Twin, b.Twin), Spread: worse(a.Spread, b.Spread)}
	g.result.Noise.Level = worse(worse(g.result.Noise.Probe, g.result.Noise.Twin), g.result.Noise.Spread)
	if g.result.Noise.Level.Known() {
		g.result.Margin = max(g.result.Margin, float64(g.result.Noise.Level))
	}
}

// pairUp finds the figures that both sides have, and reports those that one
// side misses.
func (g *gate) pairUp() {
	lacks := func(from, in *Set, side string) {
		var names []string
		for key := range from.samples {
			if g.gated(from, key) && in.samples[key] == nil {
				names = append(names, key.name()+" "+key.unit)
			}
		}
		slices.Sort(names)
		for i, name := range names {
			if i == 10 {
				g.problem("and %d more are not in %s", len(names)-i, side)
				break
			}
			g.problem("%s is not in %s", name, side)
		}
	}
	newSide, baseSide := strings.Join(g.next.Files, ", "), strings.Join(g.base.Files, ", ")
	lacks(g.base, g.next, "the new side ("+newSide+")")
	lacks(g.next, g.base, "the base ("+baseSide+")")
	for key := range g.base.samples {
		if g.gated(g.base, key) && g.next.samples[key] != nil {
			g.keys = append(g.keys, key)
		}
	}
	slices.SortFunc(g.keys, func(a, b sampleKey) int {
		return strings.Compare(a.name()+" "+a.unit, b.name()+" "+b.unit)
	})
}

// gated reports whether a figure counts: a candidate's, in a unit that has a
// good direction and does not move by itself.
func (g *gate) gated(s *Set, key sampleKey) bool {
	counts := s.Exact(key.unit) || !g.Exact && !restless(key.unit)
	return key.who.Role() == Candidate && s.Better(key.unit) != 0 && counts
}

// restless reports whether a unit is one of garbage collection, the heap or a
// latency's tail.
func restless(unit string) bool {
	_, tail := TailName(unit)
	return tail || strings.HasPrefix(unit, "gc-") || strings.HasPrefix(unit, "heap-bytes")
}

// name is the benchmark's, as go test prints it, less the GOMAXPROCS.
func (k sampleKey) name() string {
	name := k.id.Op + "/doc=" + k.id.Doc + "/backend=" + k.who.Backend
	if k.id.Variant != "" {
		name += "/" + k.id.Variant
	}
	return name
}

// compareTimes compares what is not exact, and all of ns/op together.
func (g *gate) compareTimes() {
	type timed struct {
		Change
		Comparison
		better int
	}
	var all []timed
	compare := func(name, unit string, a, b *Sample, family int) {
		c := g.engine.compareUnpaired(a.Values, b.Values, family)
		x, y := median(slices.Clone(a.Values)), median(slices.Clone(b.Values))
		change := Change{Benchmark: name, Unit: unit, Base: x, New: y, Ratio: unknown, Delta: y - x, Interval: c.Of, Method: c.Method, Warnings: c.Warnings}
		if x > 0 {
			change.Ratio = Float(y / x)
		}
		all = append(all, timed{change, c, g.base.Better(unit)})
	}
	var keys []sampleKey
	for _, key := range g.keys {
		if g.base.Exact(key.unit) {
			continue
		}
		if n := min(len(g.base.samples[key].Values), len(g.next.samples[key].Values)); n < MinGate {
			g.problem("%s %s has %s on one side, and needs %d", key.name(), key.unit, plural(n, "sample"), MinGate)
			continue
		}
		keys = append(keys, key)
	}
	if g.Exact || len(keys) == 0 {
		return
	}
	for _, key := range keys {
		compare(key.name(), key.unit, g.base.samples[key], g.next.samples[key], len(keys)+1)
	}
	if a, b, n := composite(g.base, keys), composite(g.next, keys), timesAmong(keys); n > 1 {
		compare(fmt.Sprintf("all %d benchmarks", n), UnitTime, a, b, len(keys)+1)
	}
	ps := make([]float64, len(all))
	var moved []float64
	for i, t := range all {
		ps[i] = float64(t.Comparison.P)
		if i < len(keys) && t.Unit == UnitTime {
			moved = append(moved, math.Log(float64(t.Change.Ratio)))
		}
	}
	g.result.Drift = drift(moved)
	for i, p := range Holm(ps) {
		t := all[i]
		t.Change.P = Float(p)
		g.result.Compared++
		margin := g.result.Margin
		if i < len(keys) {
			margin = max(margin, g.result.Drift)
		}
		if p < g.Alpha && beyondMargin(t.Change.Ratio, margin) {
			g.file(t.Change, (t.Change.Ratio > 1) == (t.better > 0))
		}
	}
}

// drift is how far single benchmarks move between two runs by themselves, of
// the logarithms of their times' ratios. Each process has its luck with memory
// and with its neighbours, which all its samples share, so that no test on them
// sees it; but then the benchmarks move apart, each its own way, and a slowdown
// of everything, or of a few, is not like that. It is three standard deviations,
// robust ones, so that fewer than half of the benchmarks, however much they
// moved, hardly count. 0 of too few benchmarks to tell.
func drift(moved []float64) float64 {
	const fewest = 8
	if len(moved) < fewest {
		return 0
	}
	return math.Expm1(3 * robustSD(moved))
}

func timesAmong(keys []sampleKey) int {
	n := 0
	for _, key := range keys {
		if key.unit == UnitTime {
			n++
		}
	}
	return n
}

// composite is the geometric mean of all times' i-th samples.
func composite(s *Set, keys []sampleKey) *Sample {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k sampleKey) bool { return k.unit != UnitTime })
	n := math.MaxInt
	for _, key := range keys {
		n = min(n, len(s.samples[key].Values))
	}
	if len(keys) == 0 {
		return nil
	}
	sum := make([]float64, n)
	for _, key := range keys {
		for i := range sum {
			sum[i] += math.Log(s.samples[key].Values[i]) / float64(len(keys))
		}
	}
	return &Sample{Values: exps(sum)}
}

func (g *gate) compareExactFigures() {
	for _, key := range g.keys {
		if !g.base.Exact(key.unit) {
			continue
		}
		a, b := g.base.samples[key], g.next.samples[key]
		c := CompareExact(a, b)
		g.result.Compared++
		if !c.differs {
			for _, w := range c.Warnings {
				g.warn("%s %s: %s", key.name(), key.unit, w)
			}
			continue
		}
		x, y := summarizeExact(a.Values).Center, summarizeExact(b.Values).Center
		g.file(Change{Benchmark: key.name(), Unit: key.unit, Base: x, New: y, Ratio: c.Ratio, Delta: y - x, Interval: c.Of,
			P: c.P, Method: ByExact, Exact: true, Warnings: c.Warnings}, c.lower == (g.base.Better(key.unit) < 0))
	}
}

func (g *gate) file(c Change, improved bool) {
	if improved {
		g.result.Improvements = append(g.result.Improvements, c)
	} else {
		g.result.Regressions = append(g.result.Regressions, c)
	}
}

func (g *gate) conclude() GateResult {
	r := g.result
	switch {
	case len(r.Problems) > 0:
		r.Status = GateCannotTell
		r.Sentence = "cannot tell: " + r.Problems[0]
		if n := len(r.Problems) - 1; n > 0 {
			r.Sentence += fmt.Sprintf(" (and %s)", plural(n, "further problem"))
		}
		if n := len(r.Regressions); n > 0 {
			r.Sentence += fmt.Sprintf("; of what could be compared, %s", plural(n, "figure")+" regressed")
		}
	case len(r.Regressions) > 0:
		r.Status = GateRegression
		r.Sentence = fmt.Sprintf("regression in %d of %s; the first: %v", len(r.Regressions), plural(r.Compared, "figure"), r.Regressions[0])
	default:
		r.Sentence = fmt.Sprintf("no regression in %s (margin %.0f %%", plural(r.Compared, "figure"), 100*r.Margin)
		if r.Drift > r.Margin {
			r.Sentence += fmt.Sprintf("; of a single time %.0f %%, by which the runs drifted", 100*r.Drift)
		}
		r.Sentence += ")"
	}
	return r
}
