package impls

import (
	"iter"

	"example.com/idlab/impls/numericuuid"
)

// BulkLoader is a table that can be filled at once, faster than by single calls.
type BulkLoader interface {
	// Load fills an empty table with sessions, in that order, and clusters, in
	// the order of their final IDs; n is the number of clusters, and they may
	// be ranged over more than once. If two of the
	// sessions are equal, it returns the smallest position whose session is at
	// an earlier one too, and false, and the table is not to be used.
	Load(sessions []numericuuid.UUID, n int, clusters iter.Seq[Cluster]) (duplicate int, ok bool)
}

// ExtentLister is a table that can list its clusters faster where nobody asks
// for generation counts, which follow from the order.
type ExtentLister interface {
	// Extents is Clusters with any number as BaseGen.
	Extents() iter.Seq[Cluster]
}

// BatchTable is a table that answers many lookups at once faster than one at a
// time, for instance because its cache misses overlap.
type BatchTable interface {
	// StableIDs sets dst[i] to StableID(finals[i]) up to the first final that
	// is not finalized, and returns how many it set; behind those, as far as
	// finals goes, dst holds anything. dst is at least as long as finals.
	StableIDs(dst []numericuuid.UUID, finals []int64) int
	// StableIDRange does so for the finals first, first+1, ..., as many as dst
	// is long.
	StableIDRange(dst []numericuuid.UUID, first int64) int
	// ByStableIDs sets dst[i] to ByStableID(ids[i]) for all. dst is at least
	// as long as ids.
	ByStableIDs(dst []Place, ids []numericuuid.UUID)
}

// Sizer is a table or normalizer that knows what it takes.
type Sizer interface {
	// Bytes returns the bytes of its own storage in use: exact for arrays,
	// including what they hold in reserve, and as the comment of the method
	// says where a library hides it.
	Bytes() int64
}

// Prober is a table that can tell what a lookup costs in steps: keys compared,
// nodes visited, slots or lines looked at. The walk is a separate one, so that
// counting costs the lookups nothing.
type Prober interface {
	// ProbeFinal returns the steps of ByFinal(final).
	ProbeFinal(final int64) int
	// ProbeStableID returns the steps of ByStableID(id).
	ProbeStableID(id numericuuid.UUID) int
	// ProbeBound returns the greatest number of steps that any lookup takes at
	// the present size, whatever the keys. The suite checks it.
	ProbeBound() int
}

// Invarianter is a table or normalizer that can check itself.
type Invarianter interface {
	// CheckInvariants returns what is wrong inside, or nil. It may take time
	// in proportion to the whole content.
	CheckInvariants() error
}

// Freezer is a table or normalizer of which copies can be made that many
// goroutines may read at once while the original goes on: what a shared
// compressor needs of its backend.
type Freezer[T any] interface {
	// Freeze returns a copy that shares nothing that either of them will
	// change. It costs as much as copying [Sizer.Bytes]. Lookups in the copy
	// are safe for concurrent use as long as nobody changes it.
	Freeze() T
}
