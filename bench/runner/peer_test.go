package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"example.com/idlab/bench/workload"
	"example.com/idlab/impls/sortedslice"
)

// fakePeer prints what it is told to.
type fakePeer struct {
	subject Subject
	print   func(u PeerUnit) string
}

func (p fakePeer) Subject() Subject { return p.subject }

func (p fakePeer) Command(ctx context.Context, u PeerUnit) (*exec.Cmd, error) {
	program, err := os.Executable()
	cmd := exec.CommandContext(ctx, program, echoCommand)
	cmd.Stdin = strings.NewReader(p.print(u))
	return cmd, err
}

// echoCommand makes the test's program one that prints its input.
const echoCommand = "echo"

func runPeers(t *testing.T, r Request, peers ...Peer) (string, error) {
	t.Helper()
	var out bytes.Buffer
	_, err := Run(t.Context(), r, Options{Out: Stream(&out), Peers: peers})
	return out.String(), err
}

// Peers are measured in the same blocks, on the documents they are for.
func TestPeers(t *testing.T) {
	r := tiny()
	r.Documents, r.Subjects, r.Benchmarks = r.Documents[:1], r.Subjects[:1], []string{"Build", "Decompress/ids=random"}
	r.AddPeers(true)
	last := len(r.Documents) - 1
	r.Documents[last].Only = []string{"MapHit/n=1000", "MapFifo/n=1000"}
	files := map[string]bool{}
	out, err := runPeers(t, r,
		fakePeer{Subject{Backend: "fluid-js", Peer: true}, func(u PeerUnit) string {
			for _, file := range []string{u.State, u.Queries} {
				_, err := os.Stat(file)
				files[u.Document] = err == nil
			}
			return fmt.Sprintf("goos: plan9\nBenchmarkDecompress/doc=%s/backend=fluid-js/ids=random\t1\t1 ns/op\n", u.Document)
		}},
		fakePeer{Subject{Backend: "v8-map", Peer: true, On: workload.MapDocument}, func(u PeerUnit) string {
			return fmt.Sprintf("BenchmarkMapHit/doc=%s/backend=v8-map/n=1000\t1\t1 ns/op\n", u.Document)
		}})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 || !files["5x3"] {
		t.Errorf("files of documents: %v", files)
	}
	for name, blocks := range map[string]int{
		"Decompress/doc=5x3/backend=fluid-js/ids=random":         2,
		"Decompress/doc=5x3/backend=sortedslice/ids=random":      2,
		"Decompress/doc=5x3/backend=uuid-slice/ids=random":       2,
		"Recompress/doc=5x3/backend=uuid-map/ids=random":         0, // not asked for
		"Build/doc=5x3/backend=uuid-map":                         2,
		"MapHit/doc=integers/backend=v8-map/n=1000":              2,
		"MapHit/doc=integers/backend=closemap/n=1000":            2,
		"MapFifo/doc=integers/backend=closemap/n=1000":           2,
		"MapFifo/doc=integers/backend=gomap/n=1000":              0, // it has no first entry
		"Decompress/doc=integers/backend=sortedslice/ids=random": 0,
		"MapHit/doc=5x3/backend=closemap/n=1000":                 0,
	} {
		n := strings.Count(out, "Benchmark"+name+"-") + strings.Count(out, "Benchmark"+name+"\t")
		if n != blocks {
			t.Errorf("%d results of %s, want %d", n, name, blocks)
		}
	}
	if strings.Contains(out, "plan9") {
		t.Error("a peer's configuration got into the file")
	}
}

func TestPeerAnswers(t *testing.T) {
	d, err := workload.Embedded("5x3", 1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Compressor(sortedslice.Backend)
	if err != nil {
		t.Fatal(err)
	}
	text, err := c.AppendSerializedText(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	r := tiny()
	r.Documents = r.Documents[:1]
	says := func(answers string) Peer {
		return fakePeer{Subject{Backend: "fluid-js", Peer: true}, func(PeerUnit) string {
			return "BenchmarkSerialize/doc=5x3/backend=fluid-js/form=v3\t1\t1 ns/op\n# answers " + answers + "\n"
		}}
	}
	const key = `Serialize {"doc":"5x3","form":"v3"} `
	if _, err := runPeers(t, r, says(key+sumOf([]string{string(text)}))); err != nil {
		t.Errorf("right answers: %v", err)
	}
	for _, wrong := range []string{key + "1 fnv1a=00000000", key, key + "2 fnv1a=" + sumOf([]string{string(text)})[8:], "Serialize {"} {
		var unit *UnitError
		if _, err := runPeers(t, r, says(wrong)); !errors.As(err, &unit) || !strings.Contains(unit.Unit, "fluid-js") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if _, err := runPeers(t, r, says(`Zork {"doc":"5x3"} 1 fnv1a=0`)); err != nil {
		t.Errorf("answers that nobody can check: %v", err)
	}
}

// Go's peers answer rightly, or measuring them fails.
func TestGoPeers(t *testing.T) {
	d, err := workload.Embedded("20x3", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range workload.Peers() {
		for _, b := range p.Benchmarks {
			if strings.HasSuffix(b.Variant, "000000") || strings.HasSuffix(b.Variant, "64000") {
				continue
			}
			j := job{Document: Source{Name: d.Name}, Seed: 1, Subject: Subject{Backend: p.Name}}
			s, lookup, err := j.subject()
			if err != nil {
				t.Fatal(err)
			}
			found, err := lookup(b.Key())
			if err != nil || found == nil {
				t.Fatalf("%s %s: %v", p.Name, b.Key(), err)
			}
			result, err := workload.Measure(found, s, time.Microsecond, false)
			if err != nil {
				t.Errorf("%s %s: %v", p.Name, b.Key(), err)
			} else if err := workload.Lint(result.Name); err != nil {
				t.Error(err)
			}
		}
	}
}
