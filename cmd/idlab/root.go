package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.com/idlab/cmd/internal/cli"
	_ "example.com/idlab/impls/all"
	_ "example.com/idlab/impls/control"
)

// The exit statuses. Of several files it is the highest.
const (
	statusDone   = 0
	statusNo     = 1 // a replay differs, a regression
	statusCannot = 2 // usage, unreadable input, or it cannot tell
)

// app is what a command works with.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	status         int
}

// answer raises the exit status to status.
func (a *app) answer(status int) { a.status = max(a.status, status) }

// complain writes an error and raises the exit status to 2.
func (a *app) complain(err error) {
	fmt.Fprintln(a.stderr, err)
	a.answer(statusCannot)
}

// run runs a command line and returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	if err := cli.Run(a.root(), args, stdin, stdout, stderr); err != nil {
		a.complain(err)
	}
	return a.status
}

func (a *app) root() *cobra.Command {
	root := cli.Root("idlab", "Which backend should my ID compressor run on?",
		`idlab measures the interchangeable backends of the ID compressor, checks every
answer while it does, and says which to run in production and in which form to
store documents, with the evidence.

  idlab choose                          on documents of its own, in about five minutes
  idlab choose --quick                  the same in under a minute, less certain
  idlab choose --trace session.json.gz  on a recorded session: your own workload
  idlab choose --document doc.b64       on a serialized compressor: your own document

Exit status: 0 done; 1 the answer is no (a replay differs, a regression);
2 usage, unreadable input, or it cannot tell. Of several files, the highest.
"-" as FILE is standard input. Data goes to standard output, errors to standard
error as FILE:LINE: cause.`)
	root.AddCommand(a.choose(), a.bench(), a.compare(), a.gate(), a.selftest(),
		a.backends(), a.replay(), a.trace(), a.inspect(), a.convert(), a.worker())
	return root
}

// needs returns the check of a command's positional arguments.
func needs(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return fmt.Errorf("%s: give it %s (see %s --help)", cmd.CommandPath(), what, cmd.CommandPath())
		}
		return nil
	}
}

// open opens a file, or standard input for "-".
func (a *app) open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.stdin), nil
	}
	f, err := os.Open(name)
	return f, inFile(name, err)
}

// read returns a whole file, or all of standard input for "-".
func (a *app) read(name string) ([]byte, error) {
	in, err := a.open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	return data, inFile(name, err)
}

// inFile makes an error one of a file, as FILE:LINE: cause. One that says so
// itself is left as it is; what concerns the whole file is put at its start.
func inFile(name string, err error) error {
	if err == nil || strings.HasPrefix(err.Error(), name+":") {
		return err
	}
	var path *fs.PathError
	if errors.As(err, &path) && path.Path == name {
		err = path.Err
	}
	return fmt.Errorf("%s:1: %w", name, err)
}

// isTerminal reports whether a writer is one.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// list splits a comma-separated flag.
func list(flag string) []string {
	var items []string
	for item := range strings.SplitSeq(flag, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
