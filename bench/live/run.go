package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
)

// Run runs a document: nodes and servers as processes, what goes wrong with
// them, and at the end the examination of all that must be true. A report of
// what is not is no error: see [Report.Converged]. Errors are of the options and
// of the environment. No process outlives it.
func Run(ctx context.Context, o Options) (report *Report, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Binary == "" {
		if o.Binary, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	keep := o.Dir != ""
	if keep {
		if old, _ := filepath.Glob(filepath.Join(o.Dir, "node-*")); len(old) > 0 {
			return nil, fmt.Errorf("%s holds a run already: remove it, or name another directory", o.Dir)
		}
	} else {
		if o.Dir, err = os.MkdirTemp("", "idlive-"); err != nil {
			return nil, err
		}
	}
	r := &run{
		Options: o, keep: keep, rng: rand.New(rand.NewPCG(o.Seed, 0)), events: newMailbox(),
		owners: map[uuid.UUID]int{}, seen: map[Finding]bool{}, blamed: map[blame]bool{},
		excused: map[uuid.UUID]bool{}, report: newReport(o), latencies: newLatencies(),
	}
	defer func() {
		r.stop()
		if !keep {
			err = errors.Join(err, os.RemoveAll(o.Dir))
		}
	}()
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	if err := r.work(ctx); err != nil {
		return nil, err
	}
	r.stop() // for the processor time
	return r.finished(), nil
}

// run is a run under way. One goroutine works on it.
type run struct {
	Options
	keep   bool // Dir outlives the run
	rng    *rand.Rand
	fleet  *fleet // nil with --nats
	order  *JetStream
	urls   string
	doc    string
	nodes  []*node
	events *mailbox

	plan    []incident
	waiting bool // the next incident waits for one that is under way
	bad     int  // messages published that are damaged
	copies  int  // messages published once more
	owners  map[uuid.UUID]int
	excused map[uuid.UUID]bool // sessions whose disk was replaced
	seen    map[Finding]bool
	blamed  map[blame]bool
	started time.Time
	moved   time.Time // when there was progress
	issued  int64
	last    uint64 // what all must have read, once it is known

	latencies *Latencies
	report    *Report
	stopped   bool
}

// blame is what a session did wrong.
type blame struct {
	session uuid.UUID
	kind    string
}

// node is a node as the run sees it.
type node struct {
	i      int
	p      *process // nil if it is down or has not joined
	life   int
	up     bool // it has said hello in this life
	final  *Final
	cpu    time.Duration
	down   bool // it is to be started again
	copied bool // its disk was copied, to be replaced
	Status      // of its last life
}

// nodeEvent is what a node told, its end, or something to be done.
type nodeEvent struct {
	node *node
	life int
	Event
	ended bool
	do    func() error
}

// stalled is how long nothing may happen before a run is given up.
const stalled = 90 * time.Second

func (r *run) open(ctx context.Context) (err error) {
	r.urls = r.NATS
	replicas := 1
	if r.NATS == "" {
		if r.fleet, err = startFleet(r.Binary, r.Dir, r.Cluster); err != nil {
			return err
		}
		r.urls, replicas = r.fleet.urls(), r.Cluster
	}
	r.doc = uuid.NewString()[:8]
	if r.order, err = Connect(r.urls, r.doc); err != nil {
		return err
	}
	try, cancel := context.WithTimeout(ctx, startup)
	defer cancel()
	if err := r.order.Create(try, StreamConfig{Memory: r.Memory, Replicas: replicas}); err != nil {
		return fmt.Errorf("%w (is it a NATS server with JetStream?)", err)
	}
	for i := range r.Sessions {
		r.nodes = append(r.nodes, &node{i: i})
	}
	r.plan = r.Faults.schedule(r.rng, r.Sessions, r.Join)
	r.started, r.moved = time.Now(), time.Now()
	for _, n := range r.nodes[r.Join:] {
		if err := r.start(n); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) nodeDir(n *node) string { return filepath.Join(r.Dir, fmt.Sprintf("node-%03d", n.i+1)) }

// start starts a node's process.
func (r *run) start(n *node) error {
	n.life++
	n.up, n.down = false, false
	c := NodeConfig{
		URLs: r.urls, Doc: r.doc, Dir: r.nodeDir(n), Sync: r.Sync, IDs: r.share(n.i), Range: r.Range, Rate: r.Rate,
		Window: r.Window, ClusterSize: r.ClusterSize, Backend: r.Backend, Latency: r.Latency,
		SummaryEvery: r.SummaryEvery, Refs: r.Refs, Checks: r.Checks, Seed: r.Seed<<20 + uint64(n.i)<<8 + uint64(n.life),
	}
	if r.Plant == PlantSkipRange && n.i == r.Sessions-1 {
		c.SkipOp = 1 + c.IDs/int64(c.Range)/3
	}
	life := n.life
	p, err := launch(r.Binary, NodeCommand, []string{"GOMAXPROCS=1"}, c, func(line json.RawMessage) {
		e := nodeEvent{node: n, life: life}
		if err := json.Unmarshal(line, &e.Event); err != nil {
			e.Error = err.Error()
		}
		r.events.put(e)
	})
	if err != nil {
		return err
	}
	n.p = p
	go func() {
		<-p.exited
		r.events.put(nodeEvent{node: n, life: life, ended: true})
	}()
	return nil
}

// errAbandoned ends a run whose answer is known: no.
var errAbandoned = errors.New("run abandoned")

// work runs the document to its end. What goes wrong with it is in the report.
func (r *run) work(ctx context.Context) error {
	err := r.loop(ctx)
	if errors.Is(err, errAbandoned) {
		err = nil
	}
	r.report.Elapsed = r.moved.Sub(r.started)
	if err != nil {
		return err
	}
	return r.examine(ctx)
}

func (r *run) loop(ctx context.Context) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !r.complete() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-r.events.ready:
			for _, e := range r.events.take() {
				if err := r.handle(e); err != nil {
					return err
				}
			}
		case <-tick.C:
			if time.Since(r.moved) > stalled+2*r.Latency {
				r.report.problem("nothing has happened for %v: %s", stalled, r.lagging())
				return errAbandoned
			}
		}
		if err := r.advance(ctx); err != nil {
			return err
		}
	}
	return nil
}

