package compact

import (
	"math"

	"example.com/idlab/impls/snapshot"
)

// Bound returns how many bytes the state's document takes at least, in a form
// that does not know more about documents than this:
//
//   - a session's UUID is random: 122 bits;
//   - sessions stand in the order of their first clusters, and every sequence
//     of owners with the same number of clusters for each is as likely;
//   - the count of a session's last cluster is uniform in 1..capacity; any other
//     is the capacity, or else uniform too;
//   - how many clusters a session has, a capacity, and whether such another
//     cluster is full cost the empirical entropy of all of them.
//
// For the lab's documents that is 122 bits a session, the logarithm of the
// interleavings up to naming the sessions, and 9 bits a session. For others it
// is a yardstick and no law: a form may get below by what columns have in
// common from row to row. Local state is not counted. It takes O(sessions +
// clusters).
func Bound(s *snapshot.State) float64 {
	owned := make([]int, len(s.Sessions)) // clusters by session
	for _, c := range s.Clusters {
		owned[c.Session]++
	}
	bits := 122 * float64(len(s.Sessions))
	counts := histogram{}
	left := len(s.Clusters)
	for _, n := range owned {
		counts.add(int64(n))
		if n > 0 {
			// The first place that is left is this session's own.
			bits += logChoose(left-1, n-1)
			left -= n
		}
	}
	bits += counts.bits()

	capacities, full := histogram{}, histogram{}
	for _, c := range s.Clusters {
		capacities.add(c.Capacity)
		owned[c.Session]--
		if last := owned[c.Session] == 0; last || c.Count < c.Capacity {
			bits += math.Log2(float64(c.Capacity))
			if last {
				continue
			}
		}
		isFull := int64(0)
		if c.Count == c.Capacity {
			isFull = 1
		}
		full.add(isFull)
	}
	return (bits + capacities.bits() + full.bits()) / 8
}

// logChoose returns the binary logarithm of n over k.
func logChoose(n, k int) float64 {
	lgamma := func(n int) float64 { v, _ := math.Lgamma(float64(n) + 1); return v }
	return (lgamma(n) - lgamma(k) - lgamma(n-k)) / math.Ln2
}

// A histogram is how often each value is there.
type histogram map[int64]int

func (h histogram) add(v int64) { h[v]++ }

// bits returns the empirical entropy of all values together.
func (h histogram) bits() float64 {
	var n, sum float64
	for _, k := range h {
		n += float64(k)
	}
	for _, k := range h {
		sum += float64(k) * math.Log2(n/float64(k))
	}
	return sum
}
