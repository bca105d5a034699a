package paged

import (
	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

const (
	maxShift = 9  // a slot has at most 512 IDs, since meta has 10 bits for a place in it
	most     = 4  // slots or pages of a region or chain that a cluster may have, and 1 more
	crowded  = 32 // records of a slot at which a region with narrower slots is begun
)

// space is the page table over final IDs.
type space struct {
	main struct { // the part of a paged region that lookups try first
		base   int64
		size   uint64 // final IDs
		slot   int    // its first
		shift  uint8
		mask   uint32 // width of a slot - 1
		region int
	}
	regions []region
	slots   []slot
	lists   []list
	records []record
	limit   int64 // the first final ID after the last cluster
}

// slot is 24 bytes that answer for 1<<shift final IDs.
type slot struct {
	base    numericuuid.UUID // of the cluster at the slot's first ID; UUID = base + final
	session impls.Session    // its session
	meta    meta
}

// meta tells which IDs of a slot are whose and finalized:
//
//	bits  0-9   split: where the second cluster starts, or the slot's width
//	bits 10-19  bound: the first ID of the first cluster that is not finalized
//	bits 20-29  the same of the second cluster
//	bit  30     the first cluster starts at the slot's first ID
//	bit  31     spilled: bits 0-29 are the position of the slot's list instead
//
// all of them counted from the slot's first ID.
type meta uint32

const (
	begins meta = 1 << 30
	spill  meta = 1 << 31
)

func (m meta) spilled() bool { return int32(m) < 0 }
func (m meta) split() uint32 { return uint32(m & 1023) }
func (m meta) list() int     { return int(m & (1<<30 - 1)) }

// second is 1 if the second cluster has the ID, else 0.
func (m meta) second(at uint32) uint32 { return (m.split() - 1 - at) >> 31 }

// bound returns the bound of the first cluster or, for 1, the second.
func (m meta) bound(second uint32) uint32 { return uint32(m>>((10+10*second)&31)) & 1023 }

func (m *meta) setBound(second, bound uint32) {
	shift := 10 + 10*second
	*m = *m&^(1023<<shift) | meta(bound<<shift)
}

// region is a stretch of final IDs with slots of one width, up to the next
// region's base; or a single wide cluster.
type region struct {
	base  int64
	slot  uint32 // of its first slot, or of the wide cluster's record
	shift uint8  // or wide
}

const wide = 64

// list is where the records of a spilled slot are: all clusters that have IDs
// of it, in order.
type list struct{ first, n uint32 }

// record is a cluster of a list, or a wide one.
type record struct {
	start, bound int64 // the first final ID, and the first that is not finalized
	base         numericuuid.UUID
	session      impls.Session
}

// holder is what the page table knows of the cluster that has a final ID.
type holder struct {
	base    numericuuid.UUID
	session impls.Session
	bound   int64 // first ID not finalized, or the end of the slot if that comes first
}

// gen returns the generation count of a final ID of h, whose session's UUID is
// id. UUIDs of a session differ by less than 2^53, so the low half tells.
func (h *holder) gen(id numericuuid.UUID, final int64) int64 {
	return int64(h.base.Lo+uint64(final)-id.Lo) + 1
}

// baseOf returns the UUID of a cluster's first ID minus that ID, modulo 2^128:
// what the slots of all its IDs hold.
func baseOf(c *impls.Cluster, id numericuuid.UUID) numericuuid.UUID {
	d := c.BaseGen - 1 - c.BaseFinal
	return id.AddDiff(d>>63, uint64(d))
}

// upTo is -1 where a <= b and else 0, for the binary searches: half & upTo(..)
// is a step without a branch. a must not be below b by 2^63 or more.
func upTo(a, b int64) int { return int((a - b - 1) >> 63) }

// regionOf returns the number of the region that has a final ID.
func (p *space) regionOf(final int64) int {
	lo := 0
	for n := len(p.regions); n > 1; {
		half := n / 2
		lo += half & upTo(p.regions[lo+half].base, final)
		n -= half
	}
	return lo
}

// find returns the holder of any final ID, and false if it is in no cluster.
func (p *space) find(final int64) (holder, bool) {
	if uint64(final) >= uint64(p.limit) {
		return holder{}, false
	}
	var r region
	if uint64(final-p.main.base) < p.main.size {
		r = p.regions[p.main.region]
	} else {
		r = p.regions[p.regionOf(final)]
	}
	if r.shift == wide {
		return p.records[r.slot].holder(), true
	}
	offset := uint64(final - r.base)
	i := int(r.slot) + int(offset>>r.shift)
	at := uint32(offset) & (1<<r.shift - 1)
	s := &p.slots[i]
	if s.meta.spilled() {
		h := p.recordOf(s, final).holder()
		h.bound = min(h.bound, final-int64(at)+1<<r.shift) // the next slot has its own
		return h, true
	}
	second := s.meta.second(at)
	bound := final - int64(at) + int64(s.meta.bound(second))
	s = &p.slots[i+int(second)]
	return holder{base: s.base, session: s.session, bound: bound}, true
}

func (r *record) holder() holder { return holder{base: r.base, session: r.session, bound: r.bound} }

// recordOf returns the record of a final ID in a spilled slot.
func (p *space) recordOf(s *slot, final int64) *record {
	rs := p.recordsOf(s)
	lo := 0
	for n := len(rs); n > 1; {
		half := n / 2
		lo += half & upTo(rs[lo+half].start, final)
		n -= half
	}
	return &rs[lo]
}

// recordsOf returns the list of a spilled slot.
func (p *space) recordsOf(s *slot) []record {
	l := p.lists[s.meta.list()]
	return p.records[l.first : l.first+l.n]
}

// endOf returns the first final ID after region n.
func (p *space) endOf(n int) int64 {
	if n+1 < len(p.regions) {
		return p.regions[n+1].base
	}
	return p.limit
}

// stableID is the way for what is spilled, wide or not in the main region.
func (p *space) stableID(final int64) (numericuuid.UUID, bool) {
	h, ok := p.find(final)
	if !ok || final >= h.bound {
		return numericuuid.UUID{}, false
	}
	return h.base.Add(uint64(final)), true
}

// push appends a cluster of the session with that UUID.
func (p *space) push(c *impls.Cluster, id numericuuid.UUID) {
	base := baseOf(c, id)
	r := p.room(c)
	p.limit = c.FinalLimit()
	own := record{start: c.BaseFinal, bound: c.BaseFinal + c.Count, base: base, session: c.Session}
	if r.shift == wide {
		p.records = append(p.records, own)
		return
	}
	width := int64(1) << r.shift
	at := (c.BaseFinal - r.base) & (width - 1)
	begun := len(p.slots)
	if at != 0 {
		if s := &p.slots[begun-1]; !s.meta.spilled() && at+c.Capacity > width {
			s.meta += meta(at - width)
			s.meta.setBound(1, uint32(min(at+c.Count, width)))
		} else {
			p.spill(s, c.BaseFinal-at)
			p.records = append(p.records, own)
			p.lists[s.meta.list()].n++
		}
	}
	p.cover(r, c, base)
	if at == 0 {
		p.slots[begun].meta |= begins
	}
	p.promote()
}

// room returns the region for the next cluster, a new one if its width does
// not suit the last: if the cluster would take too many slots, or if the last
// slot is crowded.
func (p *space) room(c *impls.Cluster) *region {
	if n := len(p.regions); n > 0 {
		r := &p.regions[n-1]
		if fits(r, c.Capacity) && !(p.crowd() && (c.BaseFinal-r.base)&(1<<r.shift-1) != 0) {
			return r
		}
	}
	r := region{base: c.BaseFinal, slot: uint32(len(p.slots)), shift: pageShift(c.Capacity)}
	if c.Capacity>>maxShift > most {
		r.shift, r.slot = wide, uint32(len(p.records))
	}
	p.regions = append(p.regions, r)
	return &p.regions[len(p.regions)-1]
}

// fits reports whether the region may hold, or go on holding, a cluster.
func fits(r *region, capacity int64) bool { return r.shift != wide && capacity>>r.shift <= most }

// crowd reports whether the last slot has as many clusters as it should.
func (p *space) crowd() bool {
	if len(p.slots) == 0 {
		return false
	}
	m := p.slots[len(p.slots)-1].meta
	return m.spilled() && p.lists[m.list()].n >= crowded
}

// cover adds the slots whose first ID is in c, the last cluster, and that are
// not there yet.
func (p *space) cover(r *region, c *impls.Cluster, base numericuuid.UUID) {
	width := int64(1) << r.shift
	for first := r.base + int64(len(p.slots)-int(r.slot))<<r.shift; first < c.FinalLimit(); first += width {
		bound := min(max(c.BaseFinal+c.Count-first, 0), width)
		p.slots = append(reserve(p.slots), slot{base: base, session: c.Session, meta: meta(width) | meta(bound)<<10})
	}
}

// promote makes the last region the main one if it is the larger, or the main
// one as large as it is now.
func (p *space) promote() {
	n := len(p.regions) - 1
	r := &p.regions[n]
	size := uint64(p.limit - r.base)
	if n != p.main.region && size <= p.main.size {
		return
	}
	p.main.base, p.main.size, p.main.slot = r.base, size, int(r.slot)
	p.main.shift, p.main.mask, p.main.region = r.shift, 1<<r.shift-1, n
}

// spill gives a slot, whose first ID is first, a list. The last slot is the
// only one that it can happen to, and one cluster is all that such a slot has:
// a second that does not end in it, which spills, goes on in a slot of its own.
func (p *space) spill(s *slot, first int64) {
	m := s.meta
	if m.spilled() {
		return
	}
	p.lists = append(p.lists, list{first: uint32(len(p.records)), n: 1})
	// Where the cluster truly starts may lie before; only the order matters.
	p.records = append(p.records, record{start: first, bound: first + int64(m.bound(0)), base: s.base, session: s.session})
	s.meta = spill | m&begins | meta(len(p.lists)-1)
}

// grow makes the table's last cluster wider.
func (p *space) grow(c *impls.Cluster, capacity int64, id numericuuid.UUID) {
	wider := *c
	wider.Capacity = capacity
	r := &p.regions[len(p.regions)-1]
	switch {
	case r.shift == wide:
		p.limit = wider.FinalLimit()
	case fits(r, capacity):
		p.limit = wider.FinalLimit()
		p.cover(r, &wider, baseOf(c, id))
		p.promote()
	default:
		p.pop(c)
		p.push(&wider, id)
	}
}

// pop takes the table's last cluster away from a paged region.
func (p *space) pop(c *impls.Cluster) {
	n := len(p.regions) - 1
	r := p.regions[n]
	p.limit = c.BaseFinal
	offset := c.BaseFinal - r.base
	i := int(r.slot) + int(offset>>r.shift)
	if offset&(1<<r.shift-1) == 0 {
		p.slots = p.slots[:i]
	} else {
		p.slots = p.slots[:i+1]
		if m := &p.slots[i].meta; m.spilled() {
			p.lists[m.list()].n--
			p.records = p.records[:len(p.records)-1]
		} else {
			*m = *m&^1023 | 1<<r.shift
			m.setBound(1, 0)
		}
	}
	if n == p.main.region {
		p.main.size = uint64(offset)
	}
	if offset == 0 {
		p.regions = p.regions[:n]
	}
}

// setCount tells the slots between the count that c has and another of that.
func (p *space) setCount(c *impls.Cluster, count int64) {
	n := p.main.region
	if uint64(c.BaseFinal-p.main.base) >= p.main.size {
		n = p.regionOf(c.BaseFinal)
	}
	r := &p.regions[n]
	bound := c.BaseFinal + count
	if r.shift == wide {
		p.records[r.slot].bound = bound
		return
	}
	low, high := min(c.Count, count), min(max(c.Count, count), c.Capacity-1)
	i, last := (c.BaseFinal+low-r.base)>>(r.shift&63), (c.BaseFinal+high-r.base)>>(r.shift&63)
	width := int64(1) << (r.shift & 63)
	for first := r.base + i<<(r.shift&63); i <= last; i, first = i+1, first+width {
		s := &p.slots[int64(r.slot)+i]
		if s.meta.spilled() {
			p.recordOf(s, max(first, c.BaseFinal)).bound = bound
			continue
		}
		second := uint32(uint64(first-c.BaseFinal) >> 63) // it begins inside the slot
		s.meta.setBound(second, uint32(min(max(bound-first, 0), width)))
	}
}
