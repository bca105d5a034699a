// Package sortedslice is the backend in its textbook form: slices of structs,
// kept sorted, and the standard library's binary search.
//
// Three slices hold everything. Clusters stand in the order of their final
// IDs, which is also the order in which they are appended. Sessions stand in
// the order in which they were added, each with the positions of its clusters,
// its chain. A third slice has the sessions by UUID, and a new session is
// inserted there by moving those above it.
//
// A lookup by final ID or generation count costs log2(clusters) comparisons, one
// by UUID log2(sessions) and then log2(chain); each comparison is likely to
// miss the cache where the table is larger than it. Adding a session moves
// half of the sessions on average: 24 bytes each, tens of microseconds at
// 100,000. Appending and resizing clusters is O(1). A cluster takes 40 bytes and 4
// in its chain; a session 16 and its chain's slice header, 24 and 24 more by
// UUID.
//
// Every other backend is measured against this one, so it stays plain:
// branchless searches, key arrays and other layouts belong in backends of
// their own.
package sortedslice

import (
	"iter"
	"slices"
	"sort"
	"unsafe"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// Backend is the sorted slice.
var Backend = impls.Backend{
	Name:          "sortedslice",
	Structure:     "sorted slices of structs, binary search",
	Guarantees:    "lookups O(log n); appending a cluster O(1); adding a session O(sessions), a memory move; insertion order kept",
	Lines:         270,
	NewTable:      func() impls.ClusterTable { return New() },
	NewNormalizer: func() impls.Normalizer { return NewNormalizer() },
}

func init() { impls.Register(Backend) }

type session struct {
	id    numericuuid.UUID
	chain []int32 // positions in Table.clusters
}

// Table is an [impls.ClusterTable] on sorted slices.
type Table struct {
	clusters []impls.Cluster
	sessions []session
	byID     []impls.NamedSession
}

// New returns an empty table.
func New() *Table { return &Table{} }

// search returns the position of the first entry whose UUID is above id.
func (t *Table) search(id numericuuid.UUID) int {
	return sort.Search(len(t.byID), func(i int) bool { return id.Less(t.byID[i].ID) })
}

func (t *Table) AddSession(id numericuuid.UUID) (impls.Session, bool) {
	at := t.search(id)
	if at > 0 && t.byID[at-1].ID == id {
		return t.byID[at-1].Session, false
	}
	s := impls.Session(len(t.sessions))
	t.sessions = append(t.sessions, session{id: id})
	t.byID = slices.Insert(t.byID, at, impls.NamedSession{ID: id, Session: s})
	return s, true
}

func (t *Table) LookupSession(id numericuuid.UUID) (impls.Session, bool) {
	s, ok := t.NearestSession(id)
	return s, ok && t.sessions[s].id == id
}

func (t *Table) NearestSession(id numericuuid.UUID) (impls.Session, bool) {
	at := t.search(id)
	if at == 0 {
		return 0, false
	}
	return t.byID[at-1].Session, true
}

func (t *Table) SessionID(s impls.Session) numericuuid.UUID { return t.sessions[s].id }

func (t *Table) SessionCount() int { return len(t.sessions) }

func (t *Table) AppendCluster(c impls.Cluster) {
	chain := &t.sessions[c.Session].chain
	*chain = append(*chain, int32(len(t.clusters)))
	t.clusters = append(t.clusters, c)
}

func (t *Table) ResizeLast(s impls.Session, capacity, count int64) {
	chain := t.sessions[s].chain
	c := &t.clusters[chain[len(chain)-1]]
	c.Capacity, c.Count = capacity, count
}

func (t *Table) LastCluster(s impls.Session) (impls.Cluster, bool) {
	chain := t.sessions[s].chain
	if len(chain) == 0 {
		return impls.Cluster{}, false
	}
	return t.clusters[chain[len(chain)-1]], true
}

func (t *Table) Clusters() iter.Seq[impls.Cluster] { return slices.Values(t.clusters) }

func (t *Table) ClusterCount() int { return len(t.clusters) }

// containing returns the cluster that has the final ID, or nil.
func (t *Table) containing(final int64) *impls.Cluster {
	at := sort.Search(len(t.clusters), func(i int) bool { return final < t.clusters[i].BaseFinal })
	if at == 0 || final >= t.clusters[at-1].FinalLimit() {
		return nil
	}
	return &t.clusters[at-1]
}

func (t *Table) StableID(final int64) (numericuuid.UUID, bool) {
	c := t.containing(final)
	if c == nil || final-c.BaseFinal >= c.Count {
		return numericuuid.UUID{}, false
	}
	return t.sessions[c.Session].id.Add(uint64(c.BaseGen - 1 + final - c.BaseFinal)), true
}

func (t *Table) ByFinal(final int64) impls.Place {
	c := t.containing(final)
	if c == nil {
		return impls.Place{}
	}
	return c.PlaceOf(final)
}

func (t *Table) ByGen(s impls.Session, gen int64) impls.Place {
	chain := t.sessions[s].chain
	at := sort.Search(len(chain), func(i int) bool { return gen < t.clusters[chain[i]].BaseGen })
	if at == 0 {
		return impls.Place{}
	}
	c := &t.clusters[chain[at-1]]
	return c.PlaceOfGen(gen)
}

func (t *Table) ByStableID(id numericuuid.UUID) impls.Place {
	s, ok := t.NearestSession(id)
	if !ok {
		return impls.Place{}
	}
	offset, ok := id.Sub(t.sessions[s].id)
	if !ok || offset >= impls.MaxID {
		return impls.Place{}
	}
	return t.ByGen(s, int64(offset)+1)
}

func (t *Table) GenInSession(s impls.Session, final int64) int64 {
	chain := t.sessions[s].chain
	at := sort.Search(len(chain), func(i int) bool { return final < t.clusters[chain[i]].BaseFinal })
	if at == 0 {
		return 0
	}
	c := &t.clusters[chain[at-1]]
	if final >= c.FinalLimit() {
		return 0
	}
	return c.PlaceOf(final).Gen
}

// Load is [impls.BulkLoader]: sessions are sorted once instead of being
// inserted one by one.
func (t *Table) Load(sessions []numericuuid.UUID, n int, clusters iter.Seq[impls.Cluster]) (int, bool) {
	sorted, duplicate, ok := impls.ByUUID(sessions)
	if !ok {
		return duplicate, false
	}
	t.byID = sorted
	t.sessions = make([]session, len(sessions))
	for i, id := range sessions {
		t.sessions[i].id = id
	}
	t.clusters = make([]impls.Cluster, 0, n)
	for c := range clusters {
		t.AppendCluster(c)
	}
	return 0, true
}

// Bytes is [impls.Sizer]: the exact size of the slices, with their reserve.
func (t *Table) Bytes() int64 {
	n := cap(t.clusters)*int(unsafe.Sizeof(impls.Cluster{})) +
		cap(t.sessions)*int(unsafe.Sizeof(session{})) +
		cap(t.byID)*int(unsafe.Sizeof(impls.NamedSession{}))
	for i := range t.sessions {
		n += cap(t.sessions[i].chain) * 4
	}
	return int64(n)
}
