package snapshot

import (
	"cmp"
	"math/bits"
	"slices"

	"example.com/idlab/impls/numericuuid"
)

// Duplicate returns the position of the first session whose UUID an earlier
// one has, and false if all differ. It takes about 8 ns a session for random
// UUIDs, O(n log n) whatever they are, and at most 20 bytes a session.
func (s *State) Duplicate() (int, bool) { return duplicate(s.Sessions) }

// duplicate puts the positions into an open-addressing table. Sessions are
// random, so that a probe or two find a place; those of an attacker may be
// chosen to collide, and when all probes together were too many, sorting
// takes over.
func duplicate(ids []numericuuid.UUID) (int, bool) {
	if len(ids) < 2 {
		return 0, false
	}
	size := bits.Len(uint(len(ids)-1)) + 1 // twice to four times the sessions
	shift := 64 - size
	table := make([]uint32, 1<<size) // 1 more than a position, 0 if free
	mask := uint64(len(table) - 1)
	probes := 8 * len(ids)
	for i, id := range ids {
		at := (id.Lo ^ bits.RotateLeft64(id.Hi, 32)) * 0x9e3779b97f4a7c15 >> shift // Knuth's multiplicative hashing
		for ; table[at&mask] != 0; at++ {
			if ids[table[at&mask]-1] == id {
				return i, true
			}
			if probes--; probes < 0 {
				return duplicateSorting(ids)
			}
		}
		table[at&mask] = uint32(i + 1)
	}
	return 0, false
}

func duplicateSorting(ids []numericuuid.UUID) (int, bool) {
	order := make([]uint32, len(ids))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(ids[a].Compare(ids[b]), cmp.Compare(a, b))
	})
	first := len(ids)
	for i, at := range order[1:] {
		if ids[at] == ids[order[i]] {
			first = min(first, int(at))
		}
	}
	return first % len(ids), first < len(ids)
}
