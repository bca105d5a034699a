package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"example.com/idlab/compare"
)

func between(low, high float64) compare.Interval {
	return compare.Interval{Low: compare.Float(low), High: compare.Float(high), Confidence: 0.95}
}

// small is a report made by hand in which every field is set, and every text
// and number is its own, so that a golden file and the walk in whole_test.go
// can tell them apart.
func small() *compare.Report {
	cell := func(center float64, best bool, ratio float64, mark compare.Mark) *compare.Cell {
		return &compare.Cell{
			N: 8, Center: center, Interval: between(center*0.98, center*1.03), Best: best,
			Ratio: compare.Float(ratio), RatioInterval: between(ratio*0.97, ratio*1.02), Delta: compare.Float(center - center/ratio),
			P: 0.004, Method: compare.BySignFlip, Mark: mark, Warnings: []string{"cell warning"},
		}
	}
	heading := func(label string, role compare.Role) compare.Heading {
		return compare.Heading{Label: label, Keys: []compare.Setting{{Key: "/key", Value: label}}, Role: role}
	}
	cols := []compare.Heading{heading("paged", compare.Candidate), heading("slice", compare.Candidate), heading("null", compare.Control)}
	verdict := func(question, choice, rival string) compare.Verdict {
		return compare.Verdict{
			Question: question, Outcome: compare.Wins, Choice: choice, Leader: choice,
			Equivalent: []string{choice, rival}, TieBreak: "less of something",
			WinsBy: between(0.041, 0.093), MoreRounds: 3, Sentence: choice + " wins by 4.1..9.3 % over " + rival,
			Evidence: []compare.Evidence{
				{Against: rival, Metric: "score", Ratio: 1.07, Low: 1.041, High: 1.093, P: 0.016},
				{Against: rival, Metric: "speed", Ratio: 1.31, Low: 1.22, High: 1.44, P: 0.0004},
			},
			Scores: []compare.Score{
				{Name: choice, Score: 1.012, Best: 0.973, Lines: 412, Parts: []compare.ScorePart{{Name: "speed", Ratio: 1.012, Center: 3.21e-8, Unit: "sec/op"}}},
				{Name: rival, Score: 1.083, Best: 0.027, Lines: 187, Parts: []compare.ScorePart{{Name: "speed", Ratio: 1.083, Center: 4.56e-8, Unit: "sec/op"}}},
			},
			Sensitivity: []compare.Sensitivity{
				{Weight: "memory", Now: 0.2, At: 1.7, Interval: between(1.2, 2.9), Becomes: rival, Up: true},
				{Weight: "memory", Now: 0.2, At: unknown, Interval: compare.Interval{Low: unknown, High: unknown}},
			},
			LeftOut:    []compare.LeftOut{{Name: "closetable", Why: "it misses Generate"}},
			Weights:    []compare.Weight{{Name: "speed", Weight: 1}, {Name: "memory", Weight: 0.2}},
			Benchmarks: []compare.Weight{{Name: "Decompress sessions", Weight: 0.75}, {Name: "Generate sessions", Weight: 0.25}},
			Blocks:     8, Paired: true, Confidence: 0.95, Alpha: 0.05, Margin: 0.04, Warnings: []string{"a verdict’s warning about " + question},
		}
	}
	backend, form := verdict("backend", "paged", "slice"), verdict("form", "compact", "v3")
	form.Outcome = compare.Tie
	table := func(title, unit string) compare.Table {
		return compare.Table{
			Title: title, Shared: []compare.Setting{{Key: "/doc", Value: "sessions"}}, Unit: unit, Better: -1, Center: "median",
			RowKey: ".name", ColKey: "/backend", Rows: []compare.Heading{heading("Decompress", compare.Candidate), heading("Generate", compare.Candidate)}, Cols: cols,
			BaseKind: compare.BaseNamed, Base: 1,
			Cells: [][]*compare.Cell{
				{cell(3.3e-8, true, 0.61, compare.Better), cell(5.4e-8, false, 1, compare.NoMark), nil},
				{cell(7.77e-9, false, 1.02, compare.Equivalent), cell(7.6e-9, true, 1, compare.NoMark), cell(2.1e-9, false, 0.28, compare.Worse)},
			},
			Geomean: []compare.Geomean{{Center: 1.6e-8, Ratio: 0.79, Rows: 2, LeftOut: []string{"Build"}}, {Center: 2e-8, Ratio: 1, Rows: 2}, {Center: unknown, Ratio: unknown, Rows: 1}},
			Alpha:   0.05, Margin: 0.04, Comparisons: 3, Warnings: []string{"a table’s warning"}, Command: "idlab compare --row .name samples.txt",
		}
	}
	bytes := table("serialized-bytes, sessions", compare.UnitSize)
	bytes.Exact, bytes.Center, bytes.Command = true, "exact", ""
	for _, row := range bytes.Cells {
		for _, c := range row {
			if c != nil {
				c.Center, c.Delta, c.Interval = 1500000, -21, between(1500000, 1500000)
			}
		}
	}
	tail := table("p99.9-sec, sessions", "p99.9-sec")
	return &compare.Report{
		Title:  "Which backend to run",
		Choice: &compare.Choice{Backend: backend, Form: form, Noise: compare.Noise{Probe: 0.011, Twin: 0.012, Spread: 0.013, Level: 0.014}},
		AA: &compare.AA{
			Comparisons: 40, Different: 1, Corrected: 2, Significant: 3, Passed: true, Alpha: 0.05, Margin: 0.04,
			Cases:    []compare.AACase{{Backend: "slice", Ratio: 1.003, Interval: between(0.991, 1.015), P: 0.53, Mark: compare.Equivalent}},
			Worst:    []compare.AACell{{Benchmark: "Recompress sessions", Backend: "slice", Ratio: 1.09, Interval: between(0.98, 1.21), P: 0.11, Mark: compare.Unclear}},
			Warnings: []string{"a self-test’s warning"},
		},
		Operations: &compare.HeatMap{
			Title: "sec/op, geometric mean over documents", Unit: "sec/op", Rows: []string{"Decompress ids=remote (3)", "Generate (2)"}, Cols: cols,
			Ratio:   [][]compare.Float{{1, 1.71, 0.33}, {1.03, 1, unknown}},
			Unclear: [][]bool{{false, false, false}, {true, false, false}},
		},
		HeatMaps: []compare.HeatMap{{
			Title: "sec/op", Unit: "sec/op", Rows: []string{"Decompress sessions", "Generate sessions"}, Cols: cols,
			Ratio:   [][]compare.Float{{1, 1.64, unknown}, {1.02, 1, 0.28}},
			Unclear: [][]bool{{false, false, false}, {true, false, false}},
		}},
		Tables: []compare.Table{table("sec/op, sessions", "sec/op"), bytes, tail},
		Scaling: []compare.Scaling{{
			Benchmark: "Decompress ids=remote", Unit: "sec/op", Axis: "clusters",
			Series: []compare.Series{
				{Name: "paged", Role: compare.Candidate, Growth: &compare.GrowthExponent{Exponent: 0.12, Interval: between(0.07, 0.17), RSquared: 0.981, Sizes: 3},
					Points: []compare.ScalePoint{{Document: "small", Size: 300, Center: 2e-8, Interval: between(1.9e-8, 2.1e-8)}, {Document: "large", Size: 30000, Center: 4e-8, Interval: between(3.8e-8, 4.3e-8)}}},
				{Name: "null", Role: compare.Control, Points: []compare.ScalePoint{{Document: "small", Size: 300, Center: 2e-9, Interval: between(1.9e-9, 2.1e-9)}}},
			},
		}},
		Pareto: []compare.Pareto{
			{Title: "speed against memory", XLabel: "speed", YLabel: "memory", XUnit: "sec/op", YUnit: "inuse-bytes", Points: []compare.ParetoPoint{
				{Name: "paged", Role: compare.Candidate, X: 3e-8, Y: 4096, XInterval: between(2.8e-8, 3.3e-8), YInterval: between(4000, 4200), Front: true},
				{Name: "slice", Role: compare.Candidate, X: 6e-8, Y: 5120, XInterval: between(5.6e-8, 6.6e-8), YInterval: between(5120, 5120)},
				{Name: "null", Role: compare.Control, X: 1e-8, Y: 1024, XInterval: between(0.9e-8, 1.1e-8), YInterval: between(1024, 1024)},
			}},
			{Title: "size against time to write", XLabel: "size", YLabel: "encode", XUnit: "serialized-bytes", YUnit: "sec/op", Points: []compare.ParetoPoint{
				{Name: "compact", Role: compare.Candidate, X: 150000, Y: 0.002, XInterval: between(150000, 150000), YInterval: between(0.0018, 0.0022), Front: true},
				{Name: "v3", Role: compare.Candidate, X: 900000, Y: 0.001, XInterval: between(900000, 900000), YInterval: between(0.0009, 0.0012), Front: true},
			}},
		},
		Crossovers: []compare.Crossover{
			{Axis: "clusters", Benchmark: "Decompress", A: "paged", B: "slice", From: 300, To: 30000, At: 14297, Interval: between(9120, 22340), Below: "slice", Above: "paged", Decided: true, Sentence: "slice below, paged above 1.43e+04"},
			{Axis: "share of Decompress", Benchmark: "Generate : Decompress, sessions", A: "paged", B: "slice", From: 0, To: 1, At: unknown, Interval: compare.Interval{Low: unknown, High: unknown, Confidence: 0.95}, Below: "paged", Above: "paged", Decided: true, Sentence: "paged all along"},
		},
		Maps: []compare.WinMap{{
			Title: "Generate : Decompress", XAxis: "clusters", YAxis: "share of Decompress", X: []float64{300, 3000, 30000}, Y: []float64{0, 0.5, 1}, Points: []float64{300, 30000},
			Cells: [][]compare.WinCell{
				{{Winner: "slice", Share: 1, Decided: true}, {Winner: "slice", Share: 0.98, Decided: true}, {Winner: "slice", Share: 0.61, Among: []string{"paged"}}},
				{{Winner: "slice", Share: 0.97, Decided: true}, {Winner: "paged", Share: 0.55, Among: []string{"slice"}}, {Winner: "paged", Share: 0.99, Decided: true}},
				{{Winner: "paged", Share: 0.52, Among: []string{"slice"}}, {Winner: "paged", Share: 0.96, Decided: true}, {Winner: "paged", Share: 1, Decided: true}},
			},
		}},
		Environment: []compare.Setting{{Key: "cpu", Value: "Made-up CPU"}, {Key: "go", Value: "go1.26.8"}},
		Noise:       compare.Noise{Probe: 0.021, Twin: 0.022, Spread: 0.023, Level: 0.024},
		Peers:       []compare.LeftOut{{Name: "null", Why: "a control of the lab"}},
		Biases:      []string{"All figures are of one machine."},
		Commands:    []compare.ReproducedBy{{What: "this run", Command: "idlab choose --quick"}},
		Warnings:    []string{"a report’s warning"},
		Files:       []string{"it's samples.txt"},
	}
}

