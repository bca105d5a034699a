package paged

import (
	"slices"

	"example.com/idlab/impls"
)

// Freeze is [impls.Freezer]: a copy of every array. Lookups write nothing, so
// any number of goroutines may read the copy.
func (t *Table) Freeze() impls.ClusterTable {
	f := *t
	f.space.regions = slices.Clone(t.space.regions)
	f.space.slots = copyOf(t.space.slots)
	f.space.lists = slices.Clone(t.space.lists)
	f.space.records = slices.Clone(t.space.records)
	f.sessions = copyOf(t.sessions)
	f.radix.buckets = copyOf(t.radix.buckets)
	f.radix.used = make(bitmap, len(t.radix.used))
	for i, level := range t.radix.used {
		f.radix.used[i] = slices.Clone(level)
	}
	f.radix.crowds.nodes = slices.Clone(t.radix.crowds.nodes)
	f.radix.crowds.released = slices.Clone(t.radix.crowds.released)
	f.chains = slices.Clone(t.chains)
	for i := range f.chains {
		c := &f.chains[i]
		c.pages, c.list = slices.Clone(c.pages), slices.Clone(c.list)
	}
	return &f
}

// copyOf is slices.Clone for arrays that are read at random.
func copyOf[T any](s []T) []T { return append(alloc[T](len(s)), s...) }

// Freeze is [impls.Freezer].
func (n *Normalizer) Freeze() impls.Normalizer {
	f := *n
	f.stretches, f.words = slices.Clone(n.stretches), slices.Clone(n.words)
	return &f
}

var (
	_ impls.Freezer[impls.ClusterTable] = (*Table)(nil)
	_ impls.Freezer[impls.Normalizer]   = (*Normalizer)(nil)
)
