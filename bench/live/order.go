package live

import (
	"context"
	"errors"
)

// TotalOrder is a document's stream as a session sees it.
type TotalOrder interface {
	// Publish adds data to the order, unless data with this id was added
	// before and is remembered. It returns when the order has it. After an
	// error, the order may have it or not, or get it later.
	Publish(ctx context.Context, id string, data []byte) (Ack, error)
	// Subscribe returns what comes after a sequence number, without end.
	Subscribe(ctx context.Context, after uint64) (Feed, error)
	// Last returns the sequence number of the newest message, 0 if there is
	// none.
	Last(ctx context.Context) (uint64, error)
	// PutSummary makes data the newest summary.
	PutSummary(ctx context.Context, data []byte) error
	// Summary returns the newest summary, nil if there is none.
	Summary(ctx context.Context) ([]byte, error)
	// Close cuts the session off from the order.
	Close()
}

// Ack tells that the order has what was published.
type Ack struct {
	Seq       uint64 // where
	Duplicate bool   // what has the ID there was published before
}

// Feed is a place in an order.
type Feed interface {
	// Next waits for the next message. Its sequence number is one more than
	// that before. Errors: that of ctx, and [ErrHole].
	Next(ctx context.Context) (Delivery, error)
	Close()
}

// Delivery is a message of the order.
type Delivery struct {
	Seq  uint64 // from 1 on, without holes
	Data []byte
}

// ErrHole is the error of an order in which messages are missing: they were
// removed, or the stream is another than that of before.
var ErrHole = errors.New("messages are missing in the stream")
