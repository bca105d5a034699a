package closemap

import (
	"sync/atomic"
	"weak"
)

// A Map is a hash table that remembers the order in which its keys were
// inserted. Setting a key that is there changes its value and not its place;
// deleting it and setting it again moves it to the end.
//
// The zero Map is empty and ready to use. A Map must not be copied. Any number
// of goroutines may read one (Get, Has, Len, First, All, Keys, Values, Cursor,
// Stats) as long as none changes it.
//
// Keys are equal when == says so, as with Go's own map: +0 and -0 are one key,
// the one set first, and a NaN equals nothing, so that every Set of a NaN adds
// an entry which iteration and PopFirst deliver and Get and Delete never find.
// Keys whose dynamic type is not comparable panic.
type Map[K comparable, V any] struct {
	buckets []bucket      // half as many as entries
	entries []entry[K, V] // in order of insertion; none until the first Set
	care    uint64        // what a search compares of links, by capacity
	used    int           // entries[:used] are or were in use
	dead    int           // of those, how many are deleted
	first   int           // the first live entry, or used
	limit   int           // of live entries; 0 before the hash is chosen

	hash  hash[K]
	order order

	loops    atomic.Int32                        // iterations under way
	watchers atomic.Pointer[weak.Pointer[watch]] // alive as long as a cursor is
	checks   checkState
}

// An entry has its chain in the middle, where it fills the gap between a value
// and a key of different alignment and a value of no size costs nothing.
type entry[K comparable, V any] struct {
	val  V
	next link
	key  K
}

// New returns an empty map.
func New[K comparable, V any](options ...Option) *Map[K, V] {
	m := new(Map[K, V])
	m.init(options)
	return m
}

// init chooses the hash and takes the memory asked for.
func (m *Map[K, V]) init(options []Option) {
	c := configure(options)
	if c.capacity > MaxEntries {
		panic(&LimitError{Limit: MaxEntries})
	}
	m.limit = MaxEntries
	m.hash = newHash[K](c)
	if c.capacity > 0 {
		m.allocate(capacityFor(c.capacity))
	}
}

// Len returns the number of entries.
func (m *Map[K, V]) Len() int { return m.used - m.dead }

// Get returns the value of k, and whether k is there. It is expected to touch
// one bucket and one entry, and no entry for an absent key.
func (m *Map[K, V]) Get(k K) (v V, ok bool) {
	// Written so that it can be inlined, just.
	e, _, _ := m.find(k)
	if e != nil {
		return e.val, true
	}
	return
}

// Has reports whether k is there, at the cost of [Map.Get].
func (m *Map[K, V]) Has(k K) bool {
	e, _, _ := m.find(k)
	return e != nil
}

// Set gives k the value v. It panics with a [*LimitError] where [Map.TrySet]
// returns one: a program that can do something about 2^29 entries uses that.
func (m *Map[K, V]) Set(k K, v V) {
	if err := m.TrySet(k, v); err != nil {
		panic(err)
	}
}

// TrySet gives k the value v. The error is a [*LimitError], when k is new and
// the map holds [MaxEntries] already; the map is then as it was. Deleted
// entries do not count. Cost is amortized O(1); the call that doubles a table
// of n entries passes over all of them.
func (m *Map[K, V]) TrySet(k K, v V) error {
	if m.limit == 0 {
		m.init(nil)
	}
	e, _, h := m.find(k)
	if e != nil {
		e.val = v
		return nil
	}
	return m.insert(k, v, h)
}

// Delete removes k and reports whether it was there. Cost is amortized O(1);
// the call that halves a table passes over all that is left in it.
func (m *Map[K, V]) Delete(k K) bool {
	_, at, _ := m.find(k)
	if at == nil {
		return false
	}
	m.remove(at, m.index(*at))
	return true
}

// Clear removes all entries and gives their memory back. Cursors stay where
// they are: before whatever is inserted next.
func (m *Map[K, V]) Clear() {
	m.order.clear(m.used)
	m.buckets, m.entries = nil, nil
	m.used, m.dead, m.first = 0, 0, 0
	m.check()
}

// First returns the oldest entry, if there is one, in O(1).
func (m *Map[K, V]) First() (k K, v V, ok bool) {
	if m.first == m.used {
		return k, v, false
	}
	e := &m.entries[m.first]
	return e.key, e.val, true
}

// PopFirst removes the oldest entry and returns it, if there is one. Cost is
// amortized O(1), whatever was deleted before: with [Map.Set] it makes a queue
// whose members can be looked up and taken out of the middle.
func (m *Map[K, V]) PopFirst() (k K, v V, ok bool) {
	if m.first == m.used {
		return k, v, false
	}
	i := m.first
	e := &m.entries[i]
	k, v = e.key, e.val
	m.remove(m.linkTo(k, i), i)
	return k, v, true
}

// find returns the entry of k and the place of the link to it, or nils where k
// is not there, and the hash of k. The compiler inlines all that it calls, but for
// a hash that is none of our own (hash.of is too long): how many lookups a
// processor overlaps depends on how few instructions each has.
func (m *Map[K, V]) find(k K) (e *entry[K, V], at *link, h uint64) {
	if m.hash.fn == nil {
		h = mix(widen(k), m.hash.key0, m.hash.key1)
	} else {
		h = m.hash.fn(k)
	}
	if len(m.buckets) == 0 {
		return nil, nil, h
	}
	b, p := m.bucket(h), newProbe(h, m.care)
	for c := b.matching(p); c != 0; c &= c - 1 {
		at = &b[c.first()]
		if e = m.behind(*at); e.key == k {
			return e, at, h
		}
	}
	for at = &b[home(h)]; *at&more != 0; {
		at = &m.behind(*at).next
		if p.matches(*at) {
			if e = m.behind(*at); e.key == k {
				return e, at, h
			}
		}
	}
	return nil, nil, h
}

// linkTo returns the place of the link to entry i, whose key is k, or nil where
// nothing leads there.
func (m *Map[K, V]) linkTo(k K, i int) *link {
	if unfindable(k) {
		return nil
	}
	h := m.hash.of(k)
	b := m.bucket(h)
	for j := range b {
		if b[j] != 0 && m.index(b[j]) == i {
			return &b[j]
		}
	}
	at := &m.behind(b[home(h)]).next
	for m.index(*at) != i {
		at = &m.behind(*at).next
	}
	return at
}

// insert appends k, which is not there and hashes to h.
func (m *Map[K, V]) insert(k K, v V, h uint64) error {
	if m.used-m.dead >= m.limit {
		return &LimitError{Limit: m.limit}
	}
	if m.used == len(m.entries) {
		m.makeRoom()
	}
	e := &m.entries[m.used]
	e.key, e.val = k, v
	m.link(e, h, m.used)
	m.used++
	m.check()
	return nil
}

// remove deletes entry i, which the link at leads to, if any does.
func (m *Map[K, V]) remove(at *link, i int) {
	e := &m.entries[i]
	if at != nil {
		*at = e.next
	}
	*e = entry[K, V]{next: dead}
	m.dead++
	// Every step passes an entry that no later one passes again.
	for m.first < m.used && m.entries[m.first].next == dead {
		m.first++
	}
	m.giveBack()
	m.check()
}
