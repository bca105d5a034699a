package compare

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

func mustTabulate(t *testing.T, s *Set, opts TableOptions) []Table {
	t.Helper()
	tables, err := Tabulate(s, opts, DefaultOptions)
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

func (t *Table) cell(row, col string) *Cell {
	i := slices.IndexFunc(t.Rows, func(h Heading) bool { return h.Label == row })
	j := slices.IndexFunc(t.Cols, func(h Heading) bool { return h.Label == col })
	if i < 0 || j < 0 {
		return nil
	}
	return t.Cells[i][j]
}

func TestTableAgainstBestAndNamedBase(t *testing.T) {
	f := defaultFixture()
	f.twin, f.backends = "sortedslice", append(f.backends, "null")
	f.factor = func(_, _, b string) float64 {
		return map[string]float64{"sortedslice": 1, "btreegoogle": 1.5, "paged": 1.01, "null": 0.1}[b]
	}
	s := f.set(t)
	tables := mustTabulate(t, s, TableOptions{})
	if len(tables) != 1 {
		t.Fatalf("%d tables", len(tables))
	}
	tb := &tables[0]
	if tb.Base != -1 || tb.BaseKind != BaseBest || tb.Unit != UnitTime || tb.Better != -1 {
		t.Errorf("base %d %s, %s", tb.Base, tb.BaseKind, tb.Unit)
	}
	var labels []string
	for _, c := range tb.Cols {
		labels = append(labels, c.Label+":"+string(c.Role))
	}
	if got := strings.Join(labels, " "); got != "btreegoogle:candidate paged:candidate sortedslice:candidate sortedslice twin:twin null:control" {
		t.Errorf("columns %s", got)
	}
	c := tb.cell("Decompress sessions", "btreegoogle")
	if c == nil || c.Mark != Worse || math.Abs(float64(c.Ratio)-1.5) > 0.1 || c.N != 10 || !c.Interval.Known() || !c.RatioInterval.Known() {
		t.Errorf("btreegoogle: %+v", c)
	}
	if best := tb.cell("Decompress sessions", "null"); best.Best || best.Mark != Better {
		t.Errorf("a control is the row's best: %+v", best)
	}
	named := mustTabulate(t, s, TableOptions{Base: "btreegoogle"})[0]
	if c := named.cell("Decompress sessions", "sortedslice"); named.BaseKind != BaseNamed || c.Mark != Better || math.Abs(float64(c.Ratio)-1/1.5) > 0.1 {
		t.Errorf("against btreegoogle: %+v", c)
	}
	if _, err := Tabulate(s, TableOptions{Base: "nobody"}, DefaultOptions); err == nil {
		t.Error("a base that is no column is accepted")
	}
}

// The base column is never whichever came first: the same samples in another
// order give the same table.
func TestTableDoesNotDependOnTheOrderOfResults(t *testing.T) {
	f := defaultFixture()
	a := mustTabulate(t, f.set(t), TableOptions{})
	lines := strings.Split(strings.TrimSpace(f.String()), "\n")
	var out []string
	for i := 0; i < len(lines); {
		j := i
		for j < len(lines) && strings.HasPrefix(lines[j], "Benchmark") {
			j++
		}
		if j == i {
			out = append(out, lines[i])
			i++
			continue
		}
		block := slices.Clone(lines[i:j])
		slices.Reverse(block)
		out, i = append(out, block...), j
	}
	b := mustTabulate(t, mustRead(t, strings.Join(out, "\n")+"\n"), TableOptions{})
	if string(mustJSON(t, a)) != string(mustJSON(t, b)) {
		t.Error("the order of a file changes its table")
	}
}

// A unit without a direction has its first column as base, and says so.
func TestTableSaysWhenTheBaseIsTheFirst(t *testing.T) {
	s := mustRead(t, "BenchmarkA/doc=b/backend=c 1 1 ns/op 2 things\nBenchmarkA/doc=b/backend=d 1 1 ns/op 3 things\n")
	tb := mustTabulate(t, s, TableOptions{Units: []string{"things"}})[0]
	if tb.BaseKind != BaseFirst || tb.Base != 0 || len(tb.Warnings) == 0 {
		t.Errorf("%+v", tb)
	}
}

func TestTableProjections(t *testing.T) {
	s := defaultFixture().set(t)
	byDoc := mustTabulate(t, s, TableOptions{Row: "/doc", Col: "/backend"})
	if len(byDoc) != 3 || byDoc[0].Title != "sec/op, Decompress" || len(byDoc[0].Rows) != 2 {
		t.Errorf("%d tables, the first %q", len(byDoc), byDoc[0].Title)
	}
	filtered := mustTabulate(t, s, TableOptions{Row: ".name", Col: "/backend", Filter: "/doc:small", Units: []string{"ns/op"}})
	if len(filtered) != 1 || len(filtered[0].Rows) != 3 || filtered[0].Shared[0].Value != "small" {
		t.Errorf("filtered: %+v", filtered[0])
	}
	fixed := mustTabulate(t, s, TableOptions{Col: "/backend@(paged sortedslice)"})
	if len(fixed[0].Cols) != 2 || fixed[0].Cols[0].Label != "paged" {
		t.Errorf("fixed order: %+v", fixed[0].Cols)
	}
	for _, bad := range []TableOptions{{Row: "/doc@nonsense"}, {Col: ","}, {Filter: "(("}, {Filter: "/doc:none"}} {
		var o *OptionError
		if _, err := Tabulate(s, bad, DefaultOptions); !errors.As(err, &o) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// Different cpu: lines never split or mix in silence; only asked for as a
// column are they compared.
func TestMixedEnvironmentsInTables(t *testing.T) {
	a, b := defaultFixture(), defaultFixture()
	b.header = replaced(b.header, "cpu: Another CPU")
	s := mustRead(t, a.String()+b.String())
	if _, err := Tabulate(s, TableOptions{}, DefaultOptions); !errors.Is(err, ErrMixed) {
		t.Errorf("mixed: %v", err)
	}
	if _, err := BuildReport(s, ReportOptions{Options: DefaultOptions}); !errors.Is(err, ErrMixed) {
		t.Errorf("mixed report: %v", err)
	}
	tables, err := Tabulate(s, TableOptions{Col: "cpu", Row: ".fullname"}, DefaultOptions)
	if err != nil || len(tables[0].Cols) != 2 {
		t.Errorf("by cpu: %v", err)
	}
	r, err := BuildReport(s, ReportOptions{Options: DefaultOptions, Table: TableOptions{Col: "cpu"}})
	if err != nil || len(r.Tables) == 0 || r.Choice != nil || len(r.Warnings) == 0 {
		t.Errorf("a report by cpu: %v", err)
	}
}

func TestTableAllocsFromZero(t *testing.T) {
	f := defaultFixture()
	f.allocs = func(_, _, b string) float64 { return map[string]float64{"paged": 1}[b] }
	for _, tb := range mustTabulate(t, f.set(t), TableOptions{Units: []string{"allocs/op"}, Base: "sortedslice"}) {
		c := tb.cell("Generate small", "paged")
		if c.Mark != Worse || c.Delta != 1 || c.Ratio.Known() || c.Center != 1 {
			t.Errorf("0 to 1: %+v", c)
		}
		if g := tb.Geomean[0]; g.Center.Known() {
			t.Errorf("a geometric mean over zeros: %+v", g)
		}
	}
}

func TestGeomeanOnlyOverTheCommonSet(t *testing.T) {
	f := defaultFixture()
	f.noise, f.shared = 0.001, 0.001
	f.backends = append(f.backends, "closemap")
	f.factor = slower("btreegoogle", 2)
	f.skip = func(op, doc, b string, _ int) bool {
		return b == "paged" && op == "Recompress" || b == "closemap" && op != "Generate"
	}
	tb := mustTabulate(t, f.set(t), TableOptions{Base: "sortedslice"})[0]
	for j, g := range tb.Geomean {
		switch name := tb.Cols[j].Label; name {
		case "closemap":
			if g.Center.Known() || g.Ratio.Known() {
				t.Errorf("closemap misses rows and has a mean: %+v", g)
			}
		default:
			if g.Rows != 4 || len(g.LeftOut) != 2 || !g.Ratio.Known() {
				t.Errorf("%s: %+v", name, g)
			}
			if name == "btreegoogle" && math.Abs(float64(g.Ratio)-2) > 0.01 {
				t.Errorf("btreegoogle is %v times the base", g.Ratio)
			}
		}
	}
	if len(tb.Warnings) == 0 {
		t.Error("the left-out rows are not warned of")
	}
}

func TestSelfTest(t *testing.T) {
	f := defaultFixture()
	f.blocks, f.noise, f.shared = 10, 0.05, 0.05
	f.twin = "sortedslice"
	f.docs = []string{"a", "b", "c", "d", "e", "f", "g"}
	aa, err := SelfTest(f.set(t), DefaultOptions)
	if err != nil || !aa.Passed || aa.Comparisons != 21 || len(aa.Cases) != 1 || len(aa.Worst) != 10 {
		t.Errorf("equal twins: %v, %s", err, mustJSON(t, aa))
	}
	// A twin that is not one.
	text := f.String()
	var out []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, "/aa=twin") {
			line = strings.Replace(line, " \t 1000 \t ", " \t 1000 \t 1", 1) // 20 becomes 120
		}
		out = append(out, line)
	}
	if aa, err = SelfTest(mustRead(t, strings.Join(out, "")), DefaultOptions); err != nil || aa.Passed || aa.Different < 20 {
		t.Errorf("unequal twins: %v, %s", err, mustJSON(t, aa))
	}
	f.twin = ""
	if aa, err = SelfTest(f.set(t), DefaultOptions); err != nil || aa.Passed {
		t.Errorf("no twins: %v, passed %v", err, aa.Passed)
	}
	f.twin, f.blocks = "sortedslice", 3
	if aa, err = SelfTest(f.set(t), DefaultOptions); err != nil || aa.Passed {
		t.Errorf("three blocks: %v, passed %v", err, aa.Passed)
	}
}

// sweep is a run over sizes: "flat" costs the same everywhere, "steep" grows as
// the root, and they change places at 10,000.
func sweep() (fixture, map[string]float64) {
	f := defaultFixture()
	f.backends, f.ops = []string{"flat", "steep"}, []string{"Decompress", "Generate"}
	f.docs = []string{"d0", "d1", "d2", "d3"}
	sizes := map[string]float64{"d0": 100, "d1": 1000, "d2": 100000, "d3": 1000000}
	f.factor = func(op, doc, b string) float64 {
		x := math.Pow(3, -float64(slices.Index([]string{"d0", "d1", "d2", "d3"}, doc))) // undo the fixture's growth
		if op == "Generate" {
			if b == "flat" {
				return 3 * x
			}
			return x
		}
		if b == "steep" {
			return x * math.Sqrt(sizes[doc]/10000)
		}
		return x
	}
	return f, sizes
}

func TestCrossoverAlongSize(t *testing.T) {
	f, sizes := sweep()
	r, err := BuildReport(f.set(t), ReportOptions{Options: DefaultOptions, Sizes: sizes, SizeAxis: "clusters"})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Crossovers, func(c Crossover) bool { return c.Axis == "clusters" && c.Benchmark == "Decompress" })
	if i < 0 {
		t.Fatalf("none in %+v", r.Crossovers)
	}
	c := r.Crossovers[i]
	if c.Below != "steep" || c.Above != "flat" || !c.Decided || c.Interval.Low > 10000 || c.Interval.High < 10000 || c.Interval.Low < 8000 || c.Interval.High > 12000 {
		t.Errorf("%+v", c)
	}
	i = slices.IndexFunc(r.Crossovers, func(c Crossover) bool { return c.Axis == "clusters" && c.Benchmark == "Generate" })
	if c := r.Crossovers[i]; c.At.Known() || c.Below != "steep" || !c.Decided || c.From != 100 || c.To != 1000000 {
		t.Errorf("Generate: %+v", c)
	}
}

