package compare

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// A fixture is a made-up run: every benchmark's true time, and the noise.
type fixture struct {
	seed     uint64
	blocks   int // or samples, when plain
	plain    bool
	ops      []string
	docs     []string
	backends []string
	noise    float64 // sd of a sample's logarithm
	shared   float64 // sd of what all of a block's samples share
	twin     string  // this backend runs twice
	probe    float64
	header   []string
	// factor multiplies a benchmark's time; memory is its inuse-bytes (0: none);
	// allocs its allocs/op (negative: no such unit).
	factor func(op, doc, backend string) float64
	memory func(doc, backend string) float64
	allocs func(op, doc, backend string) float64
	skip   func(op, doc, backend string, block int) bool
}

func defaultFixture() fixture {
	return fixture{
		seed: 1, blocks: 10, noise: 0.02, shared: 0.02,
		ops: []string{"Generate", "Decompress", "Recompress"}, docs: []string{"small", "sessions"},
		backends: []string{"sortedslice", "btreegoogle", "paged"},
		header:   []string{"goos: linux", "goarch: amd64", "pkg: example.com/idlab/bench", "cpu: Made-up CPU", "go: go1.26.8", "gomaxprocs: 2"},
	}
}

// only keeps one subject's factor.
func slower(backend string, by float64) func(op, doc, b string) float64 {
	return func(_, _, b string) float64 {
		if b == backend {
			return by
		}
		return 1
	}
}

func (f fixture) String() string {
	rnd := rand.New(rand.NewPCG(f.seed, 42))
	var b strings.Builder
	b.WriteString(strings.Join(f.header, "\n") + "\nUnit inuse-bytes better=lower assume=exact\n")
	who := append([]string(nil), f.backends...)
	if f.twin != "" {
		who = append(who, f.twin+"/aa=twin")
	}
	for block := range f.blocks {
		if !f.plain {
			fmt.Fprintf(&b, "plan: p%d\nblock: %d\n", f.seed, block)
		}
		if f.probe > 0 {
			fmt.Fprintf(&b, "noise: %g\n", f.probe)
		}
		common := rnd.NormFloat64() * f.shared
		for _, backend := range who {
			name, _, _ := strings.Cut(backend, "/")
			for d, doc := range f.docs {
				for o, op := range f.ops {
					ns := 20 * float64(o+1) * math.Pow(3, float64(d))
					if f.factor != nil {
						ns *= f.factor(op, doc, name)
					}
					ns *= math.Exp(common + rnd.NormFloat64()*f.noise)
					if f.skip != nil && f.skip(op, doc, name, block) {
						continue
					}
					fmt.Fprintf(&b, "Benchmark%s/doc=%s/backend=%s-2 \t 1000 \t %.4f ns/op", op, doc, backend, ns)
					if f.memory != nil && op == "Build" {
						fmt.Fprintf(&b, "\t%g inuse-bytes", f.memory(doc, name))
					}
					if f.allocs != nil {
						fmt.Fprintf(&b, "\t 0 B/op\t %g allocs/op", f.allocs(op, doc, name))
					}
					b.WriteString("\n")
				}
			}
		}
	}
	return b.String()
}

func (f fixture) set(t testing.TB) *Set { t.Helper(); return mustRead(t, f.String()) }

func mustRead(t testing.TB, text string) *Set {
	t.Helper()
	s, err := ReadFrom(Input{"made-up.txt", strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustChoose(t testing.TB, f fixture, o Options) Choice {
	t.Helper()
	c, err := Choose(f.set(t), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// simulates marks a test that repeats a measurement very often. It has no
// concurrency, and is twenty times slower under the race detector.
func simulates(t *testing.T) {
	if raceDetector {
		t.Skip("a simulation finds no race")
	}
}

// wantInputError checks an error's kind, line and words.
func wantInputError(t *testing.T, err error, kind error, line int, words string) {
	t.Helper()
	var in *InputError
	if !errors.As(err, &in) || !errors.Is(err, kind) {
		t.Fatalf("got error %v, want an *InputError of kind %v", err, kind)
	}
	if in.Line != line {
		t.Errorf("%v names line %d, want %d", err, in.Line, line)
	}
	if !strings.Contains(err.Error(), words) {
		t.Errorf("error %q does not say %q", err, words)
	}
	if !strings.HasPrefix(err.Error(), fmt.Sprintf("%s:%d: ", in.File, line)) {
		t.Errorf("error %q does not begin with FILE:LINE:", err)
	}
}

func ftoa(v float64) string { return fmt.Sprintf("%g", v) }
