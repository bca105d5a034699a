package hashindex

import (
	"unsafe"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// counted is a map that counts its lookups.
type counted[K comparable] struct {
	Map[K]
	lookups *int
}

func (m counted[K]) Get(k K) (int32, bool) {
	*m.lookups++
	return m.Map.Get(k)
}

// ProbeFinal is [impls.Prober]: lookups in the map and clusters compared. What a
// lookup costs inside the map is the map's.
func (t *Table) ProbeFinal(final int64) (steps int) {
	x := blocks{counted[uint64]{t.finals.m, &steps}, t.finals.shift}
	x.locate(0, final, t.ClusterCount(), func(i int) int64 {
		steps++
		return t.Cluster(int32(i)).BaseFinal
	})
	return steps
}

// ProbeStableID is [impls.Prober]: lookups, UUIDs and clusters compared.
func (t *Table) ProbeStableID(id numericuuid.UUID) (steps int) {
	c := *t
	c.uuids.m = counted[Prefix]{t.uuids.m, &steps}
	c.gens.m = counted[uint64]{t.gens.m, &steps}
	near, ok := c.uuids.nearest(id)
	steps += leafSteps
	if !ok {
		return steps
	}
	if offset, ok := id.Sub(near.ID); ok && offset < impls.MaxID {
		chain := c.chains.get(near.Session)
		c.inChain(near.Session, int64(offset)+1, func(i int) int64 {
			steps++
			return c.Cluster(chain[i]).BaseGen
		})
	}
	return steps
}

// leafSteps are the comparisons in a full leaf, and the step to the one before.
const leafSteps = 6

// ProbeBound is [impls.Prober].
func (t *Table) ProbeBound() int {
	return descendBound + leafSteps + locateBound(t.ClusterCount())
}

// Bytes is [impls.Sizer]: exact but for the maps, which see.
func (t *Table) Bytes() int64 {
	return t.Lists.Bytes() + t.chains.Bytes() +
		int64(cap(t.uuids.leaves))*int64(unsafe.Sizeof(leaf{})) +
		t.finals.m.Bytes() + t.gens.m.Bytes() + t.uuids.m.Bytes()
}

var (
	_ impls.BulkLoader  = (*Table)(nil)
	_ impls.Sizer       = (*Table)(nil)
	_ impls.Prober      = (*Table)(nil)
	_ impls.Invarianter = (*Table)(nil)
	_ impls.Sizer       = (*Normalizer)(nil)
	_ impls.Invarianter = (*Normalizer)(nil)
)
