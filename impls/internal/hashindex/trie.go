package hashindex

import (
	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// trie finds sessions by UUID: an x-fast trie over leaves of up to leafSize.
//
// A node is a prefix that has an entry in the map. Its value says what it is: the
// leaf of that prefix; or forked, when UUIDs go on with both bits; or skewed,
// when they go on with one only, which names the leaf next to the gap: the last
// leaf below the node if ones are missing, the first if zeros are.
type trie struct {
	m      Map[Prefix]
	leaves []leaf

	deepest int // length of the longest prefix of a leaf
	depths  int // the sum of all
	usual   int // the mean one
}

const forked = -1

// skewed returns the value of a node with a gap, and the leaf from such a value.
func skewed(x int32) int32 { return -2 - x }

// descend returns the value of the deepest node on the path of id and its depth.
// The trie is not empty.
func (x *trie) descend(id numericuuid.UUID) (value int32, depth int) {
	low, high := -1, x.deepest+1 // a node at low, none at high
	step := 1
	for at := x.usual; ; step *= 2 {
		v, ok := x.m.Get(prefixOf(id, at))
		switch {
		case ok && v >= 0:
			return v, at
		case ok:
			value, low = v, at
			at += step
		default:
			high = at
			at -= step
		}
		if high-low == 1 {
			return value, low
		}
		if at <= low || at >= high {
			at = int(uint(low+high) / 2)
		}
	}
}

// descendBound is the most lookups of descend: to double a distance to 122 takes
// 7, to halve it as many.
const descendBound = 16

// nearest returns the session of the greatest UUID at or below id, and that UUID.
func (x *trie) nearest(id numericuuid.UUID) (impls.NamedSession, bool) {
	if len(x.leaves) == 0 {
		return impls.NamedSession{}, false
	}
	v, _ := x.descend(id)
	if v < 0 {
		v = skewed(v)
	}
	l := &x.leaves[v]
	at := l.search(id)
	if at == 0 {
		if l.prev < 0 {
			return impls.NamedSession{}, false
		}
		l = &x.leaves[l.prev]
		at = int(l.n)
	}
	at = (at - 1) % leafSize
	return impls.NamedSession{ID: l.ids[at], Session: l.sessions[at]}, true
}

// add adds a session whose UUID is a new one.
func (x *trie) add(id numericuuid.UUID, s impls.Session) {
	if len(x.leaves) == 0 {
		x.newLeaf(-1, -1, id, 0)
	}
	for {
		v, depth := x.descend(id)
		if v < 0 {
			v = x.fork(id, depth, skewed(v))
		}
		if l := &x.leaves[v]; l.n < leafSize {
			l.insert(l.search(id), id, s)
			return
		}
		x.split(v, id)
	}
}

// newLeaf adds an empty leaf for the first bits of id, and links it between two
// others, of which either may be -1, none.
func (x *trie) newLeaf(prev, next int32, id numericuuid.UUID, depth int) int32 {
	v := int32(len(x.leaves))
	if prev >= 0 {
		x.leaves[prev].next = v
	}
	if next >= 0 {
		x.leaves[next].prev = v
	}
	x.leaves = append(x.leaves, leaf{prev: prev, next: next})
	x.place(v, id, depth)
	return v
}

// place sets the prefix of a leaf to the first bits of id.
func (x *trie) place(v int32, id numericuuid.UUID, depth int) {
	l := &x.leaves[v]
	x.depths += depth - int(l.depth)
	l.depth = uint8(depth)
	x.deepest = max(x.deepest, depth)
	x.setUsual()
	x.m.Put(prefixOf(id, depth), v)
}

// setUsual rounds to the nearest, where random UUIDs have most of their leaves:
// 1.2 to 1.5 lookups then find one, up to 1.9 if rounded down.
func (x *trie) setUsual() { x.usual = (x.depths + len(x.leaves)/2) / len(x.leaves) }

// fork makes a leaf for id in the gap of a skewed node, next to the leaf that
// the node names, and returns it.
func (x *trie) fork(id numericuuid.UUID, depth int, beside int32) int32 {
	last := bitOf(id, depth) == 1
	prev, next := x.leaves[beside].prev, beside
	if last {
		prev, next = beside, x.leaves[beside].next
	}
	v := x.newLeaf(prev, next, id, depth+1)
	x.m.Put(prefixOf(id, depth), forked)
	x.extend(id, depth, last, v)
	return v
}

// extend makes v the last leaf below the node at depth, or the first, in the
// nodes above which name that leaf.
func (x *trie) extend(id numericuuid.UUID, depth int, last bool, v int32) {
	outer := uint64(0) // the bit behind which there is no other leaf in that direction
	if last {
		outer = 1
	}
	for depth--; depth >= 0; depth-- {
		if bitOf(id, depth) == outer {
			continue
		}
		p := prefixOf(id, depth)
		if old, _ := x.m.Get(p); old == forked {
			return
		}
		x.m.Put(p, skewed(v))
	}
}

// split splits a full leaf at the first bit in which its UUIDs and another differ,
// and so makes room for that.
func (x *trie) split(low int32, id numericuuid.UUID) {
	l := &x.leaves[low]
	depth, first, last := int(l.depth), l.ids[0], l.ids[leafSize-1]
	if id.Less(first) {
		first = id
	} else if last.Less(id) {
		last = id
	}
	fork := common(first, last)
	high := x.newLeaf(low, l.next, last, fork+1)
	x.place(low, first, fork+1)
	x.leaves[low].moveOnes(fork, &x.leaves[high])
	x.path(first, depth, fork, low, high, x.m.Put)
	x.extend(first, depth, true, high)
}

// path puts the nodes from depth to fork, the last of them forked, where the
// leaves from first to last are all there is below them.
func (x *trie) path(id numericuuid.UUID, depth, fork int, first, last int32, put func(Prefix, int32)) {
	for ; depth < fork; depth++ {
		v := first
		if bitOf(id, depth) == 0 {
			v = last
		}
		put(prefixOf(id, depth), skewed(v))
	}
	put(prefixOf(id, fork), forked)
}
