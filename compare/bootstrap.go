package compare

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// maxResample is the most blocks that are resampled. Beyond it the normal
// interval and the bootstrap agree, and the bootstrap's memory would grow with
// the input.
const maxResample = 256

// A resampler holds draws of n blocks with replacement. Everything estimated
// from the same blocks uses the same draws: what is paired stays paired.
type resampler struct {
	n, draws int
	idx      []uint16 // draws rows of n
	stretch  float64  // see interval
}

// engine makes resamplers, once a size.
type engine struct {
	Options
	byN map[int]*resampler
}

func newEngine(o Options) *engine { return &engine{o, make(map[int]*resampler)} }

func (e *engine) resampler(n int) *resampler {
	r, ok := e.byN[n]
	if !ok {
		r = e.newResampler(n, 0)
		e.byN[n] = r
	}
	return r
}

// newResampler draws anew for each stream, for what is not paired.
func (e *engine) newResampler(n int, stream uint64) *resampler {
	r := &resampler{n: n, draws: e.Draws, idx: make([]uint16, n*e.Draws)}
	rnd := rand.New(rand.NewPCG(e.Seed, uint64(n)<<32|stream))
	for i := range r.idx {
		r.idx[i] = uint16(rnd.IntN(n))
	}
	if n > 1 {
		r.stretch = studentQuantile(e.Confidence, n-1) / normalQuantile(e.Confidence) * math.Sqrt(float64(n)/float64(n-1))
	}
	return r
}

// mean gives the mean of x in each draw, stretched about x's own mean m.
func (r *resampler) mean(x []float64, m float64, out []float64) {
	f := r.stretch / float64(r.n)
	shift := m * (1 - r.stretch)
	for d := range out {
		var sum float64
		for _, i := range r.idx[d*r.n : d*r.n+r.n] {
			sum += x[i]
		}
		out[d] = sum*f + shift
	}
}

// interval returns a confidence interval of the mean of x, which are log
// ratios or log scores of blocks: the percentile bootstrap, stretched about the
// mean by t(n-1)/z * sqrt(n/(n-1)).
//
// The plain percentile interval covers 86 % of the time at six blocks instead
// of 95 %: it uses the standard deviation divided by n and not n-1, and the
// normal's tails and not Student's. Hesterberg ("What Teachers Should Know
// About the Bootstrap", 2015) corrects both by taking quantiles further out;
// with six blocks the draws do not reach that far (they end at the largest
// block), and it covers 93 %. Stretching by the same two factors covers 93 to
// 97 % of normal, uniform, heavy-tailed and spiky ratios (TestCoverage), about as
// Student's interval does, and keeps what the bootstrap knows about skew. BCa needs an acceleration that six blocks
// do not determine; the studentized bootstrap divides by the deviation of draws
// that are often all equal. We tried these, and rejected them.
//
// Ratios skewed as an exponential distribution is are covered 89 % of the time,
// by this and by Student's interval. Ratios of two noisy times are not: the
// noise of numerator and denominator is alike.
func (e *engine) interval(x []float64) (mean float64, iv Interval) {
	n := len(x)
	mean, sd := meanSD(x)
	iv = Interval{Low: Float(math.Inf(-1)), High: Float(math.Inf(1)), Confidence: e.Confidence}
	switch {
	case n < 2:
	case sd <= tiny(mean):
		iv.Low, iv.High = Float(mean), Float(mean)
	case n > maxResample:
		h := studentQuantile(e.Confidence, n-1) * sd / math.Sqrt(float64(n))
		iv.Low, iv.High = Float(mean-h), Float(mean+h)
	default:
		out := make([]float64, e.Draws)
		e.resampler(n).mean(x, mean, out)
		iv.Low, iv.High = quantiles(out, e.Confidence)
	}
	return mean, iv
}

// quantiles sorts draws and returns the ends of their middle part.
func quantiles(draws []float64, confidence float64) (low, high Float) {
	slices.Sort(draws)
	at := func(p float64) Float {
		h := p * float64(len(draws)-1)
		i := min(int(h), len(draws)-2)
		return Float(draws[i] + (h-float64(i))*(draws[i+1]-draws[i]))
	}
	return at((1 - confidence) / 2), at((1 + confidence) / 2)
}

func studentQuantile(confidence float64, df int) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(df)}.Quantile((1 + confidence) / 2)
}

func normalQuantile(confidence float64) float64 {
	return distuv.UnitNormal.Quantile((1 + confidence) / 2)
}

func meanSD(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	if len(x) < 2 {
		return mean, 0
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sd / float64(len(x)-1))
}

// tiny is what rounding alone makes of a difference of logarithms.
func tiny(x float64) float64 { return 1e-12 * (1 + math.Abs(x)) }
