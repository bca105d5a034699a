package backendtest

import (
	"fmt"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
	"pgregory.net/rapid"
)

// expectation is a call and what it must answer.
type expectation struct {
	call call
	want answer
}

// expectations yields what is known of every cluster and every session, a few
// lookups for each.
func (c *contents) expectations(yield func(expectation) bool) {
	found := func(p impls.Place) answer { return answer{place: p} }
	for i := range c.clusters {
		k := &c.clusters[i]
		for _, final := range [...]int64{k.BaseFinal, k.BaseFinal + k.Count, k.FinalLimit() - 1} {
			if final == k.FinalLimit() {
				continue
			}
			p := k.PlaceOf(final)
			id := c.sessions[p.Session].Add(uint64(p.Gen - 1))
			var stable answer
			if p.Finalized {
				stable = answer{ok: true, id: id}
			}
			stranger := (p.Session + 1) % impls.Session(len(c.sessions))
			var strange answer
			if stranger == p.Session { // the only one
				strange.n = p.Gen
			}
			if !yield(expectation{call{method: stableID, n: final}, stable}) ||
				!yield(expectation{call{method: byFinal, n: final}, found(p)}) ||
				!yield(expectation{call{method: genInSession, s: p.Session, n: final}, answer{n: p.Gen}}) ||
				!yield(expectation{call{method: genInSession, s: stranger, n: final}, strange}) ||
				!yield(expectation{call{method: byGen, s: p.Session, n: p.Gen}, found(p)}) ||
				!yield(expectation{call{method: byStableID, id: id}, found(c.byStableID(id))}) {
				return
			}
		}
	}
	for s, id := range c.sessions {
		var last answer
		if chain := c.chains[s]; len(chain) > 0 {
			last = answer{ok: true, c: chain[len(chain)-1]}
		}
		self := answer{ok: true, n: int64(s)}
		if !yield(expectation{call{method: lookupSession, id: id}, self}) ||
			!yield(expectation{call{method: nearestSession, id: id}, self}) ||
			!yield(expectation{call{method: sessionID, s: impls.Session(s)}, answer{id: id}}) ||
			!yield(expectation{call{method: lastCluster, s: impls.Session(s)}, last}) {
			return
		}
		above := id.Add(1 + spread(uint64(s))%1000)
		below, _ := id.Prev() // of zero, no UUID
		for _, id := range [...]numericuuid.UUID{above, below} {
			if !id.Valid() {
				continue
			}
			var near answer
			if s, ok := c.nearest(id); ok {
				near = answer{ok: true, n: int64(s)}
			}
			if !yield(expectation{call{method: nearestSession, id: id}, near}) ||
				!yield(expectation{call{method: byStableID, id: id}, found(c.byStableID(id))}) {
				return
			}
		}
	}
	var end int64
	if n := len(c.clusters); n > 0 {
		end = c.clusters[n-1].FinalLimit()
	}
	_ = yield(expectation{call{method: stableID, n: end}, answer{}}) &&
		yield(expectation{call{method: byFinal, n: end}, answer{}}) &&
		yield(expectation{call{method: sessionCount}, answer{n: int64(len(c.sessions))}}) &&
		yield(expectation{call{method: clusterCount}, answer{n: int64(len(c.clusters))}})
}

// verify holds a table to all expectations and to its own invariants.
func (c *contents) verify(t impls.ClusterTable) error {
	for e := range c.expectations {
		got, err := e.call.try(t)
		if err != nil {
			return fmt.Errorf("%w\nin %v", err, c.document)
		}
		if got != e.want {
			return fmt.Errorf("%v = %s, want %s\nin %v, of which the sessions begin\n%v",
				&e.call, e.call.format(got), e.call.format(e.want), c.document, c.history()[:min(len(c.sessions), 10)])
		}
	}
	at := 0
	for cluster := range t.Clusters() {
		if at == len(c.clusters) || cluster != c.clusters[at] {
			return fmt.Errorf("cluster %d of Clusters() = %s, which was not added so, in %v", at, formatCluster(cluster), c.document)
		}
		at++
	}
	if at != len(c.clusters) {
		return fmt.Errorf("Clusters() ends after %d clusters, want %d, in %v", at, len(c.clusters), c.document)
	}
	if t, ok := t.(impls.Invarianter); ok {
		if err := t.CheckInvariants(); err != nil {
			return fmt.Errorf("CheckInvariants() = %w in %v", err, c.document)
		}
	}
	return nil
}

// testDocuments builds large tables by single calls.
func testDocuments(t rapid.TB, b impls.Backend) {
	for _, d := range documents() {
		d := d.build()
		table := b.NewTable()
		for i, id := range d.sessions {
			if s, added := table.AddSession(id); !added || int(s) != i {
				t.Fatalf("AddSession(%v) = session %d, added %v, want the new session %d of %v", id, s, added, i, d)
			}
		}
		for _, c := range d.clusters {
			table.AppendCluster(c)
		}
		must(t, d.verify(table))
		for i, id := range d.sessions {
			if s, added := table.AddSession(id); added || int(s) != i {
				t.Fatalf("AddSession(%v) = session %d, added %v, want the old session %d of %v", id, s, added, i, d)
			}
		}
	}
}
