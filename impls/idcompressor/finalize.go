package idcompressor

import (
	"fmt"
	"math"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// FinalizeCreationRange gives the IDs of a range, own or remote, their place
// in the total order. All sessions must finalize the same ranges in the same
// order. A range without IDs changes nothing.
//
// It does not allocate where the session's last cluster has room and no hook
// listens. Errors, in the order in which they are judged: [ErrDisposed], [ErrGhost],
// [ErrInvalidUUID], [ErrMalformedRange], [ErrOutOfOrder],
// [ErrForkedSession], [ErrExhausted], [ErrCollision].
func (c *Compressor) FinalizeCreationRange(r CreationRange) error {
	if err := c.usable("finalize"); err != nil {
		return err
	}
	if c.ghost != nil {
		return fmt.Errorf("idcompressor: finalize: %w: not while one is going on", ErrGhost)
	}
	if r.IDs == nil {
		return nil
	}
	id, err := parseID(r.SessionID)
	if err != nil {
		return err
	}
	p, err := c.plan(id, r.IDs)
	if err != nil {
		return err
	}
	c.carryOut(id, p)
	if p.session == local {
		c.refreshOwn()
		c.tellFinalized(p)
	}
	c.tell(func() Event { return RangeFinalizedEvent{r} })
	return nil
}

// outcome is how a range is taken in.
type outcome uint8

const (
	fits      outcome = iota // into the session's last cluster
	expands                  // that cluster, the document's last, grows
	overflows                // that cluster is filled, a new one takes the rest
	opens                    // the session's first cluster
)

// plan is a change that has been checked and not been made.
type plan struct {
	outcome  outcome
	session  impls.Session // -1 if it is to be added
	last     impls.Cluster // the session's last cluster as it will be
	added    impls.Cluster // the new one, with opens and overflows
	previous int64         // the last cluster's capacity as it is, with expands
	overflow int64         // with expands
}

// plan judges a range and works out what it will change.
func (c *Compressor) plan(id numericuuid.UUID, ids *RangeIDs) (plan, error) {
	if err := ids.check(); err != nil {
		return plan{}, err
	}
	p := plan{session: -1}
	if s, ok := c.table.LookupSession(id); ok {
		p.session = s
		p.last, _ = c.table.LastCluster(s)
	}
	expected := int64(1)
	if p.last.Capacity > 0 {
		expected = p.last.BaseGen + p.last.Count
	}
	if ids.FirstGenCount != expected {
		return plan{}, &OrderError{ExpectedStart: -expected, ActualStart: -ids.FirstGenCount}
	}
	if p.session == local && !c.isChild() && ids.Count > c.gen-expected+1 {
		return plan{}, fmt.Errorf("idcompressor: finalize: %w: the range reaches to %d, and %d IDs were generated here",
			ErrForkedSession, expected-1+ids.Count, c.gen)
	}
	room := p.last.Capacity - p.last.Count
	overflow := ids.Count - room
	if overflow <= 0 {
		p.last.Count += ids.Count
		return p, nil
	}
	if overflow > impls.MaxID-ids.RequestedClusterSize-c.limit {
		return plan{}, fmt.Errorf("idcompressor: finalize: %w: %d IDs after the %d there are", ErrExhausted, overflow, c.limit)
	}
	if p.session < 0 && c.table.SessionCount() == math.MaxInt32 {
		return plan{}, fmt.Errorf("idcompressor: finalize: %w: %d sessions", ErrExhausted, math.MaxInt32)
	}
	claim := overflow + ids.RequestedClusterSize
	grown := &p.added
	switch {
	case p.last.Capacity == 0:
		p.outcome = opens
		p.added = impls.Cluster{BaseFinal: c.limit, BaseGen: 1, Capacity: claim, Count: overflow}
	case p.session == c.lastOwner:
		p.outcome = expands
		p.previous, p.overflow = p.last.Capacity, overflow
		p.last.Capacity += claim
		p.last.Count += ids.Count
		grown = &p.last
	default:
		p.outcome = overflows
		p.last.Count = p.last.Capacity
		p.added = impls.Cluster{BaseFinal: c.limit, BaseGen: p.last.GenLimit(), Capacity: claim, Count: overflow}
	}
	return p, c.checkUUIDs(id, grown)
}

// checkUUIDs returns an error if a new or grown cluster reaches past the last
// UUID, or into another session's. As in the original, and so for the sake of
// consensus, only the nearest session below the cluster's last UUID is asked.
func (c *Compressor) checkUUIDs(id numericuuid.UUID, cluster *impls.Cluster) error {
	last := id.Add(uint64(cluster.GenLimit() - 2))
	if !last.Valid() {
		return fmt.Errorf("idcompressor: %w: session %s has no UUID for generation count %d", ErrExhausted, id, cluster.GenLimit()-1)
	}
	near, ok := c.table.NearestSession(last)
	if ok && c.table.SessionID(near) == id {
		var below numericuuid.UUID
		if below, ok = id.Prev(); ok {
			near, ok = c.table.NearestSession(below)
		}
	}
	if !ok {
		return nil
	}
	other, ok := c.table.LastCluster(near)
	if !ok {
		return nil
	}
	nearID := c.table.SessionID(near)
	if allocated := nearID.Add(uint64(other.GenLimit() - 2)); allocated.Less(id.Add(uint64(cluster.BaseGen - 1))) {
		return nil
	}
	return fmt.Errorf("idcompressor: %w: cluster of session %s and those of %s", ErrCollision, id, nearID)
}

// carryOut makes a change that was planned.
func (c *Compressor) carryOut(id numericuuid.UUID, p plan) {
	if p.session < 0 {
		p.session, _ = c.table.AddSession(id)
	}
	if p.outcome != opens {
		c.table.ResizeLast(p.session, p.last.Capacity, p.last.Count)
		if p.session == c.lastOwner {
			c.trackLast(&p.last, p.session)
		}
	}
	if p.outcome == opens || p.outcome == overflows {
		c.appendCluster(p.session, p.added)
	}
}

func (c *Compressor) appendCluster(s impls.Session, cluster impls.Cluster) {
	cluster.Session = s
	c.table.AppendCluster(cluster)
	c.trackLast(&cluster, s)
}

// trackLast remembers the document's last cluster.
func (c *Compressor) trackLast(last *impls.Cluster, owner impls.Session) {
	c.lastOwner = owner
	c.limit = last.FinalLimit()
	c.finalized = last.BaseFinal + last.Count
}

// tellFinalized tells of an own range.
func (c *Compressor) tellFinalized(p plan) {
	if c.hook == nil {
		c.counts = StatusEvent{}
		return
	}
	switch p.outcome {
	case opens:
		c.hook(FirstClusterEvent{c.stable})
	case overflows:
		c.hook(NewClusterEvent{c.stable})
	case expands:
		c.hook(ClusterExpansionEvent{SessionID: c.stable, PreviousCapacity: p.previous, NewCapacity: p.last.Capacity, Overflow: p.overflow})
	}
	status := c.counts
	status.SessionID = c.stable
	c.counts = StatusEvent{}
	c.hook(status)
}
