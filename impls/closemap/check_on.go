//go:build invariants || race

package closemap

import "fmt"

// checking says whether every change is followed by a check.
const checking = true

// checkState spaces the checks of a large map.
type checkState struct{ changes int }

// check panics where the map is not what the package comment says. A map of up
// to 64 entries is checked after every change, a larger one after as many
// changes as it has entries.
func (m *Map[K, V]) check() {
	m.checks.changes++
	if m.used > 64 && m.checks.changes < m.used {
		return
	}
	m.checks.changes = 0
	if err := m.verify(); err != nil {
		panic(fmt.Errorf("closemap: invariant broken: %w", err))
	}
}

func (m *Map[K, V]) verify() error {
	c := len(m.entries)
	switch {
	case 2*len(m.buckets) != c:
		return fmt.Errorf("%d buckets for %d entries", len(m.buckets), c)
	case c == 0 && m.used == 0:
		return nil
	case c < minCapacity || c&(c-1) != 0:
		return fmt.Errorf("capacity %d", c)
	case m.dead < 0 || m.dead > m.used || m.used > c || m.first > m.used:
		return fmt.Errorf("%d used, %d dead, first %d of %d", m.used, m.dead, m.first, c)
	case m.dead > 0 && c > minCapacity && m.Len() < c/4:
		return fmt.Errorf("capacity %d for %d entries", c, m.Len())
	}
	return firstError(m.verifyEntries(), m.verifyChains(), m.order.verify())
}

// verifyEntries counts the entries.
func (m *Map[K, V]) verifyEntries() error {
	deleted, first := 0, m.used
	for i := range m.entries[:m.used] {
		if m.entries[i].next == dead {
			deleted++
		} else if first == m.used {
			first = i
		}
	}
	if deleted != m.dead || first != m.first {
		return fmt.Errorf("%d deleted entries counted as %d, first entry %d kept as %d", deleted, m.dead, first, m.first)
	}
	return nil
}

// verifyChains follows every chain: it ends, its links are as the hash of the
// key behind them says, and all together lead once to every live entry that can be found.
func (m *Map[K, V]) verifyChains() error {
	seen := make([]bool, m.used)
	for n := range m.buckets {
		for head, l := range m.buckets[n] {
			for depth := 0; l != 0; depth++ {
				i := m.index(l)
				if l&linked == 0 || i >= m.used || seen[i] {
					return fmt.Errorf("bucket %d: link %#x to an entry unused, or met before", n, l)
				}
				seen[i] = true
				e := &m.entries[i]
				h := m.hash.of(e.key)
				switch {
				case e.next == dead:
					return fmt.Errorf("bucket %d: deleted entry %d", n, i)
				case m.bucket(h) != &m.buckets[n] || !newProbe(h, m.care).matches(l):
					return fmt.Errorf("bucket %d: link %#x to a key of hash %#x", n, l, h)
				case depth > 0 && home(h) != uint(head):
					return fmt.Errorf("bucket %d: entry %d overflowed to %d, not home", n, i, head)
				case e.next != 0 && l&more == 0:
					return fmt.Errorf("bucket %d: link %#x hides that the chain goes on", n, l)
				}
				l = e.next
			}
		}
	}
	for i := range seen {
		e := &m.entries[i]
		if want := e.next != dead && !unfindable(e.key); seen[i] != want {
			return fmt.Errorf("entry %d: linked %t, want %t", i, seen[i], want)
		}
	}
	return nil
}

func (o *order) verify() error {
	for i := range o.moved {
		if o.number(i) >= o.number(i+1) {
			return fmt.Errorf("entries %d and %d have numbers %d and %d", i, i+1, o.number(i), o.number(i+1))
		}
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
