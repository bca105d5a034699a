package backendtest

import (
	"slices"
	"testing"

	"example.com/idlab/impls"
	"example.com/idlab/impls/model"
	"pgregory.net/rapid"
)

// evolve makes the calls that the genes mean, and compares everything after
// each.
func (l *lockstep) evolve(genes []gene) error {
	for _, g := range genes {
		c, ok := g.call(l.want)
		if !ok {
			continue
		}
		if err := l.do(c); err != nil {
			return err
		}
		if err := l.verify(); err != nil {
			return err
		}
	}
	return nil
}

// testSteps runs random histories in small steps; where the backend loads in
// bulk, it then loads what came out and goes on from there.
func testSteps(t rapid.TB, b impls.Backend) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLockstep(b)
		must(t, l.verify())
		must(t, l.evolve(drawGenes(t, 8/slowdown)))
		if _, ok := l.got.(impls.BulkLoader); ok {
			must(t, l.reload(b))
			must(t, l.evolve(drawGenes(t, 1)))
		}
	})
}

// newModel returns the model's table after h.
func newModel(h history) *model.Table {
	t := &model.Table{}
	for _, c := range h {
		c.do(t)
	}
	return t
}

// Agree runs the same random histories on several backends and compares every
// answer with the first one's.
func Agree(t *testing.T, backends []impls.Backend) {
	rapid.Check(t, func(t *rapid.T) {
		want := &model.Table{} // only says what is valid and where the edges are
		tables := make([]impls.ClusterTable, len(backends))
		for i, b := range backends {
			tables[i] = b.NewTable()
		}
		var h history
		agree := func(calls []call) {
			for i := range calls {
				c := &calls[i]
				first := c.do(tables[0])
				for j, table := range tables[1:] {
					if a := c.do(table); a != first {
						t.Fatalf("%v = %s of %s, but %s of %s\nafter\n%v", c, c.format(a), backends[j+1].Name,
							c.format(first), backends[0].Name, h)
					}
				}
			}
		}
		for i, g := range drawGenes(t, 8/slowdown) {
			c, ok := g.call(want)
			if !ok {
				continue
			}
			agree([]call{c})
			c.do(want)
			h = append(h, c)
			if i%8 == 0 {
				agree(edges(nil, want))
			}
		}
		agree(edges(nil, want))
		first := slices.Collect(tables[0].Clusters())
		for j, table := range tables[1:] {
			if other := slices.Collect(table.Clusters()); !slices.Equal(first, other) {
				t.Fatalf("Clusters() of %s and %s differ\nafter\n%v", backends[j+1].Name, backends[0].Name, h)
			}
		}
	})
}
