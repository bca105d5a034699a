package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/idlab/impls/idcompressor"
)

// The planted rivals stand in a made-up run as in a real one: the default
// backend alone has the benchmarks of stored forms, and its twin lacks them.
func TestPlants(t *testing.T) {
	standard := idcompressor.DefaultBackend.Name
	r := rand.New(rand.NewPCG(1, 2))
	var samples strings.Builder
	samples.WriteString("goos: linux\ngoarch: amd64\ncpu: Made-up CPU\nUnit inuse-bytes better=lower assume=exact\n")
	for block := range 6 {
		fmt.Fprintf(&samples, "block: %d\nnoise: 0.01\n", block)
		for _, who := range []string{standard, standard + "/aa=twin", "sortedslice", "slow"} {
			ns := 20.0
			if who == "slow" {
				ns *= 3
			}
			line := func(op, variant, more string) {
				fmt.Fprintf(&samples, "Benchmark%s/doc=small/backend=%s%s-2\t100\t%.3f ns/op%s\n", op, who, variant, ns*(1+0.02*r.Float64()), more)
			}
			line("Build", "", "\t1000 inuse-bytes")
			line("Decompress", "/ids=random", "")
			line("Serialize", "/form=v3", "")
			if who == standard {
				line("Deserialize", "/form=v3", "")
			}
		}
	}
	for _, p := range plants {
		var out bytes.Buffer
		a := &app{stdout: &out, stderr: &out}
		if err := a.testPlant(p, samples.String()); err != nil {
			t.Fatal(err)
		}
		if a.status != statusDone {
			t.Errorf("%s", out.String())
		}
		// A rival that is not what is expected is found out.
		p.factor /= 2.6
		if p.from == "slow" {
			p.factor = 0.1
		}
		out.Reset()
		if err := a.testPlant(p, samples.String()); err != nil {
			t.Fatal(err)
		}
		if a.status == statusDone {
			t.Errorf("a rival of another speed passes: %s", out.String())
		}
	}
}
