package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/idlab/bench/runner"
	"example.com/idlab/bench/workload"
	"example.com/idlab/compare"
	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestMain lets the test's program be idlab's worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == runner.WorkerCommand {
		os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// outcome is what a command line did.
type outcome struct {
	status         int
	stdout, stderr string
}

func idlab(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(args, strings.NewReader(stdin), &stdout, &stderr)
	return outcome{status, stdout.String(), stderr.String()}
}

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got, -update rewrites):\n%s", file, diff)
	}
}

func TestHelp(t *testing.T) {
	o := idlab(t, "", "--help")
	if o.status != 0 || o.stderr != "" {
		t.Errorf("%+v", o)
	}
	golden(t, "help", o.stdout)
	if none := idlab(t, ""); none.stdout != o.stdout || none.status != 0 {
		t.Error("idlab alone does not help")
	}
	for _, command := range []string{"choose", "bench", "compare", "gate", "selftest", "backends", "replay", "trace", "trace import", "trace generate"} {
		o := idlab(t, "", append(strings.Fields(command), "--help")...)
		if o.status != 0 || !strings.Contains(o.stdout, "idlab "+command) {
			t.Errorf("%s: %+v", command, o)
		}
		if command != "trace" && !strings.Contains(o.stdout, "Examples:") {
			t.Errorf("%s --help has no example", command)
		}
	}
}

// Wrong command lines are refused with a word of help, and nothing on standard output.
func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"nonsense":                               `unknown command "nonsense"`,
		"replay":                                 "give it one file or more",
		"replay --backend nope x":                "there are ",
		"gate one":                               "give it two files",
		"gate --margin x a b":                    "margin",
		"compare":                                "give it one file or more",
		"compare --format pdf x":                 "text, markdown",
		"bench extra":                            "no arguments",
		"bench --rounds 0":                       "--rounds: 0 is less than 1",
		"bench --document nope":                  "there are one-writer, small",
		"bench --op nope":                        "there are Build",
		"bench --quick --full":                   "quick full",
		"bench --backend ,":                      "--backend",
		"choose --trace a --document b":          "document trace",
		"choose --weights speed=x":               "speed=, memory=, size= or an operation=",
		"choose --weights taste=1":               "unknown operation \"taste\"",
		"choose --weights taste":                 "speed=, memory=, size= or an operation=",
		"choose --weights Decompress=-1":         "speed=, memory=, size= or an operation=",
		"choose --weights Decompress=0":          "add up to nothing",
		"choose --quick --weights TakeRange=1":   "TakeRange is not timed in a run of this size",
		"choose --quick --weights Build=1":       "Build is not timed in a run of this size",
		"choose --trace a --weights Generate=1":  "a trace is its own mix",
		"choose --budget soon":                   "budget",
		"choose --budget -1s":                    "is negative",
		"choose --document testdata/none.b64":    "testdata/none.b64:1: no such file",
		"choose --trace testdata/help.golden":    "testdata/help.golden:1: ",
		"choose --document testdata/help.golden": "testdata/help.golden:1: ",
		"replay testdata/none.jsonl":             "testdata/none.jsonl:1: no such file",
		"replay testdata/help.golden":            "testdata/help.golden:1: ",
		"compare testdata/none.txt":              "testdata/none.txt:1: no such file",
		"gate testdata/none.txt x":               "testdata/none.txt:1: no such file",
		"trace":                                  "",
		"trace import testdata/none.gz":          "testdata/none.gz:1: no such file",
		"trace generate":                         "unknown document",
		"bench --out testdata/help.golden":       "something else than samples",
	} {
		o := idlab(t, "", strings.Fields(args)...)
		if args == "trace" {
			continue
		}
		if o.status != statusCannot || o.stdout != "" || !strings.Contains(o.stderr, want) {
			t.Errorf("idlab %s: status %d, stdout %q, stderr %q; want 2 and %q", args, o.status, o.stdout, o.stderr, want)
		}
	}
}

func TestBackends(t *testing.T) {
	o := idlab(t, "", "backends")
	for _, b := range impls.Backends() {
		if !strings.Contains(o.stdout, b.Name) || !strings.Contains(o.stdout, b.Structure) {
			t.Errorf("%s is not listed: %s", b.Name, o.stdout)
		}
	}
	if strings.Contains(o.stdout, "null") || strings.Contains(o.stdout, "wrong") {
		t.Errorf("a control is listed: %s", o.stdout)
	}
	var list []struct {
		Name    string
		Default bool
	}
	if err := json.Unmarshal([]byte(idlab(t, "", "backends", "--json").stdout), &list); err != nil {
		t.Fatal(err)
	}
	for _, b := range list {
		if b.Default != (b.Name == idcompressor.DefaultBackend.Name) {
			t.Errorf("%+v", b)
		}
	}
	if len(list) != len(impls.Backends()) {
		t.Errorf("%d backends, want %d", len(list), len(impls.Backends()))
	}
}

