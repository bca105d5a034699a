package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"example.com/idlab/bench/live"
)

// options adds the flags that several commands have to one of them.
func options(cmd *cobra.Command, o *live.Options) {
	f := cmd.Flags()
	f.IntVar(&o.Sessions, "sessions", o.Sessions, "how many sessions, each a process")
	f.Int64Var(&o.IDs, "ids", o.IDs, "how many IDs all sessions generate together")
	f.IntVar(&o.Range, "range", o.Range, "about how many IDs an operation creates, and its range has")
	f.Float64Var(&o.Rate, "rate", o.Rate, "IDs a second of each session; 0: as fast as it goes, by --window")
	f.IntVar(&o.Window, "window", o.Window, "without a rate: how many operations of a session may be under way")
	f.Int64Var(&o.ClusterSize, "cluster-size", o.ClusterSize, "the requested cluster size")
	f.StringVar(&o.Backend, "backend", o.Backend, "the compressor's backend (default: the library's)")
	f.DurationVar(&o.Latency, "latency", o.Latency, "what is added to the way to the stream and back")
	f.StringVar(&o.NATS, "nats", o.NATS, "the URL of an existing cluster, instead of embedded servers")
	f.IntVar(&o.Cluster, "cluster", o.Cluster, "how many embedded servers, and replicas of the stream: 1, 3 or 5")
	f.IntVar(&o.Join, "join", o.Join, "how many of the sessions join late (-1: a quarter of them)")
	f.Uint64Var(&o.SummaryEvery, "summary-every", o.SummaryEvery, "messages between summaries; 0: none")
	f.IntVar(&o.Refs, "refs", o.Refs, "how many other IDs an operation refers to")
	f.IntVar(&o.Checks, "checks", o.Checks, "of how many of its IDs an operation carries the UUID, to be checked")
	f.BoolVar(&o.Sync, "sync", o.Sync, "sessions sync what they write to disk")
	f.Uint64Var(&o.Seed, "seed", o.Seed, "what is drawn at random follows from it")
	f.StringVar(&o.Dir, "dir", o.Dir, "where sessions and servers keep what they store, and it is left (default: a temporary one, removed)")
}

func (a *app) runCommand() *cobra.Command {
	o := live.DefaultOptions()
	var kill, store, format string
	var seeds int
	cmd := &cobra.Command{
		Use:   "run [flags]",
		Short: "Run a document, and check that all sessions have the same",
		Long: `run has sessions generate IDs, publish them, read the stream in order, and check
what they get back. With --kill, things go wrong meanwhile; the value says what
and how often:

  session   a session's process is killed (SIGKILL) and started again
  server    an embedded server is killed and started again on its store
  cut       a session is cut off, and comes back with thousands of unsent IDs
  stale     a session's disk is replaced by an older copy: it must find out that
            it is forked, and join as a new session
  garbage   a foreign or damaged message is in the stream
  repeat    a message is in the stream once more`,
		Example: `  idlive run --sessions 20 --ids 1000000 --kill --seeds 10
  idlive run --rate 100 --latency 80ms --cluster-size 256 --format json
  idlive run --nats nats://127.0.0.1:4222`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if o.Faults, err = live.ParseFaults(kill); err != nil {
				return fmt.Errorf("--kill: %w", err)
			}
			switch store {
			case "memory":
				o.Memory = true
			case "file":
			default:
				return fmt.Errorf("--store: %q is neither memory nor file", store)
			}
			if !slices.Contains(live.Formats, format) {
				return fmt.Errorf("--format: %q: there are %v", format, live.Formats)
			}
			if seeds < 1 || seeds > 1 && o.Dir != "" {
				return fmt.Errorf("--seeds: %d: give it 1 or more, and more than 1 only without --dir", seeds)
			}
			var reports []*live.Report
			for range seeds {
				show, stop := progress(a.stderr)
				o.Progress = show
				report, err := live.Run(cmd.Context(), o)
				stop()
				if err != nil {
					return err
				}
				if !report.Converged {
					a.status = statusNo
				}
				if reports = append(reports, report); format == "text" {
					// One after the other: a series of runs takes long.
					if err := live.WriteReports(a.stdout, format, reports[len(reports)-1:]); err != nil {
						return err
					}
				}
				o.Seed++
			}
			if format == "text" {
				return nil
			}
			return live.WriteReports(a.stdout, format, reports)
		},
	}
	options(cmd, &o)
	f := cmd.Flags()
	f.StringVar(&kill, "kill", "none", "what goes wrong and how often; without a value: "+live.SomeFaults)
	f.Lookup("kill").NoOptDefVal = live.SomeFaults
	f.StringVar(&store, "store", "file", "where the stream is kept: memory or file")
	f.StringVar(&format, "format", "text", "text, json, or bench: Go benchmark format")
	f.IntVar(&seeds, "seeds", 1, "how many runs, each with the next seed")
	f.StringVar(&o.Plant, "plant", "", "plant a fault that must be found: "+live.PlantSkipRange)
	f.Lookup("plant").Hidden = true
	return cmd
}
