package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// noises are models of the logarithm of a block's ratio, all centred at 0.
// Heavy tails and spikes are what a shared machine does.
var noises = map[string]func(r *rand.Rand) float64{
	"normal":  func(r *rand.Rand) float64 { return r.NormFloat64() * 0.05 },
	"uniform": func(r *rand.Rand) float64 { return (r.Float64() - 0.5) * 0.1 },
	"heavy":   func(r *rand.Rand) float64 { return (r.ExpFloat64() - r.ExpFloat64()) * 0.05 },
	"spikes": func(r *rand.Rand) float64 {
		one := func() float64 {
			x := r.NormFloat64() * 0.02
			if r.Float64() < 0.1 {
				x += r.ExpFloat64() * 0.3
			}
			return x
		}
		return one() - one()
	},
}

// The intervals cover the true ratio at least 93 % of the time at the fewest
// blocks a verdict is built on, and do so without being useless: no more than
// twice as wide as the normal interval with a known spread would be.
func TestCoverage(t *testing.T) {
	simulates(t)
	const runs = 1000
	for _, n := range []int{MinBlocks, 10} {
		for _, name := range sortedKeys(noises, compareNatural) {
			rnd := rand.New(rand.NewPCG(7, uint64(n)))
			e := newEngine(DefaultOptions)
			covered := 0
			for range runs {
				x := make([]float64, n)
				for i := range x {
					x[i] = 0.3 + noises[name](rnd)
				}
				_, iv := e.interval(x)
				if iv.Low <= 0.3 && 0.3 <= iv.High {
					covered++
				}
			}
			share := float64(covered) / runs
			t.Logf("%d blocks, %s: %.1f %%", n, name, 100*share)
			if share < 0.93 {
				t.Errorf("%d blocks, %s noise: the intervals cover %.1f %%", n, name, 100*share)
			}
		}
	}
}

// So do the intervals of a verdict's score, through all of Choose.
func TestScoreCoverage(t *testing.T) {
	simulates(t)
	const runs = 400
	covered := 0
	o := DefaultOptions
	o.Draws = 500
	for seed := range uint64(runs) {
		f := defaultFixture()
		f.seed, f.blocks, f.backends, f.noise, f.shared = seed+1, MinBlocks, []string{"a", "b"}, 0.05, 0.1
		f.factor = slower("b", 1.3)
		if x := mustChoose(t, f, o).Backend.Evidence[0]; x.Low <= 1.3 && 1.3 <= x.High {
			covered++
		}
	}
	share := float64(covered) / runs
	t.Logf("%d blocks: %.1f %%", MinBlocks, 100*share)
	if share < 0.93 {
		t.Errorf("the score's intervals cover %.1f %%", 100*share)
	}
}

// The unpaired interval, too.
func TestCoverageUnpaired(t *testing.T) {
	simulates(t)
	const runs = 1000
	for _, n := range []int{MinBlocks, 10} {
		rnd := rand.New(rand.NewPCG(8, uint64(n)))
		for _, family := range []int{1, 1000} { // the U test's, and Welch's
			covered := 0
			for range runs {
				x, y := make([]float64, n), make([]float64, n)
				for i := range x {
					x[i], y[i] = math.Exp(rnd.NormFloat64()*0.05), 1.3*math.Exp(rnd.NormFloat64()*0.05)
				}
				c := newEngine(DefaultOptions).compareUnpaired(x, y, family)
				if c.Of.Low <= 1.3 && 1.3 <= c.Of.High {
					covered++
				}
			}
			share := float64(covered) / runs
			t.Logf("%d samples, family of %d: %.1f %%", n, family, 100*share)
			if share < 0.93 {
				t.Errorf("%d samples, family of %d: the intervals cover %.1f %%", n, family, 100*share)
			}
		}
	}
}

// Equal samples are called different about as often as alpha says. Student's
// test is a little hasty where the tails are short, which noise's are not.
func TestFalseAlarms(t *testing.T) {
	simulates(t)
	const runs = 5000
	for _, name := range sortedKeys(noises, compareNatural) {
		rnd := rand.New(rand.NewPCG(9, 9))
		for _, family := range []int{1, 8} { // sign flips, and Student
			alarms := 0
			var method Method
			e := newEngine(DefaultOptions)
			e.Draws = 100 // of the interval, which is not looked at
			for range runs {
				x, y := make([]float64, MinBlocks), make([]float64, MinBlocks)
				for i := range x {
					y[i] = noises[name](rnd)
				}
				c := e.comparePaired(x, y, family)
				method = c.Method
				if c.P < 0.05 {
					alarms++
				}
			}
			share := float64(alarms) / runs
			t.Logf("%s, %s: %.1f %%", name, method, 100*share)
			if share > 0.07 {
				t.Errorf("%s noise: %s calls %.1f %% of equal ones different", name, method, 100*share)
			}
		}
	}
}

