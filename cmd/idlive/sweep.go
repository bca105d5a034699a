package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/idlab/bench/live"
)

func (a *app) sweep() *cobra.Command {
	s := live.DefaultSweep()
	s.Options = live.DefaultOptions()
	var sizes, latencies, rates, format, out string
	cmd := &cobra.Command{
		Use:   "sweep [flags]",
		Short: "Which cluster size for which latency and rate?",
		Long: `sweep plays a document in virtual time for each cluster size, latency and rate of a
grid: real compressors and messages, a network that is only a latency. It says
how many IDs are final at once (eager), how many of the final IDs reserved are
never used, and which size to take. Some of the settings advised are then run on
a real stream, to hold the simulation against.

How much stays unused depends on how many IDs a session generates before it
ends: say so with --ids.`,
		Example: `  idlive sweep --out results/live
  idlive sweep --latencies 80ms --rates 5,50 --ids 500 --range 10`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if s.Sizes, err = numbers(sizes, func(t string) (int64, error) { return strconv.ParseInt(t, 10, 64) }); err != nil {
				return fmt.Errorf("--sizes: %w", err)
			}
			if s.Latencies, err = numbers(latencies, time.ParseDuration); err != nil {
				return fmt.Errorf("--latencies: %w", err)
			}
			if s.Rates, err = numbers(rates, func(t string) (float64, error) { return strconv.ParseFloat(t, 64) }); err != nil {
				return fmt.Errorf("--rates: %w", err)
			}
			show, stop := steps(a.stderr)
			s.Progress = show
			swept, err := s.Run(cmd.Context())
			stop()
			if err != nil {
				return err
			}
			if out != "" {
				if err := writeFiles(out, map[string]func(io.Writer) error{
					"sweep.txt": swept.WriteText, "sweep.csv": swept.WriteCSV, "sweep.svg": swept.WriteSVG,
				}); err != nil {
					return err
				}
			}
			return a.write(format, swept, swept.WriteText)
		},
	}
	f := cmd.Flags()
	f.StringVar(&sizes, "sizes", "8,16,32,64,128,256,512,1024,2048,4096", "the cluster sizes, with commas")
	f.StringVar(&latencies, "latencies", "20ms,100ms,500ms", "from sending a range to having it back, with commas")
	f.StringVar(&rates, "rates", "10,100,1000", "IDs a second of each session, with commas")
	f.IntVar(&s.Sessions, "sessions", s.Sessions, "how many sessions")
	f.Int64Var(&s.IDs, "ids", s.IDs, "how many IDs each session generates in its life, in the mean")
	f.IntVar(&s.Range, "range", s.Range, "about how many IDs a range has")
	f.Float64Var(&s.Worth, "worth", s.Worth, "how many points of unused share a point of eager share is worth")
	f.IntVar(&s.Live, "live", s.Live, "how many of the settings to run on a real stream as well")
	f.DurationVar(&s.LiveFor, "live-for", s.LiveFor, "about how long each")
	f.Uint64Var(&s.Seed, "seed", s.Seed, "what is drawn at random follows from it")
	f.StringVar(&out, "out", "", "where to write sweep.txt, sweep.csv and the plot sweep.svg")
	f.StringVar(&format, "format", "text", "text or json")
	return cmd
}

func (a *app) scale() *cobra.Command {
	s := live.DefaultScale()
	s.Options = live.DefaultOptions()
	s.Options.Sync = false // the cost of a disk is not what grows
	var sessions, messages, format, out string
	cmd := &cobra.Command{
		Use:   "scale [flags]",
		Short: "How does the cost grow with sessions?",
		Long: `scale runs documents with more and more sessions on this machine, fits what a
session, a message and a delivery cost, and estimates from that a number of
sessions on a cluster, with the assumptions it makes.`,
		Example: `  idlive scale --out results/live`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if s.Sessions, err = numbers(sessions, strconv.Atoi); err != nil {
				return fmt.Errorf("--sessions: %w", err)
			}
			if s.Messages, err = numbers(messages, strconv.Atoi); err != nil {
				return fmt.Errorf("--messages: %w", err)
			}
			show, stop := steps(a.stderr)
			s.Progress = show
			scaled, err := s.Run(cmd.Context())
			stop()
			if err != nil {
				return err
			}
			if out != "" {
				if err := writeFiles(out, map[string]func(io.Writer) error{"scale.txt": scaled.WriteText}); err != nil {
					return err
				}
			}
			return a.write(format, scaled, scaled.WriteText)
		},
	}
	f := cmd.Flags()
	f.StringVar(&sessions, "sessions", "2,5,10,20,50,100,200", "the numbers of sessions, with commas")
	f.StringVar(&messages, "messages", "400,1600", "how many messages all sessions send together, with commas: a run for each")
	f.IntVar(&s.Options.Range, "range", s.Options.Range, "about how many IDs a range has")
	f.IntVar(&s.Far.Sessions, "far", s.Far.Sessions, "how many sessions to estimate")
	f.Float64Var(&s.Far.Rate, "rate", s.Far.Rate, "their IDs a second, in the estimate")
	f.IntVar(&s.Far.Servers, "servers", s.Far.Servers, "the servers of the cluster, in the estimate")
	f.IntVar(&s.Far.Cores, "cores", s.Far.Cores, "the cores of a server, in the estimate")
	f.StringVar(&out, "out", "", "where to write scale.txt")
	f.StringVar(&format, "format", "text", "text or json")
	return cmd
}

// numbers reads a flag that lists numbers.
func numbers[T any](text string, parse func(string) (T, error)) ([]T, error) {
	var all []T
	for item := range strings.SplitSeq(text, ",") {
		x, err := parse(strings.TrimSpace(item))
		if err != nil {
			return nil, fmt.Errorf("%q: %w", item, err)
		}
		all = append(all, x)
	}
	return all, nil
}

// write writes a result to standard output.
func (a *app) write(format string, result any, text func(io.Writer) error) error {
	switch format {
	case "text":
		return text(a.stdout)
	case "json":
		out := json.NewEncoder(a.stdout)
		out.SetIndent("", "  ")
		return out.Encode(result)
	}
	return fmt.Errorf("--format: %q is neither text nor json", format)
}

// writeFiles writes files into a directory, which is made if it is not there.
func writeFiles(dir string, files map[string]func(io.Writer) error) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, write := range files {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := write(f); err != nil {
			f.Close()
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}
