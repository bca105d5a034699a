package main

import (
	"github.com/spf13/cobra"

	"example.com/idlab/bench/runner"
)

// worker is the process that idlab starts by itself, one for each block,
// backend and document.
func (a *app) worker() *cobra.Command {
	return &cobra.Command{
		Use:    runner.WorkerCommand,
		Hidden: true,
		Args:   needs(0, 0, "no arguments"),
		RunE:   func(*cobra.Command, []string) error { return runner.Worker(a.stdin, a.stdout) },
	}
}
