package backendtest

import (
	"math"
	"slices"

	"example.com/idlab/impls"
	"example.com/idlab/impls/model"
	"example.com/idlab/impls/numericuuid"
)

// marks are the numbers at which something may begin or end whatever the
// table holds: the ends of the number line, and the edges of the pages that a
// power of two makes.
var marks = func() []int64 {
	ns := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 53, -65, -1, 0, 1,
		impls.MaxID - 1, impls.MaxID, impls.MaxID + 1, math.MaxInt64 - 1, math.MaxInt64}
	for _, bits := range []int{6, 9, 10, 12, 16, 20, 32, 45} {
		ns = append(ns, 1<<bits-1, 1<<bits, 1<<bits+1)
	}
	return ns
}()

// edgeFinals returns the final IDs around every edge of t.
func edgeFinals(t impls.ClusterTable) []int64 {
	finals := slices.Clone(marks)
	for c := range t.Clusters() {
		last := c.BaseFinal + c.Count
		finals = append(finals, c.BaseFinal-1, c.BaseFinal, c.BaseFinal+1, last-1, last, last+1,
			c.BaseFinal+c.Capacity/2, c.FinalLimit()-1, c.FinalLimit(), c.FinalLimit()+1)
	}
	slices.Sort(finals)
	return slices.Compact(finals)
}

// edgeGens returns the generation counts around every edge of each session.
func edgeGens(t impls.ClusterTable) [][]int64 {
	gens := make([][]int64, t.SessionCount())
	for s := range gens {
		gens[s] = slices.Clone(marks)
	}
	for c := range t.Clusters() {
		last := c.BaseGen + c.Count
		gens[c.Session] = append(gens[c.Session], c.BaseGen-1, c.BaseGen, c.BaseGen+1, last-1, last,
			c.BaseGen+c.Capacity/2, c.GenLimit()-1, c.GenLimit())
	}
	for s := range gens {
		slices.Sort(gens[s])
		gens[s] = slices.Compact(gens[s])
	}
	return gens
}

// edgeIDs returns the UUIDs around every edge of t.
func edgeIDs(t impls.ClusterTable) []numericuuid.UUID {
	ids := []numericuuid.UUID{{}, {Lo: 1}, {Lo: math.MaxUint64}, {Hi: 1}, numericuuid.Max}
	if prev, ok := numericuuid.Max.Prev(); ok {
		ids = append(ids, prev)
	}
	for s := range impls.Session(t.SessionCount()) {
		id := t.SessionID(s)
		ids = append(ids, id, id.Add(1), id.Add(impls.MaxID-1), id.Add(impls.MaxID), id.Add(1<<53), id.Add(1<<63))
		if prev, ok := id.Prev(); ok {
			ids = append(ids, prev)
		}
		// The same low bits under another prefix, and the same prefix.
		ids = append(ids, numericuuid.UUID{Hi: id.Hi ^ 1, Lo: id.Lo}, numericuuid.UUID{Hi: id.Hi, Lo: ^id.Lo})
	}
	for c := range t.Clusters() {
		first := t.SessionID(c.Session).Add(uint64(c.BaseGen - 1))
		ids = append(ids, first, first.Add(uint64(c.Count)), first.Add(uint64(c.Capacity/2)),
			first.Add(uint64(c.Capacity-1)), first.Add(uint64(c.Capacity)))
		if c.Count > 0 {
			ids = append(ids, first.Add(uint64(c.Count-1)))
		}
	}
	ids = slices.DeleteFunc(ids, func(id numericuuid.UUID) bool { return !id.Valid() })
	slices.SortFunc(ids, numericuuid.UUID.Compare)
	return slices.Compact(ids)
}

// edges appends every lookup around every edge of t.
func edges(calls []call, t *model.Table) []call {
	sessions := impls.Session(t.SessionCount())
	calls = append(calls, call{method: sessionCount}, call{method: clusterCount})
	for s := range sessions {
		calls = append(calls, call{method: sessionID, s: s}, call{method: lastCluster, s: s})
	}
	for _, n := range edgeFinals(t) {
		calls = append(calls, call{method: stableID, n: n}, call{method: byFinal, n: n})
		// The owner, where there is one, and its neighbours by name: all
		// sessions would be a quadratic number.
		owner := t.ByFinal(n).Session
		for s := max(owner-1, 0); s <= owner+1 && s < sessions; s++ {
			calls = append(calls, call{method: genInSession, s: s, n: n})
		}
	}
	for s, gens := range edgeGens(t) {
		for _, n := range gens {
			calls = append(calls, call{method: byGen, s: impls.Session(s), n: n})
		}
	}
	for _, id := range edgeIDs(t) {
		calls = append(calls, call{method: lookupSession, id: id}, call{method: nearestSession, id: id},
			call{method: byStableID, id: id})
	}
	return calls
}
