package backendtest

import (
	"fmt"
	"slices"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
	"pgregory.net/rapid"
)

// testBulk compares what is loaded at once with what single calls make, and
// looks for duplicates in every place.
func testBulk(t rapid.TB, b impls.Backend) {
	if _, ok := b.NewTable().(impls.BulkLoader); !ok {
		t.Skipf("%s does not load in bulk", b.Name)
	}
	for _, n := range []int{1, 2, 3, 64, 1000} {
		for _, pair := range [][2]int{{0, n - 1}, {0, 1}, {n / 2, n/2 + 1}, {n - 2, n - 1}, {n / 3, n / 2}} {
			first, second := pair[0], pair[1]
			if first < 0 || first >= second || second >= n {
				continue
			}
			ids := make([]numericuuid.UUID, n)
			for i := range ids {
				ids[i] = spreadKeys.id(i)
			}
			ids[second] = ids[first]
			if second+1 < n {
				ids[n-1] = ids[first] // a third one does not matter
			}
			at, ok := b.NewTable().(impls.BulkLoader).Load(ids, 0, func(func(impls.Cluster) bool) {})
			if ok || at != second {
				t.Fatalf("Load of %d sessions, %d equal to %d = %d, %v, want %d, false", n, second, first, at, ok, second)
			}
		}
	}
	empty := b.NewTable()
	if _, ok := empty.(impls.BulkLoader).Load(nil, 0, func(func(impls.Cluster) bool) {}); !ok || empty.SessionCount() != 0 {
		t.Errorf("Load of nothing = %v with %d sessions, want an empty table", ok, empty.SessionCount())
	}

	for _, d := range documents() {
		if d.order != shuffled && d.nSessions > 5 {
			continue // the order in which sessions came is all the same to Load
		}
		d := d.build()
		table := b.NewTable()
		if at, ok := table.(impls.BulkLoader).Load(d.sessions, len(d.clusters), slices.Values(d.clusters)); !ok {
			t.Fatalf("Load = duplicate at %d, want none in %v", at, d)
		}
		must(t, d.verify(table))
		// It goes on with single calls, right after the last cluster.
		last := d.clusters[len(d.clusters)-1]
		c := impls.Cluster{Session: 0, BaseFinal: last.FinalLimit(), BaseGen: 1, Capacity: 1, Count: 1}
		if chain := d.chains[0]; len(chain) > 0 {
			c.BaseGen = chain[len(chain)-1].GenLimit()
		}
		if above, ok := numericuuid.Max.Sub(d.sessions[0]); ok && above < uint64(c.GenLimit()) {
			continue // no UUID left
		}
		table.AppendCluster(c)
		d.clusters, d.chains[0] = append(d.clusters, c), append(d.chains[0], c)
		must(t, d.verify(table))
	}
}

// reload loads the model's content into a new table under test.
func (l *lockstep) reload(b impls.Backend) error {
	l.got = b.NewTable()
	sessions := sessionsOf(l.want)
	if at, ok := l.got.(impls.BulkLoader).Load(sessions, l.want.ClusterCount(), l.want.Clusters()); !ok {
		return fmt.Errorf("loading %d different sessions = duplicate at %d\nof the table that came from\n%v",
			len(sessions), at, l.history)
	}
	if err := l.verify(); err != nil {
		return fmt.Errorf("loaded in bulk: %w", err)
	}
	return nil
}

func sessionsOf(t impls.ClusterTable) []numericuuid.UUID {
	ids := make([]numericuuid.UUID, t.SessionCount())
	for s := range ids {
		ids[s] = t.SessionID(impls.Session(s))
	}
	return ids
}
