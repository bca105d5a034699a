package control

import (
	"iter"
	"slices"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// nullTable keeps what it is given in lists, so that a compressor can build a
// document on it, grow clusters and write them all out again. Its lookups give
// one of 64 places that were worked out when the first clusters came.
//
// Right are: the names, UUIDs and number of sessions, LookupSession, all of
// clusters but the lookups, and "not found" for final IDs outside of them.
// NearestSession finds a session by its own UUID only: nothing ever collides.
type nullTable struct {
	ids      []numericuuid.UUID
	byID     map[numericuuid.UUID]impls.Session
	clusters []impls.Cluster
	last     []int32 // by session: the position of its last cluster, or -1
	limit    int64   // the first final ID after the clusters
	answers  [answers]answer
}

const answers = 64

type answer struct {
	id    numericuuid.UUID
	place impls.Place
}

func newNullTable() *nullTable {
	return &nullTable{byID: map[numericuuid.UUID]impls.Session{}}
}

func (t *nullTable) AddSession(id numericuuid.UUID) (impls.Session, bool) {
	if s, ok := t.byID[id]; ok {
		return s, false
	}
	s := impls.Session(len(t.ids))
	t.ids = append(t.ids, id)
	t.last = append(t.last, -1)
	t.byID[id] = s
	return s, true
}

func (t *nullTable) LookupSession(id numericuuid.UUID) (impls.Session, bool) {
	s, ok := t.byID[id]
	return s, ok
}

func (t *nullTable) NearestSession(id numericuuid.UUID) (impls.Session, bool) {
	return t.LookupSession(id)
}

func (t *nullTable) SessionID(s impls.Session) numericuuid.UUID { return t.ids[s] }
func (t *nullTable) SessionCount() int                          { return len(t.ids) }

func (t *nullTable) AppendCluster(c impls.Cluster) {
	n := len(t.clusters)
	t.last[c.Session] = int32(n)
	t.clusters = append(t.clusters, c)
	t.limit = c.FinalLimit()
	// The n-th answer and, until there are more clusters, those after it.
	for i := n; i < answers; i++ {
		place := c.PlaceOf(c.BaseFinal)
		place.Finalized = true
		t.answers[i] = answer{t.ids[c.Session].Add(uint64(c.BaseGen - 1)), place}
	}
}

func (t *nullTable) ResizeLast(s impls.Session, capacity, count int64) {
	c := &t.clusters[t.last[s]]
	c.Capacity, c.Count = capacity, count
	t.limit = max(t.limit, c.FinalLimit())
}

func (t *nullTable) LastCluster(s impls.Session) (impls.Cluster, bool) {
	if t.last[s] < 0 {
		return impls.Cluster{}, false
	}
	return t.clusters[t.last[s]], true
}

func (t *nullTable) Clusters() iter.Seq[impls.Cluster] { return slices.Values(t.clusters) }
func (t *nullTable) ClusterCount() int                 { return len(t.clusters) }

func (t *nullTable) StableID(final int64) (numericuuid.UUID, bool) {
	if uint64(final) >= uint64(t.limit) {
		return numericuuid.UUID{}, false
	}
	return t.answers[final%answers].id, true
}

func (t *nullTable) ByFinal(final int64) impls.Place {
	if uint64(final) >= uint64(t.limit) {
		return impls.Place{}
	}
	return t.answers[final%answers].place
}

func (t *nullTable) ByGen(_ impls.Session, gen int64) impls.Place {
	return t.answers[uint64(gen)%answers].place
}

func (t *nullTable) ByStableID(id numericuuid.UUID) impls.Place {
	return t.answers[id.Lo%answers].place
}

func (t *nullTable) GenInSession(_ impls.Session, final int64) int64 {
	return t.ByFinal(final).Gen
}

// nullNormalizer keeps runs in a list. Runs is right, since what is serialized
// depends on it, and finds its first run from the end, where ranges are taken;
// Contains says yes to every generation count up to the last.
type nullNormalizer struct{ runs []impls.Run }

func (n *nullNormalizer) last() int64 {
	if len(n.runs) == 0 {
		return 0
	}
	return n.runs[len(n.runs)-1].Last()
}

func (n *nullNormalizer) Append(r impls.Run) error {
	if err := impls.CheckRun(r, n.last()); err != nil {
		return err
	}
	if k := len(n.runs); k > 0 && r.First == n.last()+1 {
		n.runs[k-1].Count += r.Count
		return nil
	}
	n.runs = append(n.runs, r)
	return nil
}

func (n *nullNormalizer) Contains(gen int64) bool { return gen <= n.last() }

func (n *nullNormalizer) Runs(first, last int64) iter.Seq[impls.Run] {
	return func(yield func(impls.Run) bool) {
		at := len(n.runs)
		for at > 0 && n.runs[at-1].Last() >= first {
			at--
		}
		for _, r := range n.runs[at:] {
			r, ok := r.Clip(first, last)
			if !ok || !yield(r) {
				return
			}
		}
	}
}

func (n *nullNormalizer) RunCount() int { return len(n.runs) }
