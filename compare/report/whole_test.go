package report

import (
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/idlab/compare"
)

// unseen are fields whose change a reader does not see, and why.
var unseen = map[string]string{
	".Choice.Noise.Probe":  "the report's own noise is shown",
	".Choice.Noise.Twin":   "the report's own noise is shown",
	".Choice.Noise.Spread": "the report's own noise is shown",
	".Choice.Noise.Level":  "the report's own noise is shown",

	".Choice.Backend.WinsBy.Confidence":               "the verdict’s confidence is said once",
	".Choice.Backend.Sensitivity.Interval.Confidence": "the verdict’s confidence is said once",
	".Scaling.Series.Points.Interval.Confidence":      "whiskers are as the tables’ intervals, which say it",
	".Tables.Cells.RatioInterval.Confidence":          "the figure’s own interval says it",

	".Tables.Shared.Key":        "the values say it, as in compare's own titles",
	".Tables.Cols.Keys.Key":     "labels hold the values",
	".Tables.Cols.Keys.Value":   "labels hold the values",
	".Tables.Rows.Keys.Value":   "labels hold the values",
	".HeatMaps.Cols.Keys.Key":   "labels hold the values",
	".HeatMaps.Cols.Keys.Value": "labels hold the values",

	".Operations.Cols.Keys.Key":   "labels hold the values",
	".Operations.Cols.Keys.Value": "labels hold the values",
}

// Every field of a report is on the page: whichever is changed, the page is
// another. A field added to the model fails here until it is rendered.
func TestEveryFieldIsRendered(t *testing.T) {
	t.Parallel()
	o := Options{Bounds: bounds}
	before := both(t, small(), o)
	seen := make(map[string]bool)
	for path, index := range leaves(reflect.ValueOf(small()).Elem()) {
		if strings.HasPrefix(path, ".Choice.Form.") {
			continue // rendered by the same code as Backend
		}
		r := small()
		changed := false
		for _, at := range index { // any one of a slice's elements will do
			if !change(path, at(reflect.ValueOf(r).Elem())) {
				continue
			}
			// Text is of the same outline, and much faster to make.
			if changed = render(t, "text", r, o) != before.text || render(t, "html", r, o) != before.html; changed {
				break
			}
			r = small()
		}
		seen[path] = true
		if why, ok := unseen[path]; changed == ok {
			t.Errorf("%s: rendered %v, and %q", path, changed, why)
		}
	}
	for path := range unseen {
		if !seen[path] {
			t.Errorf("%s is no field, or small has none", path)
		}
	}
	for _, path := range empty(reflect.ValueOf(small()).Elem(), "") {
		t.Errorf("%s is empty in the sample", path)
	}
}

type renderings struct{ text, html string }

func both(t *testing.T, r *compare.Report, o Options) renderings {
	return renderings{render(t, "text", r, o), render(t, "html", r, o)}
}

type access = func(reflect.Value) reflect.Value

// leaves are the ways to each field's values, by the field's path without indices.
func leaves(v reflect.Value) map[string][]access {
	out := make(map[string][]access)
	var walk func(v reflect.Value, path string, at access)
	walk = func(v reflect.Value, path string, at access) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem(), path, func(r reflect.Value) reflect.Value { return at(r).Elem() })
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i), path, func(r reflect.Value) reflect.Value { return at(r).Index(i) })
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i), path+"."+v.Type().Field(i).Name, func(r reflect.Value) reflect.Value { return at(r).Field(i) })
			}
		default:
			out[path] = append(out[path], at)
		}
	}
	walk(v, "", func(r reflect.Value) reflect.Value { return r })
	return out
}

// change makes v another value; false when v is unset.
func change(path string, v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		switch {
		case strings.HasSuffix(path, "Unit"): // another that is formatted alike does not show
			v.SetString("widgets")
		case strings.HasSuffix(path, "BaseKind"):
			v.SetString(string(compare.BaseBest))
		default:
			v.SetString(v.String() + "Ω")
		}
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int:
		v.SetInt(v.Int() + 1)
	case reflect.Float64:
		if f := compare.Float(v.Float()); !f.Known() {
			return false
		}
		v.SetFloat(v.Float()*0.8 + 0.001)
	default:
		return false
	}
	return true
}

