package paged

import (
	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// Backend is the page table.
var Backend = impls.Backend{
	Name:          "paged",
	Structure:     "page table over final IDs, radix table over session UUIDs, page table a chain",
	Guarantees:    "StableID one cache miss, ByStableID two or three; O(log n) for hostile widths and UUIDs; appending and adding amortized O(1), O(log n) for hostile UUIDs; insertion order kept",
	Lines:         1820,
	NewTable:      func() impls.ClusterTable { return New() },
	NewNormalizer: func() impls.Normalizer { return NewNormalizer() },
}

func init() { impls.Register(Backend) }

// Table is an [impls.ClusterTable] near the limit of the hardware; the
// package comment describes it. It is not safe for concurrent use.
type Table struct {
	space    space
	sessions []session
	radix    radix
	chains   []chain
	clusters int
}

// New returns an empty table.
func New() *Table { return &Table{} }

// AddSession costs a lookup and O(1), amortized over the doublings of the
// radix table and the slice of sessions; O(log n) among UUIDs that share
// their upper bits.
func (t *Table) AddSession(id numericuuid.UUID) (impls.Session, bool) {
	if s, ok := t.LookupSession(id); ok {
		return s, false
	}
	s := impls.Session(len(t.sessions))
	t.sessions = append(reserve(t.sessions), session{id: id})
	t.radix.insert(t.sessions, s)
	return s, true
}

func (t *Table) LookupSession(id numericuuid.UUID) (impls.Session, bool) {
	s, ok := t.radix.nearest(t.sessions, id)
	return s, ok && t.sessions[s].id == id
}

func (t *Table) NearestSession(id numericuuid.UUID) (impls.Session, bool) {
	return t.radix.nearest(t.sessions, id)
}

func (t *Table) SessionID(s impls.Session) numericuuid.UUID { return t.sessions[s].id }

func (t *Table) SessionCount() int { return len(t.sessions) }

// AppendCluster is O(1) amortized: at most 5 slots of the page table and 5
// of the chain's.
func (t *Table) AppendCluster(c impls.Cluster) {
	t.clusters++
	l := &t.sessions[c.Session]
	t.space.push(&c, l.id)
	if l.chain >= 0 {
		if l.append(&c) {
			return
		}
		t.chains = append(t.chains, l.toChain())
		l.chain = ^int32(len(t.chains) - 1)
	}
	t.chains[^l.chain].append(&c)
}

// ResizeLast is O(1) for another count, plus one step for every 512 IDs
// between the old one and the new one.
func (t *Table) ResizeLast(s impls.Session, capacity, count int64) {
	c, _ := t.LastCluster(s)
	l := &t.sessions[s]
	if capacity != c.Capacity {
		t.space.grow(&c, capacity, l.id)
		c.Capacity = capacity
	}
	t.space.setCount(&c, count)
	if l.chain >= 0 {
		if l.resize(c.BaseGen-1, capacity, count) {
			return
		}
		// A single cluster grew past what a session's line can tell.
		t.chains = append(t.chains, l.toChain())
		l.chain = ^int32(len(t.chains) - 1)
	}
	t.chains[^l.chain].resize(capacity, count)
}

func (t *Table) LastCluster(s impls.Session) (impls.Cluster, bool) {
	l := &t.sessions[s]
	switch {
	case l.chain > 0:
		return l.last(s), true
	case l.chain < 0:
		return t.chains[^l.chain].lastCluster(s), true
	}
	return impls.Cluster{}, false
}

func (t *Table) ClusterCount() int { return t.clusters }

// StableID is one cache miss: a slot of the page table. In one of eight slots
// the second cluster's half lies in the next line.
func (t *Table) StableID(final int64) (numericuuid.UUID, bool) {
	p := &t.space
	offset := uint64(final - p.main.base)
	if offset >= p.main.size {
		return p.stableID(final)
	}
	i := p.main.slot + int(offset>>(p.main.shift&63))
	if i >= len(p.slots) {
		return numericuuid.UUID{}, false // never: it spares the check below
	}
	at, m := uint32(offset)&p.main.mask, p.slots[i].meta
	if m.spilled() {
		return p.stableID(final)
	}
	second := m.second(at)
	if at >= m.bound(second) {
		return numericuuid.UUID{}, false
	}
	return p.slots[i+int(second)].base.Add(uint64(final)), true
}

func (t *Table) ByFinal(final int64) impls.Place {
	h, ok := t.space.find(final)
	if !ok {
		return impls.Place{}
	}
	return impls.Place{
		Session:   h.session,
		Gen:       h.gen(t.sessions[h.session].id, final),
		Final:     final,
		Finalized: final < h.bound,
	}
}

func (t *Table) ByGen(s impls.Session, gen int64) impls.Place {
	if gen < 1 {
		return impls.Place{}
	}
	return t.place(s, uint64(gen-1))
}

// ByStableID is two cache misses where the session has up to four clusters, a
// bucket and the session's line, and otherwise one more in its chain.
func (t *Table) ByStableID(id numericuuid.UUID) impls.Place {
	s, ok := t.radix.candidate(id)
	if ok {
		if offset, ok := id.Sub(t.sessions[s].id); ok {
			return t.place(s, offset)
		}
	}
	// Hardly ever: the bucket is empty or crowded, or all of it is above id.
	if s, ok = t.radix.nearest(t.sessions, id); ok {
		if offset, ok := id.Sub(t.sessions[s].id); ok {
			return t.place(s, offset)
		}
	}
	return impls.Place{}
}

// place returns the place of an ID by its distance from the session's UUID.
func (t *Table) place(s impls.Session, offset uint64) impls.Place {
	l := &t.sessions[s]
	if offset < uint64(l.limit) {
		at := uint32(offset)
		return impls.Place{
			Session:   s,
			Gen:       int64(offset) + 1,
			Final:     l.first + int64(offset) + int64(l.delta[l.cluster(at)&3]),
			Finalized: at < l.done,
		}
	}
	if l.chain >= 0 {
		return impls.Place{}
	}
	return t.chains[^l.chain].place(s, offset, &t.space)
}

// GenInSession looks at the session alone while its chain is short, which is
// warm where one session asks often, and else at the page table.
func (t *Table) GenInSession(s impls.Session, final int64) int64 {
	l := &t.sessions[s]
	if l.chain >= 0 {
		return l.gen(final)
	}
	if gen, ok := t.chains[^l.chain].gen(final); ok {
		return gen
	}
	h, ok := t.space.find(final)
	if !ok || h.session != s {
		return 0
	}
	return h.gen(l.id, final)
}
