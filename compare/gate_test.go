package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// gateFixture is what a baseline looks like: many benchmarks, allocations.
func gateFixture() fixture {
	f := defaultFixture()
	f.ops = []string{"Generate", "FinalizeRange", "Decompress", "Recompress", "Serialize", "NormalizeToOpSpace"}
	f.backends = []string{"sortedslice", "btreegoogle"}
	f.allocs = func(op, _, _ string) float64 { return map[string]float64{"Serialize": 3}[op] }
	f.noise, f.shared = 0.03, 0.01
	return f
}

func gateFiles(t *testing.T, base, next string, o GateOptions) GateResult {
	t.Helper()
	r, err := Gate(mustRead(t, base), mustRead(t, next), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestGatePlanted holds the planted files of issue 4.
func TestGatePlanted(t *testing.T) {
	one := func(by float64) func(op, doc, b string) float64 {
		return func(op, doc, b string) float64 {
			if op == "Decompress" && doc == "sessions" && b == "btreegoogle" {
				return by
			}
			return 1
		}
	}
	everything := func(by float64) func(op, doc, b string) float64 {
		return func(string, string, string) float64 { return by }
	}
	for name, c := range map[string]struct {
		change func(base, next *fixture)
		want   int
		words  string
	}{
		"25 % slower in everything": {func(_, n *fixture) { n.factor = everything(1.25) }, GateRegression, "25"},
		"25 % slower in one":        {func(_, n *fixture) { n.factor = one(1.25) }, GateRegression, "Decompress/doc=sessions/backend=btreegoogle"},
		"25 % slower in one, six":   {func(b, n *fixture) { n.factor = one(1.25); b.blocks, n.blocks = 6, 6 }, GateRegression, "Decompress"},
		"25 % slower, loud":         {func(b, n *fixture) { n.factor = everything(1.25); b.noise, n.noise = 0.15, 0.15 }, GateRegression, "all 24 benchmarks"},
		"faster":                    {func(_, n *fixture) { n.factor = everything(0.7) }, GatePass, "no regression"},
		"one faster":                {func(_, n *fixture) { n.factor = one(0.5) }, GatePass, "no regression"},
		"identical":                 {func(_, n *fixture) { n.seed = 1 }, GatePass, "no regression"},
		"same code":                 {func(*fixture, *fixture) {}, GatePass, "no regression"},
		"same code, 15 % noise":     {func(b, n *fixture) { b.noise, n.noise = 0.15, 0.15 }, GatePass, "no regression"},
		"3 % slower, quiet":         {func(b, n *fixture) { n.factor = everything(1.03); b.noise, n.noise = 0.01, 0.01 }, GatePass, "no regression"},
		"allocs 0 to 1": {func(_, n *fixture) {
			n.allocs = func(op, doc, b string) float64 {
				if op == "Generate" && b == "sortedslice" {
					return 1
				}
				return map[string]float64{"Serialize": 3}[op]
			}
		}, GateRegression, "allocs/op: 0 -> 1"},
		"allocs 3 to 2": {func(_, n *fixture) {
			n.allocs = func(op, _, _ string) float64 { return map[string]float64{"Serialize": 2}[op] }
		}, GatePass, "no regression"},
		"a benchmark missing": {func(_, n *fixture) {
			n.skip = func(op, doc, b string, _ int) bool { return op == "Generate" && doc == "small" }
		}, GateCannotTell, "Generate/doc=small"},
		"a new benchmark":     {func(_, n *fixture) { n.ops = append(n.ops, "Replay") }, GateCannotTell, "is not in the base"},
		"a unit missing":      {func(_, n *fixture) { n.allocs = nil }, GateCannotTell, "allocs/op is not in the new side"},
		"two samples":         {func(_, n *fixture) { n.blocks = 2 }, GateCannotTell, "2 samples"},
		"two samples in base": {func(b, _ *fixture) { b.blocks = 2 }, GateCannotTell, "2 samples"},
		"another cpu":         {func(_, n *fixture) { n.header = replaced(n.header, "cpu: Another CPU") }, GateCannotTell, "Another CPU"},
		"another Go":          {func(_, n *fixture) { n.header = replaced(n.header, "go: go1.27") }, GateCannotTell, "go1.27"},
	} {
		for _, plain := range []bool{false, true} {
			base, next := gateFixture(), gateFixture()
			base.plain, next.plain = plain, plain
			next.seed = 2
			c.change(&base, &next)
			r := gateFiles(t, base.String(), next.String(), GateOptions{Options: DefaultOptions})
			if r.Status != c.want || !strings.Contains(r.Sentence+strings.Join(r.Problems, "\n"), c.words) && !strings.Contains(regressions(r), c.words) {
				t.Errorf("%s, plain %v: status %d, want %d (%q): %s", name, plain, r.Status, c.want, c.words, r.Sentence)
			}
			mustJSON(t, r)
		}
	}
}

func regressions(r GateResult) string {
	var b strings.Builder
	for _, c := range r.Regressions {
		b.WriteString(c.String() + "\n")
	}
	return b.String()
}

// replaced returns header with the line of the same key replaced.
func replaced(header []string, line string) []string {
	key, _, _ := strings.Cut(line, ":")
	out := append([]string(nil), header...)
	for i, h := range out {
		if strings.HasPrefix(h, key+":") {
			out[i] = line
		}
	}
	return out
}

// Same code is let pass over many seeds, quiet and loud; a slowdown is found.
func TestGateFalseAlarms(t *testing.T) {
	simulates(t)
	const runs = 60
	for _, noise := range []float64{0.02, 0.15} {
		alarms := 0
		for seed := range uint64(runs) {
			base, next := gateFixture(), gateFixture()
			base.noise, next.noise, base.seed, next.seed = noise, noise, 2*seed+10, 2*seed+11
			if r := gateFiles(t, base.String(), next.String(), GateOptions{Options: DefaultOptions}); r.Status != GatePass {
				alarms++
			}
		}
		t.Logf("noise %.0f %%: %d false alarms in %d runs of 24 benchmarks", 100*noise, alarms, runs)
		if float64(alarms) > 0.05*runs {
			t.Errorf("noise %v: %d false alarms in %d", noise, alarms, runs)
		}
	}
}

// Identical code has been reported 13 % apart at p = 0.000 by gates that never
// measured their noise. Here a whole run is 12 % off, every sample of it, and
// the probe knew that the machine does such things.
func TestGateKnowsItsNoise(t *testing.T) {
	base, next := gateFixture(), gateFixture()
	base.noise, next.noise = 0.01, 0.01
	next.seed, next.factor = 2, func(string, string, string) float64 { return 1.12 }
	if r := gateFiles(t, base.String(), next.String(), GateOptions{Options: DefaultOptions}); r.Status != GateRegression {
		t.Errorf("a quiet machine: status %d", r.Status)
	}
	base.probe, next.probe = 0.04, 0.15
	r := gateFiles(t, base.String(), next.String(), GateOptions{Options: DefaultOptions})
	if r.Status != GatePass || r.Margin != 0.15 {
		t.Errorf("a machine with a noise of 15 %%: status %d, margin %v: %s", r.Status, r.Margin, r.Sentence)
	}
}

func TestGateExact(t *testing.T) {
	base, next := gateFixture(), gateFixture()
	base.blocks, next.blocks = 1, 1
	next.factor = func(string, string, string) float64 { return 2 }
	o := GateOptions{Options: DefaultOptions, Exact: true}
	if r := gateFiles(t, base.String(), next.String(), o); r.Status != GatePass || r.Compared == 0 {
		t.Errorf("slower, exact figures equal: status %d: %s", r.Status, r.Sentence)
	}
	next.allocs = func(op, _, _ string) float64 { return map[string]float64{"Serialize": 4}[op] }
	if r := gateFiles(t, base.String(), next.String(), o); r.Status != GateRegression {
		t.Errorf("3 to 4 allocations: status %d: %s", r.Status, r.Sentence)
	}
	base.allocs, next.allocs = nil, nil
	if r := gateFiles(t, base.String(), next.String(), o); r.Status != GateCannotTell {
		t.Errorf("no exact figures: status %d: %s", r.Status, r.Sentence)
	}
}

func TestGateAnyEnvironment(t *testing.T) {
	base, next := gateFixture(), gateFixture()
	next.seed, next.header = 2, replaced(next.header, "cpu: Another CPU")
	r := gateFiles(t, base.String(), next.String(), GateOptions{Options: DefaultOptions, AnyEnvironment: true})
	if r.Status != GatePass || len(r.Warnings) == 0 {
		t.Errorf("status %d, warnings %v", r.Status, r.Warnings)
	}
	next.header = next.header[:3] // no cpu line at all: told, not refused
	r = gateFiles(t, base.String(), next.String(), GateOptions{Options: DefaultOptions})
	if r.Status != GatePass || len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0], "cpu") {
		t.Errorf("status %d, warnings %v", r.Status, r.Warnings)
	}
}

