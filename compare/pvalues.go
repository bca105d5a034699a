package compare

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Holm corrects p-values for being a family: the chance that any of the true
// null hypotheses is rejected stays under alpha. The order is kept. Unknown
// (NaN) values are not counted and stay. (Holm, "A simple sequentially
// rejective multiple test procedure", 1979.)
func Holm(p []float64) []float64 {
	out := slices.Clone(p)
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	var last float64
	for rank, i := range order {
		last = max(last, min(1, p[i]*float64(len(order)-rank)))
		out[i] = last
	}
	return out
}

const (
	exactFlips = 16    // blocks up to which all sign flips are counted
	someFlips  = 20000 // flips drawn beyond
)

// SignFlip tests whether paired differences are centred at zero: the share of
// all ways to flip their signs whose mean is at least as far from zero. It
// assumes only that a pair's two measurements could have been exchanged.
func SignFlip(d []float64, seed uint64) float64 {
	var sum float64
	for _, v := range d {
		sum += v
	}
	most := math.Abs(sum) - 1e-9*sumAbs(d) // flips that tie by rounding count
	if len(d) > exactFlips {
		rnd := rand.New(rand.NewPCG(seed, uint64(len(d))))
		hits := 1
		for range someFlips {
			var s float64
			var word uint64
			for i, v := range d {
				if i%64 == 0 {
					word = rnd.Uint64()
				}
				if word&1 != 0 {
					v = -v
				}
				s += v
				word >>= 1
			}
			if math.Abs(s) >= most {
				hits++
			}
		}
		return float64(hits) / (someFlips + 1)
	}
	// Gray code: one sign changes a step. The first sign stays, by symmetry.
	n := len(d)
	if n == 0 {
		return 1
	}
	hits, all := 0, 1<<(n-1)
	sign := slices.Clone(d)
	for step := range all {
		if step > 0 {
			i := 1 + bits.TrailingZeros(uint(step))
			sum -= 2 * sign[i]
			sign[i] = -sign[i]
		}
		if math.Abs(sum) >= most {
			hits++
		}
	}
	return float64(hits) / float64(all)
}

// signFlipFloor is the smallest p that n blocks can give: 0.03 at six, 0.002 at ten.
func signFlipFloor(n int) float64 {
	if n > exactFlips {
		return 1.0 / (someFlips + 1)
	}
	return math.Pow(2, 1-float64(n))
}

// uTestFloor is the smallest p that the U test gives: 2 / C(n1+n2, n1).
func uTestFloor(n1, n2 int) float64 {
	p := 2.0
	for i := 1; i <= min(n1, n2); i++ {
		p *= float64(i) / float64(max(n1, n2)+i)
		if p < 1e-9 {
			break
		}
	}
	return min(p, 1)
}

// studentP is the two-sided p of t with df degrees of freedom.
func studentP(t, df float64) float64 {
	if math.IsNaN(t) || !(df > 0) {
		return 1
	}
	return min(1, 2*distuv.StudentsT{Sigma: 1, Nu: df}.Survival(math.Abs(t)))
}

// pairedT is Student's test of the mean of d against zero.
func pairedT(d []float64) float64 {
	mean, sd := meanSD(d)
	if len(d) < 2 {
		return 1
	}
	if sd <= tiny(mean) {
		return degenerate(mean)
	}
	return studentP(mean/(sd/math.Sqrt(float64(len(d)))), float64(len(d)-1))
}

// welch is Welch's test of two means, with the difference y - x and its
// standard error and degrees of freedom.
func welch(x, y []float64) (p, diff, se, df float64) {
	mx, sx := meanSD(x)
	my, sy := meanSD(y)
	nx, ny := float64(len(x)), float64(len(y))
	diff = my - mx
	if len(x) < 2 || len(y) < 2 {
		return 1, diff, math.Inf(1), 1
	}
	vx, vy := sx*sx/nx, sy*sy/ny
	se = math.Sqrt(vx + vy)
	if se <= tiny(max(math.Abs(mx), math.Abs(my))) {
		return degenerate(diff), diff, 0, nx + ny - 2
	}
	df = (vx + vy) * (vx + vy) / (vx*vx/(nx-1) + vy*vy/(ny-1))
	return studentP(diff/se, df), diff, se, df
}

// degenerate is the p of values without any spread.
func degenerate(diff float64) float64 {
	if math.Abs(diff) <= 1e-9 {
		return 1
	}
	return 0
}

func sumAbs(d []float64) float64 {
	var s float64
	for _, v := range d {
		s += math.Abs(v)
	}
	return s
}
