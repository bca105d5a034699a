package main

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/idlab/bench/runner"
	"example.com/idlab/compare"
	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

func (a *app) selftest() *cobra.Command {
	var mode modeFlags
	cmd := &cobra.Command{
		Use:   "selftest [--quick]",
		Short: "Test the lab itself: equal things must not differ, planted ones must",
		Long: `selftest measures every backend twice, under two names, and compares it with
itself: at least 95 of 100 comparisons must show no difference. Then it plants
cases in live samples: a backend 30 % slower must lose, the slow control must
lose, two equal ones must be equivalent or undecided and never win, and a wrong
backend must be caught by its answers. Exit status 0 if all of it is so, else 1.`,
		Example: `  idlab selftest --quick`,
		Args:    needs(0, 0, "no arguments, only flags"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.testLab(cmd.Context(), &mode) },
	}
	cmd.Flags().BoolVar(&mode.quick, "quick", false, "fewer blocks, documents and operations")
	return cmd
}

// testLab measures all backends twice and judges what the lab makes of it.
func (a *app) testLab(ctx context.Context, mode *modeFlags) error {
	backends, err := backendNames("all")
	if err != nil {
		return err
	}
	r, err := mode.request(append(backends, "slow"), nil, nil)
	if err != nil {
		return err
	}
	r.Subjects = nil
	for _, name := range backends {
		r.Subjects = append(r.Subjects, runner.Subject{Backend: name}, runner.Subject{Backend: name, Twin: true})
	}
	r.Subjects = append(r.Subjects, runner.Subject{Backend: "slow"})
	var samples bytes.Buffer
	show, stop := progress(a.stderr)
	_, err = runner.Run(ctx, r, runner.Options{Out: runner.Stream(&samples), Progress: show})
	stop()
	if err != nil {
		return a.interrupted(err, "")
	}
	if err := a.testTwins(samples.String()); err != nil {
		return err
	}
	for _, p := range plants {
		if err := a.testPlant(p, samples.String()); err != nil {
			return err
		}
	}
	return a.testWrong(ctx, mode)
}

// verdict prints how a case went.
func (a *app) verdict(ok bool, format string, args ...any) {
	word := "ok  "
	if !ok {
		word = "FAIL"
		a.answer(statusNo)
	}
	fmt.Fprintf(a.stdout, "%s  %s\n", word, fmt.Sprintf(format, args...))
}

func (a *app) testTwins(samples string) error {
	set, err := compare.ReadFrom(compare.Input{Name: "samples", Reader: strings.NewReader(samples)})
	if err != nil {
		return err
	}
	aa, err := compare.SelfTest(set, compare.DefaultOptions)
	if err != nil {
		return err
	}
	a.verdict(aa.Passed, "every backend against itself: %d of %d comparisons differ (margin %.1f %%)", aa.Different, aa.Comparisons, 100*aa.Margin)
	for _, c := range aa.Cases {
		fmt.Fprintf(a.stdout, "        %-14s twin/backend %.3f (%.3f to %.3f) %s\n", c.Backend, c.Ratio, c.Interval.Low, c.Interval.High, c.Mark)
	}
	for _, c := range aa.Worst {
		fmt.Fprintf(a.stdout, "        %-14s %-40s %.3f (%.3f to %.3f) p=%.3f %s\n", c.Backend, c.Benchmark, c.Ratio, c.Interval.Low, c.Interval.High, c.P, c.Mark)
	}
	return nil
}

// A plant is a rival made from live samples of the standard backend's twin or
// of the slow control.
type plant struct {
	name   string
	from   string  // what the name of a sample has that becomes the rival
	factor float64 // its times are multiplied by
	want   func(v *compare.Verdict, standard string) bool
}

var plants = []plant{
	{"a rival 30 % slower loses", "/aa=twin", 1.3, wins},
	{"the slow control loses", "slow", 1, wins},
	{"an equal rival is not told apart", "/aa=twin", 1, func(v *compare.Verdict, _ string) bool {
		return v.Outcome != compare.Wins && len(v.Evidence) > 0 // they were compared
	}},
}

func wins(v *compare.Verdict, standard string) bool {
	return v.Outcome == compare.Wins && v.Choice == standard
}

// testPlant lets the standard backend compete with a plant alone.
func (a *app) testPlant(p plant, samples string) error {
	standard := idcompressor.DefaultBackend.Name
	if p.from == "slow" {
		standard = "sortedslice" // which slow is three times as slow as
	}
	set, err := compare.ReadFrom(compare.Input{Name: p.name, Reader: strings.NewReader(p.in(samples, standard))})
	if err != nil {
		return err
	}
	options := compare.DefaultOptions
	options.Default = standard
	choice, err := compare.Choose(set, options)
	if err != nil {
		return err
	}
	v := &choice.Backend
	a.verdict(p.want(v, standard), "%s: %s", p.name, v.Sentence)
	return nil
}

var nsPerOp = regexp.MustCompile(`[0-9.]+ ns/op`)

// in returns the samples of standard, and those of the plant as another backend's.
func (p plant) in(samples, standard string) string {
	from := "/backend=" + p.from
	if strings.HasPrefix(p.from, "/") {
		from = "/backend=" + standard + p.from
	}
	var out strings.Builder
	for line := range strings.Lines(samples) {
		switch {
		case !strings.HasPrefix(line, "Benchmark"):
			out.WriteString(line)
		case strings.Contains(line, from+"/") || strings.Contains(line, from+"-") || strings.Contains(line, from+"\t"):
			line = strings.Replace(line, from, "/backend=planted", 1)
			out.WriteString(nsPerOp.ReplaceAllStringFunc(line, func(s string) string {
				ns, err := strconv.ParseFloat(strings.TrimSuffix(s, " ns/op"), 64)
				if err != nil {
					return s
				}
				return strconv.FormatFloat(ns*p.factor, 'g', -1, 64) + " ns/op"
			}))
		case strings.Contains(line, "/backend="+standard) && !strings.Contains(line, "/aa="):
			out.WriteString(line)
		}
	}
	return out.String()
}

// testWrong measures the wrong control, which must be refused.
func (a *app) testWrong(ctx context.Context, mode *modeFlags) error {
	wrong, err := impls.Lookup("wrong")
	if err != nil {
		return err
	}
	r, err := mode.request([]string{wrong.Name}, []runner.Source{{Name: "small"}}, nil)
	if err != nil {
		return err
	}
	var samples bytes.Buffer
	_, err = runner.Run(ctx, r, runner.Options{Out: runner.Stream(&samples)})
	caught := err != nil && strings.Contains(err.Error(), "wrong answers")
	if err == nil {
		a.verdict(false, "a wrong backend is caught: it was measured")
		return nil
	}
	a.verdict(caught, "a wrong backend is caught: %v", err)
	return nil
}
