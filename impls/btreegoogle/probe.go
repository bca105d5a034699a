package btreegoogle

import (
	"fmt"
	"math/bits"
	"unsafe"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// mirror are trees like the table's that count their comparisons. The library
// compares through one function a tree, and counting in that of the table
// would cost every lookup. Keys are only ever added, so that the same keys in
// the same order make trees of the same shape.
type mirror struct {
	trees              trees
	sessions, clusters int // mirrored so far
	steps              int
}

// mirrored brings the mirror up to date and sets its steps to 0.
func (t *Table) mirrored() *mirror {
	m := &t.mirror
	if m.trees.byID == nil {
		m.trees = newTrees(&m.steps)
	}
	for ; m.sessions < t.SessionCount(); m.sessions++ {
		s := impls.Session(m.sessions)
		m.trees.addSession(t.SessionID(s), s)
	}
	for ; m.clusters < t.ClusterCount(); m.clusters++ {
		at := int32(m.clusters)
		m.trees.addCluster(t.Cluster(at), at)
	}
	m.steps = 0
	return m
}

// ProbeFinal is [impls.Prober]: the comparisons. The first probe after an
// addition builds what is missing of a second set of trees, which the table
// keeps and Bytes does not count.
func (t *Table) ProbeFinal(final int64) int {
	m := t.mirrored()
	m.trees.atFinal(final)
	return m.steps
}

// ProbeStableID is [impls.Prober].
func (t *Table) ProbeStableID(id numericuuid.UUID) int {
	m := t.mirrored()
	if item, ok := m.trees.nearest(id); ok {
		if offset, ok := id.Sub(item.id); ok && offset < impls.MaxID {
			m.trees.atGen(item.session, int64(offset)+1)
		}
	}
	return m.steps
}

// ProbeBound is [impls.Prober].
func (t *Table) ProbeBound() int { return walk(t.SessionCount()) + walk(t.ClusterCount()) }

// walk returns the greatest number of comparisons of a walk through a tree of
// n items. A node but the root has at least degree-1 items, so that h levels
// hold at least 2 degree^(h-1) - 1. In each, a binary search looks for the
// item, another comparison whether it is the key, and two whether it is not
// above.
func walk(n int) int {
	levels := 0
	for least := 1; least <= n; least = (least+1)*degree - 1 {
		levels++
	}
	const node = 2*degree - 1
	return levels * (bits.Len(node) + 3)
}

// Bytes is [impls.Sizer]: exact for the slices; for the trees an estimate, as
// the library hides its nodes. Those by final ID are filled in order and half
// full once they are split; the others, filled at random, are two thirds full.
func (t *Table) Bytes() int64 {
	return t.Lists.Bytes() +
		2*int64(t.trees.byFinal.Len())*int64(unsafe.Sizeof(finalItem{})) +
		3*int64(t.trees.byGen.Len())*int64(unsafe.Sizeof(genItem{}))/2 +
		3*int64(t.trees.byID.Len())*int64(unsafe.Sizeof(idItem{}))/2
}

// CheckInvariants is [impls.Invarianter].
func (t *Table) CheckInvariants() error {
	if err := t.Lists.CheckInvariants(); err != nil {
		return err
	}
	x := &t.trees
	if x.byID.Len() != t.SessionCount() || x.byFinal.Len() != t.ClusterCount() || x.byGen.Len() != t.ClusterCount() {
		return fmt.Errorf("%d sessions and %d clusters, in the trees %d, %d and %d",
			t.SessionCount(), t.ClusterCount(), x.byID.Len(), x.byFinal.Len(), x.byGen.Len())
	}
	for s := range impls.Session(t.SessionCount()) {
		if item, _ := x.byID.Get(idItem{id: t.SessionID(s)}); item.session != s {
			return fmt.Errorf("session %d is in the tree as %d", s, item.session)
		}
	}
	for i := range int32(t.ClusterCount()) {
		c := t.Cluster(i)
		if item, _ := x.byFinal.Get(finalItem{base: c.BaseFinal}); item.cluster != i {
			return fmt.Errorf("cluster %d is in the tree by final ID as %d", i, item.cluster)
		}
		if item, _ := x.byGen.Get(genItem{session: c.Session, gen: c.BaseGen}); item.cluster != i {
			return fmt.Errorf("cluster %d is in the tree by generation count as %d", i, item.cluster)
		}
	}
	return nil
}

var (
	_ impls.Sizer       = (*Table)(nil)
	_ impls.Prober      = (*Table)(nil)
	_ impls.Invarianter = (*Table)(nil)
	_ impls.Sizer       = (*Normalizer)(nil)
	_ impls.Invarianter = (*Normalizer)(nil)
)
