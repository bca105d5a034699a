package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// A contest is what a verdict is decided on: contestants, and what of them is
// weighed, already as logarithms. Backends and stored forms are decided by the
// same rules.
type contest struct {
	question string
	names    []string
	parts    []part
	blocks   int // per contestant; of the exact parts 0
	paired   bool
	tieBreak string // the part that decides a tie
	tieWord  string // how a tie-break by it is called

	leftOut    []LeftOut
	benchmarks []Weight
	warnings   []string
}

// A part is one weighed component of the score.
type part struct {
	need
	exact  bool
	logs   [][]float64 // [contestant][block]: log of the ratio to the best; one value when exact
	center []float64   // [contestant]: geometric mean of the figures, in unit
}

// value is the part's mean log ratio of contestant c.
func (p *part) value(c int) float64 {
	m, _ := meanSD(p.logs[c])
	return m
}

// exact reports whether all that is weighed is: then there is no noise.
func (c *contest) exact() bool {
	return !slices.ContainsFunc(c.parts, func(p part) bool { return p.weight > 0 && !p.exact })
}

// scores returns each contestant's log score in each block: the weighted mean
// of its parts. A contest of exact parts alone has one "block".
//
// A score is linear in the blocks' logarithms, so resampling blocks resamples
// this small matrix and not the benchmarks behind it. Medians of each benchmark
// would be robuster against one bad block, but the median of six resampled
// values takes few values, and its bootstrap is known to fail; a bad block
// instead widens the interval, which is honest.
func (c *contest) scores() [][]float64 {
	var total float64
	for _, p := range c.parts {
		total += p.weight
	}
	n := c.blocks
	if c.exact() {
		n = 1
	}
	s := make([][]float64, len(c.names))
	for i := range s {
		s[i] = make([]float64, n)
		for _, p := range c.parts {
			if p.weight == 0 {
				continue
			}
			for k := range s[i] {
				s[i][k] += p.weight / total * p.logs[i][min(k, len(p.logs[i])-1)]
			}
		}
	}
	return s
}

// weighed reports whether any part has a weight.
func (c *contest) weighed() bool {
	return slices.ContainsFunc(c.parts, func(p part) bool { return p.weight > 0 })
}

// compareRows compares two contestants' logarithms: of scores, or of one part.
func (e *engine) compareRows(base, next []float64, exact, isPaired bool, family int) Comparison {
	if exact {
		r := expF(Float(next[0] - base[0]))
		return Comparison{N: 1, Ratio: r, Of: Interval{r, r, 1}, P: Float(degenerate(next[0] - base[0])), Method: ByExact}
	}
	if isPaired {
		return e.comparePaired(base, next, family)
	}
	return e.compareUnpaired(exps(base), exps(next), family)
}

func exps(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Exp(v)
	}
	return out
}

// bests returns each contestant's share of bootstrap draws in which it has the
// best score. Equal scores share the draw.
func (e *engine) bests(scores [][]float64, isPaired bool) []float64 {
	share := make([]float64, len(scores))
	draws := e.drawMeans(scores, isPaired, 0)
	tied := make([]int, 0, len(scores))
	for d := range draws[0] {
		best := math.Inf(1)
		tied = tied[:0]
		for i := range draws {
			switch v := draws[i][d]; {
			case v < best-1e-12:
				best, tied = v, append(tied[:0], i)
			case v <= best+1e-12:
				tied = append(tied, i)
			}
		}
		for _, i := range tied {
			share[i] += 1 / float64(len(tied))
		}
	}
	for i := range share {
		share[i] /= float64(len(draws[0]))
	}
	return share
}

// drawMeans returns the mean of each row in each draw. Paired rows are drawn
// with the same blocks, unpaired ones each by itself, and anew for each set.
func (e *engine) drawMeans(rows [][]float64, isPaired bool, set int) [][]float64 {
	out := make([][]float64, len(rows))
	for i, x := range rows {
		stream := uint64(1 + set*len(rows) + i)
		mean, sd := meanSD(x)
		out[i] = make([]float64, e.Draws)
		switch {
		case len(x) < 2 || sd <= tiny(mean):
			for d := range out[i] {
				out[i][d] = mean
			}
		case len(x) > maxResample:
			e.normalDraws(out[i], mean, sd/math.Sqrt(float64(len(x))), stream)
		case isPaired:
			e.resampler(len(x)).mean(x, mean, out[i])
		default:
			e.newResampler(len(x), stream).mean(x, mean, out[i])
		}
	}
	return out
}

// normalDraws stands in for the bootstrap where samples are large. It forgets
// pairing, so that the shares of the best come out closer to each other than
// they are.
func (e *engine) normalDraws(out []float64, mean, se float64, stream uint64) {
	rnd := rand.New(rand.NewPCG(e.Seed, stream))
	for d := range out {
		out[d] = mean + se*rnd.NormFloat64()
	}
}

// shares splits the workload among the benchmarks: an operation's share (or
// equal shares, when none were told) equally among its variants, and a
// variant's equally among its documents. It also returns the told shares that
// no benchmark has.
func shares(ids []ID, told map[string]float64) (share []float64, unmatched []string) {
	share = make([]float64, len(ids))
	nSeries := make(map[string]int) // by what the share is told for
	nDocs := make(map[string]int)   // by series
	for _, id := range ids {
		if nDocs[id.Series()]++; nDocs[id.Series()] == 1 {
			nSeries[shareName(id, told)]++
		}
	}
	var total float64
	for i, id := range ids {
		name := shareName(id, told)
		w := 1.0
		if told != nil {
			w = told[name]
		}
		share[i] = w / float64(nSeries[name]*nDocs[id.Series()])
		total += share[i]
	}
	for name, w := range told {
		if w > 0 && nSeries[name] == 0 {
			unmatched = append(unmatched, name)
		}
	}
	slices.SortFunc(unmatched, strings.Compare)
	for i := range share {
		if total > 0 {
			share[i] /= total
		}
	}
	return share, unmatched
}

// shareName is the name an ID's share is told by: its series if that is named, else its operation.
func shareName(id ID, told map[string]float64) string {
	if _, ok := told[id.Series()]; ok {
		return id.Series()
	}
	return id.Op
}
