package compact

import "math/bits"

// An encoder is a range coder (Martin 1979) with 64-bit arithmetic: it narrows
// the interval [low, low+width) of the unit interval to the share that a
// symbol has, and puts out the top bytes once they are settled. A carry is
// added to what is out already.
type encoder struct {
	out   []byte
	start int // out[start:] is the coder's own
	low   uint64
	width uint64
}

// narrowest is the width below which a byte is put out. Shares of a total of
// at most 2^32 then lose less than 2^-24 of a bit to rounding.
const narrowest = 1 << 56

func newEncoder(out []byte) *encoder { return &encoder{out: out, start: len(out), width: 1<<64 - 1} }

func (e *encoder) add(n uint64) {
	var carry uint64
	if e.low, carry = bits.Add64(e.low, n, 0); carry == 0 {
		return
	}
	for i := len(e.out) - 1; i >= e.start; i-- {
		if e.out[i]++; e.out[i] != 0 {
			return
		}
	}
}

func (e *encoder) settle() {
	for e.width < narrowest {
		e.out = append(e.out, byte(e.low>>56))
		e.low <<= 8
		e.width <<= 8
	}
}

// share codes a symbol that has the share [from, from+size) of total.
func (e *encoder) share(from, size, total uint64) {
	unit := e.width / total
	e.add(unit * from)
	e.width = unit * size
	e.settle()
}

// bit codes a bit by a model, which learns from it.
func (e *encoder) bit(b bool, m *bitModel) {
	zero := e.width >> 16 * uint64(m.zero())
	if b {
		e.add(zero)
		e.width -= zero
	} else {
		e.width = zero
	}
	m.learn(b)
	e.settle()
}

// finish puts out the fewest bytes that name a number in the interval, and
// none of the zeros at their end.
func (e *encoder) finish() []byte {
	for n := 0; n <= 8; n++ {
		var rest uint64 = 1<<64 - 1
		if n > 0 {
			rest = 1<<(64-8*n) - 1
		}
		up := (rest + 1 - e.low&rest) & rest // to the next number with n bytes
		if n == 0 && e.low != 0 {
			continue // the next is 1, outside the unit interval
		}
		if up < e.width {
			e.add(up)
			for range n {
				e.out = append(e.out, byte(e.low>>56))
				e.low <<= 8
			}
			break
		}
	}
	for len(e.out) > e.start && e.out[len(e.out)-1] == 0 {
		e.out = e.out[:len(e.out)-1]
	}
	return e.out
}

// A decoder is the encoder's reverse. Behind its input it reads zeros.
type decoder struct {
	in    []byte
	read  int
	code  uint64 // what the input names, less the interval's low end
	width uint64
}

func newDecoder(in []byte) *decoder {
	d := &decoder{in: in, width: 1<<64 - 1}
	for range 8 {
		d.code = d.code<<8 | uint64(d.next())
	}
	return d
}

func (d *decoder) next() byte {
	var b byte
	if d.read < len(d.in) {
		b = d.in[d.read]
	}
	d.read++
	return b
}

func (d *decoder) settle() {
	for d.width < narrowest {
		d.code = d.code<<8 | uint64(d.next())
		d.width <<= 8
	}
}

// value returns a number below total inside the share of the next symbol. It
// is followed by take with that share.
func (d *decoder) value(total uint64) uint64 {
	return min(d.code/(d.width/total), total-1)
}

func (d *decoder) take(from, size, total uint64) {
	unit := d.width / total
	d.code -= unit * from
	d.width = unit * size
	d.settle()
}

func (d *decoder) bit(m *bitModel) bool {
	zero := d.width >> 16 * uint64(m.zero())
	b := d.code >= zero
	if b {
		d.code -= zero
		d.width -= zero
	} else {
		d.width = zero
	}
	m.learn(b)
	d.settle()
	return b
}
