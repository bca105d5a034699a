package paged

import (
	"iter"
	"slices"
	"unsafe"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// crowds holds the sessions of buckets that have more than a line takes:
// chance ones, one bucket in 350 at full load, and hostile ones, whose
// UUIDs share their upper bits. Each crowd is a B+ tree; all have their nodes
// in one slice and are named by their root's position in it.
type crowds struct {
	nodes    []node
	released []uint32
}

const fanout = 16

// node is a leaf, whose kids are sessions, or an inner node, whose kids are
// nodes. keys[i] is the UUID of the kid or the least one in it.
type node struct {
	keys [fanout]numericuuid.UUID
	kids [fanout]uint32
	n    uint8
	leaf bool
}

// upTo returns how many keys of the node are at or below id.
func (n *node) upTo(id numericuuid.UUID) int {
	at := 0
	for at < int(n.n) && !id.Less(n.keys[at]) {
		at++
	}
	return at
}

func (n *node) insert(at int, key numericuuid.UUID, kid uint32) {
	copy(n.keys[at+1:], n.keys[at:n.n])
	copy(n.kids[at+1:], n.kids[at:n.n])
	n.keys[at], n.kids[at] = key, kid
	n.n++
}

func (c *crowds) newNode(leaf bool) uint32 {
	if k := len(c.released); k > 0 {
		i := c.released[k-1]
		c.released = c.released[:k-1]
		c.nodes[i] = node{leaf: leaf}
		return i
	}
	c.nodes = append(c.nodes, node{leaf: leaf})
	return uint32(len(c.nodes) - 1)
}

// newRoot makes a crowd of the sessions of a bucket.
func (c *crowds) newRoot(sessions []session, of []int32) uint32 {
	root := c.newNode(true)
	n := &c.nodes[root]
	for i, s := range of {
		n.insert(i, sessions[s].id, uint32(s))
	}
	return root
}

// insert adds a session to a crowd and returns its root, which may be another.
func (c *crowds) insert(root uint32, id numericuuid.UUID, s impls.Session) uint32 {
	if c.nodes[root].n == fanout {
		top := c.newNode(false)
		c.nodes[top].insert(0, c.nodes[root].keys[0], root)
		c.splitKid(top, 0)
		root = top
	}
	// Full nodes are split on the way down, so that a kid's split has room.
	for i := root; ; {
		n := &c.nodes[i]
		at := n.upTo(id)
		if n.leaf {
			n.insert(at, id, uint32(s))
			return root
		}
		if at == 0 {
			n.keys[0] = id
		} else {
			at--
		}
		if c.nodes[n.kids[at]].n == fanout {
			c.splitKid(i, at)
			n = &c.nodes[i] // the slice may have moved
			if !id.Less(n.keys[at+1]) {
				at++
			}
		}
		i = n.kids[at]
	}
}

// splitKid moves half of a full kid to a new one beside it.
func (c *crowds) splitKid(parent uint32, at int) {
	left := c.nodes[parent].kids[at]
	right := c.newNode(c.nodes[left].leaf)
	l, r := &c.nodes[left], &c.nodes[right]
	r.n = uint8(copy(r.keys[:], l.keys[fanout/2:]))
	copy(r.kids[:], l.kids[fanout/2:])
	l.n = fanout / 2
	c.nodes[parent].insert(at+1, r.keys[0], right)
}

func (c *crowds) nearest(root uint32, id numericuuid.UUID) (impls.Session, bool) {
	for {
		n := &c.nodes[root]
		at := n.upTo(id)
		if at == 0 {
			return 0, false
		}
		if root = n.kids[at-1]; n.leaf {
			return impls.Session(root), true
		}
	}
}

func (c *crowds) least(root uint32) impls.Session {
	for {
		n := &c.nodes[root]
		if root = n.kids[0]; n.leaf {
			return impls.Session(root)
		}
	}
}

func (c *crowds) greatest(root uint32) impls.Session {
	for {
		n := &c.nodes[root]
		if root = n.kids[n.n-1]; n.leaf {
			return impls.Session(root)
		}
	}
}

// release gives a crowd's nodes back and yields its sessions in order.
func (c *crowds) release(root uint32) iter.Seq[impls.Session] {
	var sessions []impls.Session
	c.walk(root, func(s impls.Session) { sessions = append(sessions, s) }, func(node uint32) {
		c.released = append(c.released, node)
	})
	return slices.Values(sessions)
}

// walk calls visit for the sessions of a crowd in order, and leave for every
// node after those below it.
func (c *crowds) walk(root uint32, visit func(impls.Session), leave func(node uint32)) {
	n := c.nodes[root]
	for _, kid := range n.kids[:n.n] {
		if n.leaf {
			visit(impls.Session(kid))
		} else {
			c.walk(kid, visit, leave)
		}
	}
	leave(root)
}

func (c *crowds) bytes() int64 {
	return int64(cap(c.nodes))*int64(unsafe.Sizeof(node{})) + int64(cap(c.released))*4
}
