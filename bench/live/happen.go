package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// happen has an incident happen.
func (r *run) happen(ctx context.Context, i incident) error {
	switch i.kind {
	case join:
		for _, n := range r.nodes {
			if n.life == 0 {
				r.report.Happened[join]++
				return r.start(n)
			}
		}
	case "session":
		if n := r.victim(false); n != nil {
			r.report.Happened[i.kind]++
			r.killNode(n, time.Duration(r.rng.Int64N(int64(500*time.Millisecond))))
		}
	case "server":
		r.killServer()
	case "cut":
		return r.cutOff()
	case backup:
		return r.copyDisk(i.pair)
	case restore:
		return r.restoreDisk(i.pair)
	case "garbage":
		return r.publishGarbage(ctx)
	case "repeat":
		return r.publishAgain(ctx)
	}
	return nil
}

// victim draws a node that is running, and for which there is work left if
// there is such a one; nil if none is running. Whose disk is to be replaced must
// not have been chosen for that before.
func (r *run) victim(disk bool) *node {
	var running, busy []*node
	for _, n := range r.nodes {
		if n.p != nil && n.up && n.final == nil && !(disk && n.copied) {
			running = append(running, n)
			if n.Issued < r.share(n.i)*9/10 {
				busy = append(busy, n)
			}
		}
	}
	if len(busy) > 0 {
		running = busy
	}
	if len(running) == 0 {
		return nil
	}
	return running[r.rng.IntN(len(running))]
}

// after has something done later, by the run's goroutine.
func (r *run) after(d time.Duration, do func() error) {
	time.AfterFunc(d, func() { r.events.put(nodeEvent{do: do}) })
}

// takeDown kills a node's process.
func (r *run) takeDown(n *node) {
	n.down = true
	n.p.kill()
	n.cpu += n.p.cpu()
	n.p = nil
	n.Done = false
	r.latencies.merge(n.Latencies)
	n.Latencies = nil
	n.life++ // what it told and is not read yet is void
	r.moved = time.Now()
}

// killNode kills a node's process and starts another after a time.
func (r *run) killNode(n *node, downtime time.Duration) {
	r.takeDown(n)
	r.after(downtime, func() error { return r.start(n) })
}

// killServer kills a server and starts it again on the same store after a time.
func (r *run) killServer() {
	i := r.rng.IntN(len(r.fleet.servers))
	r.report.Happened["server"]++
	r.waiting = true
	r.fleet.kill(i)
	downtime := 200*time.Millisecond + time.Duration(r.rng.Int64N(int64(time.Second)))
	r.after(downtime, func() error {
		r.waiting = false
		r.moved = time.Now()
		return r.fleet.start(r.fleet.servers[i])
	})
}

// cutOff cuts a node off until it has a third of its share unsent, but no more
// than some thousands.
func (r *run) cutOff() error {
	n := r.victim(false)
	if n == nil {
		return nil
	}
	r.report.Happened["cut"]++
	return n.p.in.Encode(Command{Cut: max(1, min(5000, r.share(n.i)/3)), CutFor: 10 * time.Second})
}

// copyDisk kills a node, copies its session's store and starts it again.
func (r *run) copyDisk(p *pair) error {
	n := r.victim(true)
	if n == nil {
		return nil
	}
	n.copied = true
	r.takeDown(n)
	l, err := openLedger(filepath.Join(r.nodeDir(n), ledgerName))
	if err != nil {
		return err
	}
	p.node, p.issued = n, l.issued
	store, copied := r.disks(n)
	if err := errors.Join(l.f.Close(), os.CopyFS(copied, os.DirFS(store))); err != nil {
		return err
	}
	return r.start(n)
}

// restoreDisk kills a node and puts the copy of the store in the store's place,
// once the stream has something that the copy lacks. Before that nobody could
// tell that it is old: what was neither in the copy nor sent would be given out
// again.
func (r *run) restoreDisk(p *pair) error {
	n := p.node
	if n == nil {
		return nil
	}
	r.waiting = true
	switch {
	case n.p == nil || !n.up || n.Issued-n.Pending <= p.issued && !n.Done:
		r.after(statusEvery, func() error { return r.restoreDisk(p) })
		return nil
	case n.Issued-n.Pending <= p.issued:
		r.waiting = false // it had issued all when it was copied
		return nil
	}
	r.waiting = false
	r.takeDown(n)
	r.report.Happened["stale"]++
	for session, owner := range r.owners {
		if owner == n.i {
			r.excused[session] = true
		}
	}
	store, copied := r.disks(n)
	if err := errors.Join(os.RemoveAll(store), os.Rename(copied, store)); err != nil {
		return err
	}
	return r.start(n)
}

// disks returns where a node's session has its store, and where its copy is.
func (r *run) disks(n *node) (store, copied string) {
	return filepath.Join(r.nodeDir(n), sessionName), filepath.Join(r.nodeDir(n), "copy")
}

// publishGarbage publishes what is no message of the document.
func (r *run) publishGarbage(ctx context.Context) error {
	data := garbage(r.rng, firstOf{ctx, r.order})
	r.report.Happened["garbage"]++
	r.bad++
	_, err := r.order.Publish(ctx, fmt.Sprint("garbage:", r.bad), data)
	return err
}

// publishAgain publishes a message of the stream as if its sender had done so
// after the stream has forgotten its ID.
func (r *run) publishAgain(ctx context.Context) error {
	last, err := r.order.Last(ctx)
	if err != nil || last == 0 {
		return err
	}
	d, ok := firstOf{ctx, r.order}.At(1 + r.rng.Uint64N(last))
	if !ok {
		return nil
	}
	if _, err := ParseMessage(d.Data); err != nil {
		return nil // garbage of this run
	}
	r.report.Happened["repeat"]++
	r.copies++
	_, err = r.order.Publish(ctx, fmt.Sprint("copy:", r.copies), d.Data)
	return err
}
