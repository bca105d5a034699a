package trace

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// Settings say how an editing trace becomes calls.
type Settings struct {
	Seed         uint64 // of the session IDs
	Lag          int    // how many transactions a session of a sequential trace is behind
	ClusterSize  int64
	WriteVersion int
}

// DefaultSettings are used unless told otherwise.
var DefaultSettings = Settings{Seed: 1, Lag: 20, ClusterSize: idcompressor.DefaultClusterSize, WriteVersion: idcompressor.DefaultVersion}

func (s Settings) check() error {
	if s.Lag < 0 {
		return fmt.Errorf("trace: %w: lag %d is negative", idcompressor.ErrInvalidArgument, s.Lag)
	}
	_, err := idcompressor.New(idcompressor.WithClusterSize(s.ClusterSize), idcompressor.WithVersion(s.WriteVersion))
	return err
}

// Import turns an editing trace, gzip-compressed or not, into an idtrace. It
// plays the editing with compressors on the default backend, and the header
// holds all settings, so that the same input and settings give the same trace.
//
// Each agent is a session. Before its transaction an agent is delivered every
// earlier one up to the newest of the transaction's parents; in a sequential
// trace, which names no agents, a writer and a reader are delivered all but
// the last Lag. In the end everybody is delivered everything. A transaction
// that inserts k characters generates k IDs, takes a range, and sends it with
// the op-space forms of these IDs and of a neighbour: in a sequential trace
// the character left of its first patch, in a concurrent one the last ID of
// the newest delivered transaction that has any. Whoever it is delivered to,
// the sender too, finalizes the range and normalizes all of these IDs, the
// neighbour's last, to session space.
//
// Errors of the input are of type *[Error].
func Import(w io.Writer, r io.Reader, name string, s Settings) error {
	if err := s.check(); err != nil {
		return err
	}
	in, err := open(r, name)
	if err != nil {
		return err
	}
	e, err := readEditing(in)
	if err != nil {
		return err
	}
	h := Header{Source: "idlab trace import", Name: title(name), Seed: &s.Seed, ClusterSize: s.ClusterSize, WriteVersion: s.WriteVersion}
	if !e.concurrent {
		h.Lag = &s.Lag
	}
	rec := NewRecorder(w, h, idcompressor.DefaultBackend)
	e.play(rec, s)
	return rec.Close()
}

// title is a file's name without folder and endings.
func title(name string) string {
	name, _, _ = strings.Cut(filepath.Base(name), ".")
	return name
}

// program turns an editing trace into a program.
func (e *editing) program(name string, s Settings, backend impls.Backend) (*Program, error) {
	rec := newProgramRecorder(title(name), backend)
	e.play(rec, s)
	return rec.b.Program, rec.Close()
}

// stage is an editing trace being played.
type stage struct {
	*editing
	on        []Recorded
	delivered []int // to each agent: how many transactions
	messages  []message
	ids       []idcompressor.SessionSpaceID // of all characters, as their author knows them
	newest    []newest
	rec       *Recorder
}

// message is what a transaction sends. One that inserts nothing has no IDs.
type message struct {
	r   idcompressor.CreationRange
	ids []idcompressor.OpSpaceID // the neighbour's, if there is one, comes last
	own int                      // how many of them are the transaction's
}

// newest is the last ID of the newest delivered transaction that has any.
type newest struct {
	id    idcompressor.SessionSpaceID
	known bool
}

func (e *editing) play(rec *Recorder, s Settings) {
	st := &stage{editing: e, rec: rec, delivered: make([]int, e.agents), newest: make([]newest, e.agents), messages: make([]message, len(e.txns))}
	random := rand.New(rand.NewPCG(s.Seed, 0))
	for i := range e.agents {
		name := fmt.Sprintf("agent%d", i)
		if !e.concurrent {
			name = [...]string{"writer", "reader"}[i]
		}
		st.on = append(st.on, rec.Create(name, randomSession(random), s.WriteVersion, s.ClusterSize))
	}
	for i := range e.txns {
		if rec.err != nil {
			return
		}
		if e.concurrent {
			t := &e.txns[i]
			st.deliver(int(t.agent), int(t.parent)+1)
		} else {
			for agent := range st.on {
				st.deliver(agent, i-s.Lag)
			}
		}
		st.send(i)
	}
	for agent := range st.on {
		st.deliver(agent, len(e.txns))
	}
}

func randomSession(r *rand.Rand) uuid.UUID {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], r.Uint64())
	binary.BigEndian.PutUint64(id[8:], r.Uint64())
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id
}

// deliver delivers the first n transactions to an agent, but for those it has.
func (st *stage) deliver(agent, n int) {
	on := st.on[agent]
	for ; st.delivered[agent] < n && st.rec.err == nil; st.delivered[agent]++ {
		i := st.delivered[agent]
		m := &st.messages[i]
		if m.own == 0 {
			continue
		}
		on.Finalize(m.r)
		sender := st.on[st.txns[i].agent].Session()
		for k, id := range m.ids {
			found := on.ToSession(id, sender)
			if k == m.own-1 {
				st.newest[agent] = newest{found, true}
			}
		}
	}
}

// send makes a transaction's IDs and keeps its message.
func (st *stage) send(i int) {
	t := &st.txns[i]
	if t.inserted == 0 {
		return
	}
	on := st.on[t.agent]
	near := st.newest[t.agent]
	if !st.concurrent {
		near = newest{}
		if t.left >= 0 {
			near = newest{st.ids[t.left], true}
		}
	}
	ids := append([]idcompressor.SessionSpaceID(nil), on.Generate(int(t.inserted))...)
	if !st.concurrent {
		st.ids = append(st.ids, ids...)
	}
	m := message{r: on.TakeRange(), own: len(ids), ids: make([]idcompressor.OpSpaceID, 0, len(ids)+1)}
	for _, id := range ids {
		m.ids = append(m.ids, on.ToOp(id))
	}
	if near.known {
		m.ids = append(m.ids, on.ToOp(near.id))
	}
	st.messages[i] = m
}
