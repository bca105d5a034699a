package report_test

import (
	"fmt"
	"os"
	"strings"

	"example.com/idlab/compare"
	"example.com/idlab/compare/report"
)

// Two backends, six blocks, as a table.
func ExampleWriteTable() {
	var file strings.Builder
	for block := range 6 {
		fmt.Fprintf(&file, "block: %d\n", block)
		fmt.Fprintf(&file, "BenchmarkDecompress/doc=small/backend=paged-2 1000 %d ns/op\n", 20+block%2)
		fmt.Fprintf(&file, "BenchmarkDecompress/doc=small/backend=sortedslice-2 1000 %d ns/op\n", 30+block%2)
	}
	set, err := compare.ReadFrom(compare.Input{Name: "samples.txt", Reader: strings.NewReader(file.String())})
	if err != nil {
		fmt.Println(err)
		return
	}
	tables, err := compare.Tabulate(set, compare.TableOptions{Base: "sortedslice"}, compare.DefaultOptions)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := report.WriteTable(os.Stdout, "text", "Lookups", tables, report.Options{Sections: []string{"tables"}, Width: 90}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Lookups
	//
	// ALL FIGURES
	//
	// ▲ better and ▼ worse than the base, significantly and beyond the margin; ≈ equivalent
	// within the margin; ? unclear; ≠ different, in a unit without a good direction; ★ the row’s
	// best. Each table’s p-values are corrected by themselves: tables are exploratory, the
	// verdict is not read off them.
	//
	// Time per operation (sec/op)
	// Ratios (×) are to sortedslice; lower is better. Each figure is the median with its
	// interval; margin ±5 %; p corrected over 1 comparison, significant below 0.05.
	// benchmark                            paged     sortedslice
	// ────────────────────────────────────────────────────────────
	// Decompress small  20.5 ns ±2.4 % ★ ▲ 0.67×  30.5 ns ±1.6 %
}
