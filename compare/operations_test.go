package compare

import (
	"math"
	"slices"
	"testing"
)

// Over its documents an operation's ratio is the geometric mean: twice as slow
// on one and twice as fast on the other is equal, and is not told apart.
func TestOperations(t *testing.T) {
	f := defaultFixture()
	f.noise, f.shared, f.twin = 0.01, 0.02, "paged"
	f.backends = append(f.backends, "null")
	f.factor = func(op, doc, backend string) float64 {
		switch {
		case backend == "null":
			return 0.25
		case backend == "btreegoogle":
			return 1.5
		case backend == "sortedslice" && doc == "small":
			return 2
		case backend == "sortedslice":
			return 0.5
		}
		return 1
	}
	f.skip = func(op, doc, backend string, _ int) bool {
		// Only one backend has it, and only one document: neither may leave a trace in others' rows.
		return op == "Recompress" && backend != "paged" || op == "Generate" && doc == "small"
	}
	r, err := BuildReport(f.set(t), ReportOptions{Options: DefaultOptions})
	if err != nil {
		t.Fatal(err)
	}
	h := r.Operations
	if h == nil || !slices.Equal(h.Rows, []string{"Decompress (2)", "Generate (1)"}) {
		t.Fatalf("operations %+v", h)
	}
	want := map[string][2]float64{"paged": {1, 2}, "sortedslice": {1, 1}, "btreegoogle": {1.5, 3}, "null": {0.25, 0.5}, "paged (twin)": {1, 2}}
	for j, col := range h.Cols {
		for i := range h.Rows {
			if got := float64(h.Ratio[i][j]); math.Abs(math.Log(got/want[col.Label][i])) > 0.03 {
				t.Errorf("%s, %s: %v, want %v", h.Rows[i], col.Label, got, want[col.Label][i])
			}
			isClose := want[col.Label][i] == 1 && h.Ratio[i][j] != 1
			if col.Role == Candidate && h.Unclear[i][j] != isClose {
				t.Errorf("%s, %s: told apart: %v", h.Rows[i], col.Label, !h.Unclear[i][j])
			}
		}
	}
	f.docs, f.skip = f.docs[:1], nil
	if r, err = BuildReport(f.set(t), ReportOptions{Options: DefaultOptions}); err != nil || r.Operations != nil {
		t.Errorf("one document: %+v, %v", r.Operations, err)
	}
}
