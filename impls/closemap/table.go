package closemap

// minCapacity is two buckets of two entries.
const minCapacity = 4

// capacityFor returns the least capacity that holds n entries.
func capacityFor(n int) int {
	c := minCapacity
	for c < n {
		c *= 2
	}
	return c
}

// index returns the index of the entry behind l, which is not the end of a chain.
func (m *Map[K, V]) index(l link) int {
	return int(uint(l) & uint(len(m.entries)-1))
}

// behind returns the entry behind l, which is not the end of a chain.
func (m *Map[K, V]) behind(l link) *entry[K, V] {
	return &m.entries[uint(l)&uint(len(m.entries)-1)]
}

// bucket returns the bucket of keys of hash h. The table is not empty.
func (m *Map[K, V]) bucket(h uint64) *bucket {
	return &m.buckets[uint(h)&uint(len(m.buckets)-1)]
}

// allocate takes memory for an empty table.
func (m *Map[K, V]) allocate(capacity int) {
	m.buckets = make([]bucket, capacity/2)
	m.entries = make([]entry[K, V], capacity)
	m.care = careFor(capacity)
}

// makeRoom follows a table that has no entry left: it drops the deleted ones
// where they are at least half, and doubles otherwise.
//
// It cannot double beyond 2^30: that would need more than 2^29 live entries.
func (m *Map[K, V]) makeRoom() {
	switch c := len(m.entries); {
	case c == 0:
		m.allocate(minCapacity)
	case m.dead >= c/2:
		m.rebuild(c)
	default:
		m.rebuild(2 * c)
	}
}

// giveBack halves a table of which fewer than a quarter are live. Once is
// enough but for a table that was larger than its entries to start with.
func (m *Map[K, V]) giveBack() {
	c := len(m.entries)
	for c > minCapacity && m.Len() < c/4 {
		c /= 2
	}
	if c < len(m.entries) {
		m.rebuild(c)
	}
}

// rebuild moves the live entries to the front of a table of the given capacity
// and chains them anew, with one pass over the entries that follows no chain.
// At an unchanged capacity it takes no memory.
func (m *Map[K, V]) rebuild(capacity int) {
	m.renumber()
	old := m.entries[:m.used]
	inPlace := capacity == len(m.entries)
	if inPlace {
		clear(m.buckets)
	} else {
		m.allocate(capacity)
	}
	n := 0
	for i := range old {
		if old[i].next == dead {
			continue
		}
		e := &m.entries[n]
		*e = old[i]
		m.link(e, m.hash.of(e.key), n)
		n++
	}
	if inPlace {
		clear(old[n:]) // for the collector, where keys or values point
	}
	m.used, m.dead, m.first = n, 0, 0
}

// link makes entry i, which is e and whose key hashes to h, one that can be
// found: through a head of its own, or at the front of the chain of its home.
func (m *Map[K, V]) link(e *entry[K, V], h uint64, i int) {
	e.next = 0
	if unfindable(e.key) {
		return
	}
	b, l := m.bucket(h), newProbe(h, m.care).to(i)
	if c := b.free(); c != 0 {
		b[c.first()] = l
		return
	}
	at := &b[home(h)]
	owner := m.behind(*at)
	e.next = owner.next
	owner.next = l | e.next&linked>>1 // the linked bit becomes more
	*at |= more
}

// unfindable reports whether k is, or holds, a NaN. Nothing equals it, so no
// chain needs to lead to it: a flood of NaN costs nobody a long walk, and one
// that hashes differently every time can still be deleted.
func unfindable[K comparable](k K) bool { return k != k }
