package live

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"
)

// Sweep is a grid of settings.
type Sweep struct {
	Sizes     []int64
	Latencies []time.Duration
	Rates     []float64
	Sessions  int
	IDs       int64 // of each session, in its whole life, in the mean
	Range     int
	Worth     float64 // how many points of unused share a point of eager share is worth
	Seed      uint64

	Live     int           // how many of the settings to run as well, to hold the simulation against
	LiveFor  time.Duration // about how long each
	Options  Options       // of these runs: where, and on what
	Progress func(done, total int, now string)
}

// DefaultSweep is a grid from a person who types to a program, and from a
// server nearby to one on another continent.
func DefaultSweep() Sweep {
	return Sweep{
		Sizes:     []int64{8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096},
		Latencies: []time.Duration{20 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond},
		Rates:     []float64{10, 100, 1000},
		Sessions:  16, IDs: 4000, Range: 50, Worth: 1, Seed: 1, Live: 3, LiveFor: 6 * time.Second,
	}
}

// Swept is what a sweep comes to.
type Swept struct {
	Sweep   Sweep    `json:"-"`
	Cells   []Cell   `json:"cells"`
	Advice  []Advice `json:"advice"`
	Checked []Checked
}

// Cell is a setting and what it gives.
type Cell struct {
	Setting
	Shares
}

// Advice is the size to take for a latency and a rate.
type Advice struct {
	Latency time.Duration
	Rate    float64
	Best    Cell
	Next    *Cell // with the next greater size, if the grid has one
}

// Checked is a setting that was simulated and run, with the IDs that fit the
// time of the run.
type Checked struct {
	Setting
	IDs             int64
	Simulated, Live Shares
}

// Run simulates the grid, runs some of it, and judges.
func (s Sweep) Run(ctx context.Context) (*Swept, error) {
	out := &Swept{Sweep: s}
	total := len(s.Sizes)*len(s.Latencies)*len(s.Rates) + s.Live
	if total == s.Live || s.Worth <= 0 {
		return nil, fmt.Errorf("sweep: give it sizes, latencies, rates, and a worth above 0")
	}
	slices.Sort(s.Sizes)
	tell := func(now string) {
		if s.Progress != nil {
			s.Progress(len(out.Cells)+len(out.Checked), total, now)
		}
	}
	for _, latency := range s.Latencies {
		for _, rate := range s.Rates {
			start := len(out.Cells)
			for _, size := range s.Sizes {
				set := Setting{latency, rate, size}
				tell(set.String())
				shares, err := Simulation{Setting: set, Sessions: s.Sessions, IDs: s.IDs, Vary: true, Range: s.Range, Seed: s.Seed}.Run(ctx)
				if err != nil {
					return nil, err
				}
				out.Cells = append(out.Cells, Cell{set, shares})
			}
			out.Advice = append(out.Advice, s.advise(out.Cells[start:]))
		}
	}
	var quick []Advice // those of which a run is long enough to tell something
	for _, a := range out.Advice {
		if a.Rate*s.LiveFor.Seconds() >= 10*float64(s.Range) {
			quick = append(quick, a)
		}
	}
	for i := range min(s.Live, len(quick)) {
		a := quick[i*len(quick)/min(s.Live, len(quick))]
		tell("running " + a.Best.Setting.String())
		c, err := s.check(ctx, a.Best.Setting)
		if err != nil {
			return nil, err
		}
		out.Checked = append(out.Checked, c)
	}
	return out, nil
}

// check runs a setting.
func (s *Sweep) check(ctx context.Context, set Setting) (Checked, error) {
	c := Checked{Setting: set, IDs: min(s.IDs, max(int64(s.Range), int64(set.Rate*s.LiveFor.Seconds())))}
	var err error
	if c.Simulated, err = (Simulation{Setting: set, Sessions: s.Sessions, IDs: c.IDs, Range: s.Range, Seed: s.Seed}).Run(ctx); err != nil {
		return c, err
	}
	o := s.Options
	o.Sessions, o.IDs, o.Range, o.Join = s.Sessions, c.IDs*int64(s.Sessions), s.Range, 0
	o.Rate, o.ClusterSize, o.Latency, o.Seed = set.Rate, set.Size, set.Latency, s.Seed
	report, err := Run(ctx, o)
	if err != nil {
		return c, err
	}
	if !report.Converged {
		return c, fmt.Errorf("sweep: the run of %v did not converge: %v", set, report.Problems)
	}
	c.Live = Shares{report.EagerShare, report.UnusedShare}
	return c, nil
}

// advise takes the size with the greatest eager share less the unused share, as
// they are worth.
func (s *Sweep) advise(cells []Cell) Advice {
	best := 0
	for i, c := range cells {
		if s.score(c) > s.score(cells[best]) {
			best = i
		}
	}
	a := Advice{Latency: cells[best].Latency, Rate: cells[best].Rate, Best: cells[best]}
	if best+1 < len(cells) {
		a.Next = new(cells[best+1])
	}
	return a
}

