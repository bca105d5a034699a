package idcompressor

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// Generate returns a new ID of the own session. It is final at once (eager)
// where a cluster of the session has room for it, else local: negative. In a
// ghost session it is a final ID of that session.
//
// It costs an addition, touches no table and does not allocate, except in a
// ghost session. Errors: [ErrDisposed], [ErrExhausted], and in a ghost session
// [ErrCollision].
func (c *Compressor) Generate() (SessionSpaceID, error) {
	gen := c.gen + 1
	if gen < c.eagerEnd && c.ghost == nil {
		c.gen = gen
		c.counts.EagerFinalIDCount++
		return SessionSpaceID(gen + c.shift), nil
	}
	if gen == c.open.end && gen <= c.genMax && c.plain() {
		c.gen = gen
		c.open.end++
		c.counts.LocalIDCount++
		return SessionSpaceID(-gen), nil
	}
	return c.generateSlow()
}

// plain reports whether IDs are generated one after the other. A compressor
// that is disposed was sharded.
func (c *Compressor) plain() bool { return c.shard == nil && c.ghost == nil }

func (c *Compressor) generateSlow() (SessionSpaceID, error) {
	if err := c.usable("generate"); err != nil {
		return 0, err
	}
	if c.ghost != nil {
		final, err := c.generateGhost()
		return SessionSpaceID(final), err
	}
	stride := c.stride()
	if stride > c.genMax-c.gen {
		return 0, fmt.Errorf("idcompressor: generate: %w: %d IDs have been generated", ErrExhausted, c.gen)
	}
	c.addLocalRun(c.gen+1, stride)
	c.gen += stride
	c.counts.LocalIDCount++
	return SessionSpaceID(-c.gen), nil
}

// AppendGenerate appends n new IDs to dst. Where it fails, it has generated none.
// Errors: those of [Compressor.Generate], and [ErrInvalidArgument] for a
// negative n.
func (c *Compressor) AppendGenerate(dst []SessionSpaceID, n int) ([]SessionSpaceID, error) {
	if err := c.usable("generate"); err != nil {
		return dst, err
	}
	if n < 0 {
		return dst, fmt.Errorf("idcompressor: generate: %w: %d IDs", ErrInvalidArgument, n)
	}
	if c.ghost == nil && int64(n) > (c.genMax-c.gen)/c.stride() {
		return dst, fmt.Errorf("idcompressor: generate: %w: %d IDs have been generated, %d more are asked for", ErrExhausted, c.gen, n)
	}
	if c.ghost != nil && int64(n) > c.ghostRoom() {
		return dst, fmt.Errorf("idcompressor: generate: %w: %d IDs are asked for in ghost session %s", ErrExhausted, n, c.ghost.id)
	}
	start := len(dst)
	dst = slices.Grow(dst, n)
	for c.plain() && n > 0 {
		// Eager IDs, and local ones, are rows of numbers.
		if room := c.eagerEnd - c.gen - 1; room > 0 {
			k := min(n, int(room))
			for range k {
				c.gen++
				dst = append(dst, SessionSpaceID(c.gen+c.shift))
			}
			c.counts.EagerFinalIDCount += int64(k)
			n -= k
			continue
		}
		c.addLocalRun(c.gen+1, int64(n))
		c.counts.LocalIDCount += int64(n)
		for range n {
			c.gen++
			dst = append(dst, SessionSpaceID(-c.gen))
		}
		return dst, nil
	}
	for range n {
		id, err := c.Generate()
		if err != nil { // a collision of the first one
			return dst[:start], err
		}
		dst = append(dst, id)
	}
	return dst, nil
}

// DocumentUniqueID is an ID that is unique in the whole document: a final ID,
// or, where the next ID is local, its UUID.
type DocumentUniqueID struct {
	Final  OpSpaceID // valid if IsFinal
	Stable uuid.UUID // valid if not
	final  bool
}

// IsFinal reports whether the ID has a final form.
func (d DocumentUniqueID) IsFinal() bool { return d.final }

// String returns the final ID in decimal, or the UUID.
func (d DocumentUniqueID) String() string {
	if d.final {
		return fmt.Sprint(int64(d.Final))
	}
	return d.Stable.String()
}

// GenerateDocumentUniqueID generates an ID, as [Compressor.Generate] does, and
// returns it in a form that means the same in all sessions.
func (c *Compressor) GenerateDocumentUniqueID() (DocumentUniqueID, error) {
	id, err := c.Generate()
	if err != nil {
		return DocumentUniqueID{}, err
	}
	if id.IsFinal() {
		return DocumentUniqueID{Final: OpSpaceID(id), final: true}, nil
	}
	return DocumentUniqueID{Stable: c.ownStableID(-int64(id)).UUID()}, nil
}
