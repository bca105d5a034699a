package bench_test

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"example.com/idlab/bench/workload"
	"example.com/idlab/impls"
	_ "example.com/idlab/impls/all"
)

// TestMain lets -bench name a backend where the pattern's second part would
// have to match the document: /backend=paged stands for //backend=paged.
func TestMain(m *testing.M) {
	flag.Parse()
	bench := flag.Lookup("test.bench")
	if op, rest, ok := strings.Cut(bench.Value.String(), "/"); ok && strings.HasPrefix(rest, "backend=") {
		if err := bench.Value.Set(op + "//" + rest); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// seed of the documents, the same for every run of go test.
const seed = 1

// documents returns what DOC names, comma-separated; the default is quick.
func documents() []string {
	if doc := os.Getenv("DOC"); doc != "" {
		return strings.Split(doc, ",")
	}
	return []string{"sessions"}
}

func BenchmarkBuild(b *testing.B)                   { run(b, "Build") }
func BenchmarkGenerate(b *testing.B)                { run(b, "Generate") }
func BenchmarkTakeRange(b *testing.B)               { run(b, "TakeRange") }
func BenchmarkFinalizeRange(b *testing.B)           { run(b, "FinalizeRange") }
func BenchmarkNormalizeToOpSpace(b *testing.B)      { run(b, "NormalizeToOpSpace") }
func BenchmarkNormalizeToSessionSpace(b *testing.B) { run(b, "NormalizeToSessionSpace") }
func BenchmarkDecompress(b *testing.B)              { run(b, "Decompress") }
func BenchmarkRecompress(b *testing.B)              { run(b, "Recompress") }
func BenchmarkSerialize(b *testing.B)               { run(b, "Serialize") }
func BenchmarkDeserialize(b *testing.B)             { run(b, "Deserialize") }

// run runs an operation's variants on all documents and backends.
func run(b *testing.B, op string) {
	benchmarks, err := workload.Select(workload.Full, []string{op})
	if err != nil {
		b.Fatal(err)
	}
	for _, doc := range documents() {
		d, err := document(doc)
		if err != nil {
			b.Fatal(err)
		}
		for _, backend := range impls.Backends() {
			for _, bench := range benchmarks {
				s := subject(d, backend)
				_, leaf, _ := strings.Cut(bench.Name(s), "/")
				b.Run(leaf, func(b *testing.B) { measure(b, &bench, s) })
			}
		}
	}
}

func measure(b *testing.B, bench *workload.Benchmark, s *workload.Subject) {
	m, err := workload.NewMeter(bench, s)
	if errors.Is(err, workload.ErrDoesNotApply) {
		b.Skip(err)
	}
	if err != nil {
		b.Fatal(err)
	}
	m.Reset()
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Lot(); err != nil {
			b.Fatal(err)
		}
	}
	r, err := m.Result()
	if err != nil {
		b.Fatal(err)
	}
	for _, metric := range r.Metrics {
		b.ReportMetric(metric.Value, metric.Unit)
	}
}

// The document and the subject that were used last: the benchmarks come
// ordered by them, and large ones take long to make.
var (
	lastDocument *workload.Document
	subjects     = map[string]*workload.Subject{}
)

// keep is how many clusters a document has whose subjects are all kept. Those
// of larger ones would be in each other's way in memory.
const keep = 100_000

func document(name string) (*workload.Document, error) {
	if lastDocument != nil && lastDocument.Name == name {
		return lastDocument, nil
	}
	clear(subjects)
	d, err := workload.Embedded(name, seed)
	lastDocument = d
	return d, err
}

func subject(d *workload.Document, b impls.Backend) *workload.Subject {
	s, ok := subjects[b.Name]
	if !ok {
		if len(d.Clusters) > keep {
			clear(subjects)
		}
		s = workload.NewSubject(d, b)
		subjects[b.Name] = s
	}
	return s
}
