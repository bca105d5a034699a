package live

import (
	"container/heap"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
)

// Setting is what a cluster size has to suit.
type Setting struct {
	Latency time.Duration // from sending a range to having it back
	Rate    float64       // IDs a second of each session
	Size    int64         // the requested cluster size
}

// Simulation is a document in virtual time: the compressors and messages are
// those of a run, the network is a constant latency, and nothing takes time but
// that. So a simulated day costs no more than its messages, and the result
// depends on nothing else.
type Simulation struct {
	Setting
	Sessions int
	IDs      int64 // of each session, or with Vary in the mean
	// Vary has sessions end after different numbers of IDs, as quantiles of the
	// exponential distribution: with one number for all, the sizes that it is a
	// little more than a multiple of would look bad, and others good.
	Vary  bool
	Range int
	Seed  uint64
}

// Shares are what a setting gives.
type Shares struct {
	Eager  float64 // of all IDs, those that were final at once
	Unused float64 // of the final IDs reserved, those that no ID ever got
}

// moment is when an operation ends or a message arrives everywhere.
type moment struct {
	at      time.Duration
	n       int // moments at one time keep their order
	session int
	message *Message // nil for an operation's end
}

type moments []moment

func (m moments) Len() int { return len(m) }
func (m moments) Less(i, j int) bool {
	return m[i].at < m[j].at || m[i].at == m[j].at && m[i].n < m[j].n
}
func (m moments) Swap(i, j int) { m[i], m[j] = m[j], m[i] }
func (m *moments) Push(x any)   { *m = append(*m, x.(moment)) }
func (m *moments) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

type simulated struct {
	*Session
	start  time.Duration
	life   int64 // IDs
	target int64 // the generation count of the last ID of the operation in the making
}

type simulation struct {
	Simulation
	rng      *rand.Rand
	sessions []*simulated
	moments  moments
	count    int
	seq      uint64
	eager    int64
}

// Run plays the document. Errors are those of ctx and of a setting that no
// compressor takes.
func (o Simulation) Run(ctx context.Context) (Shares, error) {
	if o.Sessions < 1 || o.IDs < 1 || o.Range < 1 || o.Range > maxRange || o.Rate <= 0 || o.Latency < 0 || o.Size < 1 {
		return Shares{}, fmt.Errorf("simulation: %+v: size, sessions, IDs, range and rate must be positive, and the range at most %d", o, maxRange)
	}
	s := &simulation{Simulation: o, rng: rand.New(rand.NewPCG(o.Seed, 2))}
	for i := range o.Sessions {
		session, err := NewSession(uuid.New(), SessionOptions{ClusterSize: o.Size})
		if err != nil {
			return Shares{}, err
		}
		one := &simulated{Session: session, life: o.life(i), start: time.Duration(s.rng.Float64() * float64(o.Range) / o.Rate * float64(time.Second))}
		s.sessions = append(s.sessions, one)
		s.aim(i)
	}
	for len(s.moments) > 0 {
		if err := ctx.Err(); err != nil {
			return Shares{}, err
		}
		if err := s.happen(heap.Pop(&s.moments).(moment)); err != nil {
			return Shares{}, err
		}
	}
	var reserved, used int64
	for c := range s.sessions[0].c.Clusters() {
		reserved += c.Capacity
		used += c.Count
	}
	return Shares{Eager: float64(s.eager) / float64(used), Unused: float64(reserved-used) / float64(reserved)}, nil
}

// life returns how many IDs a session generates.
func (o Simulation) life(i int) int64 {
	if !o.Vary {
		return o.IDs
	}
	q := (float64(i) + 0.5) / float64(o.Sessions)
	return max(1, int64(-math.Log(1-q)*float64(o.IDs)))
}

func (s *simulation) push(m moment) {
	s.count++
	m.n = s.count
	heap.Push(&s.moments, m)
}

// due returns when a session generates its n-th ID.
func (s *simulation) due(one *simulated, n int64) time.Duration {
	return one.start + time.Duration(float64(n)/s.Rate*float64(time.Second))
}

// aim begins a session's next operation.
func (s *simulation) aim(i int) {
	one := s.sessions[i]
	if one.Generated() == one.life {
		return
	}
	one.target = min(one.life, one.Generated()+int64(max(1, s.Range/2+s.rng.IntN(s.Range+1))))
	s.push(moment{at: s.due(one, one.target), session: i})
}

// generate has a session generate what is due.
func (s *simulation) generate(one *simulated, now time.Duration) error {
	n := min(int64((now-one.start).Seconds()*s.Rate), one.target) - one.Generated()
	if n <= 0 {
		return nil
	}
	return one.Generate(int(n))
}

func (s *simulation) happen(m moment) error {
	if m.message != nil {
		s.seq++
		for _, one := range s.sessions {
			if err := s.generate(one, m.at); err != nil {
				return err
			}
			one.applied = s.seq
			out, err := one.accept(Outcome{Seq: s.seq}, m.message)
			if err == nil && (out.Verdict != Accepted || len(out.Findings) > 0) {
				err = fmt.Errorf("simulation: message %d is %s: %v", s.seq, out.Verdict, out.Findings)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	one := s.sessions[m.session]
	if err := one.Generate(int(one.target - one.Generated())); err != nil {
		return err
	}
	issued, err := one.Cut(time.Time{})
	if err != nil {
		return err
	}
	s.eager += issued.Eager
	out := one.Outgoing()
	message, err := ParseMessage(out.Data)
	if err != nil {
		return err
	}
	if err := one.Stored(out, Ack{}); err != nil {
		return err
	}
	s.push(moment{at: m.at + s.Latency, message: message})
	s.aim(m.session)
	return nil
}
