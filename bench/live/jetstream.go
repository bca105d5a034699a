package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// JetStream is a document's total order in NATS JetStream: the stream
// IDLIVE_doc with the subject idlive.doc, and an object store of the same name
// for summaries.
type JetStream struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	name    string
	subject string
}

const (
	// deduplication is how long the stream remembers message IDs.
	deduplication = 2 * time.Minute
	// patience is how long a server may leave a request unanswered before it
	// is made again.
	patience    = 2 * time.Second
	summaryName = "summary"
	heartbeat   = time.Second
)

// StreamConfig is how a document's stream is kept.
type StreamConfig struct {
	Memory   bool // in memory, else in files
	Replicas int
}

func (c StreamConfig) storage() jetstream.StorageType {
	if c.Memory {
		return jetstream.MemoryStorage
	}
	return jetstream.FileStorage
}

// Connect connects to a cluster for a document whose stream is there. The
// connection is made again as often as it is lost.
func Connect(urls, doc string) (*JetStream, error) {
	nc, err := nats.Connect(urls,
		nats.Name("idlive"), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true),
		nats.ReconnectWait(50*time.Millisecond), nats.ReconnectJitter(50*time.Millisecond, 50*time.Millisecond),
		nats.ReconnectBufSize(-1), // what cannot be sent now is published again, see Publish
		nats.PingInterval(2*time.Second), nats.MaxPingsOutstanding(2))
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", urls, err)
	}
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(patience))
	if err != nil {
		nc.Close()
		return nil, err
	}
	return &JetStream{nc: nc, js: js, name: "IDLIVE_" + doc, subject: "idlive." + doc}, nil
}

// Create makes the document's stream and object store.
func (o *JetStream) Create(ctx context.Context, c StreamConfig) error {
	err := insist(ctx, func(ctx context.Context) error {
		_, err := o.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: o.name, Subjects: []string{o.subject}, Storage: c.storage(), Replicas: c.Replicas,
			Duplicates: deduplication, DenyDelete: true, DenyPurge: true,
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("create stream %s: %w", o.name, err)
	}
	err = insist(ctx, func(ctx context.Context) error {
		_, err := o.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: o.name, Storage: c.storage(), Replicas: c.Replicas})
		return err
	})
	if err != nil {
		return fmt.Errorf("create object store %s: %w", o.name, err)
	}
	return nil
}

// Delete removes the document's stream and object store.
func (o *JetStream) Delete(ctx context.Context) error {
	return errors.Join(o.js.DeleteStream(ctx, o.name), o.js.DeleteObjectStore(ctx, o.name))
}

// noSuitablePeers is the error code of a cluster whose servers have not all met
// yet.
const noSuitablePeers jetstream.ErrorCode = 10005

// insist makes a request until it succeeds or its context ends: servers come
// and go. What will never succeed ends it.
func insist(ctx context.Context, request func(context.Context) error) error {
	for {
		try, cancel := context.WithTimeout(ctx, patience)
		err := request(try)
		cancel()
		switch {
		case err == nil || hopeless(err):
			return err
		case ctx.Err() != nil:
			return errors.Join(ctx.Err(), err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// hopeless reports whether a request that failed will always fail. A server that
// has just come back may not know its streams yet.
func hopeless(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.Code >= 400 && api.Code < 500 && api.ErrorCode != jetstream.JSErrCodeStreamNotFound && api.ErrorCode != noSuitablePeers
	}
	return errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrMaxPayload) || errors.Is(err, nats.ErrAuthorization)
}

// Publish is [TotalOrder]. It tries until ctx ends.
func (o *JetStream) Publish(ctx context.Context, id string, data []byte) (ack Ack, err error) {
	options := []jetstream.PublishOpt{jetstream.WithExpectStream(o.name), jetstream.WithRetryAttempts(0)}
	if id != "" {
		options = append(options, jetstream.WithMsgID(id))
	}
	err = insist(ctx, func(ctx context.Context) error {
		a, err := o.js.Publish(ctx, o.subject, data, options...)
		if err == nil {
			ack = Ack{a.Sequence, a.Duplicate}
		}
		return err
	})
	return ack, err
}

// Last is [TotalOrder].
func (o *JetStream) Last(ctx context.Context) (last uint64, err error) {
	err = insist(ctx, func(ctx context.Context) error {
		stream, err := o.js.Stream(ctx, o.name)
		if err == nil {
			last = stream.CachedInfo().State.LastSeq
		}
		return err
	})
	return last, err
}

// PutSummary is [TotalOrder]. It tries once: another summary will follow.
func (o *JetStream) PutSummary(ctx context.Context, data []byte) error {
	objects, err := o.js.ObjectStore(ctx, o.name)
	if err != nil {
		return err
	}
	_, err = objects.PutBytes(ctx, summaryName, data)
	return err
}

// Summary is [TotalOrder].
func (o *JetStream) Summary(ctx context.Context) (data []byte, err error) {
	err = insist(ctx, func(ctx context.Context) error {
		objects, err := o.js.ObjectStore(ctx, o.name)
		if err != nil {
			return err
		}
		info, err := objects.GetInfo(ctx, summaryName)
		if err == nil && info.Size > maxSummary {
			return fmt.Errorf("%w: it has %d bytes", ErrDamagedSummary, info.Size)
		}
		if err == nil {
			data, err = objects.GetBytes(ctx, summaryName)
		}
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			data, err = nil, nil
		}
		return err
	})
	return data, err
}

// Close is [TotalOrder].
func (o *JetStream) Close() { o.nc.Close() }

// Subscribe is [TotalOrder].
func (o *JetStream) Subscribe(_ context.Context, after uint64) (Feed, error) {
	return &consumer{order: o, at: after}, nil
}

// consumer reads a stream through consumers that live as long as a connection
// to their server does, each from where the one before ended.
type consumer struct {
	order    *JetStream
	at       uint64
	messages jetstream.MessagesContext
}

func (f *consumer) Next(ctx context.Context) (Delivery, error) {
	for {
		if err := f.open(ctx); err != nil {
			return Delivery{}, err
		}
		m, err := f.messages.Next(jetstream.NextContext(ctx))
		if ctx.Err() != nil {
			return Delivery{}, ctx.Err()
		}
		if err != nil { // the server or the connection is gone
			f.Close()
			continue
		}
		meta, err := m.Metadata()
		if err != nil {
			return Delivery{}, err
		}
		if meta.Sequence.Stream != f.at+1 {
			// The first message of a consumer is the first there is: if it
			// comes too late, those before are gone.
			if meta.Sequence.Consumer == 1 && meta.Sequence.Stream > f.at+1 {
				return Delivery{}, fmt.Errorf("%w: number %d after %d", ErrHole, meta.Sequence.Stream, f.at)
			}
			f.Close()
			continue
		}
		f.at++
		return Delivery{Seq: f.at, Data: m.Data()}, nil
	}
}

func (f *consumer) open(ctx context.Context) error {
	if f.messages != nil {
		return nil
	}
	return insist(ctx, func(ctx context.Context) error {
		c, err := f.order.js.CreateConsumer(ctx, f.order.name, jetstream.ConsumerConfig{
			DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: f.at + 1,
			AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1, InactiveThreshold: 30 * time.Second,
		})
		if err != nil {
			return err
		}
		f.messages, err = c.Messages(jetstream.PullMaxMessages(500), jetstream.PullHeartbeat(heartbeat), jetstream.PullExpiry(30*time.Second))
		return err
	})
}

func (f *consumer) Close() {
	if f.messages != nil {
		f.messages.Stop()
		f.messages = nil
	}
}