func (s *Sweep) score(c Cell) float64 { return c.Eager - c.Unused/s.Worth }

// Rule returns what to expect without simulating. A cluster of this size is
// opened by a range that overflows by half its length in the mean. The IDs
// generated from there until it comes back, a latency later, take finals of the
// cluster as local ones do; the rest of it is eager. When a session ends, half of
// its last cluster is unused.
func (s *Sweep) Rule(set Setting) Shares {
	size, overflow := float64(set.Size), float64(s.Range)/2
	return Shares{
		Eager:  max(0, (size-set.Rate*set.Latency.Seconds())/(size+overflow)),
		Unused: size / 2 / (float64(s.IDs) + size/2),
	}
}

// RuleSize returns the size at which the rule's eager share less its unused
// share is greatest, for a size that is small beside the IDs of a session.
func (s *Sweep) RuleSize(latency time.Duration, rate float64) float64 {
	return math.Sqrt(2 * s.Worth * float64(s.IDs) * (rate*latency.Seconds() + float64(s.Range)/2))
}

// ruleError returns the mean difference between the rule and the grid.
func (s *Swept) ruleError() (e Shares) {
	for _, c := range s.Cells {
		rule := s.Sweep.Rule(c.Setting)
		e.Eager += math.Abs(rule.Eager-c.Eager) / float64(len(s.Cells))
		e.Unused += math.Abs(rule.Unused-c.Unused) / float64(len(s.Cells))
	}
	return e
}

// String names a setting.
func (s Setting) String() string {
	return fmt.Sprintf("latency %v, %g IDs/s, size %d", s.Latency, s.Rate, s.Size)
}

// WriteText writes the grid, the size to take in each case and why, and how the
// simulation compares to what was run.
func (s *Swept) WriteText(w io.Writer) error {
	g := s.Sweep
	fmt.Fprintf(w, "Eager share / unused share in %%, of %d sessions with %d IDs in the mean, in ranges of about %d, simulated:\n\n", g.Sessions, g.IDs, g.Range)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "latency\tIDs/s\t")
	for _, size := range g.Sizes {
		fmt.Fprintf(t, "%d\t", size)
	}
	fmt.Fprintln(t)
	for i, a := range s.Advice {
		fmt.Fprintf(t, "%v\t%g\t", a.Latency, a.Rate)
		for _, c := range s.Cells[i*len(g.Sizes) : (i+1)*len(g.Sizes)] {
			mark := ""
			if c == a.Best {
				mark = "*"
			}
			fmt.Fprintf(t, "%.0f/%.0f%s\t", 100*c.Eager, 100*c.Unused, mark)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nTake (*): the size at which eager share less unused share is greatest, a point of the one for %g of the other.\n", g.Worth)
	for _, a := range s.Advice {
		fmt.Fprintf(w, "  %v (rule: %.0f)\n", a, g.RuleSize(a.Latency, a.Rate))
	}
	e := s.ruleError()
	fmt.Fprintf(w, `
Rule: size = sqrt(2 x IDs of a session x (rate x latency + range/2)).
Behind it: eager = (size - rate x latency) / (size + range/2), %.1f points from the grid in the mean;
unused = (size/2) / (IDs of a session + size/2), %.1f points.
`, 100*e.Eager, 100*e.Unused)
	if len(s.Checked) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nThe same on a real stream, eager/unused, beside the simulation of as many IDs:")
	for _, c := range s.Checked {
		fmt.Fprintf(w, "  %v, %d IDs each: run %.1f/%.1f, simulated %.1f/%.1f\n", c.Setting, c.IDs,
			100*c.Live.Eager, 100*c.Live.Unused, 100*c.Simulated.Eager, 100*c.Simulated.Unused)
	}
	return nil
}

// String says which size to take and why.
func (a Advice) String() string {
	text := fmt.Sprintf("%v, %g IDs/s: size %d: %.1f %% eager, %.1f %% unused", a.Latency, a.Rate, a.Best.Size, 100*a.Best.Eager, 100*a.Best.Unused)
	if a.Next == nil {
		return text + "; it is the greatest of the grid, a greater one may be better"
	}
	return text + fmt.Sprintf("; %d would give %+.1f points eager for %+.1f unused",
		a.Next.Size, 100*(a.Next.Eager-a.Best.Eager), 100*(a.Next.Unused-a.Best.Unused))
}

// WriteCSV writes the grid, a cell a line.
func (s *Swept) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"latency-ms", "rate", "size", "eager", "unused", "take"})
	for i, c := range s.Cells {
		best := s.Advice[i/len(s.Sweep.Sizes)].Best
		out.Write([]string{
			strconv.FormatFloat(c.Latency.Seconds()*1000, 'g', -1, 64), strconv.FormatFloat(c.Rate, 'g', -1, 64), strconv.FormatInt(c.Size, 10),
			strconv.FormatFloat(c.Eager, 'f', 6, 64), strconv.FormatFloat(c.Unused, 'f', 6, 64), strconv.FormatBool(c == best),
		})
	}
	out.Flush()
	return out.Error()
}
