package live

import (
	"fmt"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// The most of what is pending that goes into one message. They keep it far
// below MaxMessage.
const (
	bundleIDs = 8192
	bundleOps = 1024
)

// Outgoing returns the message that is to be published next, nil if there is
// none at the moment. It stays the same until Stored or Resubmit is called, so
// that whoever publishes may try as often as it takes.
func (s *Session) Outgoing() *Outgoing {
	if s.awaiting != nil || len(s.queue) == 0 {
		return nil
	}
	return s.queue[0]
}

// Stored tells that the order has the message that Outgoing returned, or one
// that had its ID before.
func (s *Session) Stored(out *Outgoing, ack Ack) error {
	if len(s.queue) == 0 || s.queue[0] != out {
		return nil // it was given up meanwhile
	}
	s.queue = s.queue[1:]
	if !ack.Duplicate {
		return nil
	}
	s.awaiting, s.at = out, ack.Seq
	return s.settle()
}

// settle ends the waiting for a message that had the ID of the one awaited once
// it has come. If it was shorter, what is left goes out anew; if it did not
// count, all does, under other IDs.
func (s *Session) settle() error {
	switch {
	case s.awaiting == nil || s.applied < s.at:
		return nil
	case s.finalized >= s.awaiting.last:
		s.awaiting = nil
		return nil
	case s.finalized < s.awaiting.first:
		s.attempt++
	}
	return s.Resubmit()
}

// refused takes in that a message of this session does not count. If it has IDs
// that are not finalized, they were believed to be stored: they go out again.
func (s *Session) refused(m *Message) error {
	if m.Session != s.id || m.last() <= s.finalized || s.awaiting != nil {
		return s.settle()
	}
	s.attempt++
	return s.Resubmit()
}

// Resubmit makes all that is pending go out again, whatever was published of
// it: after a restart, or after the session was cut off.
func (s *Session) Resubmit() error {
	r, err := s.c.TakeUnfinalizedCreationRange()
	if err != nil {
		return err
	}
	if err := s.covers(r); err != nil {
		return err
	}
	s.queue, s.awaiting = nil, nil
	for rest := s.pending; len(rest) > 0; {
		n, ids := 0, 0
		for n < len(rest) && n < bundleOps && (n == 0 || ids+len(rest[n].ids) <= bundleIDs) {
			ids += len(rest[n].ids)
			n++
		}
		out, err := s.message(part(r, rest[0].first, rest[n-1].last()), rest[:n])
		if err != nil {
			return err
		}
		s.queue = append(s.queue, out)
		rest = rest[n:]
	}
	return nil
}

// covers checks that the compressor and the log agree on what is not finalized.
func (s *Session) covers(r idcompressor.CreationRange) error {
	first, last := s.generated+1, s.generated
	if r.IDs != nil {
		first = r.IDs.FirstGenCount
		last = first + r.IDs.Count - 1
	}
	if first != s.finalized+1 || last != s.generated || len(s.pending) > 0 && s.pending[0].first != first {
		return fmt.Errorf("%w: IDs %d to %d are not finalized, expected %d to %d, in %d operations",
			errReplay, first, last, s.finalized+1, s.generated, len(s.pending))
	}
	return nil
}

// part returns the part of a range from one generation count to another.
func part(r idcompressor.CreationRange, first, last int64) idcompressor.CreationRange {
	ids := *r.IDs
	ids.FirstGenCount, ids.Count = first, last-first+1
	ids.LocalIDRanges = []impls.Run{}
	for _, run := range r.IDs.LocalIDRanges {
		if clipped, ok := run.Clip(first, last); ok {
			ids.LocalIDRanges = append(ids.LocalIDRanges, clipped)
		}
	}
	return idcompressor.CreationRange{SessionID: r.SessionID, IDs: &ids}
}

// message writes operations and their range, in the op space of this moment.
func (s *Session) message(r idcompressor.CreationRange, ops []*operation) (*Outgoing, error) {
	m := Message{Session: s.id, Seq: ops[0].seq, Range: r, Ops: make([]Op, len(ops))}
	for i, op := range ops {
		all := make([]idcompressor.OpSpaceID, 0, len(op.ids)+len(op.refs))
		for _, ids := range [][]idcompressor.SessionSpaceID{op.ids, op.refs} {
			for _, id := range ids {
				wire, err := s.c.NormalizeToOpSpace(id)
				if err != nil {
					return nil, err
				}
				all = append(all, wire)
			}
		}
		m.Ops[i] = Op{New: all[:len(op.ids)], Refs: all[len(op.ids):]}
		for range s.Checks {
			at := s.rng.IntN(len(all))
			stable, err := s.c.Decompress(op.id(at))
			if err != nil {
				return nil, err
			}
			m.Ops[i].Checks = append(m.Ops[i].Checks, Check{at, stable})
		}
	}
	data, err := m.AppendText(nil)
	if err != nil {
		return nil, err
	}
	if len(data) > MaxMessage {
		return nil, fmt.Errorf("live: a message of %d operations has %d bytes, more than %d", len(ops), len(data), MaxMessage)
	}
	id := fmt.Sprintf("%s:%d", s.id, m.first())
	if s.attempt > 0 {
		id += fmt.Sprintf(":%d", s.attempt)
	}
	return &Outgoing{
		ID:   id,
		Data: data, Made: ops[len(ops)-1].made, first: m.first(), last: m.last(),
	}, nil
}

// id returns the ID at a place: of those created, and then of those referred to.
func (op *operation) id(at int) idcompressor.SessionSpaceID {
	if at < len(op.ids) {
		return op.ids[at]
	}
	return op.refs[at-len(op.ids)]
}
