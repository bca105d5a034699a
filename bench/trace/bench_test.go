package trace

import (
	"bytes"
	"io"
	"os"
	"testing"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// friends is a recorded editing session of two people.
func friends(b *testing.B) []byte {
	data, err := os.ReadFile(shared + "/editing-traces/friendsforever.json.gz")
	if err != nil {
		b.Skip("no editing traces here: ", err)
	}
	return data
}

func BenchmarkImport(b *testing.B) {
	data := friends(b)
	for b.Loop() {
		if err := Import(io.Discard, bytes.NewReader(data), "friends", DefaultSettings); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReplay reports ns a line: what reading and comparing costs.
func BenchmarkReplay(b *testing.B) {
	var text bytes.Buffer
	if err := Import(&text, bytes.NewReader(friends(b)), "friends", DefaultSettings); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	var calls int64
	for b.Loop() {
		r, err := Replay(bytes.NewReader(text.Bytes()), "friends", idcompressor.DefaultBackend)
		if err != nil || r.Difference != nil {
			b.Fatal(err, r.Difference)
		}
		calls += int64(r.Calls)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(calls), "ns/call")
}

// BenchmarkRun reports ns a call: what is timed when a person's trace is.
func BenchmarkRun(b *testing.B) {
	p, err := Load(bytes.NewReader(friends(b)), "friends", DefaultSettings)
	if err != nil {
		b.Fatal(err)
	}
	for _, backend := range impls.Backends() {
		b.Run("backend="+backend.Name, func(b *testing.B) {
			b.ReportAllocs()
			var calls int64
			for b.Loop() {
				calls += p.Run(backend).Calls
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(calls), "ns/call")
		})
	}
}
