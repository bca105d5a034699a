// Package numericuuid is arithmetic on the 122 free bits of a version 4 UUID.
//
// A v4 UUID has 128 bits, of which four name the version and two the variant.
// Fluid's ID compressor reads the other 122 as one unsigned number, so that
// the n-th ID of a session is the session's own UUID plus n-1:
//
//	UUID bit  127 ........ 80 | 79..76 | 75 ........ 64 | 63 62 | 61 ........ 0
//	          48 bits         | 0100   | 12 bits        | 10    | 62 bits
//	number    121 ....... 74  |        | 73 ........ 62 |       | 61 ........ 0
//
// A carry out of the low 62 bits therefore goes to the 12 bits beside the
// version, and one out of those to the upper 48.
package numericuuid

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/google/uuid"
)

// UUID is a number of 122 bits: Hi holds its upper 58, Lo its lower 64.
// The zero value is 00000000-0000-4000-8000-000000000000.
//
// Two UUIDs are equal exactly when == says so. A Hi of 2^58 or more is no
// UUID; [UUID.Valid] tells.
type UUID struct{ Hi, Lo uint64 }

// Max is the greatest UUID, ffffffff-ffff-4fff-bfff-ffffffffffff.
var Max = UUID{Hi: 1<<58 - 1, Lo: 1<<64 - 1}

// ErrInvalid is the error of everything that is not a v4 UUID.
var ErrInvalid = errors.New("not a version 4 UUID")

// FromUUID returns the number of a v4 UUID, and false when u has another
// version or variant.
func FromUUID(u uuid.UUID) (UUID, bool) {
	hi := binary.BigEndian.Uint64(u[:8])
	lo := binary.BigEndian.Uint64(u[8:])
	upper := hi>>16<<12 | hi&0xfff // number >> 62
	return UUID{Hi: upper >> 2, Lo: upper<<62 | lo&(1<<62-1)},
		hi>>12&0xf == 4 && lo>>62 == 2
}

// UUID returns the v4 UUID of the number.
func (n UUID) UUID() (u uuid.UUID) {
	n.Put(&u)
	return u
}

// Put stores the v4 UUID of the number in u. Where u is to be a place in an
// array, it costs a third of storing what [UUID.UUID] returns: that copies 16
// bytes that were just written as two halves, which a processor cannot forward.
func (n UUID) Put(u *uuid.UUID) {
	upper := n.Hi<<2 | n.Lo>>62
	binary.BigEndian.PutUint64(u[:8], upper>>12<<16|0x4000|upper&0xfff)
	binary.BigEndian.PutUint64(u[8:], 1<<63|n.Lo&(1<<62-1))
}

// Parse reads the 36 characters of a v4 UUID, hex digits of either case.
// Its errors match [ErrInvalid].
func Parse(s string) (UUID, error) {
	// uuid.Parse takes four spellings; Fluid knows one.
	if len(s) != 36 {
		return UUID{}, fmt.Errorf("%w: %s", ErrInvalid, quote(s))
	}
	u, err := uuid.Parse(s)
	if err != nil {
		return UUID{}, fmt.Errorf("%w: %s", ErrInvalid, quote(s))
	}
	n, ok := FromUUID(u)
	if !ok {
		return UUID{}, fmt.Errorf("%w: %s has another version or variant", ErrInvalid, quote(s))
	}
	return n, nil
}

// quote keeps a hostile string from filling a log.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		return fmt.Sprintf("%.*q… (%d bytes)", most, s, len(s))
	}
	return fmt.Sprintf("%q", s)
}

// String returns the v4 UUID in its usual 36 lower-case characters.
func (n UUID) String() string { return string(n.AppendText(make([]byte, 0, 36))) }

// Valid reports whether n fits 122 bits.
func (n UUID) Valid() bool { return n.Hi < 1<<58 }

// Add returns n + d, unwrapped: a sum past [Max] is not [UUID.Valid].
func (n UUID) Add(d uint64) UUID {
	lo, carry := bits.Add64(n.Lo, d, 0)
	return UUID{Hi: n.Hi + carry, Lo: lo}
}

// Prev returns n - 1, and false for zero, which has no predecessor.
func (n UUID) Prev() (UUID, bool) {
	lo, borrow := bits.Sub64(n.Lo, 1, 0)
	hi, below := bits.Sub64(n.Hi, 0, borrow)
	return UUID{Hi: hi, Lo: lo}, below == 0
}

// Sub returns n - m, and whether the difference is at least 0 and fits 64 bits.
func (n UUID) Sub(m UUID) (d uint64, ok bool) {
	lo, borrow := bits.Sub64(n.Lo, m.Lo, 0)
	return lo, n.Hi == m.Hi+borrow
}

// Diff returns n - m as a signed number of 128 bits in two's complement. Add
// it to m with [UUID.AddDiff] to get n back.
func (n UUID) Diff(m UUID) (hi int64, lo uint64) {
	lo, borrow := bits.Sub64(n.Lo, m.Lo, 0)
	return int64(n.Hi - m.Hi - borrow), lo
}

// AddDiff returns n plus a difference that [UUID.Diff] made.
func (n UUID) AddDiff(hi int64, lo uint64) UUID {
	sum, carry := bits.Add64(n.Lo, lo, 0)
	return UUID{Hi: n.Hi + uint64(hi) + carry, Lo: sum}
}

// Compare returns -1, 0 or 1 as n is below, equal to or above m.
func (n UUID) Compare(m UUID) int {
	switch {
	case n == m:
		return 0
	case n.Less(m):
		return -1
	}
	return 1
}

// Less reports whether n is below m.
func (n UUID) Less(m UUID) bool {
	_, borrow := bits.Sub64(n.Lo, m.Lo, 0)
	_, borrow = bits.Sub64(n.Hi, m.Hi, borrow)
	return borrow != 0
}
