package compact

import "math/bits"

// owners is how many clusters each session has yet to be named for, while the
// owners of clusters are coded one after the other. The counts are known to
// both sides, so an owner has the share of its own count: in all a sequence
// costs the logarithm of how many there are with these counts.
//
// Sessions that were not named yet have one common share, since which of them
// comes next mostly goes without saying: the order of the session table is
// that in which a compressor first saw them. The others lie in a Fenwick tree
// (1994), which finds a count's share, and the owner of a share, in
// log2(sessions) steps.
type owners struct {
	left   []uint32 // by session
	seen   []bool
	tree   []uint32 // sums of left over the sessions seen, 1-based; its length is a power of two
	unseen uint64   // sum of left over the others
	total  uint64
	// The session that is most likely the next new one: the first one with
	// clusters after the greatest one seen.
	expected int
}

func newOwners(counts []uint32) *owners {
	o := &owners{left: counts, seen: make([]bool, len(counts)), tree: make([]uint32, 1<<bits.Len(uint(len(counts))))}
	for _, n := range counts {
		o.unseen += uint64(n)
	}
	o.total = o.unseen
	o.expect(0)
	return o
}

func (o *owners) add(s int, n uint32) {
	for i := s + 1; i < len(o.tree); i += i & -i {
		o.tree[i] += n // n may be a negative number in two's complement
	}
}

// before returns the sum of left over the sessions seen below s.
func (o *owners) before(s int) (sum uint64) {
	for i := s; i > 0; i -= i & -i {
		sum += uint64(o.tree[i])
	}
	return sum
}

// take finds the session seen whose share holds v, and where that begins, and
// takes one cluster off its share. The nodes above a session are just those
// whose sums v is below on the way down. It has no branch to be predicted but
// the loop's: which way v goes is random.
func (o *owners) take(v uint64) (s int, from uint64) {
	tree, rest := o.tree, int64(v)
	for step := len(tree) / 2; step > 0; step /= 2 {
		node := &tree[s+step]
		sum := int64(*node)
		below := (rest - sum) >> 63 // -1 if so, else 0
		*node += uint32(below)
		rest -= sum &^ below
		s += step &^ int(below)
	}
	return s, v - uint64(rest)
}

// name takes one cluster off s.
func (o *owners) name(s int) {
	if o.seen[s] {
		o.add(s, ^uint32(0))
		o.left[s]--
		o.total--
	} else {
		o.nameNew(s)
	}
}

// nameNew takes one cluster off s, which was not seen before.
func (o *owners) nameNew(s int) {
	o.seen[s] = true
	o.unseen -= uint64(o.left[s])
	o.left[s]--
	o.total--
	o.add(s, o.left[s])
	if s >= o.expected {
		o.expect(s + 1)
	}
}

// expect looks for the next new session from next on. In all it takes one
// step a session.
func (o *owners) expect(next int) {
	for next < len(o.left) && o.left[next] == 0 {
		next++ // it has no clusters, and is never named
	}
	o.expected = next
}

func (e *encoder) owner(s int, o *owners, asExpected *bitModel) {
	if o.seen[s] {
		e.share(o.unseen+o.before(s), uint64(o.left[s]), o.total)
	} else {
		e.share(0, o.unseen, o.total)
		e.bit(s != o.expected, asExpected)
		if s != o.expected {
			e.share(uint64(s), 1, uint64(len(o.left)))
		}
	}
	o.name(s)
}

// owner decodes an owner; false if it is one that has no cluster left.
func (d *decoder) owner(o *owners, asExpected *bitModel) (int, bool) {
	v := d.value(o.total)
	if v >= o.unseen {
		s, from := o.take(v - o.unseen)
		d.take(o.unseen+from, uint64(o.left[s]), o.total)
		o.left[s]--
		o.total--
		return s, true
	}
	d.take(0, o.unseen, o.total)
	s := o.expected
	if d.bit(asExpected) {
		n := uint64(len(o.left))
		s = int(d.value(n))
		d.take(uint64(s), 1, n)
	}
	if s >= len(o.left) || o.seen[s] || o.left[s] == 0 {
		return s, false
	}
	o.nameNew(s)
	return s, true
}
