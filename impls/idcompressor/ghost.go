package idcompressor

import (
	"fmt"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// ghostState is a ghost session that is going on.
type ghostState struct {
	id      numericuuid.UUID
	session impls.Session
	cluster impls.Cluster // its cluster, zero until the first ID
}

// BeginGhostSession calls f; IDs generated meanwhile are final IDs of the
// session id, in a cluster of their own that grows with them. It is for
// changes that all sessions make by themselves at one point of the total
// order, with the same id and the same number of IDs.
//
// When f returns the ghost session ends, its IDs stay, and f's error is
// returned. While it is going on, ranges cannot be taken or finalized, and the
// compressor cannot be serialized or sharded: [ErrGhost]. The other errors are
// [ErrInvalidUUID], and [ErrGhost] for the own session, a second ghost session
// inside the first, and a sharded compressor.
func (c *Compressor) BeginGhostSession(id uuid.UUID, f func() error) error {
	if err := c.usable("begin ghost session"); err != nil {
		return err
	}
	n, err := parseID(id)
	if err != nil {
		return err
	}
	var reason string
	switch {
	case c.ghost != nil:
		reason = "one is going on"
	case c.shard != nil:
		reason = "not while sharded"
	case n == c.session:
		reason = "the compressor's own session cannot be one"
	}
	if reason != "" {
		return fmt.Errorf("idcompressor: begin ghost session: %w: %s", ErrGhost, reason)
	}
	c.ghost = &ghostState{id: n}
	defer func() { c.ghost = nil }()
	return f()
}

// ghostCluster returns the cluster of the ghost session: an empty one before
// its first ID, after all that its session has been allocated.
func (c *Compressor) ghostCluster() impls.Cluster {
	g := c.ghost
	if g.cluster.Capacity > 0 {
		return g.cluster
	}
	next := impls.Cluster{BaseFinal: c.limit, BaseGen: 1}
	if s, ok := c.table.LookupSession(g.id); ok {
		if last, ok := c.table.LastCluster(s); ok {
			next.BaseGen = last.GenLimit()
		}
	}
	return next
}

// ghostRoom returns how many more IDs the ghost session can have.
func (c *Compressor) ghostRoom() int64 {
	room := impls.MaxID - c.limit
	if uuids, ok := numericuuid.Max.Sub(c.ghost.id); ok && uuids < impls.MaxID {
		cluster := c.ghostCluster()
		room = min(room, int64(uuids)+2-cluster.GenLimit())
	}
	return room
}

// generateGhost makes the next ID of the ghost session. Only its first ID is
// checked for a collision: all sessions must agree, and the original checks no
// more.
func (c *Compressor) generateGhost() (int64, error) {
	g := c.ghost
	if c.ghostRoom() < 1 {
		return 0, fmt.Errorf("idcompressor: generate: %w: ghost session %s", ErrExhausted, g.id)
	}
	next := c.ghostCluster()
	next.Capacity++
	next.Count++
	if g.cluster.Capacity > 0 {
		c.table.ResizeLast(g.session, next.Capacity, next.Count)
		c.trackLast(&next, g.session)
	} else {
		if err := c.checkUUIDs(g.id, &next); err != nil {
			return 0, err
		}
		g.session, _ = c.table.AddSession(g.id)
		c.appendCluster(g.session, next)
	}
	g.cluster = next
	return next.BaseFinal + next.Count - 1, nil
}
