package compact

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
	tree   []uint32 // sums of left over the sessions seen, 1-based
	unseen uint64   // sum of left over the others
	total  uint64
	newest int // the greatest session seen, -1 if none
}

func newOwners(counts []uint32) *owners {
	o := &owners{left: counts, seen: make([]bool, len(counts)), tree: make([]uint32, len(counts)+1), newest: -1}
	for _, n := range counts {
		o.unseen += uint64(n)
	}
	o.total = o.unseen
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

// find returns the session seen whose share holds v, and where that begins.
func (o *owners) find(v uint64) (s int, from uint64) {
	step := 1
	for step*2 < len(o.tree) {
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if next := s + step; next < len(o.tree) && from+uint64(o.tree[next]) <= v {
			s = next
			from += uint64(o.tree[next])
		}
	}
	return s, from
}

// expected returns the session that is most likely the next new one.
func (o *owners) expected() int {
	next := o.newest + 1
	for next < len(o.left) && o.left[next] == 0 {
		next++ // it has no clusters, and is never named
	}
	return next
}

// name takes one cluster off s.
func (o *owners) name(s int) {
	o.total--
	o.left[s]--
	if o.seen[s] {
		o.add(s, ^uint32(0))
		return
	}
	o.seen[s] = true
	o.unseen -= uint64(o.left[s]) + 1
	o.add(s, o.left[s])
	o.newest = max(o.newest, s)
}

func (e *encoder) owner(s int, o *owners, asExpected *bitModel) {
	if o.seen[s] {
		e.share(o.unseen+o.before(s), uint64(o.left[s]), o.total)
	} else {
		e.share(0, o.unseen, o.total)
		e.bit(s != o.expected(), asExpected)
		if s != o.expected() {
			e.share(uint64(s), 1, uint64(len(o.left)))
		}
	}
	o.name(s)
}

// owner decodes an owner; false if it is one that has no cluster left.
func (d *decoder) owner(o *owners, asExpected *bitModel) (int, bool) {
	v := d.value(o.total)
	if v >= o.unseen {
		s, from := o.find(v - o.unseen)
		d.take(o.unseen+from, uint64(o.left[s]), o.total)
		o.name(s)
		return s, true
	}
	d.take(0, o.unseen, o.total)
	s := o.expected()
	if d.bit(asExpected) {
		n := uint64(len(o.left))
		s = int(d.value(n))
		d.take(uint64(s), 1, n)
	}
	if s >= len(o.left) || o.seen[s] || o.left[s] == 0 {
		return 0, false
	}
	o.name(s)
	return s, true
}
