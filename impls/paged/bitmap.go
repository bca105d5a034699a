package paged

import "math/bits"

// bitmap is a set of small numbers that finds the greatest member below one in
// a few steps, however far off: level 0 has a bit a number, each level above
// a bit for every word of the one below that is not zero.
type bitmap [][]uint64

// newBitmap returns a set for the numbers below n.
func newBitmap(n int) bitmap {
	var m bitmap
	for {
		n = (n + 63) / 64
		m = append(m, make([]uint64, n))
		if n == 1 {
			return m
		}
	}
}

func (m bitmap) set(i int) {
	for _, level := range m {
		level[i>>6] |= 1 << (i & 63)
		i >>= 6
	}
}

// before returns the greatest member below i.
func (m bitmap) before(i int) (int, bool) {
	for up, level := range m {
		w := level[i>>6] & (1<<(i&63) - 1)
		i = i >> 6
		if w == 0 {
			continue
		}
		i = i<<6 | (bits.Len64(w) - 1)
		for ; up > 0; up-- {
			i = i<<6 | (bits.Len64(m[up-1][i]) - 1)
		}
		return i, true
	}
	return 0, false
}

func (m bitmap) bytes() int64 {
	n := cap(m) * 24
	for _, level := range m {
		n += 8 * cap(level)
	}
	return int64(n)
}
