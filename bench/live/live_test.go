package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"
)

// TestMain lets the test's binary be what a run starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		var err error
		switch os.Args[1] {
		case NodeCommand:
			err = RunNode(context.Background(), os.Stdin, os.Stdout)
		case ServerCommand:
			err = Serve(os.Stdin, os.Stdout)
		default:
			os.Exit(m.Run())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func small() Options {
	o := DefaultOptions()
	o.Sessions, o.IDs, o.Rate, o.SummaryEvery, o.Sync = 4, 2400, 400, 10, false
	return o
}

func mustRun(t *testing.T, o Options) *Report {
	t.Helper()
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	o := small()
	o.Faults = Faults{Session: 2, Server: 1, Cut: 1, Stale: 1, Garbage: 3, Repeat: 2}
	r := mustRun(t, o)
	if !r.Converged {
		t.Fatal(r.Problems)
	}
	if r.IDs+r.LostWithDisks < o.IDs || r.Hash == "" || r.EagerShare <= 0 || r.EagerShare >= 1 || r.UnusedShare <= 0 || r.Ack.P50 <= 0 || r.NodeCPU <= 0 || r.ServerCPU <= 0 {
		t.Errorf("%+v", r)
	}
	if r.Messages[Damaged] != 3 || r.Messages[Duplicate] < 2 || len(r.Findings) != 3 || r.Forked != 1 || r.Happened["stale"] != 1 || r.Resumed < 2 {
		t.Errorf("%+v", r)
	}
	for _, format := range Formats {
		var out bytes.Buffer
		if err := WriteReports(&out, format, []*Report{r}); err != nil {
			t.Fatal(err)
		}
		switch format {
		case "text":
			if !strings.Contains(out.String(), "CONVERGED") || !strings.Contains(out.String(), fmt.Sprintf("skipped message %d", r.Findings[0].Seq)) {
				t.Error(out.String())
			}
		case "json":
			var back []Report
			if err := json.Unmarshal(out.Bytes(), &back); err != nil || back[0].Hash != r.Hash {
				t.Error(err)
			}
		case "bench":
			results := benchfmt.NewReader(&out, "bench")
			units := 0
			for results.Scan() {
				switch rec := results.Result().(type) {
				case *benchfmt.Result:
					units = len(rec.Values)
				case *benchfmt.SyntaxError:
					t.Error(rec)
				}
			}
			if units != 10 {
				t.Errorf("%d units", units)
			}
		}
	}
}

// A cluster that is there already, a stream in memory, and a session that
// leaves out a range, which must be found.
func TestPlantIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := startFleet(binary, t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer f.stop(false)
	o := small()
	o.NATS, o.Memory, o.Rate = f.urls(), true, 0
	if r := mustRun(t, o); !r.Converged || r.IDs != o.IDs {
		t.Fatal(r.IDs, r.Problems)
	}
	o.Plant = PlantSkipRange
	r := mustRun(t, o)
	if r.Converged || !strings.Contains(strings.Join(r.Problems, "\n"), fmt.Sprintf("node %d: message", o.Sessions)) ||
		!strings.Contains(r.Problems[0], "a range was skipped") {
		t.Fatal(r.Problems)
	}
}

func TestOptions(t *testing.T) {
	for says, change := range map[string]func(*Options){
		"sessions":         func(o *Options) { o.Sessions = 0 },
		"join":             func(o *Options) { o.Join = 4 },
		"cluster-size":     func(o *Options) { o.ClusterSize = 1<<20 + 1 },
		"cluster: 2":       func(o *Options) { o.Cluster = 2 },
		"in memory":        func(o *Options) { o.Memory, o.Faults.Server = true, 1 },
		"--nats":           func(o *Options) { o.NATS, o.Faults.Server = "nats://127.0.0.1:1", 1 },
		"no planted fault": func(o *Options) { o.Plant = "x" },
		"latency":          func(o *Options) { o.Latency = -time.Second },
		"unknown backend":  func(o *Options) { o.Backend = "x" },
	} {
		o := small()
		change(&o)
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, expected %q", err, says)
		}
	}
	for text, want := range map[string]string{"": "none", "none": "none", "server:2, session:1": "session:1,server:2", SomeFaults: SomeFaults} {
		if f, err := ParseFaults(text); err != nil || f.String() != want {
			t.Errorf("%q: %v, %v", text, f, err)
		}
	}
	for _, text := range []string{"session", "session:-1", "session:x", "fire:1", "session:99999999"} {
		if _, err := ParseFaults(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestSimulation(t *testing.T) {
	s := Sweep{Sizes: []int64{64, 512, 1 << 20}, Latencies: []time.Duration{100 * time.Millisecond}, Rates: []float64{500}, Sessions: 4, IDs: 2000, Range: 20, Worth: 1}
	swept, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := swept.Cells
	if len(c) != 3 || c[0].Eager >= c[1].Eager || c[0].Unused >= c[1].Unused || c[2].Unused < 0.99 || swept.Advice[0].Best.Size != 512 {
		t.Errorf("%+v", swept)
	}
	// 50 IDs are generated within the latency: 64 leaves few of them eager.
	if rule := s.Rule(c[1].Setting); c[0].Eager > 0.25 || c[1].Eager < rule.Eager-0.1 || c[1].Eager > rule.Eager+0.1 {
		t.Errorf("%+v, by the rule %+v", c[:2], rule)
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"512: ":      func(b *bytes.Buffer) error { return swept.WriteText(b) },
		"100,500,64": func(b *bytes.Buffer) error { return swept.WriteCSV(b) },
		"<svg":       func(b *bytes.Buffer) error { return swept.WriteSVG(b) },
	} {
		var out bytes.Buffer
		if err := write(&out); err != nil || !strings.Contains(out.String(), name) {
			t.Errorf("%q is not in it: %v", name, err)
		}
	}
}

// The costs that rows were made of come out of them.
func TestFit(t *testing.T) {
	var rows []ScaleRow
	want := Cost{Session: 10 * time.Millisecond, Message: 100 * time.Microsecond, Delivery: 20 * time.Microsecond}
	for _, s := range []int{2, 20, 200} {
		for _, n := range []int64{100, 1000} {
			d := n * int64(s)
			rows = append(rows, ScaleRow{Sessions: s, Messages: n, Deliveries: d,
				NodeCPU: want.Session*time.Duration(s) + want.Message*time.Duration(n) + want.Delivery*time.Duration(d)})
		}
	}
	got, err := fit(rows, func(r ScaleRow) time.Duration { return r.NodeCPU })
	near := func(a, b time.Duration) bool { return (a - b).Abs() < time.Microsecond }
	if err != nil || !near(got.Session, want.Session) || !near(got.Message, want.Message) || !near(got.Delivery, want.Delivery) || got.Error > 1e-6 {
		t.Errorf("%+v, %v", got, err)
	}
}
