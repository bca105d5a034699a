package live

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// lone is a session alone on an order.
type lone struct {
	*testing.T
	*Session
	order Memory
}

func newLone(t *testing.T) *lone {
	s, err := NewSession(someone, SessionOptions{ClusterSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	return &lone{T: t, Session: s}
}

// op makes an operation of three IDs.
func (l *lone) op() {
	l.Helper()
	if err := l.Generate(3); err != nil {
		l.Fatal(err)
	}
	if _, err := l.Cut(time.Time{}); err != nil {
		l.Fatal(err)
	}
}

// publish publishes what is next, and returns its place.
func (l *lone) publish() Ack {
	l.Helper()
	out := l.Outgoing()
	ack, err := l.order.Publish(context.Background(), out.ID, out.Data)
	if err := errors.Join(err, l.Stored(out, ack)); err != nil {
		l.Fatal(err)
	}
	return ack
}

// read reads all there is.
func (l *lone) read() (verdicts []Verdict) {
	l.Helper()
	for {
		d, ok := l.order.At(l.Applied() + 1)
		if !ok {
			return verdicts
		}
		out, err := l.Apply(d)
		if err != nil {
			l.Fatal(err)
		}
		verdicts = append(verdicts, out.Verdict)
	}
}

// A message that was believed lost comes after the order has forgotten its ID,
// and before the longer one that was sent instead of it.
func TestLateMessage(t *testing.T) {
	l := newLone(t)
	l.op()
	late := *l.Outgoing()
	l.op()
	if err := l.Resubmit(); err != nil {
		t.Fatal(err)
	}
	l.order.Publish(context.Background(), "", late.Data)
	l.publish()
	l.op()
	l.publish()
	if err := l.Generate(2); err != nil { // being made while the rest is sent again
		t.Fatal(err)
	}
	if got := l.read(); !slices.Equal(got, []Verdict{Accepted, Duplicate, Gap}) {
		t.Fatal(got)
	}
	if out := l.Outgoing(); out == nil || out.first != 4 || out.last != 9 {
		t.Fatalf("%+v goes out again, expected IDs 4 to 9", out)
	}
	l.publish()
	l.op()
	if out := l.Outgoing(); out == nil || out.first != 10 || out.last != 14 {
		t.Fatalf("%+v goes out, expected IDs 10 to 14", out)
	}
	l.publish()
	if got := l.read(); !slices.Equal(got, []Verdict{Accepted, Accepted}) {
		t.Fatal(got)
	}
	if ops, ids := l.Pending(); ops != 0 || ids != 0 {
		t.Fatal(ops, ids)
	}
}

// The order has another message under the ID: a shorter one, or one that does
// not count.
func TestDuplicateID(t *testing.T) {
	l := newLone(t)
	l.op()
	first := *l.Outgoing()
	l.order.Publish(context.Background(), first.ID, first.Data)
	l.op()
	if err := l.Resubmit(); err != nil {
		t.Fatal(err)
	}
	if ack := l.publish(); !ack.Duplicate || l.Outgoing() != nil {
		t.Fatalf("%+v, then %+v", ack, l.Outgoing())
	}
	l.read()
	if out := l.Outgoing(); out == nil || out.first != 4 || out.last != 6 {
		t.Fatalf("%+v goes out, expected IDs 4 to 6", out)
	}
	l.order.Publish(context.Background(), l.Outgoing().ID, []byte("noise"))
	if ack := l.publish(); !ack.Duplicate {
		t.Fatal(ack)
	}
	l.read()
	if ack := l.publish(); ack.Duplicate {
		t.Fatal("the same ID again")
	}
	l.read()
	if ops, _ := l.Pending(); ops != 0 {
		t.Fatal(ops)
	}
}

// A session that leaves out a range is found by all, with its name.
func TestSkippedRange(t *testing.T) {
	var order Memory
	ctx := context.Background()
	bad, err := NewSession(someone, SessionOptions{SkipOp: 2})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := bad.Generate(5); err != nil {
			t.Fatal(err)
		}
		if _, err := bad.Cut(time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	for out := bad.Outgoing(); out != nil; out = bad.Outgoing() {
		order.Publish(ctx, out.ID, out.Data)
		bad.Stored(out, Ack{})
	}
	x, err := Examine(ctx, &order, 2)
	if err != nil {
		t.Fatal(err)
	}
	if x.IDs != 5 || len(x.Findings) != 1 || x.Findings[0].Kind != string(Gap) || x.Findings[0].Session != someone || x.Findings[0].Seq != 2 {
		t.Fatalf("%+v", x)
	}
}
