package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/idlab/bench/workload"
	"example.com/idlab/compare"
	"example.com/idlab/compare/report"
	"example.com/idlab/impls/idcompressor"
)

func (a *app) compare() *cobra.Command {
	var table compare.TableOptions
	format := report.Names()[0]
	cmd := &cobra.Command{
		Use:   "compare [--row KEY] [--col KEY] [--format text|markdown|csv|json|html] FILE...",
		Short: "Lay samples out as tables, with intervals and what is significant",
		Long: `compare reads samples (of idlab bench, choose, or go test -bench, gzip-compressed
or not) and prints one table for each unit. Keys are those of benchstat: .name, .fullname, .file, .unit,
/doc, /backend and every other /key of a name, and configuration such as go or
cpu; several with commas.`,
		Example: `  idlab compare samples.txt
  idlab compare --row /doc --col /backend,/aa samples.txt
  idlab compare --col .file old.txt new.txt
  idlab compare --format html samples.txt >report.html`,
		Args: needs(1, -1, "one file or more"),
		RunE: func(_ *cobra.Command, files []string) error {
			if _, err := report.Find(format); err != nil {
				return fmt.Errorf("--format: %w", err)
			}
			set, err := a.samples(files...)
			if err != nil {
				return err
			}
			options := compare.DefaultOptions
			options.Default = idcompressor.DefaultBackend.Name
			r, err := compare.BuildReport(set, compare.ReportOptions{
				Options: options, Title: "Comparison", Table: table,
				Sizes: sizesOf(set), SizeAxis: "clusters",
			})
			if err != nil {
				return err
			}
			return report.Write(a.stdout, format, &r, a.reportOptions())
		},
	}
	cmd.Flags().StringVar(&table.Row, "row", "", "what rows are (default .fullname)")
	cmd.Flags().StringVar(&table.Col, "col", "", "what columns are (default /backend)")
	cmd.Flags().StringVar(&format, "format", format, strings.Join(report.Names(), ", "))
	return cmd
}

// sizesOf returns the sizes of the documents in a set that differ in size alone.
func sizesOf(set *compare.Set) map[string]float64 {
	sizes := map[string]float64{}
	for _, id := range set.IDs(compare.UnitTime) {
		if workload.InSweep(id.Doc) {
			n, _ := workload.Clusters(id.Doc)
			sizes[id.Doc] = float64(n)
		}
	}
	return sizes
}

// reportOptions are for a report on standard output.
func (a *app) reportOptions() report.Options {
	return report.Options{Color: isTerminal(a.stdout)}
}
