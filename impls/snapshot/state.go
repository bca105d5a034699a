// Package snapshot is a compressor's state as plain, checked data, and its
// serialized form: version 2 and 3 of Fluid's format, to the byte.
//
// # Terms
//
// A [State] is what a compressor writes: the sessions in the order in which it
// first saw them, the clusters in the order of their final IDs, and, in a form
// with session, what only that session knows (generation count, cursor of the
// next creation range, normalizer, sharding). A form without session is what
// a document stores; whoever loads it brings a session of its own.
//
// # The form
//
// The binary form is a row of slots of 8 bytes, little-endian. Every scalar is
// a float64, also a count, a flag and the version; a UUID is its number of 122
// bits in two slots, the low word first.
//
//	version hasLocal S K | S x (low high) | K x (session capacity count)
//	with session:  generated cursor N | N x (first count)
//	version 3 too: sharded [ stride original C | C x (low high) | hasID [low high] ]
//
// Where a cluster begins is not written: finals are the running sum of the
// capacities, generation counts that of the session's own. The text form is
// base64 of it, the standard alphabet with padding, in one line.
//
// # Trust
//
// Data comes from strangers. [Parse] and [ParseText] check every field before
// they take memory for what it claims, and take at most 16 times the input;
// [ReadText] holds 32 KiB of text besides. An [Error] names field, position and
// value.
package snapshot

import (
	"example.com/idlab/impls/numericuuid"
)

// Versions of Fluid's format that this package reads and writes.
const (
	V2 = 2
	V3 = 3
)

// MaxID is the greatest count the format holds exactly, 2^53 - 1.
const MaxID = 1<<53 - 1

// MaxStride is the greatest stride of a sharded compressor.
const MaxStride = 1_000_000

// State is the state of a compressor.
type State struct {
	Version  int // V2 or V3
	Sessions []numericuuid.UUID
	Clusters []Cluster
	Local    *Local // nil in a form without session
}

// Cluster is a run of final IDs. Its first final ID is the sum of the
// capacities before it.
type Cluster struct {
	Session  int32 // position in State.Sessions
	Capacity int64 // 1 or more
	Count    int64 // how many are finalized, 0..Capacity
}

// Local is what only the own session knows. That session is State.Sessions[0].
type Local struct {
	Generated int64 // IDs generated
	Cursor    int64 // first generation count of the next creation range
	Runs      []Run // generation counts that began as local IDs
	Sharding  *Sharding
}

// Run is the generation counts First, First+1, ..., First+Count-1.
type Run struct{ First, Count int64 }

// Sharding is the state of a sharded compressor, or of a shard.
type Sharding struct {
	Stride   int64 // distance between two IDs of this shard now
	Original int64 // distance before it was sharded itself: 1 on the root
	Children []numericuuid.UUID
	ShardID  *numericuuid.UUID // nil on the root
}
