package btreetidwall

import (
	"fmt"
	"math/bits"
	"unsafe"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
	"github.com/tidwall/btree"
)

// mirror are trees like the table's that count their comparisons: a Map has no
// function to count in, and in that of a BTreeG it would cost every lookup. The
// library's two trees are the same code twice; keys are only ever added, so that
// the same keys in the same order make trees of the same shape.
type mirror struct {
	byID               *btree.BTreeG[impls.NamedSession]
	byFinal            *btree.BTreeG[finalItem]
	byGen              *btree.BTreeG[genItem]
	sessions, clusters int // mirrored so far
	steps              int
}

type finalItem struct {
	base    int64
	cluster int32
}

// mirrored brings the mirror up to date and sets its steps to 0.
func (t *Table) mirrored() *mirror {
	m := &t.mirror
	if m.byID == nil {
		m.byID = newTree(counted(lessID, &m.steps))
		m.byFinal = newTree(counted(func(a, b finalItem) bool { return a.base < b.base }, &m.steps))
		m.byGen = newTree(counted(lessGen, &m.steps))
	}
	if m.sessions < t.loaded.sessions {
		ids := make([]numericuuid.UUID, t.loaded.sessions)
		for s := range ids {
			ids[s] = t.SessionID(impls.Session(s))
		}
		sorted, _, _ := impls.ByUUID(ids) // all different
		fill(m.byID, sorted)
		fill(m.byGen, t.sortedChains(t.loaded.clusters))
		m.sessions = t.loaded.sessions
	}
	for ; m.sessions < t.SessionCount(); m.sessions++ {
		s := impls.Session(m.sessions)
		m.byID.Set(impls.NamedSession{ID: t.SessionID(s), Session: s})
	}
	for ; m.clusters < t.ClusterCount(); m.clusters++ {
		at := int32(m.clusters)
		c := t.Cluster(at)
		m.byFinal.Load(finalItem{c.BaseFinal, at})
		if m.clusters >= t.loaded.clusters {
			m.byGen.Set(genItem{c.Session, at, c.BaseGen})
		}
	}
	m.steps = 0
	return m
}

func counted[T any](less func(a, b T) bool, count *int) func(a, b T) bool {
	return func(a, b T) bool {
		*count++
		return less(a, b)
	}
}

// ProbeFinal is [impls.Prober]: the comparisons. The first probe after an
// addition builds what is missing of a second set of trees, which the table
// keeps and Bytes does not count.
func (t *Table) ProbeFinal(final int64) int {
	m := t.mirrored()
	m.byFinal.Descend(finalItem{base: final}, func(finalItem) bool { return false })
	return m.steps
}

// ProbeStableID is [impls.Prober].
func (t *Table) ProbeStableID(id numericuuid.UUID) int {
	m := t.mirrored()
	if item, ok := nearest(m.byID, id); ok {
		if offset, ok := id.Sub(item.ID); ok && offset < impls.MaxID {
			atGen(m.byGen, item.Session, int64(offset)+1)
		}
	}
	return m.steps
}

// ProbeBound is [impls.Prober].
func (t *Table) ProbeBound() int { return walk(t.SessionCount()) + walk(t.ClusterCount()) }

// walk returns the greatest number of comparisons of a walk through a tree of
// n items. A node but the root has at least degree-1 items, so that h levels
// hold at least 2 degree^(h-1) - 1. In each, a binary search looks for the
// item, and another comparison whether it is the key.
func walk(n int) int {
	levels := 0
	for least := 1; least <= n; least = (least+1)*degree - 1 {
		levels++
	}
	const node = 2*degree - 1
	return levels * (bits.Len(node) + 1)
}

// Bytes is [impls.Sizer]: exact for the slices; for the trees an estimate, as
// the library hides its nodes. Those that are filled in order are half full once
// they are split, at random two thirds full; and the halves of a split node share
// its array until the greater one has grown out of it.
func (t *Table) Bytes() int64 {
	return t.Lists.Bytes() +
		2*int64(t.byFinal.Len())*int64(unsafe.Sizeof(finalItem{})) +
		2*int64(t.byGen.Len())*int64(unsafe.Sizeof(genItem{})) +
		2*int64(t.byID.Len())*int64(unsafe.Sizeof(impls.NamedSession{}))
}

// CheckInvariants is [impls.Invarianter].
func (t *Table) CheckInvariants() error {
	if err := t.Lists.CheckInvariants(); err != nil {
		return err
	}
	if t.byID.Len() != t.SessionCount() || t.byFinal.Len() != t.ClusterCount() || t.byGen.Len() != t.ClusterCount() {
		return fmt.Errorf("%d sessions and %d clusters, in the trees %d, %d and %d",
			t.SessionCount(), t.ClusterCount(), t.byID.Len(), t.byFinal.Len(), t.byGen.Len())
	}
	for s := range impls.Session(t.SessionCount()) {
		if item, _ := t.byID.Get(impls.NamedSession{ID: t.SessionID(s)}); item.Session != s {
			return fmt.Errorf("session %d is in the tree as %d", s, item.Session)
		}
	}
	for i := range int32(t.ClusterCount()) {
		c := t.Cluster(i)
		if at, _ := t.byFinal.Get(c.BaseFinal); at != i {
			return fmt.Errorf("cluster %d is in the tree by final ID as %d", i, at)
		}
		if item, _ := t.byGen.Get(genItem{session: c.Session, gen: c.BaseGen}); item.cluster != i {
			return fmt.Errorf("cluster %d is in the tree by generation count as %d", i, item.cluster)
		}
	}
	return nil
}

var (
	_ impls.BulkLoader  = (*Table)(nil)
	_ impls.Sizer       = (*Table)(nil)
	_ impls.Prober      = (*Table)(nil)
	_ impls.Invarianter = (*Table)(nil)
	_ impls.Sizer       = (*Normalizer)(nil)
	_ impls.Invarianter = (*Normalizer)(nil)
)
