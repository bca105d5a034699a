package idcompressor

import (
	"fmt"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// Decompress returns the UUID of an ID, local or final. It does not allocate.
// Errors: [ErrUnknownID] for what was neither generated here nor finalized,
// [ErrDisposed].
func (c *Compressor) Decompress(id SessionSpaceID) (stable uuid.UUID, err error) {
	n, ok := c.lookupStable(id)
	if !ok {
		return stable, c.unknownID("decompress", int64(id))
	}
	n.Put(&stable)
	return stable, nil
}

// AppendStableID appends the UUID of an ID in its 36 characters. It allocates
// only where dst has no room.
func (c *Compressor) AppendStableID(dst []byte, id SessionSpaceID) ([]byte, error) {
	n, ok := c.lookupStable(id)
	if !ok {
		return dst, c.unknownID("decompress", int64(id))
	}
	return n.AppendText(dst), nil
}

func (c *Compressor) unknownID(call string, id int64) error {
	if err := c.usable(call); err != nil {
		return err
	}
	return fmt.Errorf("idcompressor: %s: %w: %d", call, ErrUnknownID, id)
}

func (c *Compressor) lookupStable(id SessionSpaceID) (numericuuid.UUID, bool) {
	if id < 0 {
		return c.ownStableID(-int64(id)), c.isLocal(-int64(id)) && !c.disposed
	}
	if n, ok := c.table.StableID(int64(id)); ok {
		return n, !c.disposed
	}
	// Not finalized: only an ID that was generated here as a final one.
	p := c.table.ByFinal(int64(id))
	return c.ownStableID(p.Gen), p.Session == local && c.generatedEager(p.Gen) && !c.disposed
}

// ownStableID returns the UUID of an own generation count.
func (c *Compressor) ownStableID(gen int64) numericuuid.UUID {
	return c.session.Add(uint64(gen - 1))
}

// generatedEager reports whether an own generation count was generated, and
// not as a local ID.
func (c *Compressor) generatedEager(gen int64) bool {
	return gen > 0 && gen <= c.gen && !c.isLocal(gen)
}

// Recompress returns the ID of a UUID, in the form in which this session knows
// it. It does not allocate. Errors: [ErrInvalidUUID], [ErrUnknownStableID],
// [ErrDisposed].
func (c *Compressor) Recompress(id uuid.UUID) (SessionSpaceID, error) {
	if found, ok := c.TryRecompress(id); ok {
		return found, nil
	}
	if err := c.usable("recompress"); err != nil {
		return 0, err
	}
	if _, err := parseID(id); err != nil {
		return 0, err
	}
	return 0, fmt.Errorf("idcompressor: recompress: %w: %s", ErrUnknownStableID, id)
}

// TryRecompress is [Compressor.Recompress] for UUIDs that may well be unknown:
// false stands for every error.
func (c *Compressor) TryRecompress(id uuid.UUID) (SessionSpaceID, bool) {
	n, ok := numericuuid.FromUUID(id)
	if !ok || c.disposed {
		return 0, false
	}
	if found, ok := c.sessionForm(c.table.ByStableID(n), n); ok {
		return found, true
	}
	return 0, false
}

// sessionForm returns the ID of the UUID n, whose place in the table is p. The
// ID means nothing where it returns false.
func (c *Compressor) sessionForm(p impls.Place, n numericuuid.UUID) (SessionSpaceID, bool) {
	switch {
	case !p.Found():
		// No cluster covers it. It may be an own ID that awaits finalizing.
		offset, ok := n.Sub(c.session)
		if !ok || offset >= impls.MaxID {
			return 0, false
		}
		return SessionSpaceID(-int64(offset) - 1), c.isLocal(int64(offset) + 1)
	case p.Session != local:
		return SessionSpaceID(p.Final), p.Finalized
	case c.isLocal(p.Gen):
		return SessionSpaceID(-p.Gen), true
	}
	return SessionSpaceID(p.Final), p.Gen <= c.gen
}
