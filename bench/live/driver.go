package live

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// driver is a node's process: it gives a session time, network and work.
type driver struct {
	NodeConfig
	backend impls.Backend
	emit    func(any) error

	s      *Session
	ledger *ledger
	rng    *rand.Rand
	link   *link // nil while cut off

	cutUntil    int64 // unsent IDs
	cutDeadline time.Time
	finish      uint64 // 0 if not told yet

	target   int       // IDs of the operation that is being made
	paceFrom time.Time // the rate counts from here
	paced    int64     // IDs since then

	checkpointed uint64 // applied at the last checkpoint
	latencies    *Latencies
	messages     map[Verdict]int64
}

// When to write a checkpoint: after so many records, or so many messages.
const (
	checkpointRecords  = 256
	checkpointMessages = 8192
	statusEvery        = 200 * time.Millisecond
	latenciesEvery     = 5 // statuses
)

func (d *driver) run(ctx context.Context, commands <-chan Command) (err error) {
	d.rng = rand.New(rand.NewPCG(d.Seed, 1))
	d.latencies = newLatencies()
	d.messages = map[Verdict]int64{}
	if err := os.MkdirAll(d.Dir, 0o777); err != nil {
		return err
	}
	if d.ledger, err = openLedger(filepath.Join(d.Dir, ledgerName)); err != nil {
		return err
	}
	if err := d.begin(ctx); err != nil {
		return err
	}
	d.paceFrom = time.Now()
	status := time.NewTicker(statusEvery)
	defer status.Stop()
	timer := time.NewTimer(0)
	for statuses := 1; ; {
		if err := d.work(ctx); err != nil {
			return err
		}
		if d.finish > 0 && d.s.Applied() >= d.finish {
			return d.final()
		}
		timer.Reset(d.wake())
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case c := <-commands:
			d.command(c)
		case a := <-d.arrivals():
			err = d.arrive(a)
			for more := true; err == nil && more; {
				select {
				case a := <-d.arrivals():
					err = d.arrive(a)
				default:
					more = false
				}
			}
		case p := <-d.published():
			d.link.busy = false
			observe(d.latencies.Publish, p.took)
			err = d.s.Stored(p.out, p.ack)
		case err = <-d.failed():
		case <-timer.C:
		case <-status.C:
			e := d.status()
			if statuses++; statuses%latenciesEvery == 0 {
				e.Latencies = d.latencies
			}
			err = d.emit(Event{Status: e})
		}
		if unusable(err) {
			err = d.giveUp(ctx, err)
		}
		if err != nil {
			return err
		}
	}
}

const (
	ledgerName  = "ledger"
	sessionName = "session"
)

// unusable reports whether an error is one after which only a new session
// helps.
func unusable(err error) bool {
	return errors.Is(err, idcompressor.ErrForkedSession) || errors.Is(err, ErrDamagedStore) || errors.Is(err, errReplay)
}

// begin resumes the session that the store has, or joins as a new one, and
// reads the stream to its end.
func (d *driver) begin(ctx context.Context) error {
	if err := d.connect(ctx); err != nil {
		return err
	}
	hello, err := d.enter(ctx)
	if err == nil {
		err = d.catchUp(ctx)
	}
	if unusable(err) {
		return d.giveUp(ctx, err)
	}
	if err != nil {
		return err
	}
	hello.Session = d.s.ID()
	_, hello.Resent = d.s.Pending()
	return d.emit(Event{Hello: hello})
}

func (d *driver) enter(ctx context.Context) (*Hello, error) {
	store, saved, err := OpenStore(filepath.Join(d.Dir, sessionName), d.Sync)
	if err != nil {
		return nil, err
	}
	o := SessionOptions{
		Store: store, ClusterSize: d.ClusterSize, Backend: d.backend, SummaryEvery: d.SummaryEvery,
		Refs: d.Refs, Checks: d.Checks, Seed: d.Seed, SkipOp: d.SkipOp,
	}
	if saved != nil {
		if d.s, err = ResumeSession(saved, o); err != nil {
			err = errors.Join(err, store.Close())
		}
		return &Hello{Resumed: true}, err
	}
	hello := new(Hello)
	data, err := d.link.order.Summary(ctx)
	var summary *Summary
	if err == nil && data != nil {
		if summary, err = ParseSummary(data); err == nil {
			hello.Summary = summary.Seq
		}
	}
	if err != nil {
		return nil, err
	}
	d.s, err = JoinSession(uuid.New(), summary, o)
	return hello, err
}

