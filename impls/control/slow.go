package control

import (
	"iter"
	"math/bits"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/sortedslice"
)

// decoys is how many more searches slow makes for each one. They are for other
// keys: the same key again would be in the cache and cost next to nothing.
const decoys = 2

// decoy returns a number in 0..n-1 that depends on key and looks random.
func decoy(key uint64, i int, n int64) int64 {
	hi, _ := bits.Mul64((key+uint64(i)+1)*0x9e3779b97f4a7c15, uint64(max(n, 1)))
	return int64(hi)
}

// sorted is a sorted slice of which nothing shows but the required calls and
// what a large document cannot do without: an optional call added to package
// sortedslice must not lead around what a control does.
type sorted struct {
	impls.ClusterTable
	t *sortedslice.Table
}

func newSorted() sorted {
	t := sortedslice.New()
	return sorted{t, t}
}

// Load is [impls.BulkLoader].
func (s sorted) Load(sessions []numericuuid.UUID, n int, clusters iter.Seq[impls.Cluster]) (int, bool) {
	return s.t.Load(sessions, n, clusters)
}

// Bytes is [impls.Sizer].
func (s sorted) Bytes() int64 { return s.t.Bytes() }

type slowTable struct {
	sorted
	limit int64 // the first final ID after the clusters
}

func newSlowTable() *slowTable { return &slowTable{sorted: newSorted()} }

// Load is [impls.BulkLoader].
func (t *slowTable) Load(sessions []numericuuid.UUID, n int, clusters iter.Seq[impls.Cluster]) (int, bool) {
	return t.sorted.Load(sessions, n, func(yield func(impls.Cluster) bool) {
		for c := range clusters {
			if t.limit = c.FinalLimit(); !yield(c) {
				return
			}
		}
	})
}

func (t *slowTable) AppendCluster(c impls.Cluster) {
	t.t.AppendCluster(c)
	t.limit = c.FinalLimit()
}

func (t *slowTable) ResizeLast(s impls.Session, capacity, count int64) {
	t.t.ResizeLast(s, capacity, count)
	if c, _ := t.t.LastCluster(s); c.FinalLimit() > t.limit {
		t.limit = c.FinalLimit()
	}
}

func (t *slowTable) decoyFinal(final int64, i int) int64 { return decoy(uint64(final), i, t.limit) }

// decoyID returns a UUID of another session, if there is any.
func (t *slowTable) decoyID(id numericuuid.UUID, i int) numericuuid.UUID {
	if t.SessionCount() == 0 {
		return id
	}
	return t.SessionID(impls.Session(decoy(id.Hi^id.Lo, i, int64(t.SessionCount()))))
}

func (t *slowTable) LookupSession(id numericuuid.UUID) (impls.Session, bool) {
	for i := range decoys {
		t.t.LookupSession(t.decoyID(id, i))
	}
	return t.t.LookupSession(id)
}

func (t *slowTable) NearestSession(id numericuuid.UUID) (impls.Session, bool) {
	for i := range decoys {
		t.t.NearestSession(t.decoyID(id, i))
	}
	return t.t.NearestSession(id)
}

func (t *slowTable) StableID(final int64) (numericuuid.UUID, bool) {
	for i := range decoys {
		t.t.StableID(t.decoyFinal(final, i))
	}
	return t.t.StableID(final)
}

func (t *slowTable) ByFinal(final int64) impls.Place {
	for i := range decoys {
		t.t.ByFinal(t.decoyFinal(final, i))
	}
	return t.t.ByFinal(final)
}

func (t *slowTable) ByGen(s impls.Session, gen int64) impls.Place {
	for i := range decoys {
		t.t.ByGen(s, decoy(uint64(gen), i, t.limit))
	}
	return t.t.ByGen(s, gen)
}

func (t *slowTable) ByStableID(id numericuuid.UUID) impls.Place {
	for i := range decoys {
		t.t.ByStableID(t.decoyID(id, i))
	}
	return t.t.ByStableID(id)
}

func (t *slowTable) GenInSession(s impls.Session, final int64) int64 {
	for i := range decoys {
		t.t.GenInSession(s, t.decoyFinal(final, i))
	}
	return t.t.GenInSession(s, final)
}

// ProbeFinal is [impls.Prober]. The bound is that of the sorted slice, which
// slow exceeds.
func (t *slowTable) ProbeFinal(final int64) int {
	return (1 + decoys) * t.t.ProbeFinal(final)
}

// ProbeBound is [impls.Prober].
func (t *slowTable) ProbeBound() int { return t.t.ProbeBound() }

// ProbeStableID is [impls.Prober].
func (t *slowTable) ProbeStableID(id numericuuid.UUID) int {
	return (1 + decoys) * t.t.ProbeStableID(id)
}

type slowNormalizer struct{ impls.Normalizer }

func newSlowNormalizer() slowNormalizer { return slowNormalizer{sortedslice.NewNormalizer()} }

func (n slowNormalizer) Contains(gen int64) bool {
	for i := range decoys {
		n.Normalizer.Contains(decoy(uint64(gen), i, 2*gen))
	}
	return n.Normalizer.Contains(gen)
}
