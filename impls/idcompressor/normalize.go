package idcompressor

import (
	"fmt"

	"github.com/google/uuid"
)

// NormalizeToOpSpace returns the form in which an ID travels: final if there
// is one. A final ID is returned as it is, whether or not it exists. It does
// not allocate. Errors: [ErrUnknownID], [ErrDisposed].
func (c *Compressor) NormalizeToOpSpace(id SessionSpaceID) (OpSpaceID, error) {
	if c.disposed {
		return 0, c.usable("normalize to op space")
	}
	if id >= 0 {
		return OpSpaceID(id), nil
	}
	gen := -int64(id)
	if !c.isLocal(gen) {
		return 0, c.unknownID("normalize to op space", int64(id))
	}
	// An ID that awaits finalizing lies in the last own cluster or beyond.
	if gen >= c.own.BaseGen {
		if gen < c.own.GenLimit() {
			return OpSpaceID(gen + c.shift), nil
		}
		return OpSpaceID(id), nil
	}
	return OpSpaceID(c.table.ByGen(local, gen).Final), nil
}

// NormalizeToSessionSpace returns the form in which this session knows an ID
// that came in an operation of the session origin. It does not allocate.
// Errors: [ErrInvalidUUID] for origin, [ErrUnknownSession], [ErrUnknownID],
// [ErrDisposed].
func (c *Compressor) NormalizeToSessionSpace(id OpSpaceID, origin uuid.UUID) (SessionSpaceID, error) {
	if c.disposed {
		return 0, c.usable("normalize to session space")
	}
	if id < 0 && origin == c.stable {
		if c.isLocal(-int64(id)) {
			return SessionSpaceID(id), nil
		}
		return 0, c.unknownID("normalize to session space", int64(id))
	}
	n, err := parseID(origin)
	if err != nil {
		return 0, err
	}
	if id >= 0 {
		return c.finalToSession(id)
	}
	s, ok := c.table.LookupSession(n)
	if ok {
		if p := c.table.ByGen(s, -int64(id)); p.Finalized {
			return SessionSpaceID(p.Final), nil
		}
		_, ok = c.table.LastCluster(s)
	}
	if !ok {
		return 0, fmt.Errorf("idcompressor: normalize to session space: %w: %s", ErrUnknownSession, origin)
	}
	return 0, c.unknownID("normalize to session space", int64(id))
}

// TryNormalizeToSessionSpace is [Compressor.NormalizeToSessionSpace] where the
// origin is not known: it returns false for a local form, which needs one.
func (c *Compressor) TryNormalizeToSessionSpace(id OpSpaceID) (SessionSpaceID, bool, error) {
	if c.disposed {
		return 0, false, c.usable("normalize to session space")
	}
	if id < 0 {
		return 0, false, nil
	}
	found, err := c.finalToSession(id)
	return found, err == nil, err
}

// finalToSession decides whether a final ID is an own one that this session
// knows by its local form. A remote one is only held against the end of what
// is finalized, as the original does.
func (c *Compressor) finalToSession(id OpSpaceID) (SessionSpaceID, error) {
	gen := c.ownGen(int64(id))
	switch {
	case gen == 0:
		if int64(id) < c.finalized {
			return SessionSpaceID(id), nil
		}
	case c.isLocal(gen):
		return SessionSpaceID(-gen), nil
	case gen <= c.gen:
		return SessionSpaceID(id), nil
	}
	return 0, c.unknownID("normalize to session space", int64(id))
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