// empty are the fields of v that hold nothing anywhere.
func empty(v reflect.Value, path string) []string {
	filled, all := make(map[string]bool), []string{}
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		if path != "" {
			all = append(all, path)
			filled[path] = filled[path] || !v.IsZero()
		}
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem(), path)
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i), path)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i), path+"."+v.Type().Field(i).Name)
			}
		}
	}
	walk(v, path)
	var out []string
	for _, p := range all {
		if !filled[p] {
			out = append(out, p)
		}
	}
	return out
}

// walkStrings changes every string of a report but those that are enumerations.
func walkStrings(r *compare.Report, f func(string) string) {
	for path, index := range leaves(reflect.ValueOf(r).Elem()) {
		if regexp.MustCompile(`\.(Role|Mark|Outcome|Method|BaseKind|Unit|XUnit|YUnit|XLabel|YLabel|Question)$`).MatchString(path) {
			continue
		}
		for _, at := range index {
			if v := at(reflect.ValueOf(r).Elem()); v.Kind() == reflect.String {
				v.SetString(f(v.String()))
			}
		}
	}
}

// The text has all that is not a drawing.
func TestTextHasTheNames(t *testing.T) {
	s := render(t, "text", small(), Options{})
	for _, want := range []string{"closetable, it misses Generate", "slice would lead if the weight of memory, now 0.2, were raised to 1.7 (1.2 to 2.9)", "a verdict’s warning about form", "a self-test’s warning", "14,300 9,120 to 22,300", "Made-up CPU", "idlab compare --row .name samples.txt"} {
		if !strings.Contains(s, want) {
			t.Errorf("the text does not hold %q", want)
		}
	}
}

// Samples are anybody's, and so are their numbers: whatever they are, all
// renderings end, and none prints a number that is none.
// seeds of TestExtremeNumbers; raise it to look for more.
const seeds = 20

func TestExtremeNumbers(t *testing.T) {
	extremes := []float64{0, -1, 1, 1e-9, math.SmallestNonzeroFloat64, math.MaxFloat64, -math.MaxFloat64, 1e308, 1e15, 1e21, math.NaN(), math.Inf(1), math.Inf(-1), 1 + 1e-15}
	for seed := range seeds {
		rnd := rand.New(rand.NewPCG(3, uint64(seed)))
		r := small()
		all := leaves(reflect.ValueOf(r).Elem())
		for _, path := range slices.Sorted(maps.Keys(all)) { // in an order that can be repeated
			for _, at := range all[path] {
				v := at(reflect.ValueOf(r).Elem())
				switch {
				case v.Kind() == reflect.Float64 && seed < len(extremes):
					v.SetFloat(extremes[seed])
				case v.Kind() == reflect.Float64:
					v.SetFloat(extremes[rnd.IntN(len(extremes))])
				case v.Kind() == reflect.Int && !strings.HasSuffix(path, ".N"):
					v.SetInt([]int64{-1, 0, 1, math.MaxInt64}[rnd.IntN(4)])
				}
			}
		}
		if _, err := WriteSVGs(t.TempDir(), r, Options{Bounds: bounds}); err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"text", "markdown", "csv", "html"} {
			if s := render(t, format, r, Options{Width: 90, Bounds: map[string]float64{"Decompress": extremes[seed%len(extremes)], "Generate": 1}}); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
				i := max(strings.Index(s, "NaN"), strings.Index(s, "Inf"))
				t.Fatalf("seed %d, %s: …%s…", seed, format, s[max(0, i-200):min(len(s), i+20)])
			}
		}
	}
}

func TestBriefSectionsExist(t *testing.T) {
	for _, id := range Brief {
		if !slices.ContainsFunc(newOutline(small(), Options{}).Sections, func(s section) bool { return s.ID == id }) {
			t.Errorf("there is no section %q", id)
		}
	}
}
