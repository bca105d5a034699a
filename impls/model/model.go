// Package model is the reference that backends are tested against: a cluster
// table and a normalizer so plain that reading them is the proof.
//
// Two slices hold everything in the order in which it was added, every lookup
// walks one of them from its start, and nothing is remembered between calls.
// All costs are O(sessions + clusters). It is no backend: it is not registered
// and no compressor should run on it.
package model

import (
	"iter"
	"slices"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// Backend is the model in the form the test suite takes.
var Backend = impls.Backend{
	Name:          "model",
	Structure:     "slices in order of addition, linear scans",
	Guarantees:    "everything O(n)",
	NewTable:      func() impls.ClusterTable { return &Table{} },
	NewNormalizer: func() impls.Normalizer { return &Normalizer{} },
}

// Table is the model of an [impls.ClusterTable].
type Table struct {
	sessions []numericuuid.UUID
	clusters []impls.Cluster
}

func (t *Table) AddSession(id numericuuid.UUID) (impls.Session, bool) {
	if s, ok := t.LookupSession(id); ok {
		return s, false
	}
	t.sessions = append(t.sessions, id)
	return impls.Session(len(t.sessions) - 1), true
}

func (t *Table) LookupSession(id numericuuid.UUID) (impls.Session, bool) {
	for s, have := range t.sessions {
		if have == id {
			return impls.Session(s), true
		}
	}
	return 0, false
}

func (t *Table) NearestSession(id numericuuid.UUID) (impls.Session, bool) {
	nearest := -1
	for s, have := range t.sessions {
		if have.Compare(id) <= 0 && (nearest < 0 || t.sessions[nearest].Less(have)) {
			nearest = s
		}
	}
	return impls.Session(max(nearest, 0)), nearest >= 0
}

func (t *Table) SessionID(s impls.Session) numericuuid.UUID { return t.sessions[s] }

func (t *Table) SessionCount() int { return len(t.sessions) }

func (t *Table) AppendCluster(c impls.Cluster) { t.clusters = append(t.clusters, c) }

func (t *Table) ResizeLast(s impls.Session, capacity, count int64) {
	for i, c := range slices.Backward(t.clusters) {
		if c.Session == s {
			t.clusters[i].Capacity, t.clusters[i].Count = capacity, count
			return
		}
	}
	panic("model: ResizeLast of a session without clusters")
}

func (t *Table) LastCluster(s impls.Session) (impls.Cluster, bool) {
	for _, c := range slices.Backward(t.clusters) {
		if c.Session == s {
			return c, true
		}
	}
	return impls.Cluster{}, false
}

func (t *Table) Clusters() iter.Seq[impls.Cluster] { return slices.Values(t.clusters) }

func (t *Table) ClusterCount() int { return len(t.clusters) }

func (t *Table) StableID(final int64) (numericuuid.UUID, bool) {
	p := t.ByFinal(final)
	if !p.Finalized {
		return numericuuid.UUID{}, false
	}
	return t.sessions[p.Session].Add(uint64(p.Gen - 1)), true
}

func (t *Table) ByFinal(final int64) impls.Place {
	for _, c := range t.clusters {
		if c.BaseFinal <= final && final < c.FinalLimit() {
			return c.PlaceOf(final)
		}
	}
	return impls.Place{}
}

func (t *Table) ByGen(s impls.Session, gen int64) impls.Place {
	for _, c := range t.clusters {
		if c.Session == s && c.BaseGen <= gen && gen < c.GenLimit() {
			return c.PlaceOf(c.BaseFinal + (gen - c.BaseGen))
		}
	}
	return impls.Place{}
}

func (t *Table) ByStableID(id numericuuid.UUID) impls.Place {
	s, ok := t.NearestSession(id)
	if !ok {
		return impls.Place{}
	}
	for _, c := range t.clusters {
		first := t.sessions[s].Add(uint64(c.BaseGen - 1))
		if offset, ok := id.Sub(first); c.Session == s && ok && offset < uint64(c.Capacity) {
			return c.PlaceOf(c.BaseFinal + int64(offset))
		}
	}
	return impls.Place{}
}

func (t *Table) GenInSession(s impls.Session, final int64) int64 {
	if p := t.ByFinal(final); p.Found() && p.Session == s {
		return p.Gen
	}
	return 0
}