// A throughput that falls is a regression, one that rises is none.
func TestGateDirection(t *testing.T) {
	file := func(speed float64) string {
		var b strings.Builder
		for i := range 10 {
			b.WriteString("BenchmarkSerialize/doc=d/backend=a 1 100 ns/op " + ftoa(speed+float64(i)/10) + " MB/s\n")
		}
		return b.String()
	}
	for _, c := range []struct {
		next float64
		want int
	}{{50, GateRegression}, {200, GatePass}} {
		if r := gateFiles(t, file(100), file(c.next), GateOptions{Options: DefaultOptions}); r.Status != c.want {
			t.Errorf("100 to %v MB/s: status %d, want %d", c.next, r.Status, c.want)
		}
	}
}

func TestGateIgnoresControlsAndPeers(t *testing.T) {
	base, next := gateFixture(), gateFixture()
	base.backends = append(base.backends, "null", "closemap")
	next.seed = 3
	if r := gateFiles(t, base.String(), next.String(), GateOptions{Options: DefaultOptions}); r.Status != GatePass {
		t.Errorf("status %d: %s", r.Status, r.Sentence)
	}
}

func TestChangeFromZeroIsSaid(t *testing.T) {
	c := Change{Benchmark: "Generate", Unit: "allocs/op", Base: 0, New: 1, Delta: 1, Ratio: unknown, P: unknown, Exact: true}
	if got := c.String(); got != "Generate allocs/op: 0 -> 1 (+1)" {
		t.Error(got)
	}
	if math.IsNaN(c.Delta) {
		t.Error("no difference")
	}
}

