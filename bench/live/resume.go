package live

import (
	"fmt"

	"example.com/idlab/impls/idcompressor"
)

// ResumeSession returns the session that a store holds, as of its checkpoint.
// It is to be driven through the stream to its end, and then told so by
// CaughtUp, before it generates anything.
func ResumeSession(saved *Saved, o SessionOptions) (*Session, error) {
	c, err := idcompressor.Load(saved.compressor, o.compressor()...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamagedStore, err)
	}
	s := o.session(c)
	s.applied, s.nextOp, s.generated = saved.applied, saved.nextOp, saved.generated
	s.replay = saved.records
	s.finalized = saved.generated
	for i, op := range saved.pending {
		if i > 0 && (op.first != s.pending[i-1].last()+1 || op.seq != s.pending[i-1].seq+1) || op.last()-saved.pending[0].first >= maxPending {
			return nil, fmt.Errorf("%w: operation %d does not follow the one before", ErrDamagedStore, op.seq)
		}
		ids, err := s.reread(op)
		if err != nil {
			return nil, err
		}
		s.pending = append(s.pending, &operation{seq: op.seq, first: op.first, ids: ids, refs: op.refs})
	}
	if len(s.pending) > 0 {
		s.finalized = s.pending[0].first - 1
	}
	return s, nil
}

// reread returns the IDs of an operation in the forms in which they were
// generated.
func (s *Session) reread(op savedOp) ([]idcompressor.SessionSpaceID, error) {
	if op.first < 1 || op.count < 1 || op.count > maxOp || op.last() > s.generated {
		return nil, fmt.Errorf("%w: operation %d has IDs %d to %d of %d", ErrDamagedStore, op.seq, op.first, op.last(), s.generated)
	}
	var ids []idcompressor.SessionSpaceID
	for gen := op.first; gen <= op.last(); gen++ {
		id, err := s.c.Recompress(stableID(s.base, gen))
		if err != nil {
			return nil, fmt.Errorf("%w: operation %d: %w", ErrDamagedStore, op.seq, err)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// regenerate generates again what the log says was generated after messages up
// to the given one.
func (s *Session) regenerate(after uint64) error {
	for ; len(s.replay) > 0; s.replay = s.replay[1:] {
		r := &s.replay[0]
		for i := len(s.draft.gens); i < len(r.gens); i++ {
			g := r.gens[i]
			if g.after > after {
				return nil
			}
			if err := s.generate(int(g.n), g.after); err != nil {
				return err
			}
		}
		if r.seq != s.nextOp || len(s.draft.gens) != len(r.gens) {
			return fmt.Errorf("%w: operation %d of the log, expected %d", errReplay, r.seq, s.nextOp)
		}
		s.finish(r.refs)
	}
	return nil
}

// CaughtUp tells a session that was resumed, or cut off, that it has read all
// that was in the stream. What it has pending goes out again.
func (s *Session) CaughtUp() error {
	if err := s.regenerate(s.applied); err != nil {
		return err
	}
	if len(s.replay) > 0 {
		return fmt.Errorf("%w: operation %d has IDs that were generated after message %d, the stream ends at %d",
			errReplay, s.replay[0].seq, s.replay[0].gens[len(s.draft.gens)].after, s.applied)
	}
	return s.Resubmit()
}

// Checkpoint saves the session. No operation may be in the making.
func (s *Session) Checkpoint() error {
	if s.Store == nil {
		return nil
	}
	if len(s.draft.ids) > 0 || len(s.replay) > 0 {
		return fmt.Errorf("live: checkpoint: %d IDs are in no operation yet, and %d records not replayed", len(s.draft.ids), len(s.replay))
	}
	compressor, err := s.c.AppendSerialized(nil, true)
	if err != nil {
		return err
	}
	saved := &Saved{applied: s.applied, nextOp: s.nextOp, generated: s.generated, compressor: compressor}
	for _, op := range s.pending {
		saved.pending = append(saved.pending, savedOp{op.seq, op.first, int64(len(op.ids)), op.refs})
	}
	return s.Store.Checkpoint(saved)
}
