package compare

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestPlantedSlowBackendLoses(t *testing.T) {
	for _, blocks := range []int{MinBlocks, 10} {
		for _, plain := range []bool{false, true} {
			f := defaultFixture()
			f.blocks, f.plain = blocks, plain
			f.backends = []string{"a", "b", "c", "d", "e", "f", "planted"}
			f.factor = func(_, _, b string) float64 {
				if b == "planted" {
					return 2
				}
				return 1 + 0.3*float64(b[0]-'a')
			}
			if plain {
				f.shared = 0 // unpaired samples of a drifting machine tell little, and rightly
			}
			v := mustChoose(t, f, DefaultOptions).Backend
			if v.Outcome != Wins || v.Choice != "a" || v.Paired == plain {
				t.Errorf("%d blocks, plain %v: %s", blocks, plain, v.Sentence)
			}
			i := slices.IndexFunc(v.Evidence, func(e Evidence) bool { return e.Against == "planted" && e.Metric == "score" })
			if i < 0 || v.Evidence[i].Low > 2 || v.Evidence[i].High < 2 || v.Evidence[i].P > 0.05 {
				t.Errorf("%d blocks, plain %v: evidence %+v", blocks, plain, v.Evidence)
			}
			if !v.WinsBy.Known() || v.WinsBy.Low > 0.3 || v.WinsBy.High < 0.3 {
				t.Errorf("wins by %v, want about 0.3", v.WinsBy)
			}
		}
	}
}

func TestThirtyPercentSlowerIsFound(t *testing.T) {
	f := defaultFixture()
	f.backends, f.noise, f.shared = []string{"sortedslice", "planted"}, 0.05, 0.1
	f.factor = slower("planted", 1.3)
	if v := mustChoose(t, f, DefaultOptions).Backend; v.Outcome != Wins || v.Choice != "sortedslice" {
		t.Error(v.Sentence)
	}
}

// Equal backends are equivalent or undecided. By chance one may win, less often
// than alpha says, with two backends and with eight.
func TestEqualBackendsNeverWin(t *testing.T) {
	simulates(t)
	const runs = 100
	o := DefaultOptions
	o.Draws = 200
	for _, names := range [][]string{{"a", "b"}, {"a", "b", "c", "d", "e", "f", "g", "h"}} {
		for _, noise := range []float64{0.02, 0.15} {
			wins := 0
			for seed := range uint64(runs) {
				f := defaultFixture()
				f.seed, f.backends, f.noise, f.shared = seed+1, names, noise, noise
				v := mustChoose(t, f, o).Backend
				switch v.Outcome {
				case Wins:
					wins++
				case Undecided:
					if v.MoreRounds <= 0 {
						t.Errorf("undecided without a number of rounds: %s", v.Sentence)
					}
				}
			}
			t.Logf("%d equal backends, noise %.0f %%: %d of %d runs have a winner", len(names), 100*noise, wins, runs)
			if float64(wins) > 0.05*runs {
				t.Errorf("%d equal backends, noise %v: %d of %d runs have a winner", len(names), noise, wins, runs)
			}
		}
	}
}

func TestEquivalentTieBreaks(t *testing.T) {
	f := defaultFixture()
	f.noise, f.shared = 0.005, 0.01
	f.ops = append(f.ops, "Build")
	f.memory = func(_, b string) float64 {
		return map[string]float64{"sortedslice": 1010, "btreegoogle": 1000, "paged": 1000}[b]
	}
	o := DefaultOptions
	for _, c := range []struct {
		lines  map[string]int
		choice string
		by     string
	}{
		{nil, "btreegoogle", "name"},
		{map[string]int{"btreegoogle": 300, "paged": 200, "sortedslice": 10}, "paged", "fewer lines"},
	} {
		o.Lines = c.lines
		v := mustChoose(t, f, o).Backend
		if v.Outcome != Tie || len(v.Equivalent) != 3 || v.Choice != c.choice || v.TieBreak != c.by {
			t.Errorf("lines %v: %s goes to %s by %s", c.lines, v.Sentence, v.Choice, v.TieBreak)
		}
	}
	f.memory = func(_, b string) float64 {
		return map[string]float64{"sortedslice": 990, "btreegoogle": 1000, "paged": 1000}[b]
	}
	if v := mustChoose(t, f, o).Backend; v.Choice != "sortedslice" || v.TieBreak != "less memory" {
		t.Errorf("%s", v.Sentence)
	}
}

