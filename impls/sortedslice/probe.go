package sortedslice

import (
	"fmt"
	"math/bits"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// steps is what sort.Search takes for n elements at the most.
func steps(n int) int { return bits.Len(uint(n)) }

// ProbeFinal is [impls.Prober]: the comparisons of a binary search.
func (t *Table) ProbeFinal(int64) int { return steps(len(t.clusters)) }

// ProbeStableID is [impls.Prober].
func (t *Table) ProbeStableID(id numericuuid.UUID) int {
	n := steps(len(t.byID))
	if s, ok := t.NearestSession(id); ok {
		n += steps(len(t.sessions[s].chain))
	}
	return n
}

// ProbeBound is [impls.Prober].
func (t *Table) ProbeBound() int { return steps(len(t.byID)) + steps(len(t.clusters)) }

// CheckInvariants is [impls.Invarianter].
func (t *Table) CheckInvariants() error {
	if len(t.byID) != len(t.sessions) {
		return fmt.Errorf("%d sessions, %d of them by UUID", len(t.sessions), len(t.byID))
	}
	for i, e := range t.byID {
		if i > 0 && !t.byID[i-1].ID.Less(e.ID) {
			return fmt.Errorf("entry %d by UUID is not above the one before", i)
		}
		if t.sessions[e.Session].id != e.ID {
			return fmt.Errorf("entry %d by UUID names session %d of another UUID", i, e.Session)
		}
	}
	var limit int64
	gens := make([]int64, len(t.sessions))
	at := make([]int, len(t.sessions))
	for i, c := range t.clusters {
		if c.BaseFinal != limit || c.BaseGen != gens[c.Session]+1 || c.Count > c.Capacity {
			return fmt.Errorf("cluster %d: %+v after final %d, generation count %d", i, c, limit, gens[c.Session])
		}
		chain := t.sessions[c.Session].chain
		if at[c.Session] >= len(chain) || chain[at[c.Session]] != int32(i) {
			return fmt.Errorf("cluster %d is not at its place in the chain of session %d", i, c.Session)
		}
		at[c.Session]++
		limit += c.Capacity
		gens[c.Session] += c.Capacity
	}
	for s := range t.sessions {
		if at[s] != len(t.sessions[s].chain) {
			return fmt.Errorf("chain of session %d is too long", s)
		}
	}
	return nil
}

// CheckInvariants is [impls.Invarianter].
func (n *Normalizer) CheckInvariants() error {
	var last int64 = -1
	for i, r := range n.runs {
		if r.Count < 1 || r.First <= last+1 && i > 0 || r.First < 1 {
			return fmt.Errorf("run %d: %+v after %d", i, r, last)
		}
		last = r.Last()
	}
	return nil
}

var (
	_ impls.BulkLoader  = (*Table)(nil)
	_ impls.Sizer       = (*Table)(nil)
	_ impls.Prober      = (*Table)(nil)
	_ impls.Invarianter = (*Table)(nil)
	_ impls.Sizer       = (*Normalizer)(nil)
)
