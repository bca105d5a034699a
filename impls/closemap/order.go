package closemap

import "slices"

// An order numbers entries by age, so that a place among them can be kept
// while they move. An entry's number never changes as long as a cursor or a loop
// could remember it; the next entry gets the next number.
type order struct {
	// base is the number that entry 0 would have if nothing had ever been
	// deleted: entry i has number base+i from len(moved) on.
	base uint64
	// moved holds the numbers of the first entries, ascending, where a rebuild
	// closed the gaps between them.
	moved []uint64
	// epoch counts the times that entries changed their index.
	epoch uint64
}

// number returns the number of entry i.
func (o *order) number(i int) uint64 {
	if i < len(o.moved) {
		return o.moved[i]
	}
	return o.base + uint64(i)
}

// index returns the index of the first entry whose number is n or greater, in
// O(log len(moved)).
func (o *order) index(n uint64) int {
	if tail := o.base + uint64(len(o.moved)); n >= tail {
		return len(o.moved) + int(n-tail)
	}
	i, _ := slices.BinarySearch(o.moved, n)
	return i
}

// clear follows the removal of all of used entries.
func (o *order) clear(used int) {
	*o = order{base: o.base + uint64(used), epoch: o.epoch + 1}
}

// renumber precedes a rebuild. Where deletions at the front only are closed up,
// or nobody remembers a number, the live entries are numbered without a gap up to the
// next number; otherwise they keep theirs, for eight bytes each.
func (m *Map[K, V]) renumber() {
	if m.dead == 0 {
		return
	}
	var moved []uint64
	atFront := m.first == m.dead && len(m.order.moved) <= m.first
	if !atFront && m.watched() {
		moved = make([]uint64, 0, m.Len())
		for i := m.first; i < m.used; i++ {
			if m.entries[i].next != dead {
				moved = append(moved, m.order.number(i))
			}
		}
	}
	m.order = order{base: m.order.base + uint64(m.dead), moved: moved, epoch: m.order.epoch + 1}
}