func TestHolm(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, 0.03, math.NaN(), 0.005})
	want := []float64{0.03, 0.06, 0.06, math.NaN(), 0.02}
	for i := range want {
		if math.IsNaN(want[i]) != math.IsNaN(got[i]) || math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("Holm: got %v, want %v", got, want)
			break
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 20).Draw(t, "p")
		out := Holm(p)
		for i := range p {
			if out[i] < p[i] || out[i] > 1 {
				t.Fatalf("%v becomes %v", p[i], out[i])
			}
			for j := range p {
				if p[i] < p[j] && out[i] > out[j] {
					t.Fatalf("order is lost: %v, %v", p, out)
				}
			}
		}
	})
}

// The Gray code walks all sign flips: the same p as the plain enumeration.
func TestSignFlipAgainstEnumeration(t *testing.T) {
	plain := func(d []float64) float64 {
		sum := func(mask int) (s float64) {
			for i, v := range d {
				if mask>>i&1 != 0 {
					v = -v
				}
				s += v
			}
			return math.Abs(s)
		}
		hits := 0
		for mask := range 1 << len(d) {
			if sum(mask) >= sum(0)-1e-9*sumAbs(d) {
				hits++
			}
		}
		return float64(hits) / float64(int(1)<<len(d))
	}
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 9).Draw(t, "d")
		if got, want := SignFlip(d, 1), plain(d); math.Abs(got-want) > 1e-12 {
			t.Fatalf("SignFlip(%v) = %v, want %v", d, got, want)
		}
	})
}

func TestSignFlipFloor(t *testing.T) {
	for n, want := range map[int]float64{6: 0.03125, 10: 0.001953125} {
		d := make([]float64, n)
		for i := range d {
			d[i] = 1 + float64(i)
		}
		if got := SignFlip(d, 1); got != want || signFlipFloor(n) != want {
			t.Errorf("%d blocks of one sign: p = %v, floor %v, want %v", n, got, signFlipFloor(n), want)
		}
	}
	many := make([]float64, 40)
	for i := range many {
		many[i] = 1
	}
	if p := SignFlip(many, 1); p > 0.001 {
		t.Errorf("40 of one sign: p = %v", p)
	}
	if p := SignFlip(nil, 1); p != 1 {
		t.Errorf("nothing: p = %v", p)
	}
}

func TestUTestFloor(t *testing.T) {
	for n, want := range map[int]float64{4: 2.0 / 70, 10: 2.0 / 184756} {
		if got := uTestFloor(n, n); math.Abs(got-want) > 1e-12 {
			t.Errorf("floor of %d and %d: %v, want %v", n, n, got, want)
		}
	}
}

// Which test is used is decided by the number of blocks and the family alone.
func TestMethodIsChosenByFloor(t *testing.T) {
	x := make([]float64, 6)
	y := []float64{0.5, 0.51, 0.49, 0.5, 0.52, 0.5}
	e := newEngine(DefaultOptions)
	if c := e.comparePaired(x, y, 1); c.Method != BySignFlip || c.P != 0.03125 {
		t.Errorf("alone: %s, p = %v", c.Method, c.P)
	}
	if c := e.comparePaired(x, y, 7); c.Method != ByPairedT || c.P > 1e-6 {
		t.Errorf("one of seven: %s, p = %v", c.Method, c.P)
	}
	if c := e.compareUnpaired(exps(x), exps(y), 1); c.Method != ByUTest {
		t.Errorf("unpaired, alone: %s", c.Method)
	}
	if c := e.compareUnpaired(exps(x), exps(y), 100); c.Method != ByWelch {
		t.Errorf("unpaired, one of a hundred: %s", c.Method)
	}
}

func TestCompareExact(t *testing.T) {
	of := func(v ...float64) *Sample { return &Sample{Values: v} }
	for _, c := range []struct {
		a, b *Sample
		want Mark
	}{
		{of(0, 0), of(0, 0), Equivalent},
		{of(0), of(1), Worse},
		{of(1), of(0), Better},
		{of(1000), of(1001), Worse},
		{of(10, 11, 12), of(11, 12, 12), Equivalent}, // they vary, and overlap
		{of(10, 11), of(12, 13), Worse},
	} {
		x := CompareExact(c.a, c.b)
		if got := x.Mark(x.P, -1, 0.05, 0.05); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.a.Values, c.b.Values, got, c.want)
		}
	}
	if x := CompareExact(of(0), of(1)); x.Ratio.Known() {
		t.Errorf("0 to 1 has the ratio %v", x.Ratio)
	}
	if x := CompareExact(of(1, 2), of(1)); len(x.Warnings) == 0 {
		t.Error("exact values that vary are not warned of")
	}
}