func TestGrowthExponent(t *testing.T) {
	f, sizes := sweep()
	r, err := BuildReport(f.set(t), ReportOptions{Options: DefaultOptions, Sizes: sizes, SizeAxis: "clusters"})
	if err != nil {
		t.Fatal(err)
	}
	for _, sc := range r.Scaling {
		for _, series := range sc.Series {
			want := 0.0
			if sc.Benchmark == "Decompress" && series.Name == "steep" {
				want = 0.5
			}
			g := series.Growth
			if g == nil || g.Sizes != 4 || math.Abs(g.Exponent-want) > 0.02 || g.Interval.Low > Float(want) || g.Interval.High < Float(want) {
				t.Errorf("%s of %s grows as %+v, want %v", sc.Benchmark, series.Name, g, want)
			}
		}
	}
}

func TestCrossoverAlongMixAndMap(t *testing.T) {
	f, sizes := sweep()
	s := f.set(t)
	mixes := [][2]string{{"Generate", "Decompress"}}
	r, err := BuildReport(s, ReportOptions{Options: DefaultOptions, Sizes: sizes, SizeAxis: "clusters", Mixes: mixes})
	if err != nil {
		t.Fatal(err)
	}
	// At a million: Generate favours steep by 3, Decompress flat by 10.
	want := math.Log(3) / (math.Log(3) + math.Log(10))
	i := slices.IndexFunc(r.Crossovers, func(c Crossover) bool {
		return c.Axis == "share of Decompress" && strings.HasSuffix(c.Benchmark, " d3")
	})
	c := r.Crossovers[i]
	if c.Below != "steep" || c.Above != "flat" || !c.Decided || math.Abs(float64(c.At)-want) > 0.02 || c.Interval.Low > Float(want)+0.02 {
		t.Errorf("%+v, want %v", c, want)
	}
	if len(r.Maps) != 1 || len(r.Maps[0].Cells) != len(r.Maps[0].Y) {
		t.Fatalf("%d maps", len(r.Maps))
	}
	m := r.Maps[0]
	corner := func(y, x int) WinCell { return m.Cells[y][x] }
	last := len(m.X) - 1
	if a, b := corner(0, last), corner(len(m.Y)-1, last); a.Winner != "steep" || b.Winner != "flat" || !a.Decided || !b.Decided {
		t.Errorf("corners %+v and %+v", a, b)
	}
	undecided := 0
	for _, row := range m.Cells {
		for _, cell := range row {
			if !cell.Decided {
				undecided++
			}
		}
	}
	if undecided == len(m.X)*len(m.Y) {
		t.Error("nothing is decided")
	}
	// The verdict with the same shares says what the map says.
	o := DefaultOptions
	for _, share := range []float64{0.1, 0.9} {
		o.Shares = map[string]float64{"Generate": 1 - share, "Decompress": share}
		v, err := Choose(mustRead(t, f.only("d3")), o)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Cells[int(math.Round(share*float64(len(m.Y)-1)))][last].Winner; got != v.Backend.Leader {
			t.Errorf("share %v: the map says %s, the verdict %s", share, got, v.Backend.Leader)
		}
	}
}