// handle takes in what a node told.
func (r *run) handle(e nodeEvent) error {
	if e.do != nil {
		return e.do()
	}
	n := e.node
	if e.life != n.life {
		return nil
	}
	switch {
	case e.ended:
		return r.ended(n)
	case e.Hello != nil:
		n.up = true
		r.moved = time.Now()
		r.owners[e.Hello.Session] = n.i
		if e.Hello.Resumed {
			r.report.Resumed++
			r.report.Resent += e.Hello.Resent
		} else if e.Hello.Summary > 0 {
			r.report.FromSummary++
		}
		for f := range r.seen { // others may have told of it before it told of itself
			if f.Session == e.Hello.Session && r.mine(f) {
				return errAbandoned
			}
		}
	case e.Status != nil:
		r.progress(n, e.Status)
	case e.Final != nil:
		r.progress(n, &e.Final.Status)
		n.final = e.Final
		for v, k := range e.Final.Messages {
			r.report.Handled[v] += k
		}
	case e.Cut != nil:
		r.report.Unsent = max(r.report.Unsent, e.Cut.Unsent)
	case e.GivenUp != nil:
		if e.GivenUp.Forked {
			r.report.Forked++
		}
		r.report.note("session %s on node %d was given up: %s", e.GivenUp.Session, n.i+1, e.GivenUp.Cause)
		if !r.excused[e.GivenUp.Session] {
			r.report.problem("session %s on node %d was given up, though its disk was not replaced: %s", e.GivenUp.Session, n.i+1, e.GivenUp.Cause)
			return errAbandoned
		}
	case e.Finding != nil:
		return r.found(*e.Finding)
	case e.Error != "":
		r.report.problem("node %d: %s", n.i+1, e.Error)
		return errAbandoned
	}
	return nil
}

