package compare

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Two backends that change places by less than the same code differs from
// itself are not told apart, however narrow the intervals within a process are.
func TestCrossoversKnowTheTwinsNoise(t *testing.T) {
	run := func(luck float64) []Crossover {
		r := rand.New(rand.NewPCG(7, 8))
		sizes := map[string]float64{}
		var b strings.Builder
		for block := range 8 {
			fmt.Fprintf(&b, "block: %d\n", block)
			for d := range 6 {
				doc := fmt.Sprintf("d%d", d)
				sizes[doc] = float64(int(100) << d)
				for who, factor := range map[string]float64{
					"a": 1, "a/aa=twin": []float64{1 / luck, luck}[d%2], "b": []float64{1.12, 0.89}[d/3],
				} {
					fmt.Fprintf(&b, "BenchmarkGenerate/doc=%s/backend=%s-2\t1000\t%.4f ns/op\n", doc, who, 3*factor*(1+0.01*r.Float64()))
				}
			}
		}
		report, err := BuildReport(mustRead(t, b.String()), ReportOptions{Options: DefaultOptions, Sizes: sizes, SizeAxis: "clusters"})
		if err != nil {
			t.Fatal(err)
		}
		return report.Crossovers
	}
	for luck, decided := range map[float64]bool{1.001: true, 1.12: false} {
		found := run(luck)
		if len(found) != 1 || found[0].Decided != decided || !found[0].At.Known() {
			t.Errorf("twins %v apart: %+v, want one crossover, decided: %v", luck, found, decided)
		}
	}
}
