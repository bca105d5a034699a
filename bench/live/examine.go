package live

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// Examination is what an observer finds that reads a stream from its beginning
// and takes part in nothing.
type Examination struct {
	Hash      string
	IDs       int64 // created by messages that count
	Bytes     int64 // of all messages
	Messages  map[Verdict]int64
	Findings  []Finding   // the first of them
	Twice     []uuid.UUID // UUIDs that were created more than once
	Finalized int64       // IDs that the document has finalized
	Reserved  int64       // final IDs that the document has set aside, finalized ones included
	Clusters  int
	Sessions  int

	observer *Session
}

// mostReported bounds the findings that are kept.
const mostReported = 1000

// Examine reads an order up to a sequence number. It takes 16 bytes for an ID.
func Examine(ctx context.Context, order TotalOrder, last uint64) (*Examination, error) {
	observer, err := NewSession(uuid.New(), SessionOptions{})
	if err != nil {
		return nil, err
	}
	x := &Examination{Messages: map[Verdict]int64{}, observer: observer}
	var created []uuid.UUID
	err = readTo(ctx, order, observer, last, func(out Outcome) {
		x.Messages[out.Verdict]++
		x.Bytes += int64(out.Bytes)
		x.Findings = append(x.Findings, out.Findings[:min(len(out.Findings), mostReported-len(x.Findings))]...)
		if out.Verdict == Accepted {
			x.IDs += out.Message.Range.IDs.Count
			created = append(created, out.Created...)
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(created, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	for i := 1; i < len(created); i++ {
		if created[i] == created[i-1] {
			x.Twice = append(x.Twice, created[i])
		}
	}
	owners := map[int32]bool{}
	for c := range observer.c.Clusters() {
		x.Clusters++
		x.Finalized += c.Count
		x.Reserved += c.Capacity
		owners[int32(c.Session)] = true
	}
	x.Sessions = len(owners)
	x.Hash, err = observer.Hash()
	return x, err
}

// Knows reports whether the document has an ID.
func (x *Examination) Knows(id uuid.UUID) bool {
	_, ok := x.observer.c.TryRecompress(id)
	return ok
}

// readTo applies an order to a session up to a sequence number.
func readTo(ctx context.Context, order TotalOrder, s *Session, last uint64, each func(Outcome)) error {
	if s.Applied() >= last {
		return nil
	}
	feed, err := order.Subscribe(ctx, s.Applied())
	if err != nil {
		return err
	}
	defer feed.Close()
	for s.Applied() < last {
		d, err := feed.Next(ctx)
		if err != nil {
			return fmt.Errorf("read message %d of %d: %w", s.Applied()+1, last, err)
		}
		out, err := s.Apply(d)
		if err != nil {
			return err
		}
		each(out)
	}
	return nil
}
