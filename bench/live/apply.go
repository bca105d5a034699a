package live

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
)

// Verdict is whether a message counts, and if not, why.
type Verdict string

// The verdicts. All sessions give the same message the same.
const (
	Accepted  Verdict = "accepted"
	Damaged   Verdict = "damaged"   // it cannot be read
	Duplicate Verdict = "duplicate" // its first ID is finalized already
	Gap       Verdict = "gap"       // IDs before its first one are missing
	Refused   Verdict = "refused"   // for another reason
)

// The kinds of findings beside the verdicts.
const (
	UnknownID = "unknown ID" // an ID that nobody knows
	WrongUUID = "wrong UUID" // an ID that is something else than it should be
	WrongForm = "wrong form" // an own ID came back in another form
)

// Finding is something that is wrong with a message.
type Finding struct {
	Seq     uint64    `json:"seq"`
	Session uuid.UUID `json:"session"` // who sent it, zero if it cannot be read
	Kind    string    `json:"kind"`
	Text    string    `json:"text"`
}

func (f Finding) String() string {
	if f.Session == uuid.Nil {
		return fmt.Sprintf("message %d: %s: %s", f.Seq, f.Kind, f.Text)
	}
	return fmt.Sprintf("message %d of session %s: %s: %s", f.Seq, f.Session, f.Kind, f.Text)
}

// Outcome is what a message did.
type Outcome struct {
	Seq      uint64
	Bytes    int // of the message
	Verdict  Verdict
	Message  *Message    // nil if it is damaged
	Findings []Finding   // of damage and wrong IDs; a duplicate is none
	Created  []uuid.UUID // what it created, if accepted; valid until the next Apply
	Own      []time.Time // when the operations that came back were made
	// Summarize tells that this session was elected to write a summary of the
	// document as it is now.
	Summarize bool
}

type scratch struct {
	ids    []idcompressor.SessionSpaceID
	stable []uuid.UUID
}

// Apply applies the next message of the order. A message that does not count is
// no error. Errors, after which the session is of no use: [ErrHole],
// [idcompressor.ErrForkedSession], and a log that does not fit the stream.
func (s *Session) Apply(d Delivery) (Outcome, error) {
	out := Outcome{Seq: d.Seq, Bytes: len(d.Data)}
	if d.Seq != s.applied+1 {
		return out, fmt.Errorf("%w: number %d after %d", ErrHole, d.Seq, s.applied)
	}
	if err := s.regenerate(s.applied); err != nil {
		return out, err
	}
	s.applied = d.Seq
	m, err := ParseMessage(d.Data)
	if err != nil {
		out.Verdict = Damaged
		out.find(uuid.Nil, string(Damaged), err.Error())
		return out, s.settle()
	}
	return s.accept(out, m)
}

// accept applies a message that can be read.
func (s *Session) accept(out Outcome, m *Message) (Outcome, error) {
	out.Message = m
	err := s.c.FinalizeCreationRange(m.Range)
	var order *idcompressor.OrderError
	switch {
	case err == nil:
		out.Verdict = Accepted
	case errors.Is(err, idcompressor.ErrForkedSession):
		return out, fmt.Errorf("message %d: %w", out.Seq, err)
	case errors.As(err, &order) && order.ActualStart > order.ExpectedStart: // both are negated
		out.Verdict = Duplicate
		return out, s.refused(m)
	case order != nil:
		out.Verdict = Gap
		out.find(m.Session, string(Gap), fmt.Sprintf("operation %d begins with ID %d of its session, expected %d: a range was skipped",
			m.Seq, -order.ActualStart, -order.ExpectedStart))
		return out, s.refused(m)
	default:
		out.Verdict = Refused
		out.find(m.Session, string(Refused), err.Error())
		return out, s.settle()
	}
	own, err := s.takeBack(m)
	if err != nil {
		return out, err
	}
	s.verify(&out, own)
	if m.Session != s.id {
		return out, s.settle()
	}
	out.Summarize = s.SummaryEvery > 0 && out.Seq%s.SummaryEvery == 0
	for _, op := range own {
		out.Own = append(out.Own, op.made)
	}
	return out, s.settle()
}

