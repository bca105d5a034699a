package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"example.com/idlab/bench/workload"
	_ "example.com/idlab/impls/control"
	_ "example.com/idlab/impls/sortedslice"
)

// TestMain lets the test's program be its own worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == echoCommand {
		io.Copy(os.Stdout, os.Stdin) // whoever started it sees what came
		return
	}
	if len(os.Args) > 1 && os.Args[1] == WorkerCommand {
		if err := Worker(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		return
	}
	os.Exit(m.Run())
}

// tiny is a request of 2 blocks x 2 documents x 2 subjects.
func tiny() Request {
	return Request{
		Seed: 1, Blocks: 2, Benchtime: time.Microsecond, Standard: "sortedslice", OnStandard: []string{"Serialize/form=v3-gzip"},
		Documents:  []Source{{Name: "5x3"}, {Name: "7x3"}},
		Subjects:   []Subject{{Backend: "sortedslice"}, {Backend: "sortedslice", Twin: true}},
		Benchmarks: []string{"Build", "Generate/ids=eager", "Serialize/form=v3", "Serialize/form=v3-gzip"},
	}
}

func runInto(t *testing.T, ctx context.Context, file string, r Request, progress func(Progress)) (*Plan, error) {
	t.Helper()
	f, err := OpenFile(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return Run(ctx, r, Options{Out: f, Progress: progress})
}

// names returns how often each benchmark is in a file, as block and name.
func names(t *testing.T, file string) map[string]int {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	count := map[string]int{}
	r := benchfmt.NewReader(f, file)
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(rec)
		case *benchfmt.Result:
			count[rec.GetConfig("block")+" "+string(rec.Name.Full())]++
		}
	}
	return count
}

// complete checks that every unit of tiny is in a file, once.
func complete(t *testing.T, file string) {
	t.Helper()
	got := names(t, file)
	// Forms other than v3 are not measured on the twin.
	if want := 2 * 2 * (4 + 3); len(got) != want {
		t.Errorf("%d results, want %d: %v", len(got), want, got)
	}
	for name, n := range got {
		if n != 1 {
			t.Errorf("%s is there %d times", name, n)
		}
	}
}

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "samples.txt")
	var said []Progress
	plan, err := runInto(t, t.Context(), file, tiny(), func(p Progress) { said = append(said, p) })
	if err != nil {
		t.Fatal(err)
	}
	complete(t, file)
	text, _ := os.ReadFile(file)
	for _, key := range []string{"goos: ", "goarch: ", "pkg: " + pkg, "cpu: ", "go: go1", "gomaxprocs: ", "plan: " + plan.Hash, "seed: 1", "block: 1", "noise: 0.", "Unit inuse-bytes better=lower assume=exact"} {
		if !bytes.Contains(text, []byte("\n"+key)) {
			t.Errorf("no line %q", key)
		}
	}
	if len(said) != plan.total()+1 || said[len(said)-1].Done != plan.total() || said[3].Left <= 0 {
		t.Errorf("progress: %+v", said)
	}
}