// giveUp puts the session's store aside and begins with a new session.
func (d *driver) giveUp(ctx context.Context, cause error) error {
	g := &GivenUp{Forked: errors.Is(cause, idcompressor.ErrForkedSession), Cause: cause.Error()}
	if d.s != nil {
		g.Session = d.s.ID()
		if err := d.s.Store.Close(); err != nil {
			return err
		}
		d.s = nil
	}
	if err := d.emit(Event{GivenUp: g}); err != nil {
		return err
	}
	d.disconnect()
	aside, err := os.MkdirTemp(d.Dir, "given-up-")
	if err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(d.Dir, sessionName), filepath.Join(aside, sessionName)); err != nil {
		return err
	}
	return d.begin(ctx)
}

// catchUp reads the stream to its end, has what is pending sent again, and
// follows the stream from there.
func (d *driver) catchUp(ctx context.Context) error {
	last, err := d.link.order.Last(ctx)
	if err != nil {
		return err
	}
	if last < d.s.Applied() {
		return fmt.Errorf("%w: it ends at %d, and %d was read before", ErrHole, last, d.s.Applied())
	}
	var found error
	err = readTo(ctx, d.link.order, d.s, last, func(out Outcome) {
		out.Summarize = false // one of that time was written, or a later one will be
		found = errors.Join(found, d.took(out))
	})
	if err = errors.Join(err, found); err != nil {
		return err
	}
	if err := d.s.CaughtUp(); err != nil {
		return err
	}
	for _, i := range d.s.Recovered() {
		if err := d.ledger.tell(i); err != nil {
			return err
		}
	}
	if err := d.checkpoint(); err != nil {
		return err
	}
	return d.link.follow(d.s.Applied(), d.Latency/2)
}

// took looks at what a message did.
func (d *driver) took(out Outcome) error {
	d.messages[out.Verdict]++
	now := time.Now()
	for _, made := range out.Own {
		if !made.IsZero() {
			observe(d.latencies.Ack, now.Sub(made))
		}
	}
	for _, f := range out.Findings {
		if err := d.emit(Event{Finding: &f}); err != nil {
			return err
		}
	}
	if out.Summarize {
		data, err := d.s.Summary()
		if err != nil {
			return err
		}
		d.link.summarize(data)
	}
	return nil
}

func (d *driver) arrive(m Delivery) error {
	out, err := d.s.Apply(m)
	if err != nil {
		return err
	}
	return d.took(out)
}

func (d *driver) command(c Command) {
	if c.Cut > 0 && d.link != nil {
		d.cutUntil, d.cutDeadline = c.Cut, time.Now().Add(c.CutFor)
		d.disconnect()
	}
	if c.Finish > 0 {
		d.finish = c.Finish
	}
}

// work does what can be done at the moment without waiting.
func (d *driver) work(ctx context.Context) error {
	if err := d.produce(); err != nil {
		return err
	}
	if d.s.Drafted() == 0 && (d.s.Store.Logged() >= checkpointRecords || d.s.Applied()-d.checkpointed >= checkpointMessages) {
		if err := d.checkpoint(); err != nil {
			return err
		}
	}
	if d.link == nil {
		return d.comeBack(ctx)
	}
	if out := d.s.Outgoing(); out != nil && !d.link.busy && time.Since(out.Made) >= d.Latency/2 {
		d.link.publish(out)
	}
	return nil
}

func (d *driver) checkpoint() error {
	d.checkpointed = d.s.Applied()
	return d.s.Checkpoint()
}

// comeBack ends a cut when it has lasted.
func (d *driver) comeBack(ctx context.Context) error {
	_, unsent := d.s.Pending()
	if unsent < d.cutUntil && d.left() > 0 && time.Now().Before(d.cutDeadline) {
		return nil
	}
	if err := d.cut(); err != nil {
		return err
	}
	if err := d.connect(ctx); err != nil {
		return err
	}
	_, unsent = d.s.Pending()
	err := d.catchUp(ctx)
	if unusable(err) {
		return d.giveUp(ctx, err)
	}
	return errors.Join(err, d.emit(Event{Cut: &CutOff{Unsent: unsent}}))
}

func (d *driver) status() *Status {
	_, pending := d.s.Pending()
	return &Status{
		Issued: d.ledger.issued, Eager: d.ledger.eager, Pending: pending, Applied: d.s.Applied(),
		Done: d.link != nil && d.left() <= 0 && pending == 0,
	}
}

func (d *driver) final() error {
	hash, err := d.s.Hash()
	if err != nil {
		return err
	}
	f := &Final{Status: *d.status(), Session: d.s.ID(), Hash: hash, Messages: d.messages}
	f.Latencies = d.latencies
	return d.emit(Event{Final: f})
}

func (d *driver) close() error {
	d.disconnect()
	var err error
	if d.ledger != nil {
		err = d.ledger.f.Close()
	}
	if d.s != nil {
		err = errors.Join(err, d.s.Store.Close())
	}
	return err
}
