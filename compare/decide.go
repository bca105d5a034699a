package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// decide turns a contest into a verdict. One rule for all: the leader has the
// best mean score. A rival is beaten when its score is significantly worse
// (Holm over the rivals), its interval excludes 1, and its ratio is beyond the
// margin. It is equivalent when the interval lies inside the margin. All beaten:
// the leader wins. The rest equivalent: a tie, which the tie-break settles.
// Anything else is undecided.
//
// Choosing the leader and testing it on the same samples flatters it. What
// keeps this honest is that it must beat every rival, the next best included:
// TestEqualBackendsNeverWin measures how often equal backends produce a winner.
func (e *engine) decide(c *contest) Verdict {
	v := Verdict{
		Question: c.question, Outcome: Undecided, Blocks: c.blocks, Paired: c.paired,
		Confidence: e.Confidence, Alpha: e.Alpha, Margin: e.Margin,
		LeftOut: c.leftOut, Benchmarks: c.benchmarks, Warnings: c.warnings,
	}
	v.Weights = c.knobs()
	if why := c.unfit(); why != "" {
		if len(c.names) == 1 {
			v.Leader = c.names[0]
		}
		v.Sentence = "undecided: " + why
		v.Warnings = append(v.Warnings, why)
		return v
	}
	scores := c.scores()
	order := rankRows(c.names, scores)
	v.Leader = c.names[order[0]]
	v.Scores = e.scoreTable(c, scores, order)
	rivals := e.rivals(c, scores, order)
	v.Evidence = e.evidence(c, rivals, order)
	v.Sensitivity = e.sensitivity(c, order)
	e.conclude(&v, c, rivals, scores, order[0])
	v.Sentence = sentence(&v, rivals)
	return v
}

// unfit says why there is nothing to decide, "" when there is.
func (c *contest) unfit() string {
	switch {
	case len(c.names) == 0 && len(c.leftOut) == 0:
		return "no " + c.question + " was measured"
	case len(c.names) == 0:
		return "every " + c.question + " misses a benchmark that another has"
	case len(c.names) == 1 && len(c.leftOut) > 0:
		return fmt.Sprintf("only %s has every benchmark: there is nothing to compare it with", c.names[0])
	case len(c.names) == 1:
		return fmt.Sprintf("only %s was measured: there is nothing to compare it with", c.names[0])
	case !c.weighed():
		return "nothing that was measured has a weight"
	}
	return ""
}

// rankRows orders contestants by mean score, equal ones by name.
func rankRows(names []string, scores [][]float64) []int {
	order := make([]int, len(names))
	mean := make([]float64, len(names))
	for i := range order {
		order[i] = i
		mean[i], _ = meanSD(scores[i])
	}
	slices.SortFunc(order, func(a, b int) int {
		if d := mean[a] - mean[b]; math.Abs(d) > 1e-12 {
			return cmp.Compare(d, 0)
		}
		return strings.Compare(names[a], names[b])
	})
	return order
}

func (e *engine) scoreTable(c *contest, scores [][]float64, order []int) []Score {
	best := e.bests(scores, c.paired)
	var table []Score
	for _, i := range order {
		mean, _ := meanSD(scores[i])
		s := Score{Name: c.names[i], Score: math.Exp(mean), Best: best[i], Lines: e.Lines[c.names[i]]}
		for _, p := range c.parts {
			s.Parts = append(s.Parts, ScorePart{p.name, math.Exp(p.value(i)), Float(p.center[i]), p.unit})
		}
		table = append(table, s)
	}
	return table
}

// A rival is a contestant against the leader.
type rival struct {
	name string
	i    int // in the contest
	Comparison
	p      Float   // corrected
	sd     float64 // of the log ratio's blocks
	beaten bool
	equal  bool
}

func (e *engine) rivals(c *contest, scores [][]float64, order []int) []rival {
	lead := scores[order[0]]
	out := make([]rival, 0, len(order)-1)
	p := make([]float64, 0, len(order)-1)
	for _, i := range order[1:] {
		r := rival{name: c.names[i], i: i, Comparison: e.compareRows(lead, scores[i], c.exact(), c.paired, len(order)-1)}
		r.sd = spread(lead, scores[i], c.paired)
		out, p = append(out, r), append(p, float64(r.P))
	}
	for k, v := range Holm(p) {
		r := &out[k]
		r.p = Float(v)
		r.equal = insideMargin(r.Of, e.Margin)
		r.beaten = !r.equal && v < e.Alpha && beyondMargin(r.Ratio, e.Margin) && r.Of.Low.Known() && r.Of.Low > 1
	}
	return out
}

// nearest is the rival with the best score.
func nearest(rivals []rival) rival {
	return slices.MinFunc(rivals, func(a, b rival) int { return cmp.Compare(a.Ratio, b.Ratio) })
}

