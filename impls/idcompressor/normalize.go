package idcompressor

import (
	"fmt"

	"github.com/google/uuid"

	"example.com/idlab/impls/numericuuid"
)

// NormalizeToOpSpace returns the form in which an ID travels: final if there
// is one. A final ID is returned as it is, whether or not it exists. It does
// not allocate. Errors: [ErrUnknownID], [ErrDisposed].
func (c *Compressor) NormalizeToOpSpace(id SessionSpaceID) (OpSpaceID, error) {
	if op, ok := c.opForm(id); ok {
		return op, nil
	}
	return 0, c.unknownID("normalize to op space", int64(id))
}

func (c *Compressor) opForm(id SessionSpaceID) (OpSpaceID, bool) {
	if id >= 0 {
		return OpSpaceID(id), !c.disposed
	}
	gen := -int64(id)
	if c.disposed || !c.isLocal(gen) {
		return 0, false
	}
	// An ID that awaits finalizing lies in the last own cluster or beyond.
	if gen >= c.own.BaseGen {
		if gen < c.own.GenLimit() {
			return OpSpaceID(gen + c.shift), true
		}
		return OpSpaceID(id), true
	}
	return OpSpaceID(c.table.ByGen(local, gen).Final), true
}

// NormalizeToSessionSpace returns the form in which this session knows an ID
// that came in an operation of the session origin. It does not allocate.
// Errors: [ErrInvalidUUID] for origin, [ErrUnknownSession], [ErrUnknownID],
// [ErrDisposed].
func (c *Compressor) NormalizeToSessionSpace(id OpSpaceID, origin uuid.UUID) (SessionSpaceID, error) {
	if found, ok := c.sessionSpaceForm(id, origin); ok {
		return found, nil
	}
	const call = "normalize to session space"
	if err := c.usable(call); err != nil {
		return 0, err
	}
	n, err := parseID(origin)
	if err != nil {
		return 0, err
	}
	if id < 0 && n != c.session {
		s, ok := c.table.LookupSession(n)
		if ok {
			_, ok = c.table.LastCluster(s)
		}
		if !ok {
			return 0, fmt.Errorf("idcompressor: %s: %w: %s", call, ErrUnknownSession, origin)
		}
	}
	return 0, c.unknownID(call, int64(id))
}

// sessionSpaceForm is NormalizeToSessionSpace without a reason for its failure.
func (c *Compressor) sessionSpaceForm(id OpSpaceID, origin uuid.UUID) (SessionSpaceID, bool) {
	if id < 0 && origin == c.stable {
		return SessionSpaceID(id), c.isLocal(-int64(id)) && !c.disposed
	}
	n, ok := numericuuid.FromUUID(origin)
	if !ok || c.disposed {
		return 0, false
	}
	if id >= 0 {
		return c.finalToSession(id)
	}
	s, ok := c.table.LookupSession(n)
	if !ok {
		return 0, false
	}
	p := c.table.ByGen(s, -int64(id))
	return SessionSpaceID(p.Final), p.Finalized
}

// TryNormalizeToSessionSpace is [Compressor.NormalizeToSessionSpace] where the
// origin is not known: it returns false for a local form, which needs one.
func (c *Compressor) TryNormalizeToSessionSpace(id OpSpaceID) (SessionSpaceID, bool, error) {
	const call = "normalize to session space"
	if c.disposed {
		return 0, false, c.usable(call)
	}
	if id < 0 {
		return 0, false, nil
	}
	if found, ok := c.finalToSession(id); ok {
		return found, true, nil
	}
	return 0, false, c.unknownID(call, int64(id))
}

// finalToSession decides whether a final ID is an own one that this session
// knows by its local form. A remote one is only held against the end of what
// is finalized, as the original does.
func (c *Compressor) finalToSession(id OpSpaceID) (SessionSpaceID, bool) {
	gen := c.ownGen(int64(id))
	switch {
	case gen == 0:
		return SessionSpaceID(id), int64(id) < c.finalized
	case c.isLocal(gen):
		return SessionSpaceID(-gen), true
	}
	return SessionSpaceID(id), gen <= c.gen
}

// ownGen returns the generation count of a final ID in an own cluster, or 0.
func (c *Compressor) ownGen(final int64) int64 {
	if final >= c.own.BaseFinal {
		if final < c.own.FinalLimit() {
			return final - c.shift
		}
		return 0
	}
	return c.table.GenInSession(local, final)
}
