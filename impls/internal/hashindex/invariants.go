package hashindex

import (
	"fmt"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// CheckInvariants is [impls.Invarianter].
func (t *Table) CheckInvariants() error {
	if err := t.Lists.CheckInvariants(); err != nil {
		return err
	}
	if err := t.chains.check(); err != nil {
		return err
	}
	if err := t.checkClusters(); err != nil {
		return err
	}
	if err := t.uuids.check(); err != nil {
		return err
	}
	for s := range impls.Session(t.SessionCount()) {
		if got, ok := t.LookupSession(t.SessionID(s)); !ok || got != s {
			return fmt.Errorf("session %d is found as %d, %v", s, got, ok)
		}
	}
	return nil
}

// checkClusters looks for clusters that are not found, or not in their chain,
// and for entries that lead nowhere.
func (t *Table) checkClusters() error {
	if len(t.chains.of) != t.SessionCount() {
		return fmt.Errorf("%d sessions have %d chains", t.SessionCount(), len(t.chains.of))
	}
	finals, gens := 0, 0
	var last int64
	reached := make([]int, t.SessionCount()) // clusters so far of each chain
	for i := range int32(t.ClusterCount()) {
		c := t.Cluster(i)
		if t.containing(c.BaseFinal) != c {
			return fmt.Errorf("cluster %d is not found by its base final ID", i)
		}
		chain := t.chains.get(c.Session)
		if at := reached[c.Session]; at >= len(chain) || chain[at] != i {
			return fmt.Errorf("cluster %d is not at %d in the chain of session %d", i, at, c.Session)
		}
		if p := t.ByGen(c.Session, c.BaseGen); p.Final != c.BaseFinal {
			return fmt.Errorf("cluster %d is not found by its base generation count", i)
		}
		reached[c.Session]++
		if _, ok := t.finals.entry(0, last, c.BaseFinal); ok {
			finals++
		}
		last = c.BaseFinal
	}
	for s := range impls.Session(t.SessionCount()) {
		if n := len(t.chains.get(s)); n != reached[s] {
			return fmt.Errorf("session %d has %d clusters, and %d in its chain", s, reached[s], n)
		}
		t.indexChain(s, func(uint64, int32) { gens++ })
	}
	if f, g := t.finals.m.Len(), t.gens.m.Len(); f != finals || g != gens {
		return fmt.Errorf("there are %d entries by final ID and %d by generation count, want %d and %d", f, g, finals, gens)
	}
	return nil
}

// check looks for leaves that are out of order and nodes that name the wrong leaf.
func (x *trie) check() error {
	if len(x.leaves) == 0 {
		return nil
	}
	w := walk{trie: x, last: -1}
	if _, _, err := w.node(numericuuid.UUID{}, 0); err != nil {
		return err
	}
	if w.leaves != len(x.leaves) || w.nodes != x.m.Len() || w.depths != x.depths || x.leaves[w.last].next >= 0 {
		return fmt.Errorf("from the root there are %d leaves of depths %d, %d nodes and %d at the end, want %d, %d, %d and none",
			w.leaves, w.depths, w.nodes, x.leaves[w.last].next, len(x.leaves), x.depths, x.m.Len())
	}
	return nil
}

// walk passes over all nodes of a trie in order.
type walk struct {
	*trie
	last                  int32 // leaf
	leaves, nodes, depths int
}

// node checks what is below a prefix, which is the first bits of id, and returns
// the first and the last leaf there.
func (w *walk) node(id numericuuid.UUID, depth int) (first, last int32, err error) {
	v, ok := w.m.Get(prefixOf(id, depth))
	if !ok {
		return 0, 0, fmt.Errorf("%v/%d is missing", id, depth)
	}
	w.nodes++
	if v >= 0 {
		return v, v, w.leaf(v, id, depth)
	}
	zeros, ones := id, withBit(id, depth)
	if v == forked {
		if first, _, err = w.node(zeros, depth+1); err != nil {
			return 0, 0, err
		}
		_, last, err = w.node(ones, depth+1)
		return first, last, err
	}
	_, hasZeros := w.m.Get(prefixOf(zeros, depth+1))
	if hasZeros {
		first, last, err = w.node(zeros, depth+1)
	} else {
		first, last, err = w.node(ones, depth+1)
	}
	beside := first
	if hasZeros {
		beside = last
	}
	if err == nil && skewed(v) != beside {
		err = fmt.Errorf("%v/%d names leaf %d, want %d", id, depth, skewed(v), beside)
	}
	return first, last, err
}

func (w *walk) leaf(v int32, id numericuuid.UUID, depth int) error {
	l := &w.trie.leaves[v]
	if l.n == 0 || l.n > leafSize || int(l.depth) != depth || depth > w.deepest {
		return fmt.Errorf("leaf %d at %v/%d has %d sessions and a prefix of %d", v, id, depth, l.n, l.depth)
	}
	if l.prev != w.last || w.last >= 0 && w.trie.leaves[w.last].next != v {
		return fmt.Errorf("leaf %d follows %d, and is linked to %d", v, w.last, l.prev)
	}
	for i, other := range l.ids[:l.n] {
		if prefixOf(other, depth) != prefixOf(id, depth) || i > 0 && !l.ids[i-1].Less(other) {
			return fmt.Errorf("leaf %d at %v/%d has %v at %d", v, id, depth, other, i)
		}
	}
	w.last = v
	w.leaves++
	w.depths += depth
	return nil
}

// withBit sets the bit that follows the first n.
func withBit(id numericuuid.UUID, n int) numericuuid.UUID {
	if n < uuidBits-64 {
		id.Hi |= 1 << (uuidBits - 65 - n)
	} else {
		id.Lo |= 1 << (uuidBits - 1 - n)
	}
	return id
}