// A generated trace replays on every backend; with one answer changed it
// differs, and says where.
func TestReplay(t *testing.T) {
	trace := idlab(t, "", "trace", "generate", "--document", "3x2")
	if trace.status != 0 || trace.stderr != "" {
		t.Fatalf("%+v", trace)
	}
	good := filepath.Join(t.TempDir(), "good.jsonl.gz")
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	w.Write([]byte(trace.stdout))
	w.Close()
	if err := os.WriteFile(good, zipped.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	o := idlab(t, "", "replay", "--backend", "all", good)
	if o.status != statusDone || o.stderr != "" || strings.Count(o.stdout, "\tok\n") != len(impls.Backends()) {
		t.Errorf("%+v", o)
	}
	for line := range strings.Lines(o.stdout) {
		if !regexp.MustCompile(`^` + good + `\t[a-z]+\t[0-9]+\tok\n$`).MatchString(line) {
			t.Errorf("%q", line)
		}
	}

	changed := strings.Replace(trace.stdout, `"firstGenCount":257`, `"firstGenCount":258`, 1)
	if changed == trace.stdout {
		t.Fatal("the trace has no such answer")
	}
	o = idlab(t, changed, "replay", "-")
	if o.status != statusNo || !strings.HasSuffix(o.stdout, "\tdiffers\n") || !regexp.MustCompile(`^-:[0-9]+: .*258.*257`).MatchString(strings.ReplaceAll(o.stderr, "\n", " ")) {
		t.Errorf("%+v", o)
	}
	// Of several files, the highest status.
	o = idlab(t, changed, "replay", "-", "testdata/none", good)
	if o.status != statusCannot || strings.Count(o.stdout, "\n") != 2 {
		t.Errorf("%+v", o)
	}
	if o := idlab(t, trace.stdout, "replay", "--backend", "all", "-"); o.status != statusCannot {
		t.Errorf("standard input was read more than once: %+v", o)
	}
}

// bench, interrupted or not, compare and gate on what it wrote.
func TestBenchCompareGate(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")
	args := []string{"bench", "--quick", "--rounds", "4", "--document", "5x3", "--backend", "sortedslice,paged", "--op", "Generate/ids=eager", "--out"}
	if o := idlab(t, "", append(args, a)...); o.status != 0 || o.stdout != "" || o.stderr != "" {
		t.Fatalf("%+v", o)
	}
	text, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "Benchmark"); ok {
			name, _, _ = strings.Cut(name, "\t")
			if err := workload.Lint(regexp.MustCompile(`-[0-9]+$`).ReplaceAllString(name, "")); err != nil {
				t.Error(err)
			}
		}
	}
	o := idlab(t, "", "compare", a)
	if o.status != 0 || !strings.Contains(o.stdout, "sec/op") || !strings.Contains(o.stdout, "paged") {
		t.Errorf("%+v", o)
	}
	if o := idlab(t, string(text), "gate", "--exact", "-", a); o.status != statusDone {
		t.Errorf("the same file: %+v", o)
	}
	worse := regexp.MustCompile(`(Generate.*) 0 allocs/op`).ReplaceAllString(string(text), "$1 1 allocs/op")
	if err := os.WriteFile(b, []byte(worse), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := idlab(t, "", "gate", "--exact", a, b); o.status != statusNo || !strings.Contains(o.stdout, "allocs/op") {
		t.Errorf("one allocation more: %+v", o)
	}
	if o := idlab(t, "prose\n", "gate", a, "-"); o.status != statusCannot || !strings.HasPrefix(o.stderr, "-:1: ") {
		t.Errorf("prose: %+v", o)
	}
}

// choose on a document of one's own, in the smallest budget.
func TestChooseDocument(t *testing.T) {
	d, err := workload.Embedded("6x3", 1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Compressor(idcompressor.DefaultBackend)
	if err != nil {
		t.Fatal(err)
	}
	text, err := c.AppendSerializedText(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "out")
	o := idlab(t, string(text), "choose", "--quick", "--budget", "100ms", "--document", "-", "--weights", "Generate=1,Recompress=0", "--out", dir, "--json")
	if o.status != statusDone {
		t.Fatalf("%+v", o)
	}
	if !strings.Contains(o.stderr, "to keep to 100ms") {
		t.Errorf("nothing is said of what was left out: %q", o.stderr)
	}
	var answer struct {
		Verdict    string
		Backend    *string
		Equivalent []string
		Evidence   []struct{ Against, Metric string }
		MoreRounds *int
		Out        string
	}
	if err := json.Unmarshal([]byte(o.stdout), &answer); err != nil {
		t.Fatal(err)
	}
	if (answer.Verdict == "undecided") != (answer.Backend == nil) || answer.MoreRounds == nil || answer.Out != dir {
		t.Errorf("%s", o.stdout)
	}
	if len(answer.Evidence) < len(impls.Backends())-1 {
		t.Errorf("evidence against %d rivals: %s", len(answer.Evidence), o.stdout)
	}
	for _, file := range []string{samplesName, "plan.json"} {
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			t.Error(err)
		}
	}
}

func TestWeights(t *testing.T) {
	o := compare.DefaultOptions
	if err := setWeights(&o, "speed=2, memory=0"); err != nil {
		t.Fatal(err)
	}
	if want := (compare.Weights{Speed: 2, Memory: 0, Size: compare.DefaultWeights.Size}); o.Weights != want || o.Shares != nil {
		t.Errorf("%+v, %v, want %+v and no mix", o.Weights, o.Shares, want)
	}
	if err := setWeights(&o, "decompress=3,Recompress/ids=miss=1"); err != nil {
		t.Fatal(err)
	}
	if want := map[string]float64{"Decompress": 3, "Recompress ids=miss": 1}; !maps.Equal(o.Shares, want) {
		t.Errorf("%v, want %v", o.Shares, want)
	}
	if got, want := mixOf(o.Shares), "Decompress 75 %, Recompress ids=miss 25 %; what is not named counts nothing"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
