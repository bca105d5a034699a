package main

import (
	"fmt"
	"slices"

	"golang.org/x/perf/benchunit"
)

// times writes a ratio in two digits or more.
func times(r float64) string {
	switch {
	case r != r:
		return "?"
	case r >= 10:
		return fmt.Sprintf("%.0f", r)
	}
	return fmt.Sprintf("%.2g", r)
}

// siTime writes seconds.
func siTime(v float64) string { return benchunit.Scale(v, benchunit.Decimal) + "s" }

// siBytes writes bytes.
func siBytes(v float64) string { return benchunit.Scale(v, benchunit.Binary) + "B" }

func median(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
