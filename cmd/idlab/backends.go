package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

func (a *app) backends() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "backends [--json]",
		Short: "List the backends, and which is the default",
		Example: `  idlab backends
  idlab backends --json | jq -r '.[] | select(.default).name'`,
		Args: needs(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return a.backendsJSON()
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "BACKEND\tSTRUCTURE\tGUARANTEES")
			for _, b := range impls.Backends() {
				name := b.Name
				if b.Name == idcompressor.DefaultBackend.Name {
					name += " (default)"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", name, b.Structure, b.Guarantees)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "an array of objects with name, default, structure, guarantees, lines (of code)")
	return cmd
}

func (a *app) backendsJSON() error {
	type backend struct {
		Name       string `json:"name"`
		Default    bool   `json:"default"`
		Structure  string `json:"structure"`
		Guarantees string `json:"guarantees"`
		Lines      int    `json:"lines"`
	}
	list := []backend{}
	for _, b := range impls.Backends() {
		list = append(list, backend{b.Name, b.Name == idcompressor.DefaultBackend.Name, b.Structure, b.Guarantees, b.Lines})
	}
	return a.json(list)
}

// json writes a value for a program to read.
func (a *app) json(v any) error {
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// backendNames returns the backends that a comma-separated list names; all
// there are, if it is empty or "all". Controls must be named.
func backendNames(flag string) ([]string, error) {
	var names []string
	if flag == "" || strings.TrimSpace(flag) == "all" {
		for _, b := range impls.Backends() {
			names = append(names, b.Name)
		}
		return names, nil
	}
	seen := map[string]bool{}
	for _, name := range list(flag) {
		if _, err := impls.Lookup(name); err != nil {
			return nil, err
		}
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("--backend: no name in %q", flag)
	}
	return names, nil
}
