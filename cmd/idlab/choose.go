package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/idlab/bench/runner"
	"example.com/idlab/bench/workload"
	"example.com/idlab/compare"
	"example.com/idlab/compare/report"
	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// chooser is a choose command on its way.
type chooser struct {
	*app
	mode            modeFlags
	trace, document string
	weights, out    string
	asJSON          bool
	workload        []compare.Setting // the user's own
}

func (a *app) choose() *cobra.Command {
	c := &chooser{app: a}
	cmd := &cobra.Command{
		Use:   "choose [--quick|--full] [--budget DURATION] [--trace FILE|--document FILE] [--weights speed=...,memory=...,size=...] [--out DIR] [--json]",
		Short: "Measure all backends and say which to run, with the evidence",
		Long: `choose measures every backend on the embedded documents, or on your own trace
(idtrace, editing trace) or serialized document, prints the comparison and the
verdict, and writes samples.txt, plan.json, report.html and the report's plots to
a folder (results/latest in a clone, else idlab-report). An unfinished equal run
that is in that folder is gone on with.

The verdict is one of: a backend wins by so much; some are equivalent within the
margin, and the tie goes to less memory, then to fewer lines of code; undecided, about so many more rounds
would tell. The exit status is 0 whatever it is.

On a trace, the whole of its calls is timed and decides. On documents every
operation counts the same, unless --weights states a mix: Decompress=3,Serialize=1,
also with a variant as in Recompress/ids=random=2. What it does not name then
counts nothing.`,
		Example: `  idlab choose --quick
  idlab choose --trace session.json.gz
  idlab choose --document doc.b64 --weights memory=1
  idlab choose --document doc.b64 --weights Decompress=8,Recompress=2,FinalizeRange=1
  idlab choose --budget 2m --json | jq -r .backend`,
		Args: needs(0, 0, "no arguments, only flags"),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
	c.mode.add(cmd)
	c.mode.addBudget(cmd)
	cmd.Flags().StringVar(&c.trace, "trace", "", "measure on this recorded session: an idtrace or an editing trace")
	cmd.Flags().StringVar(&c.document, "document", "", "measure on this serialized compressor, in any form")
	cmd.Flags().StringVar(&c.weights, "weights", "", "what counts how much: speed=1,memory=0.2 of the backend, size=1 of the stored form; operations: the mix")
	cmd.Flags().StringVar(&c.out, "out", "", "the folder for samples and report")
	cmd.Flags().BoolVar(&c.asJSON, "json", false, "print the verdict for a program to read")
	cmd.MarkFlagsMutuallyExclusive("trace", "document")
	return cmd
}

func (c *chooser) run(ctx context.Context) error {
	options := compare.DefaultOptions
	options.Default = idcompressor.DefaultBackend.Name
	options.Lines = linesOf(impls.Backends())
	if err := setWeights(&options, c.weights); err != nil {
		return err
	}
	if c.trace != "" && options.Shares != nil {
		return errTwoMixes
	}
	sources, err := c.sources()
	if err != nil {
		return err
	}
	backends, err := backendNames("all")
	if err != nil {
		return err
	}
	if c.trace != "" {
		options.Shares = map[string]float64{"Replay": 1}
	}
	request, err := c.mode.request(withFloor(backends), sources, nil)
	if err != nil {
		return err
	}
	if c.trace == "" {
		if err := checkMix(options.Shares, request); err != nil {
			return err
		}
		c.workload = append(c.workload, compare.Setting{Key: "mix", Value: mixOf(options.Shares)})
	}
	dir := c.out
	if dir == "" {
		dir = defaultDir()
	}
	plan, err := c.measure(ctx, request, dir)
	if err != nil {
		return err
	}
	return c.conclude(plan, options, dir)
}

// sources returns the user's own document, or none.
func (c *chooser) sources() ([]runner.Source, error) {
	name := c.trace
	if name == "" {
		name = c.document
	}
	if name == "" {
		return nil, nil
	}
	data, err := c.read(name)
	if err != nil {
		return nil, err
	}
	load := workload.Load
	if c.trace != "" {
		load = workload.LoadTrace
	}
	d, err := load(name, data, seed)
	if err != nil {
		return nil, inFile(name, err)
	}
	c.workload = describe(d)
	return []runner.Source{runner.Own(d, data)}, nil
}

// measure runs a request into a folder.
func (c *chooser) measure(ctx context.Context, r runner.Request, dir string) (*runner.Plan, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, inFile(dir, err)
	}
	name := filepath.Join(dir, samplesName)
	f, err := runner.OpenFile(name)
	if err != nil {
		return nil, inFile(name, err)
	}
	defer f.Close()
	show, stop := progress(c.stderr)
	plan, err := runner.Run(ctx, r, runner.Options{Out: f, Progress: show})
	stop()
	if err != nil {
		return nil, c.interrupted(err, name)
	}
	c.tellLeftOut(plan)
	text, err := json.MarshalIndent(plan, "", "  ")
	if err != nil {
		return nil, err
	}
	return plan, os.WriteFile(filepath.Join(dir, "plan.json"), append(text, '\n'), 0o666)
}

