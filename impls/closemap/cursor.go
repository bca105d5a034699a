package closemap

import (
	"iter"
	"weak"
)

// A Cursor walks a map while it changes, as an iterator of JavaScript's Map
// does: it delivers what is inserted behind it, never what is deleted before it
// gets there, and is not led astray by growth, shrinking or Clear. The end is
// the end: a cursor that has reached it delivers nothing more.
//
// A cursor need not be closed, and one that is dropped half-way costs nothing
// from the next garbage collection on. While one is held, each rebuild of the
// map that closes gaps keeps eight bytes for each entry it moves, and forgets
// those of the rebuild before.
type Cursor[K comparable, V any] struct {
	m     *Map[K, V] // nil at the end
	watch *watch
	place
}

// A watch is held by all cursors of a map, and by nothing else. (The pointer
// keeps it out of a block that the allocator shares among small objects.)
type watch struct{ _ *watch }

// Cursor returns a cursor at the first entry.
func (m *Map[K, V]) Cursor() *Cursor[K, V] {
	return &Cursor[K, V]{m, m.watch(), m.start()}
}

// Next moves to the next entry and returns it. It takes O(1), and O(log n) more
// after a rebuild of the map; deleted entries are passed over once.
func (c *Cursor[K, V]) Next() (k K, v V, ok bool) {
	if c.m == nil {
		return k, v, false
	}
	e := c.m.next(&c.place)
	if e == nil {
		*c = Cursor[K, V]{}
		return k, v, false
	}
	return e.key, e.val, true
}

// All returns the entries in order of insertion. The loop may change the map,
// with the effect that a [Cursor] has. It allocates nothing. (A loop that a
// panic ends counts as one that goes on: the map then keeps the eight bytes an
// entry that a held cursor costs.)
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		// This is next, unrolled so that the compiler can put the loop's body
		// into it: no call an entry. For the same reason nothing is deferred.
		m.loops.Add(1)
		i, o := m.first, m.order
		for ; i < m.used; i++ {
			e := &m.entries[i]
			if e.next == dead {
				continue
			}
			if !yield(e.key, e.val) {
				break
			}
			if o.epoch != m.order.epoch {
				i, o = m.order.index(o.number(i)+1)-1, m.order
			}
		}
		m.loops.Add(-1)
	}
}

// Keys returns the keys in order of insertion; see [Map.All].
func (m *Map[K, V]) Keys() iter.Seq[K] {
	return func(yield func(K) bool) {
		m.All()(func(k K, _ V) bool { return yield(k) })
	}
}

// Values returns the values in order of their keys' insertion; see [Map.All].
func (m *Map[K, V]) Values() iter.Seq[V] {
	return func(yield func(V) bool) {
		m.All()(func(_ K, v V) bool { return yield(v) })
	}
}

// A place is one between two entries: by index as long as the entries lie as
// they did in its epoch, by the number of the next entry for ever.
type place struct {
	index  int
	epoch  uint64
	number uint64
}

// start returns the place before the first entry.
func (m *Map[K, V]) start() place {
	return place{m.first, m.order.epoch, m.order.number(m.first)}
}

// next moves p behind the next live entry and returns that, or nil.
func (m *Map[K, V]) next(p *place) *entry[K, V] {
	if p.epoch != m.order.epoch {
		p.index, p.epoch = m.order.index(p.number), m.order.epoch
	}
	for i := p.index; i < m.used; i++ {
		if e := &m.entries[i]; e.next != dead {
			p.index, p.number = i+1, m.order.number(i)+1
			return e
		}
	}
	return nil
}

// watch returns the watch that cursors hold. Readers may open cursors at the
// same time.
func (m *Map[K, V]) watch() *watch {
	for {
		old := m.watchers.Load()
		if old != nil {
			if w := old.Value(); w != nil {
				return w
			}
		}
		w := new(watch)
		fresh := weak.Make(w)
		if m.watchers.CompareAndSwap(old, &fresh) {
			return w
		}
	}
}

// watched reports whether somebody may remember an entry's number: a loop that
// is under way, or a cursor that is neither at its end nor collected.
func (m *Map[K, V]) watched() bool {
	if m.loops.Load() != 0 {
		return true
	}
	w := m.watchers.Load()
	return w != nil && w.Value() != nil
}