// Between two runs each benchmark has its luck, which all its samples share:
// that is no regression, but a slowdown of one benchmark or of all still is.
func TestGateKnowsTheDrift(t *testing.T) {
	run := func(luck float64, factor func(op string) float64) *Set {
		f := defaultFixture()
		f.plain, f.backends, f.noise, f.shared = true, []string{"paged"}, 0.01, 0
		f.ops = nil
		for i := range 24 {
			f.ops = append(f.ops, fmt.Sprintf("Op%c", 'A'+i))
		}
		r := rand.New(rand.NewPCG(uint64(1000*luck), 3))
		lucks := map[string]float64{}
		for _, op := range f.ops {
			for _, doc := range f.docs {
				lucks[op+doc] = math.Exp(luck * r.NormFloat64())
			}
		}
		f.factor = func(op, doc, _ string) float64 { return factor(op) * lucks[op+doc] }
		return f.set(t)
	}
	same := func(string) float64 { return 1 }
	for name, c := range map[string]struct {
		luck   float64
		factor func(op string) float64
		status int
	}{
		"no luck":      {0, same, GatePass},
		"luck of 15 %": {0.15, same, GatePass},
		"one by 25 %":  {0, func(op string) float64 { return 1 + 0.25*float64(strings.Count(op, "OpC")) }, GateRegression},
		"a third by 25 %": {0.02, func(op string) float64 {
			return 1 + 0.25*float64(min(strings.Count("OpA OpB OpC OpD OpE OpF OpG OpH", op), 1))
		}, GateRegression},
		"all by 25 %":   {0.05, func(string) float64 { return 1.25 }, GateRegression},
		"one threefold": {0.1, func(op string) float64 { return 1 + 2*float64(strings.Count(op, "OpC")) }, GateRegression},
	} {
		r, err := Gate(run(0, same), run(c.luck, c.factor), GateOptions{Options: DefaultOptions})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != c.status {
			t.Errorf("%s: %s (drift %.2f)", name, r.Sentence, r.Drift)
		}
	}
}
