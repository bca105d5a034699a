package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/idlab/compare"
)

// Options say how a report is rendered. The zero value is usable.
type Options struct {
	// Width is how wide text may get, in columns. 0: as wide as the terminal
	// that is written to, or without a limit when it is none.
	Width int
	// Color switches on ANSI colours in text.
	Color bool
	// Sections are the only ones to render, by their anchors ("verdict",
	// "tables"). Nil: all. JSON is always whole.
	Sections []string
	// Bounds are the fewest bytes that each document's serialized form could
	// have, by the document's name. They are drawn beside the stored forms.
	Bounds map[string]float64
	// Program is what commands start with, "idlab" unless told.
	Program string
}

// Brief are the sections that a person at a terminal wants of a choice; the
// rest is in the files.
var Brief = []string{"verdict", "warnings", "backend", "form", "heat", "noise"}

// A Format is one rendering.
type Format struct {
	Name   string // as --format has it
	About  string // a line for a usage text
	Render func(w io.Writer, r *compare.Report, o Options) error
}

// Formats are all renderings, the default first.
var Formats = []Format{
	{"text", "tables for a terminal", writeText},
	{"markdown", "tables for a README or an issue", writeMarkdown},
	{"csv", "every figure on a line of its own", writeCSV},
	{"json", "the whole model, for programs", writeJSON},
	{"html", "one offline page with plots", writeHTML},
}

// Names returns the formats' names, the default first.
func Names() []string {
	var names []string
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return names
}

// A FormatError names a format that is none.
type FormatError struct{ Name string }

func (e *FormatError) Error() string {
	return fmt.Sprintf("%q is no format: there are %s", e.Name, strings.Join(Names(), ", "))
}

// Find returns the format of a name, or a *FormatError.
func Find(name string) (Format, error) {
	i := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{}, &FormatError{name}
	}
	return Formats[i], nil
}

// Write renders r in a format. It fails with a *FormatError, or as w does.
func Write(w io.Writer, format string, r *compare.Report, o Options) error {
	f, err := Find(format)
	if err != nil {
		return err
	}
	return f.Render(w, r, o)
}

// WriteTable renders tables alone, as compare.Tabulate gives them.
func WriteTable(w io.Writer, format, title string, tables []compare.Table, o Options) error {
	return Write(w, format, &compare.Report{
		Title: title, Tables: tables, Noise: compare.Noise{Probe: unknown, Twin: unknown, Spread: unknown, Level: unknown},
	}, o)
}
