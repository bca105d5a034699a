package peer

import (
	"bytes"
	"flag"
	"fmt"
	"sync"
	"testing"

	"example.com/idlab/bench/trace"
	"example.com/idlab/impls"
	_ "example.com/idlab/impls/all"
	"example.com/idlab/impls/control"
)

var (
	interop = flag.Bool("interop", false, "drive the original on Node, which must be set up")
	seeds   = flag.Int("interop.seeds", 200, "how many networks")
	calls   = flag.Int("interop.calls", 1100, "how many calls each has at least")
	first   = flag.Uint64("interop.seed", 1, "the first network's seed")
)

// setup returns the set-up of Node's side, or skips the test.
func setup(t *testing.T) Setup {
	if !*interop {
		t.Skip("it needs Node and the npm package: run with -interop")
	}
	s, err := Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// drivers is how many processes of the original run at once.
const drivers = 2

// mostFailures is after how many the test gives up.
const mostFailures = 4

// TestInterop lets random networks live on the original and on every backend,
// and holds all answers and serialized bytes against each other. A difference
// is shrunk and saved as a trace.
func TestInterop(t *testing.T) {
	s := setup(t)
	var mu sync.Mutex
	all, networks, failures := newTally(), 0, 0
	next := make(chan uint64)
	var workers sync.WaitGroup
	for range drivers {
		d := startDriver(t, s)
		workers.Go(func() {
			for seed := range next {
				counted := newTally()
				x, err := d.network(seed, *calls, impls.Backends(), counted)
				mu.Lock()
				all.add(counted)
				networks++
				if err != nil {
					failures++
					t.Error(d.explain(x, err, impls.Backends()))
				}
				mu.Unlock()
			}
		})
	}
	for i := range *seeds {
		mu.Lock()
		enough := failures >= mostFailures
		mu.Unlock()
		if enough {
			break
		}
		next <- *first + uint64(i)
	}
	close(next)
	workers.Wait()
	t.Logf("%d calls of %d networks, on %s (Node %s) and on %d backends\n%v",
		all.total(), networks, original, s.Version, len(impls.Backends()), all)
}

// network lets the network of a seed live, and replays on all backends what
// the original answered.
func (d *driver) network(seed uint64, calls int, backends []impls.Backend, counted *tally) (*exchange, error) {
	x := newExchange(d, fmt.Sprintf("network-%d", seed))
	live(x, seed, calls)
	_, err := x.check(backends, counted)
	return x, err
}

// The tests below plant a difference, which must be found and made small.

const mostSeeds = 40 // in which it must turn up

func plant(t *testing.T, d *driver, backends ...impls.Backend) *difference {
	for seed := range uint64(mostSeeds) {
		x, err := d.network(seed, 600, backends, newTally())
		if err == nil {
			continue
		}
		small, err := d.reduce(x, err, backends)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d of %d calls remain: %v", x.name, small.calls, len(x.made), small.err)
		if small.calls > 12 {
			t.Errorf("it could be shorter:\n%s", small.trace)
		}
		return small
	}
	t.Fatalf("%d networks did not show the difference", mostSeeds)
	return nil
}

func differs(t *testing.T, text []byte, b impls.Backend) bool {
	result, err := trace.Replay(bytes.NewReader(text), "planted", b)
	if err != nil {
		t.Fatal(err)
	}
	return result.Difference != nil
}

// A backend that is wrong in rare cases.
func TestInteropPlantedBackend(t *testing.T) {
	small := plant(t, startDriver(t, setup(t)), control.Wrong)
	if !differs(t, small.trace, control.Wrong) {
		t.Error("the saved trace does not show what is wrong")
	}
	for _, b := range impls.Backends() {
		if differs(t, small.trace, b) {
			t.Errorf("the saved trace accuses %s", b.Name)
		}
	}
}

// An original that answers otherwise than it does.
func TestInteropPlantedAnswer(t *testing.T) {
	for _, c := range []struct{ name, op, old, new string }{
		{"a recompressed ID", `"op":"recompress"`, `"result":-2`, `"result":-3`},
		{"a serialized byte", `"op":"serialize"`, `"data":"AAAAAAAACE`, `"data":"AAAAAAAACU`},
		{"a range", `"op":"takeRange"`, `"firstGenCount":1,`, `"firstGenCount":2,`},
		{"an error", `"op":"toSession"`, `"error":"unknown-session"`, `"error":"unknown-id"`},
		{"no error", `"op":"finalize"`, `"error":"out-of-order"`, `"fine":0`},
		{"the order of keys", `"op":"takeRange"`, `"ids":{"firstGenCount":1,"count":1,`, `"ids":{"count":1,"firstGenCount":1,`},
		{"a change", `"op":"decompress"`, `"error":"unknown-id"`, `"changed":true,"error":"unknown-id"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := startDriver(t, setup(t))
			d.distort = func(line []byte) []byte {
				if bytes.Contains(line, []byte(c.op)) {
					line = bytes.Replace(line, []byte(c.old), []byte(c.new), 1)
				}
				return line
			}
			plant(t, d, impls.Backends()...)
		})
	}
}
