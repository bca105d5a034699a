package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/mat"
)

// Scale is a series of runs with more and more sessions.
type Scale struct {
	Sessions []int
	Messages []int // of all sessions together, each number with each of Sessions
	Options  Options
	Far      Far
	Progress func(done, total int, now string)
}

// Far is what is estimated from the series.
type Far struct {
	Sessions int
	Rate     float64 // IDs a second of each
	Servers  int
	Cores    int // of a server
}

// DefaultScale goes up to 200 sessions, and estimates 10,000.
func DefaultScale() Scale {
	return Scale{
		Sessions: []int{2, 5, 10, 20, 50, 100, 200}, Messages: []int{400, 1600},
		Far: Far{Sessions: 10_000, Rate: 10, Servers: 5, Cores: 16},
	}
}

// Scaled is what a series comes to.
type Scaled struct {
	Rows []ScaleRow
	// Node is the processor time of all sessions, Server that of the servers.
	Node, Server Cost
	// MessageBytes is the mean size of a message.
	MessageBytes float64
	Far          Estimate
}

// ScaleRow is a run of the series.
type ScaleRow struct {
	Sessions          int
	Messages          int64
	Deliveries        int64 // messages times sessions
	Elapsed           time.Duration
	Ack               Quantiles
	NodeCPU, ServeCPU time.Duration
}

// Cost is a fit by least squares: what a session costs once, what a message
// costs once, and what each delivery of a message to a session costs.
type Cost struct {
	Session, Message, Delivery time.Duration
	Error                      float64 // root mean square of what is left, relative to the mean
}

// Estimate is how far sessions would go, from costs and assumptions.
type Estimate struct {
	Far
	MessagesPerSecond   float64
	SessionCore         float64 // share of a core that each session needs
	DeliveriesPerSecond float64
	ServerCores         float64 // in all
	BytesPerSecond      float64 // from all servers to all sessions
	Fits                float64 // sessions that the servers' cores are enough for
}

// Run runs the series.
func (s Scale) Run(ctx context.Context) (*Scaled, error) {
	if len(s.Sessions)*len(s.Messages) < 3 {
		return nil, errors.New("scale: three costs cannot be told apart with fewer than three runs: give it more numbers of sessions")
	}
	out := new(Scaled)
	var bytes, messages float64
	for _, sessions := range s.Sessions {
		for _, n := range s.Messages {
			if s.Progress != nil {
				s.Progress(len(out.Rows), len(s.Sessions)*len(s.Messages), fmt.Sprintf("%d sessions", sessions))
			}
			o := s.Options
			o.Sessions, o.Join = sessions, 0
			o.IDs = int64(max(n, sessions)) * int64(o.Range)
			r, err := Run(ctx, o)
			if err != nil {
				return nil, err
			}
			if !r.Converged {
				return nil, fmt.Errorf("scale: %d sessions did not converge: %v", sessions, r.Problems)
			}
			out.Rows = append(out.Rows, ScaleRow{
				Sessions: sessions, Messages: r.Messages[Accepted], Deliveries: r.Messages[Accepted] * int64(sessions),
				Elapsed: r.Elapsed, Ack: r.Ack, NodeCPU: r.NodeCPU, ServeCPU: r.ServerCPU,
			})
			bytes += float64(r.Bytes)
			messages += float64(r.Messages[Accepted])
		}
	}
	out.MessageBytes = bytes / messages
	var err error
	if out.Node, err = fit(out.Rows, func(r ScaleRow) time.Duration { return r.NodeCPU }); err != nil {
		return nil, err
	}
	if out.Server, err = fit(out.Rows, func(r ScaleRow) time.Duration { return r.ServeCPU }); err != nil {
		return nil, err
	}
	out.Far = out.estimate(s.Far, s.Options.Range)
	return out, nil
}

