package live

import (
	"context"
	"sync"
	"time"
)

// link is a node's connection to the order, and the goroutines that wait for
// it. What they have to say comes over channels that end with the link: nothing
// of one link is mistaken for something of the next.
type link struct {
	order     TotalOrder
	ctx       context.Context
	cancel    context.CancelFunc
	wait      sync.WaitGroup
	busy      bool // a message is being published
	arrivals  chan Delivery
	published chan published
	failed    chan error
	summary   sync.Mutex
}

type published struct {
	out  *Outgoing
	ack  Ack
	took time.Duration
}

// How many messages may wait between the network and the session; with added
// latency, they are on their way.
const (
	backlog    = 64
	travellers = 1 << 12
)

func (d *driver) connect(ctx context.Context) error {
	order, err := Connect(d.URLs, d.Doc)
	if err != nil {
		return err
	}
	l := &link{
		order: order, arrivals: make(chan Delivery, backlog),
		published: make(chan published, 1), failed: make(chan error, 1),
	}
	l.ctx, l.cancel = context.WithCancel(ctx)
	d.link = l
	return nil
}

// disconnect cuts the node off. What is being published may arrive or not.
func (d *driver) disconnect() {
	if d.link != nil {
		d.link.cancel()
		d.link.order.Close()
		d.link.wait.Wait()
		d.link = nil
	}
}

func (d *driver) arrivals() <-chan Delivery {
	if d.link == nil {
		return nil
	}
	return d.link.arrivals
}

func (d *driver) published() <-chan published {
	if d.link == nil {
		return nil
	}
	return d.link.published
}

func (d *driver) failed() <-chan error {
	if d.link == nil {
		return nil
	}
	return d.link.failed
}

// follow sends what comes after a sequence number to arrivals, each message a
// delay later than it comes.
func (l *link) follow(after uint64, delay time.Duration) error {
	feed, err := l.order.Subscribe(l.ctx, after)
	if err != nil {
		return err
	}
	type arrival struct {
		Delivery
		due time.Time
	}
	travelling := make(chan arrival, backlog)
	if delay > 0 {
		travelling = make(chan arrival, travellers)
	}
	l.wait.Go(func() {
		defer close(travelling)
		defer feed.Close()
		for {
			m, err := feed.Next(l.ctx)
			if err != nil {
				l.fail(err)
				return
			}
			select {
			case travelling <- arrival{m, time.Now().Add(delay)}:
			case <-l.ctx.Done():
				return
			}
		}
	})
	l.wait.Go(func() {
		for a := range travelling {
			if delay > 0 {
				time.Sleep(time.Until(a.due))
			}
			select {
			case l.arrivals <- a.Delivery:
			case <-l.ctx.Done():
				return
			}
		}
	})
	return nil
}

// fail reports what ends the link, unless it has been ended.
func (l *link) fail(err error) {
	if l.ctx.Err() == nil {
		select {
		case l.failed <- err:
		default: // something else does already
		}
	}
}

// publish publishes a message, however often that takes, and then says so.
func (l *link) publish(out *Outgoing) {
	l.busy = true
	l.wait.Go(func() {
		start := time.Now()
		ack, err := l.order.Publish(l.ctx, out.ID, out.Data)
		if err != nil {
			l.fail(err)
			return
		}
		l.published <- published{out, ack, time.Since(start)}
	})
}

// summarize stores a summary, if it can; another one will follow.
func (l *link) summarize(data []byte) {
	l.wait.Go(func() {
		l.summary.Lock()
		defer l.summary.Unlock()
		_ = l.order.PutSummary(l.ctx, data)
	})
}
