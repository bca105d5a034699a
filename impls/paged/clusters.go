package paged

import (
	"iter"
	"unsafe"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// Clusters puts the clusters together from their slots, in one pass over the
// page table. A generation count costs a look at the session's UUID, so those
// of a group of slots are read before their clusters, for the misses to overlap.
func (t *Table) Clusters() iter.Seq[impls.Cluster] { return t.walk(true) }

// Extents is [impls.ExtentLister]: it spares the looks at the sessions.
func (t *Table) Extents() iter.Seq[impls.Cluster] { return t.walk(false) }

func (t *Table) walk(gens bool) iter.Seq[impls.Cluster] {
	return func(yield func(impls.Cluster) bool) {
		p := &t.space
		var c impls.Cluster // what is known of the one that is under way
		// begin hands the cluster before to the caller and begins another, whose
		// session's UUID is low below.
		begin := func(base numericuuid.UUID, s impls.Session, low uint64, first int64) bool {
			if c.Capacity > 0 && !yield(c) {
				return false
			}
			c = impls.Cluster{Session: s, BaseFinal: first, BaseGen: int64(base.Lo+uint64(first)-low) + 1}
			return true
		}
		low := func(s impls.Session) uint64 {
			if !gens {
				return 0
			}
			return t.sessions[s].id.Lo
		}
		var lows [group + 1]uint64 // of a group of slots and the next
		for n := range p.regions {
			r, end := p.regions[n], p.endOf(n)
			if r.shift == wide {
				w := &p.records[r.slot]
				if !begin(w.base, w.session, low(w.session), w.start) {
					return
				}
				c.Capacity, c.Count = end-w.start, w.bound-w.start
				continue
			}
			i := int(r.slot)
			for first := r.base; first < end; i, first = i+1, first+1<<r.shift {
				at := (i - int(r.slot)) % group
				if at == 0 && gens {
					for j := range p.slots[i:min(i+group+1, len(p.slots))] {
						lows[j] = low(p.slots[i+j].session)
					}
				}
				s := &p.slots[i]
				limit := min(first+1<<r.shift, end)
				if s.meta.spilled() {
					rs := p.recordsOf(s)
					for k := range rs {
						from, to := max(first, rs[k].start), limit
						if k+1 < len(rs) {
							to = rs[k+1].start
						}
						if (k > 0 || s.meta&begins != 0) && !begin(rs[k].base, rs[k].session, low(rs[k].session), from) {
							return
						}
						c.Capacity += to - from
						c.Count += max(min(rs[k].bound, to)-from, 0)
					}
					continue
				}
				if s.meta&begins != 0 && !begin(s.base, s.session, lows[at], first) {
					return
				}
				split := first + int64(s.meta.split())
				c.Count += int64(s.meta.bound(0))
				if split >= limit {
					c.Capacity += limit - first
					continue
				}
				c.Capacity += split - first
				s2 := &p.slots[i+1]
				if !begin(s2.base, s2.session, lows[at+1], split) {
					return
				}
				c.Capacity = limit - split
				c.Count = first + int64(s.meta.bound(1)) - split
			}
		}
		if c.Capacity > 0 {
			yield(c)
		}
	}
}

// Load is [impls.BulkLoader]: what single calls do, with the room known.
func (t *Table) Load(sessions []numericuuid.UUID, n int, clusters iter.Seq[impls.Cluster]) (int, bool) {
	t.sessions = alloc[session](len(sessions))
	buckets := 1
	for load*buckets < len(sessions) {
		buckets *= 2
	}
	t.radix.resize(buckets)
	for i, id := range sessions {
		if _, added := t.AddSession(id); !added {
			return i, false
		}
	}
	slots, records := 0, 0
	for c := range clusters {
		if c.Capacity>>maxShift > most {
			records++
		} else {
			slots += int(c.Capacity>>maxShift) + 1
		}
	}
	t.space.slots = alloc[slot](slots)
	t.space.records = make([]record, 0, records)
	t.space.regions = make([]region, 0, 1+records)
	for c := range clusters {
		t.AppendCluster(c)
	}
	if s := t.space.slots; len(s) < cap(s)/4*3 {
		t.space.slots = append(alloc[slot](len(s)), s...)
	}
	return 0, true
}

// Bytes is [impls.Sizer]: the exact size of the arrays, with their reserve.
func (t *Table) Bytes() int64 {
	n := t.space.bytes() + t.radix.bytes() +
		int64(cap(t.sessions))*int64(unsafe.Sizeof(session{})) +
		int64(cap(t.chains))*int64(unsafe.Sizeof(chain{}))
	for i := range t.chains {
		c := &t.chains[i]
		n += int64(cap(c.pages))*int64(unsafe.Sizeof(word(0))) + int64(cap(c.list))*int64(unsafe.Sizeof(link{}))
	}
	return n
}

func (p *space) bytes() int64 {
	return int64(cap(p.regions))*int64(unsafe.Sizeof(region{})) +
		int64(cap(p.slots))*int64(unsafe.Sizeof(slot{})) +
		int64(cap(p.lists))*int64(unsafe.Sizeof(list{})) +
		int64(cap(p.records))*int64(unsafe.Sizeof(record{}))
}