// fit finds the costs that explain a time best. Rows count by their relative
// error, or the greatest would decide alone.
func fit(rows []ScaleRow, y func(ScaleRow) time.Duration) (Cost, error) {
	a, b := mat.NewDense(len(rows), 3, nil), mat.NewVecDense(len(rows), nil)
	for i, r := range rows {
		w := 1 / max(float64(y(r)), 1)
		a.SetRow(i, []float64{w * float64(r.Sessions), w * float64(r.Messages), w * float64(r.Deliveries)})
		b.SetVec(i, w*float64(y(r)))
	}
	var x mat.VecDense
	if err := x.SolveVec(a, b); err != nil {
		return Cost{}, fmt.Errorf("scale: fit: %w", err)
	}
	var left mat.VecDense
	left.MulVec(a, &x)
	left.SubVec(&left, b)
	return Cost{
		Session: time.Duration(x.AtVec(0)), Message: time.Duration(x.AtVec(1)), Delivery: time.Duration(x.AtVec(2)),
		Error: mat.Norm(&left, 2) / math.Sqrt(float64(len(rows))),
	}, nil
}

func (s *Scaled) estimate(f Far, ids int) Estimate {
	e := Estimate{Far: f, MessagesPerSecond: float64(f.Sessions) * f.Rate / float64(ids)}
	e.SessionCore = e.MessagesPerSecond * max(0, s.Node.Delivery.Seconds())
	e.DeliveriesPerSecond = e.MessagesPerSecond * float64(f.Sessions)
	// The stream's servers each store every message.
	e.ServerCores = float64(f.Servers)*e.MessagesPerSecond*max(0, s.Server.Message.Seconds()) +
		e.DeliveriesPerSecond*max(0, s.Server.Delivery.Seconds())
	e.BytesPerSecond = e.DeliveriesPerSecond * s.MessageBytes
	perPair := f.Rate / float64(ids) * max(1e-12, s.Server.Delivery.Seconds())
	e.Fits = math.Sqrt(float64(f.Servers*f.Cores) / perPair)
	return e
}

// WriteText writes the series, the costs and the estimate with what it assumes.
func (s *Scaled) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "Cost by sessions, all on this machine (%d processors), server included:\n\n", runtime.NumCPU())
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "sessions\tmessages\tdeliveries\tseconds\tdeliveries/s\tack p50\tack p99\tsessions' CPU\tserver's CPU\tCPU a delivery\t")
	for _, r := range s.Rows {
		fmt.Fprintf(t, "%d\t%d\t%d\t%.2f\t%.0f\t%v\t%v\t%v\t%v\t%v\t\n", r.Sessions, r.Messages, r.Deliveries, r.Elapsed.Seconds(),
			float64(r.Deliveries)/r.Elapsed.Seconds(), r.Ack.P50.Round(100*time.Microsecond), r.Ack.P99.Round(100*time.Microsecond),
			r.NodeCPU.Round(time.Millisecond), r.ServeCPU.Round(time.Millisecond),
			((r.NodeCPU + r.ServeCPU) / time.Duration(r.Deliveries)).Round(100*time.Nanosecond))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, c := range []struct {
		who string
		Cost
	}{{"sessions", s.Node}, {"server", s.Server}} {
		fmt.Fprintf(w, "\nProcessor time of the %s, by least squares: %v a session (its start included), %v a message, %v a delivery; error %.0f %%.",
			c.who, c.Session.Round(10*time.Microsecond), c.Message.Round(100*time.Nanosecond), c.Delivery.Round(100*time.Nanosecond), 100*c.Error)
	}
	e := s.Far
	_, err := fmt.Fprintf(w, `

Estimate for %d sessions with %g IDs a second each, on a cluster of %d servers with %d cores:
  %.0f messages a second in the stream, %.0f bytes each in the mean
  a session: %.1f %% of a core to apply them
  the servers: %.3g deliveries a second, %.1f cores in all of %d; %.3g MB/s to the sessions
  by processor time the servers are enough for %.0f such sessions
It assumes: costs are those above (fitted from %d to %d sessions, this machine's processor, loopback); every
session reads the whole stream through a consumer of its own; sessions are spread evenly over the servers;
every server stores every message; ranges and operations are as here; the network is wide enough. Fan-out
grows with the square of the sessions: what helps is fewer and larger messages (a range twice as large halves
everything), or a relay a host that reads the stream once.
`, e.Sessions, e.Rate, e.Servers, e.Cores, e.MessagesPerSecond, s.MessageBytes, 100*e.SessionCore,
		e.DeliveriesPerSecond, e.ServerCores, e.Servers*e.Cores, e.BytesPerSecond/1e6, e.Fits,
		s.Rows[0].Sessions, s.Rows[len(s.Rows)-1].Sessions)
	return err
}
