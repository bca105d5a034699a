package live

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
)

// SessionOptions are what a session is made with. Zero values are defaults.
type SessionOptions struct {
	Store        *Store // where its checkpoint and log are; nil if nothing is kept
	ClusterSize  int64
	Backend      impls.Backend
	SummaryEvery uint64 // messages between summaries; 0 for none
	Refs         int    // how many other IDs an operation refers to
	Checks       int    // of how many IDs a message carries the UUID, for each operation
	Seed         uint64
	SkipOp       int64 // the planted fault: the operation whose message is never sent
}

// Session is one session of a document: its compressor, what it did that the
// stream has not shown yet, and how far it has read. It knows neither time nor
// network: who drives it delivers the order to Apply, in which it reads, and
// publishes what Outgoing returns. It is not safe for concurrent use.
type Session struct {
	SessionOptions
	c    *idcompressor.Compressor
	id   uuid.UUID
	base numericuuid.UUID
	rng  *rand.Rand

	applied   uint64 // the last message of the stream that was applied
	generated int64  // IDs
	finalized int64  // generation count of the last own ID that is
	nextOp    int64

	draft   draft
	pending []*operation // logged and not come back yet, in order

	queue    []*Outgoing // what is to be published, in order
	awaiting *Outgoing   // was published, and the stream had another with its ID,
	at       uint64      // there
	attempt  int         // how often a message with an ID had to be given up

	replay []record // of the log, what is not generated again yet
	recent recent
	spare  scratch
}

// draft is an operation that is being made.
type draft struct {
	ids  []idcompressor.SessionSpaceID
	gens []generated
}

// generated tells that n IDs were generated when the message after was the last
// one applied.
type generated struct {
	after uint64
	n     int64
}

// operation is one that is in the log.
type operation struct {
	seq, first int64 // its number, and the generation count of its first ID
	ids        []idcompressor.SessionSpaceID
	refs       []idcompressor.SessionSpaceID
	made       time.Time // zero if by a process before this one
}

func (op *operation) last() int64 { return op.first + int64(len(op.ids)) - 1 }

// Outgoing is a message to be published under an ID.
type Outgoing struct {
	ID          string
	Data        []byte
	Made        time.Time
	first, last int64 // generation counts
}

// errReplay is the error of a log that does not belong to the stream: replayed,
// it does not give the IDs that it gave before.
var errReplay = errors.New("the log does not fit the stream")

// NewSession returns a new session that has read nothing. If it has a store,
// its first checkpoint is there when it returns.
func NewSession(id uuid.UUID, o SessionOptions) (*Session, error) {
	return JoinSession(id, nil, o)
}

// JoinSession returns a new session that begins with a summary, nil for the
// empty document.
func JoinSession(id uuid.UUID, summary *Summary, o SessionOptions) (*Session, error) {
	options := append(o.compressor(), idcompressor.WithSession(id))
	var c *idcompressor.Compressor
	var err error
	var seq uint64
	if summary == nil {
		c, err = idcompressor.New(options...)
	} else {
		seq = summary.Seq
		c, err = idcompressor.FromState(summary.State, options...)
	}
	if err != nil {
		return nil, err
	}
	s := o.session(c)
	s.applied, s.nextOp = seq, 1
	return s, s.Checkpoint()
}

func (o *SessionOptions) compressor() []idcompressor.Option {
	var options []idcompressor.Option
	if o.ClusterSize != 0 {
		options = append(options, idcompressor.WithClusterSize(o.ClusterSize))
	}
	if o.Backend.Name != "" {
		options = append(options, idcompressor.WithBackend(o.Backend))
	}
	return options
}

func (o *SessionOptions) session(c *idcompressor.Compressor) *Session {
	s := &Session{SessionOptions: *o, c: c, id: c.LocalSessionID()}
	s.base, _ = numericuuid.FromUUID(s.id)
	s.rng = rand.New(rand.NewPCG(o.Seed, s.base.Lo))
	return s
}

// ID returns the session's UUID.
func (s *Session) ID() uuid.UUID { return s.id }

// Applied returns the sequence number of the last message that was applied.
func (s *Session) Applied() uint64 { return s.applied }

// Generated returns how many IDs the session has generated.
func (s *Session) Generated() int64 { return s.generated }

// Pending returns how many operations, and IDs in them, have not come back.
func (s *Session) Pending() (ops int, ids int64) {
	if len(s.pending) > 0 {
		ids = s.pending[len(s.pending)-1].last() - s.finalized
	}
	return len(s.pending), ids
}

