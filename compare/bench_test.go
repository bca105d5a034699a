package compare

import (
	"strconv"
	"testing"
)

// large is 8 backends, 60 benchmarks, 10 blocks.
func large() fixture {
	f := defaultFixture()
	f.ops, f.docs, f.backends = nil, nil, nil
	for i := range 12 {
		f.ops = append(f.ops, "Op"+string(rune('A'+i)))
	}
	for i := range 5 {
		f.docs = append(f.docs, "d"+strconv.Itoa(i))
	}
	for i := range 8 {
		f.backends = append(f.backends, "b"+strconv.Itoa(i))
	}
	f.twin = "b0"
	return f
}

func BenchmarkRead(b *testing.B) {
	text := large().String()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		mustRead(b, text)
	}
}

func BenchmarkChoose(b *testing.B) {
	s := large().set(b)
	for b.Loop() {
		if _, err := Choose(s, DefaultOptions); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTabulate computes 60 x 8 intervals of 2000 draws.
func BenchmarkTabulate(b *testing.B) {
	s := large().set(b)
	for b.Loop() {
		if _, err := Tabulate(s, TableOptions{}, DefaultOptions); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReport(b *testing.B) {
	s := large().set(b)
	sizes := map[string]float64{"d0": 300, "d1": 3000, "d2": 30000, "d3": 300000, "d4": 3000000}
	for b.Loop() {
		if _, err := BuildReport(s, ReportOptions{Options: DefaultOptions, Verdict: true, Sizes: sizes, SizeAxis: "clusters"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGate(b *testing.B) {
	s := large().set(b)
	for b.Loop() {
		if _, err := Gate(s, s, GateOptions{Options: DefaultOptions}); err != nil {
			b.Fatal(err)
		}
	}
}
