package compare

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestMistakesOfOthers shows, for each mistake that lab.md lists of existing
// tools, that it is not made here.
func TestMistakesOfOthers(t *testing.T) {
	gate := func(t *testing.T, change func(base, next *fixture)) GateResult {
		base, next := gateFixture(), gateFixture()
		next.seed = 2
		change(&base, &next)
		return gateFiles(t, base.String(), next.String(), GateOptions{Options: DefaultOptions})
	}
	t.Run("a regression of 25 % exits 0", func(t *testing.T) {
		r := gate(t, func(_, n *fixture) { n.factor = slower("btreegoogle", 1.25) })
		if r.Status != GateRegression {
			t.Errorf("status %d: %s", r.Status, r.Sentence)
		}
	})
	t.Run("allocs 0 to 1 is a question mark", func(t *testing.T) {
		r := gate(t, func(b, n *fixture) {
			b.allocs = func(string, string, string) float64 { return 0 }
			n.allocs = func(string, string, string) float64 { return 1 }
		})
		if r.Status != GateRegression || !strings.Contains(regressions(r), "0 -> 1 (+1)") {
			t.Errorf("status %d: %s", r.Status, regressions(r))
		}
	})
	t.Run("a missing benchmark is a foot-note", func(t *testing.T) {
		r := gate(t, func(_, n *fixture) { n.docs = n.docs[:1] })
		if r.Status != GateCannotTell || len(r.Problems) == 0 {
			t.Errorf("status %d: %s", r.Status, r.Sentence)
		}
		f := defaultFixture()
		f.skip = func(op, _, b string, _ int) bool { return b == "paged" && op == "Generate" }
		if v := mustChoose(t, f, DefaultOptions).Backend; len(v.LeftOut) != 1 {
			t.Errorf("left out: %v", v.LeftOut)
		}
	})
	t.Run("different cpu lines split the table in silence", func(t *testing.T) {
		f := defaultFixture()
		f.header = replaced(f.header, "cpu: Another CPU")
		s := mustRead(t, defaultFixture().String()+f.String())
		_, inTable := Tabulate(s, TableOptions{}, DefaultOptions)
		_, inChoice := Choose(s, DefaultOptions)
		if !errors.Is(inTable, ErrMixed) || !errors.Is(inChoice, ErrMixed) {
			t.Errorf("table: %v; choice: %v", inTable, inChoice)
		}
	})
	t.Run("nothing parsed exits 0", func(t *testing.T) {
		for _, text := range []string{"", "\xff\xfeB\x00e\x00", "no figures here\n"} {
			if _, err := ReadFrom(Input{"f", strings.NewReader(text)}); err == nil {
				t.Errorf("%q is accepted", text)
			}
		}
	})
	t.Run("the base is whichever came first", func(t *testing.T) {
		f := defaultFixture()
		f.backends = []string{"zebra", "ant"}
		f.factor = slower("zebra", 2)
		tb := mustTabulate(t, f.set(t), TableOptions{})[0]
		if tb.BaseKind != BaseBest || tb.cell("Generate small", "ant").Ratio != 1 {
			t.Errorf("the base is %s, %d", tb.BaseKind, tb.Base)
		}
	})
	t.Run("geometric means over different sets", func(t *testing.T) {
		f := defaultFixture()
		f.noise, f.shared = 0.001, 0.001
		// paged lacks the benchmark in which everything is slow.
		f.skip = func(op, _, b string, _ int) bool { return b == "paged" && op == "Recompress" }
		tb := mustTabulate(t, f.set(t), TableOptions{Base: "sortedslice"})[0]
		i := slices.IndexFunc(tb.Cols, func(h Heading) bool { return h.Label == "paged" })
		if g := tb.Geomean[i]; g.Ratio < 0.99 || g.Ratio > 1.01 || g.Rows != 4 {
			t.Errorf("paged is as fast, and its mean says %+v", g)
		}
	})
	t.Run("identical code 13 % apart", func(t *testing.T) {
		r := gate(t, func(b, n *fixture) {
			b.noise, n.noise, b.probe, n.probe = 0.01, 0.01, 0.16, 0.05
			n.factor = func(string, string, string) float64 { return 1.13 }
		})
		if r.Status != GatePass || r.Margin < 0.16 {
			t.Errorf("status %d, margin %v", r.Status, r.Margin)
		}
	})
	t.Run("green means different", func(t *testing.T) {
		f := defaultFixture()
		f.factor = slower("paged", 2)
		tb := mustTabulate(t, f.set(t), TableOptions{Base: "sortedslice"})[0]
		if c := tb.cell("Generate small", "paged"); c.Mark != Worse {
			t.Errorf("twice as slow is %q", c.Mark)
		}
		tb = mustTabulate(t, f.set(t), TableOptions{Base: "paged"})[0]
		if c := tb.cell("Generate small", "sortedslice"); c.Mark != Better {
			t.Errorf("twice as fast is %q", c.Mark)
		}
	})
}
