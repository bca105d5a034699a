// Package cli is what the project's commands have in common: their root, and
// how it is run.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Root returns the root of a command line, which says of an unknown command
// where the known ones are listed, and without one helps. Errors are its
// caller's to print.
func Root(name, short, long string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Long: long,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              cobra.ArbitraryArgs,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q: %s --help lists them", args[0], name)
			}
			return cmd.Help()
		},
	}
}

// Run runs a command line. Its context ends when the process is to end, by
// Ctrl-C or SIGTERM, so that what it started can be ended too.
func Run(root *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return root.ExecuteContext(ctx)
}