// spread is the standard deviation that, over the root of n, is the error of
// the difference of two rows' means.
func spread(x, y []float64, isPaired bool) float64 {
	if isPaired && len(x) == len(y) {
		d := make([]float64, len(x))
		for i := range d {
			d[i] = y[i] - x[i]
		}
		_, sd := meanSD(d)
		return sd
	}
	_, sx := meanSD(x)
	_, sy := meanSD(y)
	return math.Hypot(sx, sy)
}

// evidence lists the score against each rival, then the parts that explain it.
func (e *engine) evidence(c *contest, rivals []rival, order []int) []Evidence {
	var out []Evidence
	for _, r := range rivals {
		out = append(out, Evidence{r.name, "score", r.Ratio, r.Of.Low, r.Of.High, r.p})
	}
	for _, part := range c.parts {
		ps := make([]float64, len(rivals))
		first := len(out)
		for k, r := range rivals {
			x := e.compareRows(part.logs[order[0]], part.logs[r.i], part.exact, c.paired, len(rivals))
			ps[k] = float64(x.P)
			out = append(out, Evidence{r.name, part.name, x.Ratio, x.Of.Low, x.Of.High, 0})
		}
		for k, p := range Holm(ps) {
			out[first+k].P = Float(p)
		}
	}
	return out
}

// conclude sets the outcome and what belongs to it.
func (e *engine) conclude(v *Verdict, c *contest, rivals []rival, scores [][]float64, lead int) {
	if n := len(scores[lead]); !c.exact() && n < MinBlocks {
		v.MoreRounds = MinBlocks - n
		v.Warnings = append(v.Warnings, fmt.Sprintf("a verdict needs %d blocks or samples, there are %d", MinBlocks, n))
		return
	}
	tied := []int{lead}
	for _, r := range rivals {
		switch {
		case r.beaten:
		case r.equal:
			tied = append(tied, r.i)
		default:
			v.MoreRounds = max(v.MoreRounds, e.moreRounds(r, len(scores[lead]), len(rivals)))
		}
	}
	if v.MoreRounds > 0 {
		return
	}
	if len(tied) == 1 {
		v.Outcome, v.Choice = Wins, v.Leader
		near := nearest(rivals)
		v.WinsBy = Interval{near.Of.Low - 1, near.Of.High - 1, e.Confidence}
		return
	}
	v.Outcome = Tie
	for _, i := range tied {
		v.Equivalent = append(v.Equivalent, c.names[i])
	}
	v.Choice, v.TieBreak = e.tieBreak(c, tied)
}

// tieBreak settles a tie: the smaller exact part, then fewer lines of code
// where all are known, then the name.
func (e *engine) tieBreak(c *contest, tied []int) (choice, by string) {
	left := slices.Clone(tied)
	keep := func(value func(i int) float64) {
		least := math.Inf(1)
		for _, i := range left {
			least = min(least, value(i))
		}
		left = slices.DeleteFunc(left, func(i int) bool { return value(i) > least+tiny(least) })
	}
	for _, p := range c.parts {
		if p.name == c.tieBreak {
			keep(func(i int) float64 { return p.logs[i][0] })
			by = c.tieWord
		}
	}
	if len(left) > 1 && !slices.ContainsFunc(left, func(i int) bool { return e.Lines[c.names[i]] == 0 }) {
		keep(func(i int) float64 { return float64(e.Lines[c.names[i]]) })
		by = "fewer lines"
	}
	if len(left) > 1 {
		by = "name"
		slices.SortFunc(left, func(a, b int) int { return strings.Compare(c.names[a], c.names[b]) })
	}
	return c.names[left[0]], by
}

// mostRounds is where an estimate of rounds stops: a difference about as large
// as the margin is on neither side of it, however long one measures.
const mostRounds = 9999

// moreRounds estimates how many more blocks would settle an open rival, from
// the width of its interval: until the interval shrinks to one side of 1 (and
// stays significant after Holm's hardest factor), or into the margin. It
// supposes that the ratio and the spread stay as they are, so it is a guess.
func (e *engine) moreRounds(r rival, n, family int) int {
	d, margin := math.Abs(math.Log(float64(r.Ratio))), math.Log1p(e.Margin)
	settled := func(n int) bool {
		se := r.sd / math.Sqrt(float64(n))
		if d > margin {
			return d > se*studentQuantile(1-e.Alpha/float64(family), n-1)
		}
		return d+se*studentQuantile(e.Confidence, n-1) < margin
	}
	low, high := n, n+mostRounds // settled is monotone in n
	for low+1 < high {
		if mid := (low + high) / 2; settled(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high - n
}