// only is the fixture of one document.
func (f fixture) only(doc string) string {
	f.skip = func(_, d, _ string, _ int) bool { return d != doc }
	return f.String()
}

// One backend ahead all along an axis: no crossover is made up.
func TestNoCrossoverIsSaid(t *testing.T) {
	f, sizes := sweep()
	f.factor = slower("steep", 1.5)
	r, err := BuildReport(f.set(t), ReportOptions{Options: DefaultOptions, Sizes: sizes, SizeAxis: "clusters"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Crossovers {
		if c.At.Known() || c.Below != "flat" {
			t.Errorf("%s", c.Sentence)
		}
	}
	f.factor, f.noise = nil, 0.05
	r, err = BuildReport(f.set(t), ReportOptions{Options: DefaultOptions, Sizes: sizes, SizeAxis: "clusters"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Crossovers {
		if c.Decided {
			t.Errorf("equal backends: %s", c.Sentence)
		}
	}
}

func TestPareto(t *testing.T) {
	f := defaultFixture()
	f.ops = append(f.ops, "Build")
	f.backends = []string{"fast", "small", "bad", "null"}
	f.factor = func(_, _, b string) float64 {
		return map[string]float64{"fast": 1, "small": 2, "bad": 3, "null": 0.1}[b]
	}
	f.memory = func(_, b string) float64 {
		return map[string]float64{"fast": 3000, "small": 1000, "bad": 2000, "null": 10}[b]
	}
	r, err := BuildReport(f.set(t), ReportOptions{Options: DefaultOptions})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Pareto) != 1 || len(r.Pareto[0].Points) != 4 {
		t.Fatalf("%+v", r.Pareto)
	}
	for _, p := range r.Pareto[0].Points {
		if want := p.Name == "fast" || p.Name == "small"; p.Front != want {
			t.Errorf("%s on the front: %v", p.Name, p.Front)
		}
		if !p.XInterval.Known() || p.XInterval.Low > Float(p.X) || p.XInterval.High < Float(p.X) {
			t.Errorf("%s: %v in %v", p.Name, p.X, p.XInterval)
		}
	}
	r, err = BuildReport(mustRead(t, formFile(8, map[string][3]float64{"v3": {100, 100, 1000}, "compact": {120, 110, 300}})), ReportOptions{Options: DefaultOptions})
	if err != nil || len(r.Pareto) != 2 {
		t.Errorf("%v, %d charts of the forms", err, len(r.Pareto))
	}
}

func TestReportIsWhole(t *testing.T) {
	f, sizes := sweep()
	f.twin, f.probe = "flat", 0.03
	f.backends = append(f.backends, "null", "v8-map")
	o := ReportOptions{Options: DefaultOptions, Title: "a report", Verdict: true, Sizes: sizes, SizeAxis: "clusters",
		Environment: []Setting{{"load", "0.5"}}, Commands: []ReproducedBy{{"all", "idlab choose"}}}
	o.Default = "flat"
	r, err := BuildReport(f.set(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Choice == nil || r.AA == nil || len(r.HeatMaps) != 1 || len(r.Tables) != 1 || len(r.Scaling) != 2 || len(r.Crossovers) == 0 || len(r.Maps) != 1 || len(r.Peers) != 3 || len(r.Biases) == 0 {
		t.Errorf("%s", mustJSON(t, r))
	}
	if r.Tables[0].BaseKind != BaseNamed || r.Tables[0].Cols[r.Tables[0].Base].Label != "flat" {
		t.Errorf("base %+v", r.Tables[0].Base)
	}
	for i, row := range r.HeatMaps[0].Ratio {
		for j, v := range row {
			if r.HeatMaps[0].Cols[j].Role == Candidate && v < 0.999 {
				t.Errorf("row %d: %v is better than the best", i, v)
			}
		}
	}
	if r.Environment[len(r.Environment)-1].Key != "load" || r.Environment[0].Key != "cpu" {
		t.Errorf("environment %v", r.Environment)
	}
	var back Report
	if err := json.Unmarshal(mustJSON(t, r), &back); err != nil {
		t.Fatal(err)
	}
	if string(mustJSON(t, back)) != string(mustJSON(t, r)) {
		t.Error("a report does not survive JSON")
	}
}

func TestTooFastIsWarnedOf(t *testing.T) {
	f := defaultFixture()
	f.factor = func(op, _, _ string) float64 {
		if op == "Generate" {
			return 0.01
		}
		return 1
	}
	r := mustReport(t, f)
	if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "dead code") }) {
		t.Errorf("warnings %v", r.Warnings)
	}
}