// Better means better: a difference in a unit without a direction is Different,
// and a significant one against the unit's direction is Worse.
func TestMarkSaysTheDirection(t *testing.T) {
	up := Comparison{Ratio: 1.3, Of: Interval{1.2, 1.4, 0.95}}
	down := Comparison{Ratio: 0.7, Of: Interval{0.6, 0.8, 0.95}}
	for _, c := range []struct {
		c      Comparison
		p      Float
		better int
		want   Mark
	}{
		{up, 0, -1, Worse}, {up, 0, 1, Better}, {up, 0, 0, Different}, {up, 0.2, -1, Unclear},
		{down, 0, -1, Better}, {down, 0, 1, Worse}, {down, 0, 0, Different},
		{Comparison{Ratio: 1.02, Of: Interval{1.01, 1.03, 0.95}}, 0, -1, Equivalent},
		{Comparison{Ratio: 1.04, Of: Interval{1.01, 1.07, 0.95}}, 0, -1, Unclear},
	} {
		if got := c.c.Mark(c.p, c.better, 0.05, 0.05); got != c.want {
			t.Errorf("ratio %v, p %v, direction %d: %q, want %q", c.c.Ratio, c.p, c.better, got, c.want)
		}
	}
}

func TestWarningsTravel(t *testing.T) {
	s := summarize([]float64{1, 2, 3}, false, 0.95)
	if len(s.Warnings) == 0 || s.interval().Known() {
		t.Errorf("a median of three: %+v", s)
	}
	x := []float64{1, 1.1, 1.2}
	c := newEngine(DefaultOptions).compareUnpaired(x, []float64{1, 2, 3}, 1)
	if c.Of.Known() && c.Method == ByUTest {
		t.Errorf("three and three samples have the interval %v by the U test", c.Of)
	}
	if c := newEngine(DefaultOptions).comparePaired(x, x, 1); len(c.Warnings) == 0 || c.Of.Known() {
		t.Errorf("three blocks: %+v", c)
	}
}

func TestHostileSizesStayBounded(t *testing.T) {
	big := make([]float64, 1<<17)
	for i := range big {
		big[i] = 1 + float64(i%7)
	}
	e := newEngine(DefaultOptions)
	if c := e.compareUnpaired(big, big, 1); c.Method != ByWelch {
		t.Errorf("%d samples a side: %s", len(big), c.Method)
	}
	if _, iv := e.interval(big); !iv.Known() {
		t.Error("no interval of many blocks")
	}
	if len(e.byN) != 0 {
		t.Error("many blocks were resampled")
	}
}

// Equal input and options give equal results, whatever a map's order.
func TestDeterminism(t *testing.T) {
	f := defaultFixture()
	f.twin = "sortedslice"
	first := string(mustJSON(t, mustReport(t, f)))
	for range 3 {
		if again := string(mustJSON(t, mustReport(t, f))); again != first {
			t.Fatal("two reports of one file differ")
		}
	}
}

func mustReport(t testing.TB, f fixture) Report {
	t.Helper()
	r, err := BuildReport(f.set(t), ReportOptions{Options: DefaultOptions, Verdict: true, Sizes: map[string]float64{"small": 300, "sessions": 30000}, SizeAxis: "clusters"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOptionsAreChecked(t *testing.T) {
	s := defaultFixture().set(t)
	for name, change := range map[string]func(*Options){
		"alpha": func(o *Options) { o.Alpha = 0 }, "margin": func(o *Options) { o.Margin = -0.1 },
		"NaN": func(o *Options) { o.Margin = math.NaN() }, "draws": func(o *Options) { o.Draws = 0 },
		"weight": func(o *Options) { o.Weights.Memory = -1 }, "share": func(o *Options) { o.Shares = map[string]float64{"Generate": -1} },
		"no shares": func(o *Options) { o.Shares = map[string]float64{} },
	} {
		o := DefaultOptions
		change(&o)
		if _, err := Choose(s, o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestCompareNatural(t *testing.T) {
	x := []string{"n=10", "n=9", "n=0009", "a", "n=100", "n=99999999999999999999999", ""}
	slices.SortFunc(x, compareNatural)
	if got, want := fmt.Sprint(x), fmt.Sprint([]string{"", "a", "n=0009", "n=9", "n=10", "n=100", "n=99999999999999999999999"}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