// mostFindings bounds what is reported of one message.
const mostFindings = 8

func (o *Outcome) find(session uuid.UUID, kind, text string) {
	if len(o.Findings) == mostFindings {
		return
	}
	o.Findings = append(o.Findings, Finding{o.Seq, session, kind, text})
}

// takeBack returns the operations of an own message, nil of another's, and no
// longer holds them pending.
func (s *Session) takeBack(m *Message) ([]*operation, error) {
	if m.Session != s.id {
		return nil, nil
	}
	n := len(m.Ops)
	same := n <= len(s.pending) && s.pending[0].seq == m.Seq && s.pending[0].first == m.first()
	for i := 0; same && i < n; i++ {
		same = len(s.pending[i].ids) == len(m.Ops[i].New)
	}
	if !same {
		return nil, fmt.Errorf("%w: operation %d came back with IDs %d to %d, which this copy of session %s never sent",
			idcompressor.ErrForkedSession, m.Seq, m.first(), m.last(), s.id)
	}
	own := s.pending[:n]
	s.pending = s.pending[n:]
	s.finalized = m.last()
	return own, nil
}

// verify holds all IDs of an accepted message against what they must be: those
// created against the generation counts that their places imply, and in an own
// message against their form in this session; others against the sample of
// UUIDs that came along.
func (s *Session) verify(out *Outcome, own []*operation) {
	m := out.Message
	origin, _ := numericuuid.FromUUID(m.Session)
	gen := m.first()
	created := s.spare.stable[:0]
	for i, op := range m.Ops {
		start := len(created)
		ids := s.received(out, op.New)
		for j, id := range ids {
			if own != nil && len(ids) == len(op.New) && own[i].ids[j] != id {
				out.find(m.Session, WrongForm, fmt.Sprintf("own ID %d came back as %d", own[i].ids[j], id))
			}
			if j == 0 {
				s.recent.add(id)
			}
		}
		var err error
		if created, err = s.c.AppendDecompress(created, ids); err != nil {
			out.find(m.Session, UnknownID, err.Error())
			return
		}
		for _, got := range created[start:] {
			if want := stableID(origin, gen); got != want {
				out.find(m.Session, WrongUUID, fmt.Sprintf("the ID with generation count %d is %s, expected %s", gen, got, want))
			}
			gen++
		}
		s.verifyRefs(out, op, created[start:])
	}
	s.spare.stable, out.Created = created, created
}

// verifyRefs checks the IDs that an operation refers to and its sample.
func (s *Session) verifyRefs(out *Outcome, op Op, created []uuid.UUID) {
	refs := make([]uuid.UUID, 0, len(op.Refs))
	for _, id := range s.received(out, op.Refs) {
		stable, err := s.c.Decompress(id)
		if err != nil {
			out.find(out.Message.Session, UnknownID, err.Error())
		}
		refs = append(refs, stable)
	}
	if len(created) < len(op.New) || len(refs) < len(op.Refs) {
		return // some are unknown, which has been found
	}
	for _, c := range op.Checks {
		id, got := c.At-len(op.New), uuid.UUID{}
		if id < 0 {
			got = created[c.At]
		} else {
			got = refs[id]
		}
		if got != c.UUID {
			out.find(out.Message.Session, WrongUUID, fmt.Sprintf("the ID at %d is %s here, its sender says %s", c.At, got, c.UUID))
		}
	}
}

// received returns IDs of a message in session space, without those that are
// unknown. They are valid until it is called again.
func (s *Session) received(out *Outcome, ids []idcompressor.OpSpaceID) []idcompressor.SessionSpaceID {
	s.spare.ids = s.spare.ids[:0]
	for _, id := range ids {
		mine, err := s.c.NormalizeToSessionSpace(id, out.Message.Session)
		if err != nil {
			out.find(out.Message.Session, UnknownID, err.Error())
			continue
		}
		s.spare.ids = append(s.spare.ids, mine)
	}
	return s.spare.ids
}