// An interrupted run goes on where it was, a damaged end is done again, and
// what was finished stays to the byte.
func TestResume(t *testing.T) {
	file := filepath.Join(t.TempDir(), "samples.txt")
	for _, stop := range []int{3, 6} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := runInto(t, ctx, file, tiny(), func(p Progress) {
			if p.Done == stop {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n"+donePrefix)); n != stop {
			t.Errorf("%d units are in the file after %d", n, stop)
		}
		// The machine died while it wrote the last one.
		if err := os.Truncate(file, int64(len(text)-20)); err != nil {
			t.Fatal(err)
		}
	}
	before, _ := os.ReadFile(file)
	whole := bytes.LastIndex(before, []byte("\ngoos: "))
	if _, err := runInto(t, t.Context(), file, tiny(), nil); err != nil {
		t.Fatal(err)
	}
	complete(t, file)
	after, _ := os.ReadFile(file)
	if !bytes.HasPrefix(after, before[:whole]) {
		t.Error("finished units were changed")
	}
}

// Damage anywhere ends what is taken over, and nothing damaged is.
func TestReadParts(t *testing.T) {
	p, err := newPlan(tiny(), Fingerprint(), "")
	if err != nil {
		t.Fatal(err)
	}
	head, err := p.header()
	if err != nil {
		t.Fatal(err)
	}
	data := slices.Clone(head)
	var ends []int
	for _, u := range p.units(0) {
		data = append(data, p.part(u, 0.01, "note", []byte("BenchmarkX 1 1 ns/op\n"))...)
		ends = append(ends, len(data))
	}
	for at := range len(data) {
		damaged := slices.Clone(data)
		damaged[at] ^= 1
		done, length := readParts(damaged, head)
		want := 0
		if at >= len(head) {
			want = len(head)
			for _, end := range ends {
				if end <= at {
					want = end
				}
			}
		}
		if length != want {
			t.Fatalf("damage at %d of %d: %d bytes are taken over, want %d (%d units)", at, len(data), length, want, len(done))
		}
	}
	if done, length := readParts(data, head); length != len(data) || len(done) != 4 {
		t.Errorf("undamaged: %d units, %d bytes", len(done), length)
	}
}

func TestOtherFilesAreSafe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "thesis.txt")
	if err := os.WriteFile(file, []byte("chapter one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFile(file); !errors.Is(err, ErrNotSamples) {
		t.Errorf("%v, want ErrNotSamples", err)
	}
}

