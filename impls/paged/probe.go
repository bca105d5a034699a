package paged

import (
	"math/bits"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// halvings is what a binary search among n takes: one fewer than its bits.
func halvings(n int) int { return bits.Len(uint(max(n-1, 0))) }

// ProbeFinal is [impls.Prober]: regions and records compared, slots read.
func (t *Table) ProbeFinal(final int64) int {
	p := &t.space
	if uint64(final) >= uint64(p.limit) {
		return 1
	}
	n, r := 1, p.main.region
	if uint64(final-p.main.base) >= p.main.size {
		n, r = 1+halvings(len(p.regions)), p.regionOf(final)
	}
	at := p.regions[r]
	if at.shift == wide {
		return n + 1
	}
	offset := uint64(final - at.base)
	s := &p.slots[int(at.slot)+int(offset>>at.shift)]
	if s.meta.spilled() {
		return n + 1 + halvings(int(p.lists[s.meta.list()].n))
	}
	return n + 1 + int(s.meta.second(uint32(offset)&(1<<at.shift-1)))
}

// finalBound bounds ProbeFinal: a slot's list is never longer than crowded.
func (p *space) finalBound() int { return 3 + halvings(len(p.regions)) + halvings(crowded) }

// ProbeStableID is [impls.Prober]: lines of buckets and sessions read, keys of
// crowds and links compared, pages read.
func (t *Table) ProbeStableID(id numericuuid.UUID) int {
	n := t.radix.probe(t.sessions, id)
	s, ok := t.NearestSession(id)
	if !ok {
		return n
	}
	l := &t.sessions[s]
	offset, ok := id.Sub(l.id)
	if !ok || l.chain >= 0 {
		return n
	}
	return n + t.chains[^l.chain].probe(t, s, offset)
}

func (r *radix) probe(sessions []session, id numericuuid.UUID) int {
	if len(r.buckets) == 0 {
		return 1
	}
	b, n := &r.buckets[min(id.Hi>>r.shift, uint64(len(r.buckets)-1))], 1
	if root, ok := b.root(); ok {
		n += r.crowds.probe(root, id)
		if _, ok := r.crowds.nearest(root, id); ok {
			return n
		}
	} else if below := r.place(sessions, b, id); below > 0 {
		return n + 1 + max(b.upTo(r.tag(id))-below, 0)
	} else {
		n += b.len()
	}
	return n + len(r.used) + 1 // and then the last of a bucket before
}

// probe returns the keys that nearest compares.
func (c *crowds) probe(root uint32, id numericuuid.UUID) int {
	for n := 0; ; {
		x := &c.nodes[root]
		at := x.upTo(id)
		n += min(at+1, int(x.n))
		if at == 0 || x.leaf {
			return n
		}
		root = x.kids[at-1]
	}
}

// bound bounds probe: nodes but roots are at least half full.
func (r *radix) bound(sessions int) int {
	depth := 1 + bits.Len(uint(sessions))/3
	return 1 + ways + len(r.used) + 1 + fanout*depth
}

func (c *chain) probe(t *Table, s impls.Session, offset uint64) int {
	switch p := c.place(s, offset, &t.space); {
	case !p.Found():
		return 1
	case c.listed:
		return 1 + halvings(len(c.list)) + t.ProbeFinal(p.Final)
	}
	return 1 + 2
}

// ProbeBound is [impls.Prober].
func (t *Table) ProbeBound() int {
	b := t.radix.bound(len(t.sessions)) + 1
	if len(t.chains) > 0 {
		b += 2 + halvings(t.clusters)
	}
	return b + t.space.finalBound()
}
