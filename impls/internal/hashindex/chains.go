package hashindex

import (
	"fmt"
	"math/bits"

	"example.com/idlab/impls"
)

// chains holds the clusters of each session, by position, in one array without
// pointers. A chain lies in a piece whose size is a power of two and moves when
// that is full; pieces left behind are taken by others. A session takes 8 bytes, a
// cluster of a chain 4 to 8.
type chains struct {
	of     []chain
	pieces []int32
	free   [32]uint32 // by log2 of the size: the first piece left behind, and 1 more
}

type chain struct {
	start uint32 // in pieces
	n     int32
}

// minPiece is the least piece: most sessions have few clusters.
const minPiece = 4

// pieceFor returns the size of the piece for a chain of n.
func pieceFor(n int32) int {
	if n == 0 {
		return 0
	}
	return max(minPiece, 1<<bits.Len32(uint32(n-1)))
}

// get returns the chain of a session. It stays valid until the next push.
func (x *chains) get(s impls.Session) []int32 {
	c := x.of[s]
	return x.pieces[c.start:][:c.n]
}

func (x *chains) push(s impls.Session, position int32) {
	c := &x.of[s]
	if old, size := pieceFor(c.n), pieceFor(c.n+1); size > old {
		start := x.take(size)
		copy(x.pieces[start:], x.get(s))
		if old > 0 {
			x.leave(c.start, old)
		}
		c.start = start
	}
	x.pieces[int(c.start)+int(c.n)] = position
	c.n++
}

// take returns a piece of a size.
func (x *chains) take(size int) uint32 {
	head := &x.free[bits.Len(uint(size))-1]
	if *head != 0 {
		start := *head - 1
		*head = uint32(x.pieces[start])
		return start
	}
	start := len(x.pieces)
	x.pieces = append(x.pieces, make([]int32, size)...)
	return uint32(start)
}

// leave gives a piece back. Its first element links it to the next.
func (x *chains) leave(start uint32, size int) {
	head := &x.free[bits.Len(uint(size))-1]
	x.pieces[start] = int32(*head)
	*head = start + 1
}

// Bytes returns the exact size of the arrays, with their reserve.
func (x *chains) Bytes() int64 { return 8*int64(cap(x.of)) + 4*int64(cap(x.pieces)) }

// check returns what is wrong: a piece of two chains, or of none and not free.
func (x *chains) check() error {
	used := make([]bool, len(x.pieces)/minPiece)
	n := 0
	claim := func(start uint32, size int) error {
		for i := int(start) / minPiece; i < (int(start)+size)/minPiece; i++ {
			if used[i] {
				return fmt.Errorf("the piece at %d has two owners", i*minPiece)
			}
			used[i] = true
			n++
		}
		return nil
	}
	for _, c := range x.of {
		if err := claim(c.start, pieceFor(c.n)); err != nil {
			return err
		}
	}
	for log, head := range x.free {
		for ; head != 0; head = uint32(x.pieces[head-1]) {
			if err := claim(head-1, 1<<log); err != nil {
				return err
			}
		}
	}
	if n != len(used) {
		return fmt.Errorf("of %d pieces %d are lost", len(used), len(used)-n)
	}
	return nil
}
