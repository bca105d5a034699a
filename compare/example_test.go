package compare_test

import (
	"fmt"
	"strings"

	"example.com/idlab/compare"
)

// Two backends, six blocks: the verdict never comes without its numbers.
func ExampleChoose() {
	var file strings.Builder
	for block := range 6 {
		fmt.Fprintf(&file, "block: %d\n", block)
		fmt.Fprintf(&file, "BenchmarkDecompress/doc=small/backend=paged-2 1000 %d ns/op\n", 20+block%2)
		fmt.Fprintf(&file, "BenchmarkDecompress/doc=small/backend=sortedslice-2 1000 %d ns/op\n", 30+block%3)
	}
	set, err := compare.ReadFrom(compare.Input{Name: "samples.txt", Reader: strings.NewReader(file.String())})
	if err != nil {
		fmt.Println(err)
		return
	}
	choice, err := compare.Choose(set, compare.DefaultOptions)
	if err != nil {
		fmt.Println(err)
		return
	}
	v := choice.Backend
	fmt.Printf("%s: %s, by more than 40 %%: %v\n", v.Outcome, v.Choice, v.WinsBy.Low > 0.4)
	// Output: wins: paged, by more than 40 %: true
}
