package paged

import (
	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// group is how many lookups of a batch are on their way together. A core has
// room for some ten to twenty misses of its own.
const group = 32

// StableIDs is [impls.BatchTable]: of each group of finals it reads all slots
// before it looks at any, so that their misses overlap.
func (t *Table) StableIDs(dst []numericuuid.UUID, finals []int64) int {
	p := &t.space
	base, size, mask, shift := p.main.base, p.main.size, p.main.mask, p.main.shift&63
	slots := p.slots[p.main.slot:]
	var metas [group]meta
	done := 0
	for len(finals) > 0 {
		n := min(group, len(finals))
		for j, final := range finals[:n] {
			m := spill // what is not in the main region goes the same way
			if offset := uint64(final - base); offset < size {
				m = slots[offset>>shift].meta
			}
			metas[j&(group-1)] = m
		}
		out := dst[done : done+n]
		for j, final := range finals[:n] {
			m := metas[j&(group-1)]
			if m.spilled() {
				id, ok := p.stableID(final)
				if !ok {
					return done + j
				}
				out[j] = id
				continue
			}
			offset := uint64(final - base)
			at := uint32(offset) & mask
			second := m.second(at)
			if at >= m.bound(second) {
				return done + j
			}
			out[j] = slots[offset>>shift+uint64(second)].base.Add(uint64(final))
		}
		finals = finals[n:]
		done += n
	}
	return done
}

// StableIDRange is [impls.BatchTable]: a search a slot, an addition an ID.
func (t *Table) StableIDRange(dst []numericuuid.UUID, first int64) int {
	for done := 0; done < len(dst); {
		final := first + int64(done)
		h, ok := t.space.find(final)
		if !ok || final >= h.bound {
			return done
		}
		n := min(int64(len(dst)-done), h.bound-final)
		id := h.base.Add(uint64(final))
		for i := range dst[done : done+int(n)] {
			dst[done+i] = id
			id = id.Add(1)
		}
		done += int(n)
	}
	return len(dst)
}

// ByStableIDs is [impls.BatchTable]: of each group of UUIDs it reads all
// buckets, then all sessions, then all pages of chains.
func (t *Table) ByStableIDs(dst []impls.Place, ids []numericuuid.UUID) {
	r := &t.radix
	if len(r.buckets) == 0 {
		clear(dst[:len(ids)])
		return
	}
	var (
		words   [group]uint64 // of each bucket, then each page: read early for the miss
		nearest [group]impls.Session
		offsets [group]uint64
		late    [group]uint8 // what the third pass leaves to the last
	)
	for len(ids) > 0 {
		n := min(group, len(ids))
		for j, id := range ids[:n] {
			words[j&(group-1)] = r.buckets[min(id.Hi>>(r.shift&63), uint64(len(r.buckets)-1))].tags[0]
		}
		for j, id := range ids[:n] {
			s, ok := impls.Session(-1), false
			if words[j&(group-1)] != emptyBucket.tags[0] {
				s, ok = r.candidate(id)
			}
			if !ok {
				s = -1 // empty, crowded, or of an earlier bucket
			}
			nearest[j&(group-1)] = s
		}
		waiting := 0
		for j, id := range ids[:n] {
			if s := nearest[j&(group-1)]; s >= 0 {
				l := &t.sessions[s]
				offset, ok := id.Sub(l.id)
				if ok && offset < uint64(l.limit) {
					dst[j] = t.place(s, offset)
					continue
				}
				if !ok {
					nearest[j&(group-1)] = -1
				} else if l.chain < 0 {
					c := &t.chains[^l.chain]
					if at := (offset - uint64(c.firstEnd)) >> (c.shift & 63); at < uint64(len(c.pages)) {
						words[j&(group-1)] = uint64(c.pages[at])
					}
				}
				offsets[j&(group-1)] = offset
			}
			late[waiting&(group-1)] = uint8(j)
			waiting++
		}
		for _, j := range late[:waiting] {
			if s := nearest[j&(group-1)]; s >= 0 {
				dst[j] = t.place(s, offsets[j&(group-1)])
			} else {
				dst[j] = t.ByStableID(ids[j])
			}
		}
		dst, ids = dst[n:], ids[n:]
	}
}