// samples are a made-up run of seven backends, a twin, a peer and a control
// over six sizes of document, with stored forms and latencies.
func samples() string {
	rnd := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("goos: linux\ngoarch: amd64\npkg: example.com/idlab/bench\ncpu: Made-up CPU\ngo: go1.26.8\ngomaxprocs: 2\n" +
		"Unit inuse-bytes better=lower assume=exact\nUnit serialized-bytes better=lower assume=exact\nUnit B/op better=lower assume=exact\nUnit allocs/op better=lower assume=exact\n" +
		"Unit p50-ns better=lower\nUnit p99-ns better=lower\nUnit p99.9-ns better=lower\nUnit max-ns better=lower\n")
	type subject struct {
		name              string
		generate, look, k float64 // ns, ns at 1000 clusters, growth exponent
		memory            float64 // bytes a cluster
	}
	subjects := []subject{
		{"sortedslice", 6, 60, 0.21, 40}, {"btreegoogle", 9, 85, 0.15, 62}, {"btreetidwall", 9.2, 78, 0.16, 66},
		{"paged", 8, 17, 0.02, 52}, {"closetable", 7, 24, 0.05, 71}, {"swissgo", 8.5, 26, 0.06, 96}, {"swissdolthub", 8.4, 31, 0.04, 88},
		{"sortedslice/aa=twin", 6, 60, 0.21, 40}, {"gomap", 12, 40, 0.08, 120}, {"null", 1.5, 3, 0, 1},
	}
	forms := []struct {
		name         string
		size         float64
		encode, read float64
	}{{"v3", 1, 1, 1}, {"v3-gzip", 0.55, 9, 3}, {"v3-zstd", 0.53, 2.1, 1.6}, {"compact", 0.49, 1.3, 1.2}}
	docs := []struct {
		name string
		size float64
	}{{"small", 300}, {"1000x1", 1000}, {"3000x1", 3000}, {"sessions", 30000}, {"clusters", 300000}, {"large", 3000000}}
	for block := range 8 {
		fmt.Fprintf(&b, "plan: p1\nblock: %d\nnoise: 0.021\n", block)
		common := rnd.NormFloat64() * 0.02
		for _, doc := range docs {
			for _, s := range subjects {
				line := func(op, variant string, ns float64, rest string) {
					fmt.Fprintf(&b, "Benchmark%s/doc=%s/backend=%s%s-2 1000 %.4f ns/op%s\n", op, doc.name, s.name, variant, ns*math.Exp(common+rnd.NormFloat64()*0.03), rest)
				}
				look := s.look * math.Pow(doc.size/1000, s.k)
				line("Generate", "/ids=eager", s.generate, " 0 B/op 0 allocs/op")
				line("Decompress", "/ids=random", look, " 0 B/op 0 allocs/op")
				line("Recompress", "/ids=random", 1.7*look+8, " 0 B/op 0 allocs/op")
				line("FinalizeRange", "/ids=known", 40+0.4*look, fmt.Sprintf(" %d B/op 1 allocs/op", int(s.memory)))
				line("NormalizeToSessionSpace", "/ids=remote", 14+0.3*look, " 0 B/op 0 allocs/op")
				line("Build", "", 30*doc.size+look, fmt.Sprintf(" %d inuse-bytes", int(s.memory*doc.size)))
				tail := math.Exp(rnd.NormFloat64() * 0.1)
				fmt.Fprintf(&b, "BenchmarkGenerate/doc=%s/backend=%s/as=tail-2 10000 %.3f ns/op %.1f p50-ns %.1f p99-ns %.1f p99.9-ns %.1f max-ns\n", doc.name, s.name, 60+s.generate, 60+s.generate, (200+s.look)*tail, (900+9*s.look)*tail, 4000*s.look*tail)
			}
			for _, s := range subjects {
				for _, f := range forms {
					if f.name != "v3" && s.name != "sortedslice" {
						continue // what a form costs does not depend on the backend
					}
					noise := func() float64 { return math.Exp(common + rnd.NormFloat64()*0.03) }
					name := fmt.Sprintf("doc=%s/backend=%s/form=%s-2 100", doc.name, s.name, f.name)
					fmt.Fprintf(&b, "BenchmarkSerialize/%s %.1f ns/op %d serialized-bytes\n", name, 3*f.encode*doc.size*noise(), int(17*f.size*doc.size))
					fmt.Fprintf(&b, "BenchmarkDeserialize/%s %.1f ns/op\n", name, 5*f.read*doc.size*noise())
				}
			}
		}
	}
	return b.String()
}

