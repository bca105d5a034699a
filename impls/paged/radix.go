package paged

import (
	"math/bits"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// radix finds sessions by UUID: a table of buckets over the upper bits of the
// UUID, in order, so that who comes before whom stays true.
type radix struct {
	buckets []bucket
	shift   uint // 58 - log2(buckets): a bucket's number is id.Hi >> shift
	tagged  uint // a UUID's tag is the low bits of id.Hi >> tagged
	used    bitmap
	crowds  crowds
}

const (
	ways = 10 // sessions of a bucket at the most
	load = 4  // sessions a bucket, on average, at which the table doubles
)

// bucket is a cache line of up to ten sessions in the order of their UUIDs. A
// UUID's tag is 14 bits of it, of which the first three at most also name the
// bucket: so three of four doublings leave the tags alone and need not look
// at the sessions. The tags stand in lanes of 16 bits, of which one
// subtraction compares four.
//
// Where there are more than ten sessions, the tags are empty and the first
// session is the root of a crowd.
type bucket struct {
	tags     [3]uint64 // lanes 0 to 9 used
	sessions [ways]int32
}

const (
	tagBits = 14
	noTag   = 1<<15 - 1                 // above every tag
	lanes   = 1<<48 | 1<<32 | 1<<16 | 1 // times a number: that number in each lane
	vacant  = -1                        // no session; a crowd's root is ^root - 1
)

var emptyBucket = bucket{
	tags:     [3]uint64{noTag * lanes, noTag * lanes, noTag * lanes},
	sessions: [ways]int32{vacant, vacant, vacant, vacant, vacant, vacant, vacant, vacant, vacant, vacant},
}

// upTo returns how many sessions have a tag up to that one.
func (b *bucket) upTo(tag uint64) int {
	// A lane's upper bit stays where its tag is not above.
	q := tag*lanes | lanes<<15
	n := (q-b.tags[0])>>15&lanes + (q-b.tags[1])>>15&lanes + (q-b.tags[2])>>15&lanes
	return int(n * lanes >> 48) // the sum of the lanes
}

func (b *bucket) setTag(lane int, tag uint64) {
	w, at := &b.tags[lane>>2], lane&3*16
	*w = *w&^(0xffff<<at) | tag<<at
}

func (b *bucket) tag(lane int) uint64 { return b.tags[lane>>2] >> (lane & 3 * 16) & 0xffff }

// insert puts a session before the n-th of a bucket that has room.
func (b *bucket) insert(n int, tag uint64, s impls.Session) {
	for lane := ways - 1; lane > n; lane-- {
		b.setTag(lane, b.tag(lane-1))
		b.sessions[lane] = b.sessions[lane-1]
	}
	b.set(n, tag, int32(s))
}

func (b *bucket) set(lane int, tag uint64, s int32) {
	b.setTag(lane, tag)
	b.sessions[lane] = s
}

// len returns the number of sessions, without a crowd's.
func (b *bucket) len() int { return b.upTo(noTag - 1) }

// root returns the crowd that the bucket stands for.
func (b *bucket) root() (uint32, bool) { return uint32(^b.sessions[0] - 1), b.sessions[0] < vacant }

func (b *bucket) setRoot(root uint32) {
	*b = emptyBucket
	b.sessions[0] = ^int32(root + 1)
}

// tag returns the tag of a UUID.
func (r *radix) tag(id numericuuid.UUID) uint64 {
	return id.Hi >> (r.tagged & 63) & (1<<tagBits - 1)
}

// candidate returns the session that is nearest to id if no other has its tag:
// the last of the bucket's sessions with that tag or a lower one. It is the
// nearest if it is not above id.
func (r *radix) candidate(id numericuuid.UUID) (impls.Session, bool) {
	i := id.Hi >> (r.shift & 63)
	if i >= uint64(len(r.buckets)) {
		return 0, false
	}
	b := &r.buckets[i]
	n := uint(b.upTo(r.tag(id)) - 1)
	if n >= ways {
		return 0, false
	}
	return impls.Session(b.sessions[n]), true
}

// nearest returns the session with the greatest UUID at or below id.
func (r *radix) nearest(sessions []session, id numericuuid.UUID) (impls.Session, bool) {
	if len(r.buckets) == 0 {
		return 0, false
	}
	i := int(min(id.Hi>>r.shift, uint64(len(r.buckets)-1))) // id may be beyond the last UUID
	b := &r.buckets[i]
	if root, ok := b.root(); ok {
		if s, ok := r.crowds.nearest(root, id); ok {
			return s, true
		}
	}
	if n := r.place(sessions, b, id); n > 0 {
		return impls.Session(b.sessions[n-1]), true
	}
	if i, ok := r.used.before(i); ok {
		return r.greatest(&r.buckets[i]), true
	}
	return 0, false
}

// place returns how many of the bucket's sessions are at or below id.
func (r *radix) place(sessions []session, b *bucket, id numericuuid.UUID) int {
	n := b.len()
	if id.Valid() {
		n = b.upTo(r.tag(id))
	}
	for n > 0 && id.Less(sessions[b.sessions[n-1]].id) {
		n--
	}
	return n
}

// greatest returns the last session of a bucket that is not empty.
func (r *radix) greatest(b *bucket) impls.Session {
	if root, ok := b.root(); ok {
		return r.crowds.greatest(root)
	}
	return impls.Session(b.sessions[b.len()-1])
}

// insert adds session s. If another has its UUID, it returns that one and
// false, and nothing has changed.
func (r *radix) insert(sessions []session, s impls.Session) (impls.Session, bool) {
	if len(sessions) > load*len(r.buckets) {
		r.double(sessions[:s])
	}
	id := sessions[s].id
	i := int(id.Hi >> r.shift)
	b := &r.buckets[i]
	root, ok := b.root()
	if ok {
		if e, ok := r.crowds.nearest(root, id); ok && sessions[e].id == id {
			return e, false
		}
	} else {
		at := r.place(sessions, b, id)
		if at > 0 {
			if e := impls.Session(b.sessions[at-1]); sessions[e].id == id {
				return e, false
			}
		}
		r.used.set(i)
		if b.len() < ways {
			b.insert(at, r.tag(id), s)
			return s, true
		}
		root = r.crowds.newRoot(sessions, b.sessions[:])
	}
	b.setRoot(r.crowds.insert(root, id, s))
	return s, true
}

// double makes twice as many buckets: those of a bucket go to two neighbours.
func (r *radix) double(sessions []session) {
	old, tagged := r.buckets, r.tagged
	if len(old) == 0 {
		r.resize(1)
		return
	}
	r.resize(2 * len(old))
	for i := range old {
		r.split(sessions, &old[i], i, r.tagged == tagged)
	}
}

// resize empties the table and gives it n buckets, a power of two.
func (r *radix) resize(n int) {
	r.buckets = alloc[bucket](n)[:n]
	for i := range r.buckets {
		r.buckets[i] = emptyBucket
	}
	log := uint(bits.TrailingZeros(uint(n)))
	r.shift, r.tagged = 58-log, 58-tagBits-log&^3
	r.used = newBitmap(n)
}

// split distributes bucket i of the table before over two of this one.
func (r *radix) split(sessions []session, b *bucket, i int, sameTags bool) {
	if root, ok := b.root(); ok {
		half := func(s impls.Session) int { return int(sessions[s].id.Hi >> r.shift & 1) }
		if h := half(r.crowds.least(root)); h == half(r.crowds.greatest(root)) {
			r.buckets[2*i+h] = *b // those who only crowd stay as they are
			r.used.set(2*i + h)
			return
		}
		for s := range r.crowds.release(root) {
			r.insert(sessions, s)
		}
		return
	}
	var n [2]int
	for lane, s := range b.sessions[:b.len()] {
		tag := b.tag(lane)
		h := int(tag >> ((r.shift - r.tagged) & 63) & 1)
		if !sameTags {
			id := sessions[s].id
			h, tag = int(id.Hi>>r.shift&1), r.tag(id)
		}
		r.buckets[2*i+h].set(n[h], tag, s)
		n[h]++
	}
	for h := range n {
		if n[h] > 0 {
			r.used.set(2*i + h)
		}
	}
}

func (r *radix) bytes() int64 {
	return int64(cap(r.buckets))*64 + r.used.bytes() + r.crowds.bytes()
}
