package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/idlab/compare"
)

func (a *app) gate() *cobra.Command {
	o := compare.GateOptions{Options: compare.DefaultOptions}
	margin := 100 * o.Margin
	cmd := &cobra.Command{
		Use:   "gate [--margin PCT] [--exact] [--any-environment] BASE NEW",
		Short: "Fail if NEW is worse than BASE",
		Long: `gate compares two files of samples. Exit status 0: no regression; 1: a
regression; 2: it cannot tell, since nothing was parsed, a benchmark is missing,
the environments differ, or there are too few samples.

Times regress by more than the margin and significantly, figures that are exact
(bytes, allocations, sizes) by any step. In CI use --exact: times of another
machine, or of another hour, are no evidence.`,
		Example: `  idlab gate results/baseline.txt new.txt
  idlab gate --exact --any-environment results/baseline.txt new.txt   # in CI`,
		Args: needs(2, 2, "two files, BASE and NEW"),
		RunE: func(_ *cobra.Command, files []string) error {
			o.Margin = margin / 100
			var sets [2]*compare.Set
			for i, file := range files {
				set, err := a.samples(file)
				if err != nil {
					return err
				}
				sets[i] = set
			}
			r, err := compare.Gate(sets[0], sets[1], o)
			if err != nil {
				return err
			}
			for _, p := range r.Problems {
				fmt.Fprintln(a.stderr, p)
			}
			for _, w := range r.Warnings {
				fmt.Fprintln(a.stderr, "note:", w)
			}
			for _, c := range r.Regressions {
				fmt.Fprintln(a.stdout, "worse: ", c)
			}
			for _, c := range r.Improvements {
				fmt.Fprintln(a.stdout, "better:", c)
			}
			fmt.Fprintln(a.stdout, r.Sentence)
			a.answer(r.Status)
			return nil
		},
	}
	cmd.Flags().Float64Var(&margin, "margin", margin, "how many percent slower is still the same")
	cmd.Flags().BoolVar(&o.Exact, "exact", false, "only exact figures: bytes, allocations, sizes")
	cmd.Flags().BoolVar(&o.AnyEnvironment, "any-environment", false, "compare across machines or Go versions all the same")
	return cmd
}

// samples reads a file of samples; "-" is standard input.
func (a *app) samples(files ...string) (*compare.Set, error) {
	var inputs []compare.Input
	for _, name := range files {
		in, err := a.open(name)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		inputs = append(inputs, compare.Input{Name: name, Reader: in})
	}
	return compare.ReadFrom(inputs...)
}