// built is a copy of the report of samples.
func built(t testing.TB) *compare.Report {
	t.Helper()
	r, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	return clean(r)
}

var buildOnce = sync.OnceValues(func() (*compare.Report, error) {
	set, err := compare.ReadFrom(compare.Input{Name: "samples.txt", Reader: strings.NewReader(samples())})
	if err != nil {
		return nil, err
	}
	o := compare.DefaultOptions
	o.Default, o.Draws = "sortedslice", 500
	r, err := compare.BuildReport(set, compare.ReportOptions{
		Options: o, Title: "Which backend to run", Verdict: true, SizeAxis: "clusters",
		Sizes:       map[string]float64{"small": 300, "1000x1": 1000, "3000x1": 3000, "sessions": 30000, "clusters": 300000, "large": 3000000},
		Mixes:       [][2]string{{"Generate ids=eager", "Decompress ids=random"}},
		Environment: []compare.Setting{{Key: "load at the start", Value: "0.31"}, {Key: "virtual machine", Value: "kvm"}},
		Commands:    []compare.ReproducedBy{{What: "this run", Command: "idlab choose --full --out results/latest"}},
	})
	return &r, err
})

// bounds are entropy bounds of the made-up documents.
var bounds = map[string]float64{"small": 2500, "1000x1": 8200, "3000x1": 24500, "sessions": 245000, "clusters": 2450000, "large": 24500000}
