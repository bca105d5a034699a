package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"example.com/idlab/bench/live"
	"example.com/idlab/cmd/internal/cli"
	_ "example.com/idlab/impls/all"
)

// The exit statuses.
const (
	statusDone   = 0
	statusNo     = 1 // it did not converge
	statusCannot = 2 // usage, or the environment
)

// app is what a command works with.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	status         int
}

// run runs a command line and returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	if err := cli.Run(a.root(), args, stdin, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "idlive:", err)
		a.status = statusCannot
	}
	return a.status
}

func (a *app) root() *cobra.Command {
	root := cli.Root("idlive", "ID compressors in many processes over a real total order",
		`idlive runs sessions of one document as processes, with a stream of NATS
JetStream as their total order: embedded servers unless it is given a cluster.
It kills processes and servers, and checks at the end that all sessions have the
same document, that no UUID was given twice and none lost.

  idlive run                              20 sessions, 100,000 IDs
  idlive run --kill                       the same with sessions and the server killed
  idlive run --cluster 3 --kill=server:3  three servers, one killed at a time
  idlive sweep                            which cluster size for which latency and rate
  idlive scale                            how the cost grows with sessions

Exit status: 0 converged; 1 not; 2 usage or environment. Reports go to standard
output, errors to standard error.`)
	root.AddCommand(a.runCommand(), a.sweep(), a.scale(), a.node(), a.server())
	return root
}

// node is the process of a node, which idlive starts by itself.
func (a *app) node() *cobra.Command {
	return &cobra.Command{
		Use: live.NodeCommand, Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return live.RunNode(cmd.Context(), a.stdin, a.stdout) },
	}
}

// server is the process of an embedded server, which idlive starts by itself.
func (a *app) server() *cobra.Command {
	return &cobra.Command{
		Use: live.ServerCommand, Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return live.Serve(a.stdin, a.stdout) },
	}
}
