package compare

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// A summary is benchmath's, in this package's types.
type summary struct {
	Center, Low, High float64
	Confidence        float64
	Warnings          []string
}

// summarize gives the median with its interval, or an exact unit's value. It
// warns when the values are too few for the interval.
func summarize(values []float64, exact bool, confidence float64) summary {
	if exact {
		return summarizeExact(values)
	}
	return fromBenchmath(benchmath.AssumeNothing.Summary(newSample(values), confidence))
}

func summarizeExact(values []float64) summary {
	return fromBenchmath(benchmath.AssumeExact.Summary(newSample(values), 1))
}

// newSample copies, since benchmath sorts what it is given.
func newSample(values []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
}

func fromBenchmath(s benchmath.Summary) summary {
	out := summary{Center: s.Center, Low: s.Lo, High: s.Hi, Confidence: s.Confidence}
	for _, w := range s.Warnings {
		out.Warnings = append(out.Warnings, w.Error())
	}
	return out
}

func (s summary) interval() Interval {
	return Interval{Float(s.Low), Float(s.High), s.Confidence}
}

// median of values, which it sorts.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}