func (r *run) progress(n *node, s *Status) {
	if s.Applied != n.Applied || s.Issued != n.Issued {
		r.moved = time.Now()
	}
	r.issued += s.Issued - n.Issued
	if s.Latencies == nil {
		s.Latencies = n.Latencies
	}
	n.Status = *s
	if r.Progress != nil {
		r.Progress(Progress{Issued: r.issued, Total: r.IDs, Now: fmt.Sprintf("%d sessions", r.running())})
	}
}

func (r *run) running() (n int) {
	for _, node := range r.nodes {
		if node.p != nil {
			n++
		}
	}
	return n
}

// found takes in a finding. All nodes have the same ones.
func (r *run) found(f Finding) error {
	if r.seen[f] || len(r.seen) >= mostReported {
		return nil
	}
	r.seen[f] = true
	if r.mine(f) {
		return errAbandoned
	}
	return nil
}

// mine reports a finding that a session of the run is to blame for as a
// problem.
func (r *run) mine(f Finding) bool {
	node, ours := r.owners[f.Session]
	if !ours || f.Kind == string(Damaged) {
		return false
	}
	// What follows from it is not told.
	if blame := (blame{f.Session, f.Kind}); !r.blamed[blame] {
		r.blamed[blame] = true
		r.report.problem("node %d: %v", node+1, f)
	}
	return true
}

// ended takes in that a node's process has ended.
func (r *run) ended(n *node) error {
	n.cpu += n.p.cpu()
	err := n.p.err
	n.p = nil
	r.latencies.merge(n.Latencies)
	n.Latencies = nil
	if n.down || n.final != nil {
		return nil
	}
	r.report.problem("node %d ended by itself: %v", n.i+1, err)
	return errAbandoned
}

// advance does what is due: incidents, and at the end the finish.
func (r *run) advance(ctx context.Context) error {
	for len(r.plan) > 0 && float64(r.issued) >= r.plan[0].at*float64(r.IDs) && !r.waiting {
		next := r.plan[0]
		r.plan = r.plan[1:]
		if err := r.happen(ctx, next); err != nil {
			return err
		}
	}
	if r.last > 0 || len(r.plan) > 0 || r.waiting {
		return nil
	}
	for _, n := range r.nodes {
		if n.p == nil || !n.up || !n.Done {
			return nil
		}
	}
	last, err := r.order.Last(ctx)
	if err != nil {
		return err
	}
	r.last = last
	for _, n := range r.nodes {
		if err := n.p.in.Encode(Command{Finish: last}); err != nil {
			return err
		}
	}
	return nil
}

// complete reports whether all nodes have said what they have, and ended.
func (r *run) complete() bool {
	for _, n := range r.nodes {
		if n.final == nil || n.p != nil {
			return false
		}
	}
	return true
}

// lagging says who has not done what is waited for.
func (r *run) lagging() string {
	text := fmt.Sprintf("%d incidents are to come", len(r.plan))
	for _, n := range r.nodes {
		if !n.Done || n.p == nil || !n.up {
			text += fmt.Sprintf("; node %d: running %v, up %v, issued %d of %d, pending %d, applied %d",
				n.i+1, n.p != nil, n.up, n.Issued, r.share(n.i), n.Pending, n.Applied)
		}
	}
	return text
}

// stop ends all processes. It may be called twice.
func (r *run) stop() {
	if r.stopped {
		return
	}
	r.stopped = true
	for _, n := range r.nodes {
		if n.p != nil {
			n.p.kill()
			n.cpu += n.p.cpu()
		}
	}
	if r.order != nil {
		if r.fleet == nil {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			if err := r.order.Delete(ctx); err != nil {
				r.report.note("the document could not be removed from the cluster: %v", err)
			}
			cancel()
		}
		r.order.Close()
	}
	if r.fleet != nil {
		r.fleet.stop(r.keep)
	}
}
