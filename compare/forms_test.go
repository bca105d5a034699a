package compare

import (
	"fmt"
	"strings"
	"testing"
)

// A form that only one of the backends was measured with, and on one of the
// documents, is compared there, and not left out.
func TestFormsAreComparedWhereAllWereMeasured(t *testing.T) {
	var b strings.Builder
	for block := range 10 {
		fmt.Fprintf(&b, "plan: p\nblock: %d\n\n", block)
		for _, x := range []struct {
			doc, backend, form string
			encode, decode     int
			size               int
		}{
			{"small", "paged", "v3", 1000, 1000, 1000}, {"small", "sortedslice", "v3", 1000, 1000, 1000},
			{"large", "paged", "v3", 9000, 9000, 9000}, {"small", "paged", "compact", 500, 500, 200},
		} {
			jitter := block % 3
			fmt.Fprintf(&b, "BenchmarkSerialize/doc=%s/backend=%s/form=%s 1 %d ns/op %d serialized-bytes\n", x.doc, x.backend, x.form, x.encode+jitter, x.size)
			fmt.Fprintf(&b, "BenchmarkDeserialize/doc=%s/backend=%s/form=%s 1 %d ns/op\n", x.doc, x.backend, x.form, x.decode+jitter)
		}
	}
	set, err := ReadFrom(Input{Name: "samples", Reader: strings.NewReader(b.String())})
	if err != nil {
		t.Fatal(err)
	}
	choice, err := Choose(set, DefaultOptions)
	if err != nil {
		t.Fatal(err)
	}
	if v := choice.Form; v.Outcome != Wins || v.Choice != "compact" || len(v.LeftOut) != 0 {
		t.Errorf("%s (left out: %+v)", v.Sentence, v.LeftOut)
	}
}
