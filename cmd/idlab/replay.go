package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/idlab/bench/trace"
	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

func (a *app) replay() *cobra.Command {
	var backend string
	cmd := &cobra.Command{
		Use:   "replay [--backend NAME|all] FILE...",
		Short: "Replay recorded calls and compare every answer",
		Long: `replay makes the calls of idtrace and maptrace files and compares the answers
with the recorded ones. A maptrace runs on closemap whatever the backend.

It prints FILE, BACKEND, CALLS and "ok" or "differs", with tabs between; the
first difference goes to standard error.`,
		Example: `  idlab replay session.jsonl
  idlab replay --backend all traces/*.jsonl.gz`,
		Args: needs(1, -1, "one file or more"),
		RunE: func(_ *cobra.Command, files []string) error {
			names := []string{idcompressor.DefaultBackend.Name}
			if backend != "" {
				var err error
				if names, err = backendNames(backend); err != nil {
					return err
				}
			}
			for _, file := range files {
				if file == "-" && len(names) > 1 {
					return fmt.Errorf("standard input can be read once only: name one --backend, or give a file")
				}
				for _, name := range names {
					format, err := a.replayFile(file, name)
					if err != nil {
						a.complain(inFile(file, err))
						break
					}
					if format == trace.FormatMap {
						break
					}
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&backend, "backend", "", "the backend to replay on, several with commas, or all (default: the default backend)")
	return cmd
}

// replayFile replays a file on a backend and returns the format it has.
func (a *app) replayFile(file, name string) (format string, err error) {
	backend, err := impls.Lookup(name)
	if err != nil {
		return "", err
	}
	in, err := a.open(file)
	if err != nil {
		return "", err
	}
	defer in.Close()
	r, err := trace.Replay(in, file, backend)
	if err != nil {
		return "", err
	}
	outcome := "ok"
	if r.Difference != nil {
		outcome = "differs"
		a.answer(statusNo)
		fmt.Fprintf(a.stderr, "%s:%d: on %s: %v\n", file, r.Difference.Line, r.Backend, r.Difference)
	}
	fmt.Fprintf(a.stdout, "%s\t%s\t%d\t%s\n", file, r.Backend, r.Calls, outcome)
	return r.Format, nil
}
