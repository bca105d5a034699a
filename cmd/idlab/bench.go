package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"example.com/idlab/bench/peer"
	"example.com/idlab/bench/runner"
	"example.com/idlab/bench/workload"
)

func (a *app) bench() *cobra.Command {
	var mode modeFlags
	var rounds int
	var backend, document, op, out string
	var peers bool
	cmd := &cobra.Command{
		Use:   "bench [--quick|--full] [--rounds N] [--backend ...] [--document ...] [--op ...] [--peers] [--out FILE]",
		Short: "Measure, and write samples in Go benchmark format",
		Long: `bench makes the measurements that choose decides on, and nothing else. A process
measures one backend on one document; blocks of them follow each other in
shuffled order, and a block is what statistics pair by.

With --out, an unfinished run of an equal plan is gone on with. Without, samples
go to standard output.`,
		Example: `  idlab bench --quick --out samples.txt && idlab compare samples.txt
  idlab bench --backend paged,sortedslice --document sessions,5000x3 --op Decompress,Recompress/ids=miss
  idlab bench --peers --document sessions,integers --out peers.txt
  idlab bench --full --out full.txt       # Ctrl-C, and the same again: goes on`,
		Args: needs(0, 0, "no arguments, only flags"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			backends, err := backendNames(backend)
			if err != nil {
				return err
			}
			names, maps := list(document), document == "" && op == ""
			if peers {
				names, maps = withoutMaps(names, maps)
			}
			documents, err := embedded(names)
			if err != nil {
				return err
			}
			r, err := mode.request(backends, documents, list(op))
			if err != nil {
				return err
			}
			if document != "" && len(names) == 0 {
				r.Documents, r.Subjects = nil, nil
			}
			if cmd.Flags().Changed("rounds") {
				if rounds < 1 {
					return fmt.Errorf("--rounds: %d is less than 1", rounds)
				}
				r.Blocks = rounds
			}
			o := runner.Options{Out: runner.Stream(a.stdout)}
			if peers {
				r.AddPeers(maps)
				if o.Peers, err = peer.Node(cmd.Context(), maps); err != nil {
					return err
				}
			}
			if out != "" {
				f, err := runner.OpenFile(out)
				if err != nil {
					return inFile(out, err)
				}
				defer f.Close()
				o.Out = f
			}
			show, stop := progress(a.stderr)
			o.Progress = show
			plan, err := runner.Run(cmd.Context(), r, o)
			stop()
			if err != nil {
				return a.interrupted(err, out)
			}
			a.tellLeftOut(plan)
			return nil
		},
	}
	mode.add(cmd)
	cmd.Flags().IntVar(&rounds, "rounds", 0, "how many blocks to measure (default: 10, quick 6)")
	cmd.Flags().StringVar(&backend, "backend", "", "the backends, with commas (default: all); controls only by name")
	cmd.Flags().StringVar(&document, "document", "", "the embedded documents, with commas, also SxC for S sessions of C clusters")
	cmd.Flags().StringVar(&op, "op", "", fmt.Sprintf("the operations, with commas, each also with a variant; there are %v", workload.Ops()))
	cmd.Flags().BoolVar(&peers, "peers", false, "measure peers too: the npm package on Node (needs make peers), tables of UUIDs, and maps (document integers)")
	cmd.Flags().StringVar(&out, "out", "", "the file for the samples; an unfinished equal run in it is gone on with")
	return cmd
}

// withoutMaps takes the document of maps out of those named, and says whether
// they are to be measured.
func withoutMaps(names []string, maps bool) ([]string, bool) {
	at := slices.Index(names, workload.MapDocument)
	if at < 0 {
		return names, maps
	}
	return slices.Delete(names, at, at+1), true
}
