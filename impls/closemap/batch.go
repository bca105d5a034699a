package closemap

// GetBatch looks up all keys: values[i] and found[i] are what [Map.Get] returns
// for keys[i]. It panics where values or found is shorter than keys. A single
// lookup waits for two cache misses one after the other; of a batch they overlap.
func (m *Map[K, V]) GetBatch(keys []K, values []V, found []bool) {
	values, found = values[:len(keys)], found[:len(keys)]
	if len(m.buckets) == 0 {
		clear(values)
		clear(found)
		return
	}
	// Enough to keep every miss that a processor can have under way.
	const block = 32
	var guesses [block]link
	for start := 0; start < len(keys); start += block {
		keys := keys[start:min(start+block, len(keys))]
		for i, k := range keys {
			guesses[i] = m.guess(k)
		}
		for i, k := range keys {
			at := start + i
			if l := guesses[i]; l != 0 {
				if e := m.behind(l); e.key == k {
					values[at], found[at] = e.val, true
					continue
				}
			}
			values[at], found[at] = m.Get(k)
		}
	}
}

// guess returns the first link in the bucket of k that can lead to it, or 0. The
// table is not empty.
func (m *Map[K, V]) guess(k K) link {
	h := m.hash.of(k)
	b := m.bucket(h)
	if c := b.matching(newProbe(h, m.care)); c != 0 {
		return b[c.first()]
	}
	return 0
}
