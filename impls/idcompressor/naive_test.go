package idcompressor_test

import (
	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// naive is a compressor from first principles: it lists every ID there is.
// Since in-place growth and a new cluster at the end reserve the same finals,
// it needs no clusters. Errors are the names of their classes.
type naive struct {
	session uuid.UUID
	forms   []id                  // of the own generation counts 1, 2, ...
	slots   []slot                // by final ID
	finals  map[uuid.UUID][]int64 // by session, of the generation counts 1, 2, ...
	begins  map[uuid.UUID]int64   // where a session's next range must begin, if not at 1
	cursor  int64
	size    int64
}

type slot struct {
	session   uuid.UUID
	gen       int64
	finalized bool
}

func newNaive(session uuid.UUID, size int64) *naive {
	return &naive{session: session, finals: map[uuid.UUID][]int64{}, begins: map[uuid.UUID]int64{}, cursor: 1, size: size}
}

func (m *naive) generate() id {
	gen := int64(len(m.forms)) + 1
	form := id(-gen)
	if finals := m.finals[m.session]; gen <= int64(len(finals)) {
		form = id(finals[gen-1])
	}
	m.forms = append(m.forms, form)
	return form
}

func (m *naive) isLocal(gen int64) bool {
	return gen >= 1 && gen <= int64(len(m.forms)) && m.forms[gen-1] == id(-gen)
}

func (m *naive) begin(s uuid.UUID) int64 { return max(m.begins[s], 1) }

func (m *naive) take(first int64) idcompressor.CreationRange {
	r := idcompressor.CreationRange{SessionID: m.session}
	if last := int64(len(m.forms)); first <= last {
		r = ranged(m.session, first, last-first+1, m.size, m.runs(first)...)
	}
	m.cursor = int64(len(m.forms)) + 1
	return r
}

func (m *naive) runs(first int64) []impls.Run {
	var runs []impls.Run
	for gen := first; gen <= int64(len(m.forms)); gen++ {
		switch n := len(runs); {
		case !m.isLocal(gen):
		case n > 0 && runs[n-1].Last() == gen-1:
			runs[n-1].Count++
		default:
			runs = append(runs, impls.Run{First: gen, Count: 1})
		}
	}
	return runs
}

func (m *naive) reserve(s uuid.UUID, n int64) {
	for range n {
		m.finals[s] = append(m.finals[s], int64(len(m.slots)))
		m.slots = append(m.slots, slot{session: s, gen: int64(len(m.finals[s]))})
	}
}

// judge returns the class of a range, empty if it is to be finalized.
func (m *naive) judge(r idcompressor.CreationRange) string {
	switch ids := r.IDs; {
	case ids == nil:
		return ""
	case ids.Count < 1 || ids.RequestedClusterSize < 1 || ids.RequestedClusterSize > 1<<20:
		return "malformed-range"
	case ids.FirstGenCount != m.begin(r.SessionID):
		return "out-of-order"
	case r.SessionID == m.session && ids.FirstGenCount+ids.Count-1 > int64(len(m.forms)):
		return "forked-session"
	}
	return ""
}

func (m *naive) finalize(r idcompressor.CreationRange) string {
	if class := m.judge(r); class != "" || r.IDs == nil {
		return class
	}
	end := r.IDs.FirstGenCount + r.IDs.Count - 1
	if more := end - int64(len(m.finals[r.SessionID])); more > 0 {
		m.reserve(r.SessionID, more+r.IDs.RequestedClusterSize)
	}
	for gen := r.IDs.FirstGenCount; gen <= end; gen++ {
		m.slots[m.finals[r.SessionID][gen-1]].finalized = true
	}
	m.begins[r.SessionID] = end + 1
	return ""
}

func (m *naive) ghost(s uuid.UUID, n int64) []id {
	var ids []id
	for range n {
		ids = append(ids, id(len(m.slots)))
		m.reserve(s, 1)
		m.slots[len(m.slots)-1].finalized = true
		m.begins[s] = int64(len(m.finals[s])) + 1
	}
	return ids
}

// ownFinal returns the own generation count that has a final, or 0.
func (m *naive) ownFinal(final int64) int64 {
	if final >= 0 && final < int64(len(m.slots)) && m.slots[final].session == m.session {
		return m.slots[final].gen
	}
	return 0
}

// generated reports whether an own generation count was generated in that form.
func (m *naive) generated(gen int64, form id) bool {
	return gen >= 1 && gen <= int64(len(m.forms)) && m.forms[gen-1] == form
}

func (m *naive) decompress(x id) (uuid.UUID, string) {
	if m.generated(-int64(x), x) {
		return add(m.session, -int64(x)-1), ""
	}
	if x >= 0 && int64(x) < int64(len(m.slots)) {
		if s := m.slots[x]; s.finalized || m.generated(m.ownFinal(int64(x)), x) {
			return add(s.session, s.gen-1), ""
		}
	}
	return uuid.UUID{}, "unknown-id"
}

func (m *naive) recompress(u uuid.UUID) (id, bool) {
	for i, form := range m.forms {
		if add(m.session, int64(i)) == u {
			return form, true
		}
	}
	for final, s := range m.slots {
		if s.session != m.session && s.finalized && add(s.session, s.gen-1) == u {
			return id(final), true
		}
	}
	return 0, false
}

func (m *naive) toOp(x id) (op, string) {
	switch gen := -int64(x); {
	case x >= 0:
		return op(x), ""
	case !m.isLocal(gen):
		return 0, "unknown-id"
	case gen <= int64(len(m.finals[m.session])):
		return op(m.finals[m.session][gen-1]), ""
	}
	return op(x), ""
}

func (m *naive) toSession(o op, origin uuid.UUID) (id, string) {
	if o < 0 {
		gen := -int64(o)
		switch {
		case origin == m.session && m.isLocal(gen):
			return id(o), ""
		case origin == m.session:
			return 0, "unknown-id"
		case len(m.finals[origin]) == 0:
			return 0, "unknown-session"
		case gen <= int64(len(m.finals[origin])) && m.slots[m.finals[origin][gen-1]].finalized:
			return id(m.finals[origin][gen-1]), ""
		}
		return 0, "unknown-id"
	}
	if gen := m.ownFinal(int64(o)); gen > 0 {
		if gen > int64(len(m.forms)) {
			return 0, "unknown-id"
		}
		return m.forms[gen-1], ""
	}
	for final, s := range m.slots { // anything finalized at or behind it?
		if s.finalized && int64(final) >= int64(o) {
			return id(o), ""
		}
	}
	return 0, "unknown-id"
}
