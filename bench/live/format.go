package live

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"example.com/idlab/bench/runner"
)

// Formats are the forms in which reports are written.
var Formats = []string{"text", "json", "bench"}

// WriteReports writes reports in a format: text for people; an array in JSON;
// or Go benchmark format, in which every run is a sample and times are per ID.
func WriteReports(w io.Writer, format string, reports []*Report) error {
	switch format {
	case "text":
		for _, r := range reports {
			if err := r.text(w); err != nil {
				return err
			}
		}
		return nil
	case "json":
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(reports)
	case "bench":
		return writeBench(w, reports)
	}
	return fmt.Errorf("format %q: there are %s", format, strings.Join(Formats, ", "))
}

func (r *Report) text(w io.Writer) error {
	o := r.Options
	verdict := "CONVERGED"
	if !r.Converged {
		verdict = "DID NOT CONVERGE"
	}
	fmt.Fprintf(w, "seed %d: %s in %v: %d IDs of %d sessions, document %.12s\n", o.Seed, verdict, r.Elapsed.Round(time.Millisecond), r.IDs, r.Sessions, r.Hash)
	for _, p := range r.Problems {
		fmt.Fprintf(w, "  PROBLEM %s\n", p)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(what, format string, args ...any) {
		fmt.Fprintf(t, "  %s\t%s\n", what, fmt.Sprintf(format, args...))
	}
	line("IDs per second", "%.0f", r.IDsPerSecond)
	line("acknowledged after", "%v", r.Ack)
	line("publish", "%v", r.Publish)
	line("eager finals", "%.1f %%", 100*r.EagerShare)
	line("reserved, never used", "%.1f %% of the final IDs, in %d clusters", 100*r.UnusedShare, r.Clusters)
	line("messages", "%s", counts(r.Messages))
	if len(r.Happened) > 0 {
		line("happened", "%s", counts(r.Happened))
		line("recovered", "%d processes resumed and sent %d IDs again; %d sessions were forked; %d joined with a summary; one came back with %d IDs unsent",
			r.Resumed, r.Resent, r.Forked, r.FromSummary, r.Unsent)
	}
	if r.LostWithDisks > 0 {
		line("lost with disks", "%d IDs that only the disk had which was replaced by an older one", r.LostWithDisks)
	}
	line("processor time", "sessions %v, servers %v", r.NodeCPU.Round(time.Millisecond), r.ServerCPU.Round(time.Millisecond))
	if err := t.Flush(); err != nil {
		return err
	}
	for _, f := range r.Findings {
		fmt.Fprintf(w, "  skipped %v\n", f)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "  note: %s\n", n)
	}
	return nil
}

func (q Quantiles) String() string {
	round := func(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
	return fmt.Sprintf("p50 %v, p99 %v, p99.9 %v, max %v", round(q.P50), round(q.P99), round(q.P999), round(q.Max))
}

// counts lists what there is of each in a map, by name.
func counts[K ~string, N int | int64](m map[K]N) string {
	var items []string
	for k, n := range m {
		items = append(items, fmt.Sprintf("%s %d", k, n))
	}
	slices.Sort(items)
	return strings.Join(items, ", ")
}

// units is what a reader of the benchmark format must know of the units.
const units = `Unit ns/op better=lower
Unit ids/s better=higher
Unit p50-ns better=lower
Unit p99-ns better=lower
Unit p99.9-ns better=lower
Unit max-ns better=lower
Unit eager-share better=higher
Unit unused-share better=lower
Unit session-cpu-ns/op better=lower
Unit server-cpu-ns/op better=lower
`

func writeBench(w io.Writer, reports []*Report) error {
	e := runner.Fingerprint()
	fmt.Fprintf(w, "%sgoos: %s\ngoarch: %s\npkg: example.com/idlab/bench/live\ncpu: %s\ngo: %s\ngomaxprocs: %d\n",
		units, e.GOOS, e.GOARCH, e.CPU, e.Go, e.GOMAXPROCS)
	for i, r := range reports {
		if _, err := fmt.Fprintf(w, "seed: %d\nblock: %d\n%s\n", r.Options.Seed, i, r.benchLine()); err != nil {
			return err
		}
	}
	return nil
}

func (r *Report) benchLine() string {
	o := r.Options
	store := "file"
	if o.Memory {
		store = "memory"
	}
	per := func(d time.Duration) float64 { return float64(d) / float64(max(r.IDs, 1)) }
	return fmt.Sprintf("BenchmarkLive/sessions=%d/range=%d/rate=%g/size=%d/latency=%v/store=%s/servers=%d/faults=%s/converged=%v-%d "+
		"%d %.1f ns/op %.1f ids/s %d p50-ns %d p99-ns %d p99.9-ns %d max-ns %.6f eager-share %.6f unused-share %.1f session-cpu-ns/op %.1f server-cpu-ns/op",
		o.Sessions, o.Range, o.Rate, o.ClusterSize, o.Latency, store, o.Cluster, o.Faults, r.Converged, runtime.GOMAXPROCS(0),
		r.IDs, per(r.Elapsed), r.IDsPerSecond, r.Ack.P50, r.Ack.P99, r.Ack.P999, r.Ack.Max, r.EagerShare, r.UnusedShare,
		per(r.NodeCPU), per(r.ServerCPU))
}
