package hashindex

import (
	"math/bits"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// leafSize is the most sessions of a leaf. At 200,000, leaves of 8 take 15 % more
// bytes a session than those of 16, and those of 32 3 % less, which small tables
// would pay for; lookups differ by less than the noise.
const leafSize = 16

// leaf holds the sessions of a prefix, by UUID: 340 bytes, seven tenths of them
// in use where UUIDs are random.
type leaf struct {
	ids        [leafSize]numericuuid.UUID
	sessions   [leafSize]impls.Session
	prev, next int32 // in the order of UUIDs, or -1
	n          uint8
	depth      uint8 // the length of its prefix in bits
}

// search returns how many UUIDs are at or below id.
func (l *leaf) search(id numericuuid.UUID) int {
	low, high := 0, int(l.n)
	for low < high {
		if middle := int(uint(low+high) / 2); id.Less(l.ids[middle%leafSize]) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// insert puts a session at a position of a leaf that is not full.
func (l *leaf) insert(at int, id numericuuid.UUID, s impls.Session) {
	copy(l.ids[at+1:], l.ids[at:l.n])
	copy(l.sessions[at+1:], l.sessions[at:l.n])
	l.ids[at], l.sessions[at] = id, s
	l.n++
}

// fill sets the sessions of an empty leaf.
func (l *leaf) fill(sorted []impls.NamedSession) {
	for i, e := range sorted {
		l.ids[i], l.sessions[i] = e.ID, e.Session
	}
	l.n = uint8(len(sorted))
}

// moveOnes moves the UUIDs whose bit behind the first n is 1 to an empty leaf.
func (l *leaf) moveOnes(n int, to *leaf) {
	at := 0
	for at < int(l.n) && bitOf(l.ids[at], n) == 0 {
		at++
	}
	copy(to.ids[:], l.ids[at:l.n])
	to.n = uint8(copy(to.sessions[:], l.sessions[at:l.n]))
	l.n = uint8(at)
}

// Prefix is the beginning of a UUID: its bits, a 1, and zeros up to 128.
type Prefix struct{ Hi, Lo uint64 }

const uuidBits = 122

// prefixOf returns the first n bits of id, 0 to 122.
func prefixOf(id numericuuid.UUID, n int) Prefix {
	hi, lo := id.Hi<<6|id.Lo>>58, id.Lo<<6
	if n < 64 {
		end := uint64(1) << (63 - n)
		return Prefix{hi&^(end<<1-1) | end, 0}
	}
	end := uint64(1) << (127 - n)
	return Prefix{hi, lo&^(end<<1-1) | end}
}

// bitOf returns the bit of id that follows its first n.
func bitOf(id numericuuid.UUID, n int) uint64 {
	if n < uuidBits-64 {
		return id.Hi >> (uuidBits - 65 - n) & 1
	}
	return id.Lo >> (uuidBits - 1 - n) & 1
}

// common returns how many bits two UUIDs have in common from the first.
func common(a, b numericuuid.UUID) int {
	if x := a.Hi ^ b.Hi; x != 0 {
		return bits.LeadingZeros64(x) - (128 - uuidBits)
	}
	return uuidBits - 64 + bits.LeadingZeros64(a.Lo^b.Lo)
}
