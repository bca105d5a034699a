package live

import (
	"context"
	"sync"
)

// Memory is a total order in this process, for tests and simulations. The zero
// value is empty and ready. Its methods may be called concurrently.
type Memory struct {
	mu      sync.Mutex
	grown   chan struct{} // closed when something is added
	all     [][]byte
	ids     map[string]uint64
	summary []byte
}

// Publish is [TotalOrder].
func (o *Memory) Publish(ctx context.Context, id string, data []byte) (Ack, error) {
	if err := ctx.Err(); err != nil {
		return Ack{}, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ids == nil {
		o.ids = map[string]uint64{}
	}
	if seq := o.ids[id]; id != "" && seq > 0 {
		return Ack{seq, true}, nil
	}
	o.all = append(o.all, data)
	o.ids[id] = uint64(len(o.all))
	if o.grown != nil {
		close(o.grown)
		o.grown = nil
	}
	return Ack{Seq: uint64(len(o.all))}, nil
}

// At returns the message with a sequence number, false if it is not there yet.
func (o *Memory) At(seq uint64) (Delivery, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if seq < 1 || seq > uint64(len(o.all)) {
		return Delivery{}, false
	}
	return Delivery{Seq: seq, Data: o.all[seq-1]}, true
}

// Last is [TotalOrder].
func (o *Memory) Last(context.Context) (uint64, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return uint64(len(o.all)), nil
}

// PutSummary is [TotalOrder].
func (o *Memory) PutSummary(_ context.Context, data []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.summary = data
	return nil
}

// Summary is [TotalOrder].
func (o *Memory) Summary(context.Context) ([]byte, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.summary, nil
}

// Close is [TotalOrder]. It does nothing: others may still use the order.
func (o *Memory) Close() {}

// Subscribe is [TotalOrder].
func (o *Memory) Subscribe(_ context.Context, after uint64) (Feed, error) {
	return &memoryFeed{o, after}, nil
}

type memoryFeed struct {
	order *Memory
	at    uint64
}

func (f *memoryFeed) Next(ctx context.Context) (Delivery, error) {
	for {
		if d, ok := f.order.At(f.at + 1); ok {
			f.at++
			return d, nil
		}
		select {
		case <-f.order.wait(f.at):
		case <-ctx.Done():
			return Delivery{}, ctx.Err()
		}
	}
}

func (f *memoryFeed) Close() {}

// wait returns a channel that is closed when there is more than n messages.
func (o *Memory) wait(n uint64) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if uint64(len(o.all)) > n {
		done := make(chan struct{})
		close(done)
		return done
	}
	if o.grown == nil {
		o.grown = make(chan struct{})
	}
	return o.grown
}