func TestUndecidedSaysHowManyRounds(t *testing.T) {
	f := defaultFixture()
	f.backends, f.noise, f.shared, f.ops, f.docs = []string{"a", "b"}, 0.1, 0, []string{"Generate"}, []string{"small"}
	f.factor = slower("b", 1.12)
	f.seed = 5
	c := mustChoose(t, f, DefaultOptions)
	v := c.Backend
	if v.Outcome != Undecided || v.Choice != "" || v.MoreRounds < 1 || v.MoreRounds > 500 {
		t.Fatalf("%s (%d more rounds)", v.Sentence, v.MoreRounds)
	}
	if !strings.Contains(v.Sentence, "more round") {
		t.Errorf("the sentence does not say so: %s", v.Sentence)
	}
	a := c.Answer("out")
	if a.Backend != nil || a.MoreRounds != v.MoreRounds || a.Equivalent == nil || a.Evidence == nil {
		t.Errorf("the answer is %s", mustJSON(t, a))
	}
	// It is a guess, but rounds enough do tell.
	f.blocks += 10 * v.MoreRounds
	if v := mustChoose(t, f, DefaultOptions).Backend; v.Outcome == Undecided {
		t.Errorf("with %d blocks: %s", f.blocks, v.Sentence)
	}
}

func TestTooFewBlocksAreUndecided(t *testing.T) {
	for blocks := 1; blocks < MinBlocks; blocks++ {
		for _, plain := range []bool{false, true} {
			f := defaultFixture()
			f.blocks, f.plain, f.twin = blocks, plain, "paged"
			f.factor = func(_, _, b string) float64 {
				return map[string]float64{"sortedslice": 1, "btreegoogle": 3, "paged": 9}[b]
			}
			v := mustChoose(t, f, DefaultOptions).Backend
			if v.Outcome != Undecided || v.MoreRounds != MinBlocks-blocks || len(v.Warnings) == 0 || !strings.Contains(v.Sentence, "too few") {
				t.Errorf("%d blocks: %s, %d more, warnings %v", blocks, v.Sentence, v.MoreRounds, v.Warnings)
			}
		}
	}
}

func TestControlsPeersAndTwinsAreNeverRecommended(t *testing.T) {
	f := defaultFixture()
	f.backends = append(f.backends, "null", "closemap", "v8-map")
	f.twin = "sortedslice"
	f.factor = func(_, _, b string) float64 {
		return map[string]float64{"null": 0.01, "closemap": 0.02, "v8-map": 0.03, "sortedslice": 1, "btreegoogle": 1.4, "paged": 2}[b]
	}
	v := mustChoose(t, f, DefaultOptions).Backend
	if v.Choice != "sortedslice" || len(v.Scores) != 3 {
		t.Errorf("%s among %v", v.Sentence, v.Scores)
	}
}

func TestBackendThatMissesABenchmarkIsLeftOut(t *testing.T) {
	f := defaultFixture()
	f.factor = slower("sortedslice", 1.5)
	f.skip = func(op, doc, b string, _ int) bool { return b == "paged" && op == "Decompress" && doc == "small" }
	v := mustChoose(t, f, DefaultOptions).Backend
	if len(v.LeftOut) != 1 || v.LeftOut[0].Name != "paged" || !strings.Contains(v.LeftOut[0].Why, "Decompress small") {
		t.Errorf("left out: %+v", v.LeftOut)
	}
	if v.Choice != "btreegoogle" {
		t.Error(v.Sentence)
	}
	// The workload does not do it: nobody is left out.
	o := DefaultOptions
	o.Shares = map[string]float64{"Generate": 0.7, "Recompress": 0.3, "Replay": 0.1}
	v = mustChoose(t, f, o).Backend
	if len(v.LeftOut) != 0 || len(v.Benchmarks) != 4 {
		t.Errorf("left out: %+v, benchmarks %v", v.LeftOut, v.Benchmarks)
	}
	if !slices.ContainsFunc(v.Warnings, func(w string) bool { return strings.Contains(w, "Replay") }) {
		t.Errorf("no warning of the share that nothing measured: %v", v.Warnings)
	}
}

func TestIncompleteBlocksAreLeftOut(t *testing.T) {
	f := defaultFixture()
	f.factor = slower("paged", 1.5)
	f.skip = func(op, _, b string, block int) bool { return block == 3 && b == "paged" && op == "Generate" }
	v := mustChoose(t, f, DefaultOptions).Backend
	if v.Blocks != 9 || !v.Paired {
		t.Errorf("%d blocks, paired %v", v.Blocks, v.Paired)
	}
}

func TestOneBackendIsNoChoice(t *testing.T) {
	f := defaultFixture()
	f.backends = []string{"sortedslice", "null"}
	if v := mustChoose(t, f, DefaultOptions).Backend; v.Outcome != Undecided || v.Choice != "" {
		t.Error(v.Sentence)
	}
}

// The workload decides: each of two backends is better at one operation.
func TestSharesDecide(t *testing.T) {
	f := defaultFixture()
	f.backends = []string{"reader", "writer"}
	f.factor = func(op, _, b string) float64 {
		if (op == "Generate") == (b == "writer") {
			return 1
		}
		return 1.6
	}
	for op, want := range map[string]string{"Generate": "writer", "Decompress": "reader"} {
		o := DefaultOptions
		o.Shares = map[string]float64{op: 9, "Recompress": 1}
		if op == "Decompress" {
			o.Shares["Generate"] = 1
		}
		if v := mustChoose(t, f, o).Backend; v.Choice != want {
			t.Errorf("mostly %s: %s", op, v.Sentence)
		}
	}
}

