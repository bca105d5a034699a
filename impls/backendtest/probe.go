package backendtest

import (
	"fmt"
	"math/bits"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
	"pgregory.net/rapid"
)

// greatestBound is the greatest ProbeBound of a table with n sessions and
// clusters in all that is not a linear scan. It is generous: a B-tree of 10,000
// needs less than 60, a level for each of 122 bits is allowed.
func greatestBound(n int) int { return 8*bits.Len(uint(n)) + 160 }

// verifyProbes holds every lookup around every edge to the bound t states.
func (l *lockstep) verifyProbes(t impls.Prober) error {
	for i := range l.queries {
		c := &l.queries[i]
		var n int
		switch c.method {
		case byFinal:
			n = t.ProbeFinal(c.n)
		case byStableID:
			n = t.ProbeStableID(c.id)
		default:
			continue
		}
		if bound := t.ProbeBound(); n < 0 || n > bound {
			return fmt.Errorf("%v takes %d steps, want at most ProbeBound() = %d\nafter\n%v", c, n, bound, l.history)
		}
	}
	return nil
}

// testProbes holds tables large enough for a scan to show to the bounds they
// state, and the bounds to a logarithm.
func testProbes(t rapid.TB, b impls.Backend) {
	if _, ok := b.NewTable().(impls.Prober); !ok {
		t.Skipf("%s does not count its steps", b.Name)
	}
	const n = 10_000 / slowdown
	docs := []document{
		{keys: spreadKeys, nSessions: 1, nClusters: n, capacity: capacities["small"]},
		{keys: spreadKeys, nSessions: n, nClusters: n, order: shuffled, capacity: capacities["512"]},
	}
	for _, k := range adversarialKeys {
		docs = append(docs, document{keys: k, nSessions: n, nClusters: n, capacity: capacities["1"]})
	}
	for _, d := range docs {
		d := d.build()
		table := b.NewTable()
		for _, c := range d.history() {
			c.do(table)
		}
		prober := table.(impls.Prober)
		size := d.size()
		bound := prober.ProbeBound()
		if most := greatestBound(size); bound > most {
			t.Fatalf("ProbeBound() = %d, want at most %d for %d sessions and clusters of %v", bound, most, size, d)
		}
		within := func(what fmt.Stringer, got int) {
			if got < 0 || got > bound {
				t.Fatalf("%v takes %d steps, want at most ProbeBound() = %d in %v", what, got, bound, d)
			}
		}
		for i := range d.clusters {
			c := &d.clusters[i]
			for _, final := range []int64{c.BaseFinal, c.FinalLimit() - 1} {
				within(&call{method: byFinal, n: final}, prober.ProbeFinal(final))
			}
			first := d.sessions[c.Session].Add(uint64(c.BaseGen - 1))
			for _, id := range []numericuuid.UUID{first, first.Add(uint64(c.Capacity))} {
				if id.Valid() {
					within(&call{method: byStableID, id: id}, prober.ProbeStableID(id))
				}
			}
		}
		for i := range uint64(1000) { // strangers
			id := numericuuid.UUID{Hi: spread(i) & hiMask, Lo: spread(^i)}
			within(&call{method: byStableID, id: id}, prober.ProbeStableID(id))
		}
	}
}
