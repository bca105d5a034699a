package trace

import "slices"

// chunk is the greatest number of characters in a piece of a text.
const chunk = 512

// text is a document under editing: for each character, which one it is. It
// is kept in pieces, so that an edit costs the length of a piece and the
// number of pieces, wherever it is made.
type text struct {
	pieces [][]int32
	len    int
}

// find returns the piece of a position, and the offset in it. The end belongs
// to the last piece.
func (t *text) find(at int) (piece, offset int) {
	for i, p := range t.pieces {
		if at < len(p) || i == len(t.pieces)-1 {
			return i, at
		}
		at -= len(p)
	}
	return 0, 0
}

// at returns the character at a position, which is in the text.
func (t *text) at(i int) int32 {
	piece, offset := t.find(i)
	return t.pieces[piece][offset]
}

// insert puts n characters before position at: first, first+step, ...
func (t *text) insert(at, n int, first, step int32) {
	if n == 0 {
		return
	}
	if len(t.pieces) == 0 {
		t.pieces = append(t.pieces, nil)
	}
	i, offset := t.find(at)
	added := make([]int32, n)
	for k := range added {
		added[k] = first + int32(k)*step
	}
	t.len += n
	t.pieces[i] = slices.Insert(t.pieces[i], offset, added...)
	if whole := t.pieces[i]; len(whole) > chunk {
		var parts [][]int32
		for part := range slices.Chunk(whole, chunk/2) {
			parts = append(parts, slices.Clone(part))
		}
		t.pieces = slices.Replace(t.pieces, i, i+1, parts...)
	}
}

// remove takes out n characters from position at on.
func (t *text) remove(at, n int) {
	for t.len -= n; n > 0; {
		i, offset := t.find(at)
		k := min(n, len(t.pieces[i])-offset)
		t.pieces[i] = slices.Delete(t.pieces[i], offset, offset+k)
		if len(t.pieces[i]) == 0 {
			t.pieces = slices.Delete(t.pieces, i, i+1)
		}
		n -= k
	}
}
