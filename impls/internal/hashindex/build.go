package hashindex

import (
	"iter"
	"sort"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// entry is one of a map to be.
type entry[K comparable] struct {
	key   K
	value int32
}

// mapOf returns a map of entries, made at the size they need.
func mapOf[K comparable](entries []entry[K], newMap func(n int) Map[K]) Map[K] {
	m := newMap(len(entries))
	for _, e := range entries {
		m.Put(e.key, e.value)
	}
	return m
}

// load fills an empty trie with sorted sessions. It makes the leaves that single
// calls make, from the first to the last.
func (x *trie) load(sorted []impls.NamedSession, newMap func(n int) Map[Prefix]) {
	if len(sorted) == 0 {
		return
	}
	var nodes []entry[Prefix]
	x.build(sorted, 0, func(p Prefix, v int32) { nodes = append(nodes, entry[Prefix]{p, v}) })
	x.leaves[len(x.leaves)-1].next = -1
	x.setUsual()
	x.m = mapOf(nodes, newMap)
}

// build adds the leaves of the sessions that share a prefix of a length, and
// puts the nodes from there on.
func (x *trie) build(sorted []impls.NamedSession, depth int, put func(Prefix, int32)) {
	v, id := int32(len(x.leaves)), sorted[0].ID
	if len(sorted) <= leafSize {
		x.leaves = append(x.leaves, leaf{prev: v - 1, next: v + 1, depth: uint8(depth)})
		x.leaves[v].fill(sorted)
		x.deepest = max(x.deepest, depth)
		x.depths += depth
		put(prefixOf(id, depth), v)
		return
	}
	fork := common(id, sorted[len(sorted)-1].ID)
	half := sort.Search(len(sorted), func(i int) bool { return bitOf(sorted[i].ID, fork) == 1 })
	x.build(sorted[:half], fork+1, put)
	x.build(sorted[half:], fork+1, put)
	x.path(id, depth, fork, v, int32(len(x.leaves)-1), put)
}

// Load is [impls.BulkLoader]: sessions are sorted once, and the maps made at
// the size they need.
func (t *Table) Load(sessions []numericuuid.UUID, n int, clusters iter.Seq[impls.Cluster]) (int, bool) {
	sorted, duplicate, ok := impls.ByUUID(sessions)
	if !ok {
		return duplicate, false
	}
	t.Reserve(len(sessions), n)
	t.chains.of = make([]chain, len(sessions))
	for _, id := range sessions {
		t.PushSession(id)
	}
	t.uuids.load(sorted, t.maps.Prefixes)

	for c := range clusters {
		t.chains.push(c.Session, t.PushCluster(c))
	}
	var finals, gens []entry[uint64]
	var last int64
	for i := range int32(t.ClusterCount()) {
		base := t.Cluster(i).BaseFinal
		if key, ok := t.finals.entry(0, last, base); ok {
			finals = append(finals, entry[uint64]{key, i})
		}
		last = base
	}
	t.finals.m = mapOf(finals, t.maps.Numbers)
	for s := range impls.Session(len(sessions)) {
		t.indexChain(s, func(key uint64, at int32) { gens = append(gens, entry[uint64]{key, at}) })
	}
	t.gens.m = mapOf(gens, t.maps.Numbers)
	return 0, true
}
