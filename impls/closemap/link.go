package closemap

import "math/bits"

// A link names an entry by its index and carries a little of what a search would
// otherwise have to fetch that entry for. Where the table has 2^k entries:
//
//	bit 31     linked  this is a link at all; zero is the end of a chain
//	bit 30     more    the entry's own chain may go on
//	bits k–29  tag     these bits of the upper half of the key's hash
//	bits 0–k-1         the entry's index
//
// The tag is as wide as the index leaves room for: 28 bits in the smallest
// table, 10 at a million entries, none at 2^30. The more bit may stay set when
// the entry behind it has been deleted; it is never clear when there is one.
type link uint32

const (
	linked  link = 1 << 31
	more    link = 1 << 30
	payload link = more - 1

	// dead stands in the chain field of a deleted entry. It is no link, since
	// it is not linked, and not the end of a chain, since it is not zero.
	dead link = 1
)

// A probe is what the link to a key's entry looks like, as far as its hash and
// the size of the table tell: twice, for two links at a time.
type probe struct{ want, care uint64 }

// careFor returns the bits of links that a probe of a table of the given
// capacity compares.
func careFor(capacity int) uint64 { return twice(linked | payload&^link(capacity-1)) }

// newProbe returns the probe for a key of hash h.
func newProbe(h, care uint64) probe { return probe{twice(link(h>>32) | linked), care} }

func twice(l link) uint64 { return uint64(l) * (1<<32 + 1) }

func pair(l, r link) uint64 { return uint64(l) | uint64(r)<<32 }

// matches reports whether l can lead to the key. It is false for the end of a chain.
func (p probe) matches(l link) bool { return (l^link(p.want))&link(p.care) == 0 }

// to returns a link to entry i, which has the probe's key and no chain.
func (p probe) to(i int) link { return link(p.want&p.care) | link(i) }

// A bucket has four heads for the two entries it is made for, in half of what a
// pointer each would take. An entry has any head to itself while one is free.
// What comes when none is goes into the chain of its home, one of the four by
// its hash; so a search looks at four links that lie side by side, and in
// nineteen of twenty buckets there is nothing more to follow.
type bucket [4]link

// home returns which of a bucket's chains a key of hash h overflows to. The
// bits are used neither for the bucket's number nor for the tag.
func home(h uint64) uint { return uint(h >> 62) }

// A choice is a set of heads of one bucket: head n is bit 30 + n/2 + n%2*32. It
// is computed without a branch, for which head is the one cannot be predicted.
type choice uint64

// tops are the uppermost bits of the halves.
const tops = 1<<63 | 1<<31

// matching returns the heads that can lead to p's key.
func (b *bucket) matching(p probe) choice {
	l := (pair(b[0], b[1]) ^ p.want) & p.care
	r := (pair(b[2], b[3]) ^ p.want) & p.care
	// A half is 0 or, since care leaves out the index, 4 and more: the borrow
	// of the lower one can't make the upper one look like 0.
	const ones = 1<<32 | 1
	return choice((l-ones)&^l&tops>>1 | (r-ones)&^r&tops)
}

// free returns the heads without an entry.
func (b *bucket) free() choice {
	return choice(^pair(b[0], b[1])&tops>>1 | ^pair(b[2], b[3])&tops)
}

// first returns the first head of a choice that is not empty.
func (c choice) first() uint {
	n := uint(bits.TrailingZeros64(uint64(c)))
	return (n>>5 | n<<1) & 3
}
