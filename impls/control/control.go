// Package control registers backends that test the lab and not an idea.
//
//   - null does no work: it answers lookups from a short list without a search.
//     What is measured with it is the price of the seam, of the compressor
//     around it and of the loop that measures: the floor no backend can be below.
//   - slow answers as package sortedslice does, but makes every search three
//     times and states the bound of one. It has to lose, and the suite has to
//     catch it by its counters.
//   - wrong answers as sortedslice does, but in rare cases one too high. It has
//     to be caught by its answers, by the suite and by the checksum of a run.
//
// They are never listed or recommended, and no program needs them: cmd and
// tests import the package.
package control

import (
	"example.com/idlab/impls"
	"example.com/idlab/impls/sortedslice"
)

// The controls. The answers of Null to lookups are well formed but not right,
// so that a run's checksum has to leave it out.
var (
	Null = impls.Backend{
		Name:          "null",
		Structure:     "a list of answers, no search",
		Guarantees:    "lookups O(1) and not right; sessions and clusters are kept",
		Control:       true,
		NewTable:      func() impls.ClusterTable { return newNullTable() },
		NewNormalizer: func() impls.Normalizer { return &nullNormalizer{} },
	}
	Slow = impls.Backend{
		Name:          "slow",
		Structure:     "sorted slices, every search three times",
		Guarantees:    "none that it keeps",
		Control:       true,
		NewTable:      func() impls.ClusterTable { return newSlowTable() },
		NewNormalizer: func() impls.Normalizer { return newSlowNormalizer() },
	}
	Wrong = impls.Backend{
		Name:          "wrong",
		Structure:     "sorted slices, off by one at every 1024th ID",
		Guarantees:    "none that it keeps",
		Control:       true,
		NewTable:      func() impls.ClusterTable { return newWrongTable() },
		NewNormalizer: func() impls.Normalizer { return sortedslice.NewNormalizer() },
	}
)

func init() {
	impls.Register(Null)
	impls.Register(Slow)
	impls.Register(Wrong)
}
