package inspect

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"example.com/idlab/impls/snapshot"
)

// fill counts clusters by how full they are: the empty ones, each tenth, and
// the full ones.
func fill(clusters []snapshot.Cluster) []Bucket {
	const tenths = 10
	buckets := make([]Bucket, 1+tenths+1)
	buckets[0].Label, buckets[tenths+1].Label = "empty", "full"
	for i := range tenths {
		buckets[1+i].Label = fmt.Sprintf("%d-%d%%", 100/tenths*i, 100/tenths*(i+1))
	}
	for _, c := range clusters {
		i := 1 + int(float64(c.Count)/float64(c.Capacity)*tenths)
		switch c.Count {
		case 0:
			i = 0
		case c.Capacity:
			i = tenths + 1
		default:
			i = min(i, tenths) // all but full, rounded
		}
		buckets[i].Count++
	}
	return buckets
}

// chains counts sessions by how many clusters they have, in powers of two.
func chains(sessions []total) []Bucket {
	var counts []int // by bits of the length
	for _, t := range sessions {
		size := bits.Len(uint(t.clusters))
		for len(counts) <= size {
			counts = append(counts, 0)
		}
		counts[size]++
	}
	buckets := make([]Bucket, 0, len(counts)) // no null in JSON
	for size, n := range counts {
		low, high := 1<<size>>1, 1<<size-1
		label := fmt.Sprint(low)
		if high > low {
			label = fmt.Sprintf("%d-%d", low, high)
		}
		buckets = append(buckets, Bucket{label, n})
	}
	return buckets
}

// shown is how many sessions a report names.
const shown = 10

// mostReserved returns the sessions that have reserved the most.
func mostReserved(s *snapshot.State, sessions []total) []Session {
	order := make([]int, 0, len(sessions))
	for i, t := range sessions {
		if t.reserved > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sessions[b].reserved, sessions[a].reserved) })
	most := make([]Session, 0, shown)
	for _, i := range order[:min(shown, len(order))] {
		t := sessions[i]
		most = append(most, Session{ID: s.Sessions[i].String(), Clusters: t.clusters, Finalized: t.finalized, Reserved: t.reserved})
	}
	return most
}
