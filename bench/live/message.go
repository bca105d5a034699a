package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
)

// MessageVersion is the version of the message's form.
const MessageVersion = 1

// MaxMessage is the greatest size of a message in bytes. A reader takes memory
// in proportion to it and to nothing that a message says.
const MaxMessage = 512 << 10

// ErrDamaged is the error of data that is no message: foreign or damaged.
var ErrDamaged = errors.New("no message of this document")

// Message is what a session publishes: a creation range and the operations
// that created its IDs. See the package comment for its form.
type Message struct {
	Session uuid.UUID
	Seq     int64 // of the first operation
	Range   idcompressor.CreationRange
	Ops     []Op
}

// Op is an operation on the wire.
type Op struct {
	New, Refs []idcompressor.OpSpaceID
	Checks    []Check
}

// Check is what an ID of an operation is: a sample, for the receivers to hold
// against what they make of it.
type Check struct {
	At   int       `json:"at"` // in New, or after that in Refs
	UUID uuid.UUID `json:"uuid"`
}

// first returns the generation count of the first ID created, last that of the
// last.
func (m *Message) first() int64 { return m.Range.IDs.FirstGenCount }
func (m *Message) last() int64  { return m.first() + m.Range.IDs.Count - 1 }

// AppendText appends the message's form to dst.
func (m *Message) AppendText(dst []byte) ([]byte, error) {
	dst = append(dst, `{"v":`...)
	dst = strconv.AppendInt(dst, MessageVersion, 10)
	dst = append(dst, `,"session":"`...)
	dst = append(dst, m.Session.String()...)
	dst = append(dst, `","seq":`...)
	dst = strconv.AppendInt(dst, m.Seq, 10)
	dst = append(dst, `,"range":`...)
	dst, err := m.Range.AppendText(dst)
	if err != nil {
		return nil, err
	}
	dst = append(dst, `,"ops":[`...)
	for i, op := range m.Ops {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendIDs(append(dst, `{"new":`...), op.New)
		if len(op.Refs) > 0 {
			dst = appendIDs(append(dst, `,"refs":`...), op.Refs)
		}
		for j, c := range op.Checks {
			open := `,{"at":`
			if j == 0 {
				open = `,"check":[{"at":`
			}
			dst = strconv.AppendInt(append(dst, open...), int64(c.At), 10)
			dst = append(append(append(dst, `,"uuid":"`...), c.UUID.String()...), `"}`...)
		}
		if len(op.Checks) > 0 {
			dst = append(dst, ']')
		}
		dst = append(dst, '}')
	}
	return append(dst, "]}"...), nil
}

func appendIDs(dst []byte, ids []idcompressor.OpSpaceID) []byte {
	dst = append(dst, '[')
	for i, id := range ids {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(id), 10)
	}
	return append(dst, ']')
}

// ParseMessage reads a message. All errors are [ErrDamaged] and say what is
// wrong with it.
func ParseMessage(data []byte) (*Message, error) {
	m, err := parseMessage(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return m, nil
}

func parseMessage(data []byte) (*Message, error) {
	if len(data) > MaxMessage {
		return nil, fmt.Errorf("%d bytes are more than the %d of the longest", len(data), MaxMessage)
	}
	var wire struct {
		V       int
		Session string
		Seq     int64
		Range   *idcompressor.CreationRange
		Ops     []struct {
			New, Refs []idcompressor.OpSpaceID
			Check     []Check
		}
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return nil, err
	}
	if wire.V != MessageVersion {
		return nil, fmt.Errorf("v is %d, expected %d", wire.V, MessageVersion)
	}
	session, err := numericuuid.Parse(wire.Session)
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	m := &Message{Session: session.UUID(), Seq: wire.Seq}
	switch {
	case wire.Seq < 1 || wire.Seq > impls.MaxID:
		return nil, fmt.Errorf("seq is %d", wire.Seq)
	case wire.Range == nil || wire.Range.IDs == nil:
		return nil, errors.New("range has no IDs")
	case wire.Range.SessionID != m.Session:
		return nil, fmt.Errorf("range is of session %s, the message of %s", wire.Range.SessionID, m.Session)
	}
	m.Range = *wire.Range
	m.Ops = make([]Op, len(wire.Ops))
	for i, op := range wire.Ops {
		m.Ops[i] = Op{New: op.New, Refs: op.Refs, Checks: op.Check}
	}
	return m, m.check()
}

// check judges what the parts of a message say of each other.
func (m *Message) check() error {
	created := int64(0)
	for i, op := range m.Ops {
		for j, id := range op.New {
			gen := m.first() + created + int64(j)
			if id > impls.MaxID || id < 0 && int64(id) != -gen {
				return fmt.Errorf("ops[%d].new[%d] is %d, expected a final ID or %d", i, j, id, -gen)
			}
		}
		created += int64(len(op.New))
		for j, id := range op.Refs {
			if id > impls.MaxID || id < -impls.MaxID {
				return fmt.Errorf("ops[%d].refs[%d] is %d", i, j, id)
			}
		}
		for j, c := range op.Checks {
			if c.At < 0 || c.At >= len(op.New)+len(op.Refs) {
				return fmt.Errorf("ops[%d].check[%d].at is %d of %d IDs", i, j, c.At, len(op.New)+len(op.Refs))
			}
		}
	}
	if created != m.Range.IDs.Count {
		return fmt.Errorf("the range has %d IDs, the operations create %d", m.Range.IDs.Count, created)
	}
	return nil
}
