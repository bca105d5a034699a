package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/idlab/bench/trace"
	"example.com/idlab/bench/workload"
	"example.com/idlab/impls/idcompressor"
)

func (a *app) trace() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Make idtraces: from an editing trace, or of an embedded document",
		Args:  needs(0, 0, "import or generate"),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.traceImport(), a.traceGenerate())
	return cmd
}

func (a *app) traceImport() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Turn an editing trace into an idtrace on standard output",
		Long: `import plays an editing trace (github.com/josephg/editing-traces, sequential or
concurrent) as a workload of IDs: each agent is a session with a compressor of
its own. The calls and their answers go to standard output as an idtrace, whose
header says how it was made.`,
		Example: `  idlab trace import friendsforever.json.gz | gzip >friendsforever.jsonl.gz
  idlab replay --backend all friendsforever.jsonl.gz`,
		Args: needs(1, 1, "one file"),
		RunE: func(_ *cobra.Command, args []string) error {
			in, err := a.open(args[0])
			if err != nil {
				return err
			}
			defer in.Close()
			return inFile(args[0], trace.Import(a.stdout, in, args[0], trace.DefaultSettings))
		},
	}
}

func (a *app) traceGenerate() *cobra.Command {
	var document string
	cmd := &cobra.Command{
		Use:     "generate --document NAME",
		Short:   "Write the building of an embedded document as an idtrace",
		Long:    "generate writes the building of an embedded document (" + strings.Join(workload.Names(), ", ") + ", or SxC) as an idtrace on standard output.",
		Example: `  idlab trace generate --document small | idlab replay --backend paged -`,
		Args:    needs(0, 0, "no arguments, only --document"),
		RunE: func(*cobra.Command, []string) error {
			d, err := workload.Embedded(document, seed)
			if err != nil {
				return fmt.Errorf("--document: %w", err)
			}
			s := uint64(seed)
			return trace.WriteDocument(a.stdout, trace.Header{
				Source: "idlab trace generate", Name: d.Name, Seed: &s,
				ClusterSize: idcompressor.DefaultClusterSize, WriteVersion: idcompressor.DefaultVersion,
			}, trace.Document{Session: d.Sessions[0].UUID(), Generated: d.Own.Generated, Ranges: d.Ranges()})
		},
	}
	cmd.Flags().StringVar(&document, "document", "", "the document's name")
	return cmd
}
