// Package closetable is the backend on Tyler Close's deterministic hash table,
// package closemap, which keeps its entries in the order of their insertion.
//
// How a hash map comes to find the nearest session and cluster at or below, by
// blocks of IDs and prefixes of UUIDs, how it stays right when a session's UUIDs
// cross a prefix, and what it costs, is said in package hashindex, of which this
// is the map. A lookup is a bucket and an entry, an absent block a bucket alone. An
// entry takes 24 bytes of capacity by number and 32 by prefix, in arrays that are
// half full to full: two allocations a map, without pointers.
//
// The order buys this. Clusters are appended in the order of their final IDs, so
// that entries of neighboring blocks lie side by side: a scan of IDs walks memory
// forwards, where the entries of other maps are strewn. Every table that comes
// about by the same calls has the same arrays of entries, in every process; only
// buckets differ, by a random seed that keeps collisions unforeseeable. Sizes and
// the moments of growth are the same to the byte, and Bytes is exact. Growth is one
// pass over the entries, in a single call.
//
// A map holds [closemap.MaxEntries] entries, which is 2^29 clusters or more, and
// panics with a [closemap.LimitError] beyond; the clusters themselves
// take 20 GB by then.
package closetable

import (
	"math/bits"
	"math/rand/v2"

	"example.com/idlab/impls"
	"example.com/idlab/impls/closemap"
	"example.com/idlab/impls/internal/hashindex"
)

// Backend is the deterministic hash table.
var Backend = hashindex.Backend("closetable", "Close's deterministic hash table",
	"memory and growth the same in every run", 1610,
	hashindex.Maps{
		Numbers: func(n int) hashindex.Map[uint64] { return newTable[uint64](n) },
		Prefixes: func(n int) hashindex.Map[hashindex.Prefix] {
			return newTable[hashindex.Prefix](n, closemap.WithHasher(hashPrefix))
		},
	})

func init() { impls.Register(Backend) }

type table[K comparable] struct{ *closemap.Map[K, int32] }

func newTable[K comparable](n int, options ...closemap.Option) table[K] {
	return table[K]{closemap.New[K, int32](append(options, closemap.WithCapacity(n))...)}
}

func (t table[K]) Put(k K, v int32) { t.Set(k, v) }

// Bytes is exact, but for what the allocator rounds up.
func (t table[K]) Bytes() int64 { return int64(t.Stats().Bytes) }

// prefixKeys are random, or somebody could choose prefixes of equal hashes.
var prefixKeys = [2]uint64{rand.Uint64(), rand.Uint64()}

// hashPrefix is the step of wyhash over both words: 2 ns instead of the 12 of
// maphash.Comparable.
func hashPrefix(p hashindex.Prefix) uint64 {
	hi, lo := bits.Mul64(p.Hi^prefixKeys[0], p.Lo^prefixKeys[1])
	return hi ^ lo
}
