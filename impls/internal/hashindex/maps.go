package hashindex

import "example.com/idlab/impls"

// Map is what an index needs of a hash map: keys to positions. Nothing is ever
// removed from it.
type Map[K comparable] interface {
	Get(k K) (int32, bool)
	Put(k K, v int32)
	Len() int
	// Bytes returns what the map takes, as its maker states.
	Bytes() int64
}

// Maps makes empty maps with room for n entries; 0 if that is not known.
type Maps struct {
	Numbers  func(n int) Map[uint64]
	Prefixes func(n int) Map[Prefix]
}

// Backend returns the backend on such maps, of which structure says in a few
// words what they are, and guarantees what they have beyond others.
func Backend(name, structure, guarantees string, lines int, maps Maps) impls.Backend {
	return impls.Backend{
		Name:      name,
		Structure: structure + ": blocks of IDs, an x-fast trie of UUID prefixes",
		Guarantees: "lookups expected O(1) where clusters are of 512 or so and UUIDs random, O(log n + log width) for any; " +
			"adding a cluster O(1) amortized, a session too, or 122 lookups where others share its prefix; " +
			"growing a cluster O(1); insertion order kept; " + guarantees,
		Lines:         lines,
		NewTable:      func() impls.ClusterTable { return New(maps) },
		NewNormalizer: func() impls.Normalizer { return NewNormalizer(maps) },
	}
}
