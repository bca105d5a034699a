package report

import (
	"regexp"
	"strings"

	"example.com/idlab/compare"
)

// runCommands are the caller's: what makes the run again.
func (b *builder) runCommands() []block {
	var out []block
	for _, c := range b.Commands {
		if c.Command != "" {
			out = append(out, command{c.What, c.Command})
		}
	}
	return out
}

// tableCommand makes a table again: its own command, or one from its keys and
// the files that were read.
func (b *builder) tableCommand(t *compare.Table) []block {
	if t.Command != "" {
		return []block{command{"this table", t.Command}}
	}
	var args []string
	if t.RowKey != "" {
		args = append(args, "--row", t.RowKey)
	}
	if t.ColKey != "" {
		args = append(args, "--col", t.ColKey)
	}
	return b.compareCommand("this table", args)
}

// plotCommand makes a section's plots again.
func (b *builder) plotCommand(what string) []block {
	return b.compareCommand(what, []string{"--format", "html"})
}

func (b *builder) compareCommand(what string, args []string) []block {
	if len(b.Files) == 0 {
		return nil
	}
	program := b.Program
	if program == "" {
		program = "idlab"
	}
	words := []string{program, "compare"}
	for _, arg := range append(args, b.Files...) {
		words = append(words, quote(arg))
	}
	return []block{command{what, strings.Join(words, " ")}}
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./,:=@%+-]+$`)

// quote makes one word of s in a shell.
func quote(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
