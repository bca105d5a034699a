package paged

import (
	"fmt"

	"example.com/idlab/impls"
)

var (
	_ impls.BulkLoader  = (*Table)(nil)
	_ impls.BatchTable  = (*Table)(nil)
	_ impls.Sizer       = (*Table)(nil)
	_ impls.Prober      = (*Table)(nil)
	_ impls.Invarianter = (*Table)(nil)
	_ impls.Sizer       = (*Normalizer)(nil)
	_ impls.Invarianter = (*Normalizer)(nil)
)

// CheckInvariants is [impls.Invarianter].
func (t *Table) CheckInvariants() error {
	for _, check := range []func() error{t.checkSpace, t.checkRadix, t.checkChains} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkSpace checks the regions and slots by themselves.
func (t *Table) checkSpace() error {
	p := &t.space
	slots, records := 0, 0
	for n := range p.regions {
		r, end := p.regions[n], p.endOf(n)
		if n == 0 && r.base != 0 || r.base >= end {
			return fmt.Errorf("region %d has [%d, %d)", n, r.base, end)
		}
		if n == p.main.region && p.main.size != 0 &&
			(p.main.base != r.base || p.main.size != uint64(end-r.base) || p.main.slot != int(r.slot) || p.main.shift != r.shift) {
			return fmt.Errorf("the main region is %+v, region %d is %+v up to %d", p.main, n, r, end)
		}
		if r.shift == wide {
			if int(r.slot) != records {
				return fmt.Errorf("wide region %d has record %d, not %d", n, r.slot, records)
			}
			records++
			continue
		}
		if int(r.slot) != slots {
			return fmt.Errorf("region %d begins at slot %d, not %d", n, r.slot, slots)
		}
		width := int64(1) << r.shift
		for first := r.base; first < end; first += width {
			if slots == len(p.slots) {
				return fmt.Errorf("region %d has too few slots", n)
			}
			m := p.slots[slots].meta
			slots++
			if m.spilled() {
				l := p.lists[m.list()]
				if int(l.first) != records || l.n < 1 || l.n > crowded {
					return fmt.Errorf("slot %d has list %+v, next record is %d", slots-1, l, records)
				}
				records += int(l.n)
				continue
			}
			switch split := int64(m.split()); {
			case split < 1 || split > width || int64(m.bound(0)) > split:
				return fmt.Errorf("slot %d: first cluster up to %d, finalized %d", slots-1, split, m.bound(0))
			case split == width && m.bound(1) != 0:
				return fmt.Errorf("slot %d has a bound of a second cluster", slots-1)
			case split < width && (first+width >= end || int64(m.bound(1)) < split || int64(m.bound(1)) > width):
				return fmt.Errorf("slot %d: second cluster from %d, finalized %d, in [%d, %d)", slots-1, split, m.bound(1), first, end)
			}
		}
	}
	if slots != len(p.slots) || records != len(p.records) {
		return fmt.Errorf("%d slots, %d in regions; %d records, %d in use", len(p.slots), slots, len(p.records), records)
	}
	return nil
}

// checkRadix checks that the buckets hold all sessions in order.
func (t *Table) checkRadix() error {
	r := &t.radix
	last, found := impls.Session(-1), 0
	var err error
	for i := range r.buckets {
		b := &r.buckets[i]
		add := func(s impls.Session) {
			id := t.sessions[s].id
			if int(id.Hi>>r.shift) != i || last >= 0 && !t.sessions[last].id.Less(id) {
				err = fmt.Errorf("session %d is out of order in bucket %d", s, i)
			}
			last = s
			found++
		}
		before := found
		if root, ok := b.root(); ok {
			r.crowds.walk(root, add, func(uint32) {})
		} else {
			n := b.len()
			for j, s := range b.sessions {
				if (s != vacant) != (j < n) || j < n && b.tag(j) != r.tag(t.sessions[s].id) || j >= n && b.tag(j) != noTag {
					return fmt.Errorf("bucket %d has %d sessions, %d at %d with tag %#x", i, n, s, j, b.tag(j))
				}
				if j < n {
					add(impls.Session(s))
				}
			}
		}
		if used := r.used[0][i>>6]>>(i&63)&1 != 0; used != (found > before) {
			return fmt.Errorf("bucket %d has %d sessions, used says %t", i, found-before, used)
		}
		if err != nil {
			return err
		}
	}
	if found != len(t.sessions) {
		return fmt.Errorf("%d sessions, %d in buckets", len(t.sessions), found)
	}
	return nil
}

// checkChains checks sessions and chains against the page table.
func (t *Table) checkChains() error {
	next := make([]int64, len(t.sessions))
	latest := make([]impls.Cluster, len(t.sessions))
	var limit int64
	n := 0
	for c := range t.Clusters() {
		if c.BaseFinal != limit || c.BaseGen != next[c.Session]+1 || c.Count > c.Capacity || c.Capacity < 1 {
			return fmt.Errorf("cluster %d: %+v after final %d, offset %d", n, c, limit, next[c.Session])
		}
		limit += c.Capacity
		next[c.Session] += c.Capacity
		latest[c.Session] = c
		n++
		for _, final := range []int64{c.BaseFinal, c.BaseFinal + c.Count - 1, c.BaseFinal + c.Count, c.FinalLimit() - 1} {
			if final < c.BaseFinal || final >= limit {
				continue
			}
			want := c.PlaceOf(final)
			if got := t.ByGen(c.Session, want.Gen); got != want {
				return fmt.Errorf("the chain of session %d has %+v at %d, the page table %+v", c.Session, got, want.Gen, want)
			}
		}
	}
	if n != t.clusters || limit != t.space.limit {
		return fmt.Errorf("%d clusters up to %d, counted %d up to %d", t.clusters, t.space.limit, n, limit)
	}
	for s, want := range latest {
		if got, _ := t.LastCluster(impls.Session(s)); got != want {
			return fmt.Errorf("last cluster of session %d is %+v, the page table has %+v", s, got, want)
		}
	}
	return nil
}
