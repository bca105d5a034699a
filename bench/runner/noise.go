package runner

import (
	"math"
	"slices"
	"time"
)

const (
	spins    = 40
	spinTime = 500 * time.Microsecond
)

// Probe times a spin loop some dozens of times, 20 ms in all, and returns
// their relative spread: 1.48 times the median absolute deviation over the
// median, which estimates a standard deviation and does not mind single
// outliers.
func Probe() float64 {
	n := 1 << 10
	for took, _ := spin(n); took < spinTime; took, _ = spin(n) {
		n *= 2
	}
	times := make([]float64, spins)
	for i := range times {
		took, _ := spin(n)
		times[i] = float64(took)
	}
	center := median(times)
	for i, t := range times {
		times[i] = math.Abs(t - center)
	}
	return 1.4826 * median(times) / center
}

// spin counts to n in a way no compiler shortens, if the result is returned.
//
//go:noinline
func spin(n int) (time.Duration, int) {
	start := time.Now()
	x := 1
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return time.Since(start), x
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
