package impls

import (
	"fmt"
	"iter"
	"slices"
	"unsafe"

	"example.com/idlab/impls/numericuuid"
)

// Lists holds sessions and clusters in the order in which they were added, and
// the last cluster of each session. It is the part of a [ClusterTable] that
// needs no search: a table whose structures only index it embeds it and adds
// the lookups. Nothing in it is a pointer. A session takes 24 bytes, a cluster 40.
type Lists struct {
	clusters []Cluster
	sessions []listedSession
}

type listedSession struct {
	id   numericuuid.UUID
	last int32 // the position of its last cluster, or -1
}

// PushSession adds a session, which must be a new one, and returns its name.
func (l *Lists) PushSession(id numericuuid.UUID) Session {
	l.sessions = append(l.sessions, listedSession{id, -1})
	return Session(len(l.sessions) - 1)
}

// PushCluster is AppendCluster, and returns the position of the cluster.
func (l *Lists) PushCluster(c Cluster) int32 {
	at := int32(len(l.clusters))
	l.clusters = append(l.clusters, c)
	l.sessions[c.Session].last = at
	return at
}

// Reserve makes room for as many sessions and clusters more.
func (l *Lists) Reserve(sessions, clusters int) {
	l.sessions = slices.Grow(l.sessions, sessions)
	l.clusters = slices.Grow(l.clusters, clusters)
}

// Cluster returns the cluster at a position. It stays valid until the next
// cluster is added.
func (l *Lists) Cluster(at int32) *Cluster { return &l.clusters[at] }

// StableIDIn returns the UUID of a final ID inside c, and false if it is only
// reserved.
func (l *Lists) StableIDIn(c *Cluster, final int64) (numericuuid.UUID, bool) {
	offset := final - c.BaseFinal
	if offset >= c.Count {
		return numericuuid.UUID{}, false
	}
	return l.sessions[c.Session].id.Add(uint64(c.BaseGen - 1 + offset)), true
}

// SessionID is that of [ClusterTable].
func (l *Lists) SessionID(s Session) numericuuid.UUID { return l.sessions[s].id }

// SessionCount is that of [ClusterTable].
func (l *Lists) SessionCount() int { return len(l.sessions) }

// ResizeLast is that of [ClusterTable], in O(1).
func (l *Lists) ResizeLast(s Session, capacity, count int64) {
	c := &l.clusters[l.sessions[s].last]
	c.Capacity, c.Count = capacity, count
}

// LastCluster is that of [ClusterTable], in O(1).
func (l *Lists) LastCluster(s Session) (Cluster, bool) {
	at := l.sessions[s].last
	if at < 0 {
		return Cluster{}, false
	}
	return l.clusters[at], true
}

// Clusters is that of [ClusterTable].
func (l *Lists) Clusters() iter.Seq[Cluster] { return slices.Values(l.clusters) }

// ClusterCount is that of [ClusterTable].
func (l *Lists) ClusterCount() int { return len(l.clusters) }

// Bytes returns the exact size of the lists, with their reserve.
func (l *Lists) Bytes() int64 {
	return int64(cap(l.clusters))*int64(unsafe.Sizeof(Cluster{})) +
		int64(cap(l.sessions))*int64(unsafe.Sizeof(listedSession{}))
}

// CheckInvariants returns what is wrong with the lists: clusters that do not
// tile the final IDs and the generation counts, counts beyond capacities, last
// clusters that are not the last.
func (l *Lists) CheckInvariants() error {
	var final int64
	gens := make([]int64, len(l.sessions))
	last := make([]int32, len(l.sessions))
	for s := range l.sessions {
		gens[s], last[s] = 1, -1
	}
	for i := range l.clusters {
		c := &l.clusters[i]
		if c.BaseFinal != final || c.BaseGen != gens[c.Session] || c.Capacity < 1 || c.Count < 0 || c.Count > c.Capacity {
			return fmt.Errorf("cluster %d is %+v, where final %d and generation count %d come next", i, *c, final, gens[c.Session])
		}
		final, gens[c.Session], last[c.Session] = c.FinalLimit(), c.GenLimit(), int32(i)
	}
	for s := range l.sessions {
		if l.sessions[s].last != last[s] {
			return fmt.Errorf("the last cluster of session %d is at %d, noted as %d", s, last[s], l.sessions[s].last)
		}
	}
	return nil
}