func TestWeightsAndSensitivity(t *testing.T) {
	f := defaultFixture()
	f.ops = append(f.ops, "Build")
	f.backends = []string{"fast", "small"}
	f.factor = slower("small", 1.5)
	f.memory = func(_, b string) float64 {
		if b == "fast" {
			return 4000
		}
		return 1000
	}
	o := DefaultOptions
	v := mustChoose(t, f, o).Backend
	if v.Choice != "fast" {
		t.Fatal(v.Sentence)
	}
	// log 1.5 = w log 4 where they draw level.
	want := math.Log(1.5) / math.Log(4)
	var at Float
	for _, s := range v.Sensitivity {
		if s.Weight == "memory" && s.Up {
			at = s.At
			if s.Becomes != "small" || math.Abs(float64(s.At)-want) > 0.02 || s.Interval.Low > Float(want) || s.Interval.High < Float(want) {
				t.Errorf("memory must go to %v %v for %s, want %v for small", s.At, s.Interval, s.Becomes, want)
			}
		}
		if s.Weight == "memory" && !s.Up && s.At.Known() {
			t.Errorf("less weight of memory makes %s the leader", s.Becomes)
		}
		if s.Weight == "speed" && !s.Up && math.Abs(float64(s.At)-0.2/want) > 0.05 {
			t.Errorf("speed must go to %v, want %v", s.At, 0.2/want)
		}
	}
	o.Weights.Memory = float64(at) * 1.5
	if v := mustChoose(t, f, o).Backend; v.Leader != "small" {
		t.Errorf("beyond the point: %s", v.Sentence)
	}
	o.Weights = Weights{Memory: 1}
	if v := mustChoose(t, f, o).Backend; v.Choice != "small" || v.Outcome != Wins {
		t.Errorf("memory alone: %s", v.Sentence)
	}
	o.Weights = Weights{}
	if v := mustChoose(t, f, o).Backend; v.Outcome != Undecided {
		t.Errorf("no weights: %s", v.Sentence)
	}
}

func TestNoiseRaisesTheMargin(t *testing.T) {
	f := defaultFixture()
	f.noise, f.probe = 0.005, 0.20
	f.backends = []string{"a", "b"}
	f.factor = slower("b", 1.15)
	c := mustChoose(t, f, DefaultOptions)
	if c.Backend.Margin != 0.20 || c.Backend.Outcome == Wins {
		t.Errorf("margin %v: %s", c.Backend.Margin, c.Backend.Sentence)
	}
	f.probe = 0.03
	if c := mustChoose(t, f, DefaultOptions); c.Backend.Margin != 0.05 || c.Backend.Outcome != Wins {
		t.Errorf("margin %v: %s", c.Backend.Margin, c.Backend.Sentence)
	}
}

// formFile makes the samples of stored forms.
func formFile(blocks int, forms map[string][3]float64) string {
	f := defaultFixture()
	var b strings.Builder
	b.WriteString(strings.Join(f.header, "\n") + "\n")
	for block := range blocks {
		b.WriteString("block: " + string(rune('0'+block)) + "\n")
		for _, form := range sortedKeys(forms, strings.Compare) {
			for i, backend := range []string{"sortedslice", "paged"} {
				x := forms[form]
				jitter := 1 + 0.01*float64((block*7+i*3+len(form))%5)
				b.WriteString("BenchmarkSerialize/doc=small/backend=" + backend + "/form=" + form + "-2 1 " + ftoa(x[0]*jitter) + " ns/op " + ftoa(x[2]) + " serialized-bytes\n")
				b.WriteString("BenchmarkDeserialize/doc=small/backend=" + backend + "/form=" + form + "-2 1 " + ftoa(x[1]*jitter) + " ns/op\n")
			}
		}
	}
	return b.String()
}

func TestFormVerdict(t *testing.T) {
	forms := map[string][3]float64{"v3": {100, 100, 1000}, "v3-gzip": {2000, 500, 700}, "compact": {120, 110, 300}}
	o := DefaultOptions
	c, err := Choose(mustRead(t, formFile(8, forms)), o)
	if err != nil {
		t.Fatal(err)
	}
	if c.Form.Outcome != Wins || c.Form.Choice != "compact" || len(c.Form.Scores[0].Parts) != 3 {
		t.Errorf("%s", c.Form.Sentence)
	}
	a := c.Answer("x")
	if a.Form == nil || *a.Form != "compact" || a.FormVerdict != Wins || len(a.FormEvidence) == 0 {
		t.Errorf("answer %s", mustJSON(t, a))
	}
	o.Weights.Size = 0
	if c, _ := Choose(mustRead(t, formFile(8, forms)), o); c.Form.Choice != "v3" {
		t.Errorf("without size: %s", c.Form.Sentence)
	}
	// Nothing of the forms but v3 weighs on the backend.
	for _, w := range c.Backend.Benchmarks {
		if !strings.Contains(w.Name, "form=v3 ") {
			t.Errorf("%s counts for the backend", w.Name)
		}
	}
}