const samplesName = "samples.txt"

// conclude prints the verdict on the samples of a run.
func (c *chooser) conclude(plan *runner.Plan, options compare.Options, dir string) error {
	set, err := compare.Read(filepath.Join(dir, samplesName))
	if err != nil {
		return err
	}
	r, err := compare.BuildReport(set, compare.ReportOptions{
		Options: options, Verdict: true, Title: "Which backend to run",
		Sizes: plan.Sizes(), SizeAxis: "clusters",
		Environment: append(environment(plan.Environment), c.workload...),
		Commands:    []compare.ReproducedBy{{What: "this run", Command: c.command()}},
	})
	if err != nil {
		return err
	}
	if err := c.writePage(&r, filepath.Join(dir, "report.html"), plan.Bounds()); err != nil {
		return err
	}
	// The plots alone too, for a README.
	plots := filepath.Join(dir, "plots")
	if _, err := report.WriteSVGs(plots, &r, report.Options{Bounds: plan.Bounds()}); err != nil {
		return inFile(plots, err)
	}
	if c.asJSON {
		return c.json(r.Choice.Answer(dir))
	}
	text := c.reportOptions()
	text.Sections = []string{"verdict", "warnings", "backend", "form", comparison(&r), "noise"}
	if err := report.Write(c.stdout, "text", &r, text); err != nil {
		return err
	}
	fmt.Fprintln(c.stdout)
	for _, s := range c.workload {
		fmt.Fprintf(c.stdout, "%s: %s\n", s.Key, s.Value)
	}
	fmt.Fprintf(c.stdout, "The report is %s; samples and plan are beside it.\n", filepath.Join(dir, "report.html"))
	return nil
}

// comparison returns the section to print of a report's figures: the tables, or
// where nobody would scroll through them, what they come to.
func comparison(r *compare.Report) string {
	for i := range r.Tables {
		if len(r.Tables[i].Rows) > report.MostRows && r.Operations != nil {
			return "operations"
		}
	}
	return "tables"
}

// writePage writes the report as a page, as a whole or not at all.
func (c *chooser) writePage(r *compare.Report, name string, bounds map[string]float64) error {
	var page bytes.Buffer
	if err := report.Write(&page, "html", r, report.Options{Bounds: bounds}); err != nil {
		return err
	}
	return inFile(name, os.WriteFile(name, page.Bytes(), 0o666))
}

// command returns the command line that does the same again.
func (c *chooser) command() string {
	words := []string{"idlab", "choose"}
	add := func(flag, value string) {
		if value != "" && value != "0s" {
			words = append(words, flag, value)
		}
	}
	if c.mode.quick {
		words = append(words, "--quick")
	}
	if c.mode.full {
		words = append(words, "--full")
	}
	add("--budget", c.mode.budget.String())
	add("--trace", c.trace)
	add("--document", c.document)
	add("--weights", c.weights)
	add("--out", c.out)
	return strings.Join(words, " ")
}

func environment(e runner.Environment) []compare.Setting {
	return []compare.Setting{
		{Key: "CPUs", Value: strconv.Itoa(e.CPUs)}, {Key: "kernel", Value: e.Kernel},
		{Key: "virtual machine", Value: e.VM}, {Key: "load at the start", Value: e.Load},
		{Key: "CPU time stolen since boot", Value: e.Steal},
	}
}

// linesOf returns how many lines of code each backend has.
func linesOf(backends []impls.Backend) map[string]int {
	lines := make(map[string]int)
	for _, b := range backends {
		lines[b.Name] = b.Lines
	}
	return lines
}

// defaultDir returns results/latest in a clone of this repository, found from
// any folder of it, and else idlab-report.
func defaultDir() string {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), "module "+module+"\n") {
			return filepath.Join(dir, "results", "latest")
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return "idlab-report"
}

const module = "example.com/idlab"

// interrupted says how to go on after Ctrl-C.
func (a *app) interrupted(err error, file string) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	if file == "" {
		return errors.New("interrupted")
	}
	return fmt.Errorf("interrupted: %s holds what is finished, and the same command goes on from there", file)
}
