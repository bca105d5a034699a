package report

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/idlab/compare"
)

var update = flag.Bool("update", false, "write the golden files anew")

func render(t testing.TB, format string, r *compare.Report, o Options) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, format, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for _, format := range []string{"text", "markdown", "csv", "json"} {
		t.Run(format, func(t *testing.T) {
			got := render(t, format, small(), Options{Width: 100, Bounds: map[string]float64{"Decompress": 120000, "Generate": 125000}})
			name := filepath.Join("testdata", "small."+format)
			if *update {
				if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s differs (-want +got); go test -update, and look at the change:\n%s", name, diff)
			}
		})
	}
}

func TestTextKeepsToTheWidth(t *testing.T) {
	t.Parallel()
	r := built(t)
	for _, width := range []int{80, 120, 200} {
		for l := range strings.Lines(render(t, "text", r, Options{Width: width})) {
			if n := len([]rune(strings.TrimRight(l, "\n"))); n > width && !strings.Contains(l, "idlab ") {
				t.Errorf("width %d: %d columns in %q", width, n, l)
			}
		}
	}
}

func TestTextColoursOnlyWhenAsked(t *testing.T) {
	if s := render(t, "text", small(), Options{}); strings.Contains(s, "\x1b") {
		t.Error("an escape sequence without Color")
	}
	plain := render(t, "text", small(), Options{Width: 100})
	s := render(t, "text", small(), Options{Width: 100, Color: true})
	if !strings.Contains(s, "\x1b[94m▲ 0.61×") {
		t.Error("better is not coloured")
	}
	for _, seq := range []string{"\x1b[94m", "\x1b[33m", "\x1b[2m", "\x1b[1m", "\x1b[0m"} {
		s = strings.ReplaceAll(s, seq, "")
	}
	if s != plain {
		t.Error("colours change more than colours")
	}
}

func TestFormats(t *testing.T) {
	var unknown *FormatError
	if err := Write(nil, "docx", small(), Options{}); !errors.As(err, &unknown) || unknown.Name != "docx" || !strings.Contains(err.Error(), "markdown") {
		t.Errorf("an unknown format: %v", err)
	}
	for _, f := range Formats {
		if f.About == "" {
			t.Errorf("%s says nothing of itself", f.Name)
		}
		if err := Write(failing{}, f.Name, small(), Options{}); !errors.Is(err, errFull) {
			t.Errorf("%s: the writer's error is lost: %v", f.Name, err)
		}
	}
}

var errFull = errors.New("disk full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestSections(t *testing.T) {
	s := render(t, "markdown", small(), Options{Sections: []string{"noise", "tables"}})
	if strings.Count(s, "\n## ") != 2 || !strings.Contains(s, "## All figures") || strings.Contains(s, "Verdict") {
		t.Errorf("other sections than asked for:\n%s", s)
	}
	var b strings.Builder
	if err := WriteTable(&b, "text", "a title", small().Tables[:1], Options{}); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); !strings.HasPrefix(s, "a title\n") || strings.Contains(s, "NOISE") || !strings.Contains(s, "33.0 ns ±3 % ★ ▲ 0.61×") {
		t.Errorf("tables alone:\n%s", s)
	}
}

// Whatever is missing is left out: no heading without a content, no NaN.
func TestMissingParts(t *testing.T) {
	nan := func() *compare.Report {
		r := small()
		unset := compare.Interval{Low: unknown, High: unknown}
		for _, row := range r.Tables[0].Cells {
			for _, c := range row {
				if c != nil {
					c.Interval, c.Ratio, c.RatioInterval, c.Delta, c.P = unset, unknown, unset, unknown, unknown
				}
			}
		}
		for i := range r.Choice.Backend.Evidence {
			e := &r.Choice.Backend.Evidence[i]
			e.Ratio, e.Low, e.High, e.P = unknown, unknown, unknown, unknown
		}
		r.Choice.Backend.WinsBy = unset
		r.Pareto[0].Points[0].XInterval, r.Scaling[0].Series[0].Points[0].Interval = unset, unset
		r.Noise.Twin, r.AA.Cases[0].Ratio, r.AA.Cases[0].Interval = unknown, unknown, unset
		return r
	}
	one := func() *compare.Report {
		r := small()
		t := &r.Tables[0]
		t.Cols, t.Base, t.Geomean = t.Cols[:1], 0, nil
		for i := range t.Cells {
			t.Cells[i] = t.Cells[i][:1]
		}
		h := &r.HeatMaps[0]
		h.Cols = h.Cols[:1]
		r.Choice.Backend = compare.Verdict{Question: "backend", Outcome: compare.Undecided, Leader: "paged", Sentence: "undecided: only paged was measured"}
		r.Scaling[0].Series = r.Scaling[0].Series[:1]
		r.Pareto[0].Points = r.Pareto[0].Points[:1]
		return r
	}
	ragged := func() *compare.Report { // made by hand, or by an older version
		r := small()
		r.Tables[0].Base = 9
		r.Tables[0].Cells = r.Tables[0].Cells[:1]
		r.Tables[0].Geomean = r.Tables[0].Geomean[:1]
		r.HeatMaps[0].Ratio = r.HeatMaps[0].Ratio[:1]
		r.HeatMaps[0].Unclear = nil
		r.Maps[0].Cells = append(r.Maps[0].Cells, r.Maps[0].Cells[0][:1])
		r.Maps = append(r.Maps, compare.WinMap{Title: "empty map"}, compare.WinMap{X: []float64{5}, Y: []float64{0.5}, Cells: [][]compare.WinCell{{{Winner: "paged"}}}})
		r.Scaling = append(r.Scaling, compare.Scaling{Benchmark: "none"})
		r.Pareto = append(r.Pareto, compare.Pareto{Title: "none"}, compare.Pareto{Points: []compare.ParetoPoint{{Name: "zero"}}})
		return r
	}
	for name, r := range map[string]*compare.Report{"empty": {}, "unknown": nan(), "one": one(), "ragged": ragged(), "small": small()} {
		for _, f := range Formats {
			s := render(t, f.Name, r, Options{Width: 100})
			if strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
				t.Errorf("%s as %s prints a number that is none", name, f.Name)
			}
			if f.Name == "html" {
				checkPage(t, s)
			}
		}
	}
	if s := render(t, "html", &compare.Report{}, Options{}); !strings.Contains(s, "nothing to report") || strings.Contains(s, "<section") {
		t.Error("an empty report has sections")
	}
}
