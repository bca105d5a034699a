package compact

import "math/bits"

// A bitModel is the chance that the next bit is zero, learned from those
// before: the mean of a quick learner and a slow one. The zero value expects
// nothing.
type bitModel struct{ quick, slow int16 } // less 1/2, in 1/65536

const (
	quickRate = 4
	slowRate  = 7
)

// zero returns the chance in 1/65536, never 0 and never 1.
func (m *bitModel) zero() uint32 {
	p := (int32(m.quick)+int32(m.slow))>>1 + 1<<15
	return uint32(min(max(p, 24), 1<<16-24))
}

func (m *bitModel) learn(b bool) {
	target := int32(1<<15 - 1)
	if b {
		target = -1 << 15
	}
	m.quick += int16((target - int32(m.quick)) >> quickRate)
	m.slow += int16((target - int32(m.slow)) >> slowRate)
}

// maxBits is the length of the greatest number there is, 2^53 - 1.
const maxBits = 53

// An intModel codes a number of up to 53 bits as its length in bits and what
// follows the leading one. The length and the first modelled bits are learned,
// the others cost what they are.
type intModel struct {
	length [64]bitModel
	top    [maxBits + 1][1 << modelled]bitModel
}

const modelled = 3

func (e *encoder) int(n int64, m *intModel) {
	size := bits.Len64(uint64(n))
	node := 1
	for i := 5; i >= 0; i-- {
		b := size>>i&1 == 1
		e.bit(b, &m.length[node])
		node = node<<1 | int(b2u(b))
	}
	node = 1
	for i := size - 2; i >= 0; i-- {
		if b := uint64(n) >> i & 1; node < 1<<modelled {
			e.bit(b == 1, &m.top[size][node])
			node = node<<1 | int(b)
		} else {
			e.share(uint64(n)&(1<<(i+1)-1)>>max(0, i-30), 1, 1<<min(i+1, 31))
			if i > 30 {
				e.share(uint64(n)&(1<<(i-30)-1), 1, 1<<(i-30))
			}
			return
		}
	}
}

// int decodes a number; false for a length that no number has.
func (d *decoder) int(m *intModel) (int64, bool) {
	node := 1
	for range 6 {
		node = node<<1 | int(b2u(d.bit(&m.length[node])))
	}
	size := node & 63
	if size > maxBits {
		return 0, false
	}
	if size == 0 {
		return 0, true
	}
	n := uint64(1)
	node = 1
	for i := size - 2; i >= 0; i-- {
		if node < 1<<modelled {
			b := b2u(d.bit(&m.top[size][node]))
			n = n<<1 | b
			node = node<<1 | int(b)
			continue
		}
		n = n<<min(i+1, 31) | d.raw(min(i+1, 31))
		if i > 30 {
			n = n<<(i-30) | d.raw(i-30)
		}
		break
	}
	return int64(n), true
}

func (d *decoder) raw(size int) uint64 {
	v := d.value(1 << size)
	d.take(v, 1, 1<<size)
	return v
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// A column codes numbers of which one is often like that before it.
type column struct {
	same     [2]bitModel // by whether the last one was
	wasSame  uint64
	previous int64
	number   intModel
}

func (e *encoder) column(n int64, c *column) {
	same := n == c.previous
	e.bit(same, &c.same[c.wasSame])
	if !same {
		e.int(n, &c.number)
	}
	c.wasSame, c.previous = b2u(same), n
}

func (d *decoder) column(c *column) (int64, bool) {
	same := d.bit(&c.same[c.wasSame])
	c.wasSame = b2u(same)
	if same {
		return c.previous, true
	}
	n, ok := d.int(&c.number)
	c.previous = n
	return n, ok
}
