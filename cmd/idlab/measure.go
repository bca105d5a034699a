package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/idlab/bench/runner"
	"example.com/idlab/bench/workload"
	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// seed of documents, queries and orders. It is part of every result.
const seed = 1

// modeFlags are the flags that say how much is measured.
type modeFlags struct {
	quick, full bool
	budget      time.Duration
}

func (m *modeFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&m.quick, "quick", false, "under a minute: 6 blocks, three documents, six operations")
	cmd.Flags().BoolVar(&m.full, "full", false, "about an hour: every operation and document")
	cmd.MarkFlagsMutuallyExclusive("quick", "full")
}

func (m *modeFlags) addBudget(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&m.budget, "budget", 0, "the time to take, such as 2m: shortens benchmarks, then leaves out operations")
}

func (m *modeFlags) mode() runner.Mode {
	switch {
	case m.quick:
		return runner.Quick
	case m.full:
		return runner.Full
	}
	return runner.Default
}

// request returns the request of the flags: on the mode's documents, if none
// are given, and with the floor that the null backend is.
func (m *modeFlags) request(backends []string, documents []runner.Source, ops []string) (runner.Request, error) {
	if m.budget < 0 {
		return runner.Request{}, fmt.Errorf("--budget: %v is negative", m.budget)
	}
	r, err := m.mode().Request(backends, idcompressor.DefaultBackend.Name, documents, ops)
	r.Budget = m.budget
	return r, err
}

// withFloor adds the null control to the backends of a run.
func withFloor(backends []string) []string {
	for _, b := range impls.Controls() {
		if b.Name == "null" {
			return append(backends, b.Name)
		}
	}
	return backends
}

// embedded returns the sources of named documents.
func embedded(names []string) ([]runner.Source, error) {
	var sources []runner.Source
	for _, name := range names {
		if _, err := workload.Clusters(name); err != nil {
			return nil, fmt.Errorf("--document: %w", err)
		}
		sources = append(sources, runner.Source{Name: name})
	}
	return sources, nil
}

// tellLeftOut says on standard error what a budget cost.
func (a *app) tellLeftOut(p *runner.Plan) {
	if len(p.LeftOut) > 0 {
		fmt.Fprintf(a.stderr, "to keep to %v: %s\n", p.Request.Budget, strings.Join(p.LeftOut, "; "))
	}
}
