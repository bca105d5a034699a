package hashindex

import "math/bits"

const (
	levelBits  = 4  // a block holds 2^levelBits of the level below
	numberBits = 29 // of a block that has a key
)

// blocks finds the last of ascending numbers, each of which begins something,
// at or below another. The numbers are somebody else's; blocks knows the first
// in a block. Owners, 0 and up, have numbers of their own.
type blocks struct {
	m     Map[uint64]
	shift uint8 // of the smallest blocks, which hold 2^shift numbers
}

func blockKey(owner int32, level, block uint64) uint64 {
	return uint64(owner)<<(levelBits+numberBits) | level<<numberBits | block
}

// entry returns the key under which number is entered, and whether it is: for the
// greatest block that it is the first in, which prev, the number before or 0, is
// not. It would be the first in smaller ones, too, but whoever looks there in vain
// finds it a level up. So a number has an entry at most, however far apart they
// are. Block 0 of any level has none, since the first of all numbers serves it.
func (x *blocks) entry(owner int32, prev, number int64) (key uint64, ok bool) {
	differ := bits.Len64(uint64(prev ^ number))
	if differ <= int(x.shift) {
		return 0, false
	}
	level := uint64(differ-1-int(x.shift)) / levelBits
	block := uint64(number) >> (uint64(x.shift) + level*levelBits)
	return blockKey(owner, level, block), block < 1<<numberBits
}

// add notes that number is the one at position, and prev the one before.
func (x *blocks) add(owner int32, prev, number int64, position int32) {
	if key, ok := x.entry(owner, prev, number); ok {
		x.m.Put(key, position)
	}
}

// first returns the position of the first number that begins in the smallest
// block around at, 0 or more, that has an entry.
func (x *blocks) first(owner int32, at int64) int {
	shift := x.shift
	for level := uint64(0); ; level++ {
		block := uint64(at) >> shift
		if block == 0 {
			return 0
		}
		if block < 1<<numberBits {
			if position, ok := x.m.Get(blockKey(owner, level, block)); ok {
				return int(position)
			}
		}
		shift += levelBits
	}
}

// locate returns the position of the last of n numbers at or below at, or -1.
// From the first in the block it searches at doubling distances.
func (x *blocks) locate(owner int32, at int64, n int, number func(position int) int64) int {
	if n == 0 || at < 0 {
		return -1
	}
	first := x.first(owner, at)
	if number(first) > at {
		return first - 1
	}
	low, step := first, 1
	for low+step < n && number(low+step) <= at {
		low += step
		step = low - first // 1, 2, 4, 8, ... from the first
	}
	return halve(low, min(low+step, n), at, number)
}

// halve returns the position of the last number at or below at, which is low or
// between it and high.
func halve(low, high int, at int64, number func(position int) int64) int {
	for high-low > 1 {
		if middle := int(uint(low+high) / 2); number(middle) <= at {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// locateBound returns the most lookups and comparisons of locate.
func locateBound(n int) int { return levels + 2*bits.Len(uint(n)) + 1 }

// levels is a bound to the levels there are: block 0 of the last but one has
// all numbers of 63 bits, where the smallest block has 64.
const levels = (63-6)/levelBits + 2
