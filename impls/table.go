package impls

import (
	"iter"

	"example.com/idlab/impls/numericuuid"
)

// Session names a session of a table: 0, 1, 2, ... in the order in which they
// were added. The compressor adds its own session first.
type Session int32

// MaxID is the greatest generation count and the greatest final ID, 2^53 - 1:
// what the original's floating-point numbers hold exactly.
const MaxID = 1<<53 - 1

// Cluster is a run of final IDs that belongs to one session.
type Cluster struct {
	Session   Session
	BaseFinal int64 // the first final ID of the run
	BaseGen   int64 // the generation count it stands for, 1 or more
	Capacity  int64 // how many final IDs the run has, 1 or more
	Count     int64 // how many of them are finalized, from the first
}

// Place is where an ID lies in a table. The zero Place, whose Gen is 0, is none.
type Place struct {
	Session   Session
	Gen       int64 // generation count in the session, 1 or more
	Final     int64
	Finalized bool // counted by its cluster, not only reserved
}

// Found reports whether p is a place at all.
func (p Place) Found() bool { return p.Gen != 0 }

// ClusterTable holds a document's sessions and clusters: what belongs to a
// final ID, and what to a UUID.
//
// The caller keeps the preconditions: sessions exist, clusters are appended
// where the last one ended, sums stay within [MaxID] and UUIDs within 122 bits.
// A table may rely on that and need not check it. Final IDs and generation
// counts that are asked for may be any number. A table is not safe for
// concurrent use unless it says so.
type ClusterTable interface {
	// AddSession adds a session and returns its name. If the table has a
	// session of that UUID already, it returns that one and false.
	AddSession(id numericuuid.UUID) (s Session, added bool)
	// LookupSession returns the session of that very UUID.
	LookupSession(id numericuuid.UUID) (Session, bool)
	// NearestSession returns the session with the greatest UUID at or below id.
	NearestSession(id numericuuid.UUID) (Session, bool)
	// SessionID returns the UUID of a session.
	SessionID(s Session) numericuuid.UUID
	// SessionCount returns the number of sessions.
	SessionCount() int

	// AppendCluster appends c. c.BaseFinal is where the table's last cluster
	// ends, c.BaseGen where the last of the session's chain does, or 1.
	AppendCluster(c Cluster)
	// ResizeLast sets the capacity and count of the last cluster of s. Another
	// capacity is given only to the last cluster of the table, and never a
	// smaller one; the count may be any of 0 to the capacity.
	ResizeLast(s Session, capacity, count int64)
	// LastCluster returns the last cluster of the session's chain, and false
	// if it has none.
	LastCluster(s Session) (Cluster, bool)
	// Clusters yields all clusters in the order of their final IDs. The table
	// must not be changed meanwhile.
	Clusters() iter.Seq[Cluster]
	// ClusterCount returns the number of clusters.
	ClusterCount() int

	// StableID returns the UUID of a finalized final ID, and false for every
	// other number: negative, beyond the last cluster, or reserved only. It is
	// the path of nearly every decompress.
	StableID(final int64) (numericuuid.UUID, bool)
	// ByFinal returns the place of any final ID inside a cluster, reserved
	// ones included; the zero Place for others.
	ByFinal(final int64) Place
	// ByGen returns the place of a generation count in the chain of s,
	// reserved ones included; the zero Place where no cluster covers it.
	ByGen(s Session, gen int64) Place
	// ByStableID returns the place of a UUID in the chain of the *nearest*
	// session at or below it, reserved ones included; the zero Place where
	// there is no such session or its chain does not cover the UUID. A farther
	// session is not looked at, even if its chain does cover it.
	ByStableID(id numericuuid.UUID) Place
	// GenInSession returns the generation count of a final ID that lies in a
	// cluster of s, reserved ones included, and 0 where it lies in none.
	GenInSession(s Session, final int64) int64
}

// PlaceOf returns the place of a final ID inside c. Backends share it.
func (c *Cluster) PlaceOf(final int64) Place {
	offset := final - c.BaseFinal
	return Place{Session: c.Session, Gen: c.BaseGen + offset, Final: final, Finalized: offset < c.Count}
}

// PlaceOfGen returns the place of a generation count, which is not below
// c.BaseGen, and the zero Place if it lies after c.
func (c *Cluster) PlaceOfGen(gen int64) Place {
	if gen >= c.GenLimit() {
		return Place{}
	}
	return c.PlaceOf(c.BaseFinal + gen - c.BaseGen)
}

// GenLimit returns the first generation count after c.
func (c *Cluster) GenLimit() int64 { return c.BaseGen + c.Capacity }

// FinalLimit returns the first final ID after c.
func (c *Cluster) FinalLimit() int64 { return c.BaseFinal + c.Capacity }