// Drafted returns how many IDs the operation that is being made has.
func (s *Session) Drafted() int { return len(s.draft.ids) }

// Compressor returns the session's compressor. It is to be read only.
func (s *Session) Compressor() *idcompressor.Compressor { return s.c }

// Generate adds n new IDs to the operation that is being made. They are given
// to nobody before Cut.
func (s *Session) Generate(n int) error { return s.generate(n, s.applied) }

func (s *Session) generate(n int, after uint64) (err error) {
	d := &s.draft
	if d.ids, err = s.c.AppendGenerate(d.ids, n); err != nil {
		return err
	}
	s.generated += int64(n)
	if last := len(d.gens) - 1; last >= 0 && d.gens[last].after == after {
		d.gens[last].n += int64(n)
	} else {
		d.gens = append(d.gens, generated{after, int64(n)})
	}
	return nil
}

// Cut ends the operation that is being made: it is in the log when Cut
// returns, and will be published. It returns what the application
// gets, nothing if the operation has no IDs.
func (s *Session) Cut(now time.Time) (Issued, error) {
	if len(s.draft.ids) == 0 {
		return Issued{}, nil
	}
	refs := s.recent.pick(s.rng, s.Refs)
	if s.Store != nil {
		if err := s.Store.Commit(record{s.nextOp, s.draft.gens, refs}); err != nil {
			return Issued{}, err
		}
	}
	op := s.finish(refs)
	op.made = now
	r, err := s.c.TakeNextCreationRange()
	if err != nil {
		return Issued{}, err
	}
	if r.IDs == nil || r.IDs.FirstGenCount != op.first {
		// What was sent again meanwhile took the IDs that there were.
		if r, err = s.c.TakeUnfinalizedCreationRange(); err != nil {
			return Issued{}, err
		}
		r = part(r, op.first, op.last())
	}
	if op.seq == s.SkipOp {
		return s.issued(op), nil
	}
	out, err := s.message(r, s.pending[len(s.pending)-1:])
	if err != nil {
		return Issued{}, err
	}
	s.queue = append(s.queue, out)
	return s.issued(op), nil
}

// finish makes the draft an operation.
func (s *Session) finish(refs []idcompressor.SessionSpaceID) *operation {
	op := &operation{seq: s.nextOp, first: s.generated - int64(len(s.draft.ids)) + 1, ids: s.draft.ids, refs: refs}
	s.nextOp++
	s.draft = draft{}
	s.pending = append(s.pending, op)
	s.recent.add(op.ids[len(op.ids)-1])
	return op
}

// Issued is what an operation gave to the application.
type Issued struct {
	Session             uuid.UUID
	First, Count, Eager int64
	UUID                uuid.UUID // of the first
}

func (s *Session) issued(op *operation) Issued {
	i := Issued{Session: s.id, First: op.first, Count: int64(len(op.ids)), UUID: s.base.Add(uint64(op.first - 1)).UUID()}
	for _, id := range op.ids {
		if id.IsFinal() {
			i.Eager++
		}
	}
	return i
}

// Recovered returns what the operations that are pending gave to the
// application: after a restart it may not have been told of the last ones.
func (s *Session) Recovered() []Issued {
	var all []Issued
	for _, op := range s.pending {
		all = append(all, s.issued(op))
	}
	return all
}

// recent remembers some of the IDs that were seen, for operations to refer to.
type recent struct {
	ids [64]idcompressor.SessionSpaceID
	n   int
}

func (r *recent) add(id idcompressor.SessionSpaceID) {
	r.ids[r.n%len(r.ids)] = id
	r.n++
}

func (r *recent) pick(rng *rand.Rand, n int) []idcompressor.SessionSpaceID {
	if r.n == 0 || n == 0 {
		return nil
	}
	ids := make([]idcompressor.SessionSpaceID, n)
	for i := range ids {
		ids[i] = r.ids[rng.IntN(min(r.n, len(r.ids)))]
	}
	return ids
}

// stableID returns the UUID that a generation count of a session has.
func stableID(session numericuuid.UUID, gen int64) uuid.UUID {
	return session.Add(uint64(gen - 1)).UUID()
}

// Hash returns the hash of the canonical document.
func (s *Session) Hash() (string, error) {
	state, err := s.c.State(false)
	if err != nil {
		return "", err
	}
	return hashOf(state)
}