// Another request does not go on from a file, it begins anew.
func TestAnotherPlan(t *testing.T) {
	file := filepath.Join(t.TempDir(), "samples.txt")
	first, err := runInto(t, t.Context(), file, tiny(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := tiny()
	r.Benchmarks = r.Benchmarks[:2]
	second, err := runInto(t, t.Context(), file, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if first.Hash == second.Hash {
		t.Error("two requests have one hash")
	}
	if n := len(names(t, file)); n != 2*2*2*2 {
		t.Errorf("%d results", n)
	}
}

func TestWrongBackendEndsTheRun(t *testing.T) {
	r := tiny()
	r.Subjects = []Subject{{Backend: "wrong"}}
	r.Benchmarks = []string{"Decompress/ids=random"}
	_, err := Run(t.Context(), r, Options{Out: Stream(new(bytes.Buffer))})
	var unit *UnitError
	if !errors.As(err, &unit) || !regexp.MustCompile(`^measuring 0/.x3/wrong: .*wrong answers`).MatchString(err.Error()) {
		t.Errorf("%v", err)
	}
}

// Blocks are shuffled, each holds everything once, and a plan's order is always the same.
func TestUnits(t *testing.T) {
	r := tiny()
	for i := range 5 {
		r.Documents = append(r.Documents, Source{Name: fmt.Sprintf("%dx4", i+2)})
	}
	p, err := newPlan(r, Environment{}, "")
	if err != nil {
		t.Fatal(err)
	}
	orders := map[string]bool{}
	for block := range 10 {
		units := p.units(block)
		if !slices.Equal(units, p.units(block)) {
			t.Error("the order changes")
		}
		seen := map[string]bool{}
		for _, u := range units {
			seen[p.id(u)] = true
		}
		if len(seen) != 7*2 {
			t.Errorf("block %d holds %d units", block, len(seen))
		}
		var order strings.Builder
		for _, u := range units {
			order.WriteString(p.kind(u) + " ")
		}
		orders[order.String()] = true
	}
	if len(orders) != 10 {
		t.Errorf("%d orders in 10 blocks", len(orders))
	}
}

// A full run measures huge documents in fewer blocks, and only what is quick on them.
func TestFullIsBriefOnHugeDocuments(t *testing.T) {
	r, err := Full.Request([]string{"sortedslice"}, "sortedslice", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlan(r, Environment{}, "")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]int{}
	n := 0
	for block := range p.Blocks {
		for _, u := range p.units(block) {
			name := r.Documents[u.document].Name
			blocks[name]++
			n++
			if keys := p.benchmarksOf(u); name == "large-sessions" && (slices.Contains(keys, "Build/from=ranges") || !slices.Contains(keys, "Decompress/ids=hot")) {
				t.Errorf("%s runs %v", name, keys)
			}
		}
	}
	if blocks["large"] != 2*MinBlocks || blocks["sessions"] != 2*Full.Blocks || n != p.total() {
		t.Errorf("%v, %d in all", blocks, p.total())
	}
}

func TestBudget(t *testing.T) {
	const fixed = time.Second // a block
	request, err := Default.Request([]string{"sortedslice"}, "sortedslice", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		budget time.Duration
		check  func(p *Plan) bool
	}{
		{time.Hour, func(p *Plan) bool {
			return len(p.LeftOut) == 0 && p.Blocks == 10 && p.Benchtime == 20*time.Millisecond
		}},
		{30 * time.Second, func(p *Plan) bool { return p.Benchtime < 20*time.Millisecond && p.Blocks == 10 }},
		{13 * time.Second, func(p *Plan) bool { return p.Benchtime == leastBenchtime && p.Blocks < 10 }},
		{5 * time.Second, func(p *Plan) bool {
			return p.Blocks == MinBlocks && len(p.Benchmarks) < len(request.Benchmarks) && slices.Contains(p.Benchmarks, "Build")
		}},
		{time.Millisecond, func(p *Plan) bool {
			return p.Blocks == MinBlocks && len(p.Benchmarks) == 3 && p.Benchmarks[1] == "Replay" && strings.Contains(p.LeftOut[len(p.LeftOut)-1], "longer than the budget")
		}},
	} {
		p, err := newPlan(request, Environment{}, "")
		if err != nil {
			t.Fatal(err)
		}
		p.fit(c.budget, fixed)
		if !c.check(p) {
			t.Errorf("%v: %d blocks, %v, %d benchmarks, left out %q", c.budget, p.Blocks, p.Benchtime, len(p.Benchmarks), p.LeftOut)
		}
	}
}

// A budget is kept to in a real run, which can still be gone on with.
func TestBudgetRun(t *testing.T) {
	r := tiny()
	r.Documents, r.Blocks, r.Benchtime, r.Budget = r.Documents[:1], 8, 200*time.Millisecond, time.Second
	file := filepath.Join(t.TempDir(), "samples.txt")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := runInto(t, ctx, file, r, func(p Progress) {
		if p.Done == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	plan, err := runInto(t, t.Context(), file, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if plan.Blocks < MinBlocks || len(plan.LeftOut) == 0 {
		t.Errorf("%d blocks, left out %q", plan.Blocks, plan.LeftOut)
	}
	for name, n := range names(t, file) {
		if n != 1 {
			t.Errorf("%s is there %d times", name, n)
		}
	}
}

func TestOwnDocument(t *testing.T) {
	d, err := workload.Embedded("9x3", 3)
	if err != nil {
		t.Fatal(err)
	}
	d.Name = "mine"
	r := tiny()
	r.Documents = []Source{Own(d, []byte("content"))}
	var out bytes.Buffer
	if _, err := Run(t.Context(), r, Options{Out: Stream(&out)}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "BenchmarkBuild/doc=mine/backend=sortedslice") {
		t.Error(out.String())
	}
}

func TestProbe(t *testing.T) {
	if noise := Probe(); !(noise >= 0) || noise > 10 {
		t.Errorf("noise %v", noise)
	}
}

func TestFingerprint(t *testing.T) {
	e := Fingerprint()
	if e.GOOS == "" || e.CPU == "" || e.Go == "" || e.GOMAXPROCS < 1 {
		t.Errorf("%+v", e)
	}
	if s := e.settled(); s.Load != "" || s.CPU != e.CPU {
		t.Errorf("%+v", s)
	}
}
