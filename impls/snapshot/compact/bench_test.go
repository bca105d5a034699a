package compact_test

import (
	"testing"

	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/compact"
	"example.com/idlab/impls/snapshot/internal/statetest"
)

// benchmark runs body on the lab's two documents. MB/s are of the compact form.
func benchmark(b *testing.B, body func(b *testing.B, s *snapshot.State, form []byte)) {
	for _, doc := range []struct {
		name           string
		sessions, each int
	}{{"sessions", 10_000, 3}, {"clusters", 100, 3_000}} {
		b.Run("doc="+doc.name, func(b *testing.B) {
			s := statetest.Document(doc.sessions, doc.each)
			form, err := compact.Append(nil, s)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(form)))
			body(b, s, form)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(s.Clusters)), "ns/cluster")
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	benchmark(b, func(b *testing.B, s *snapshot.State, form []byte) {
		for b.Loop() {
			var err error
			if form, err = compact.Append(form[:0], s); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	benchmark(b, func(b *testing.B, s *snapshot.State, form []byte) {
		for b.Loop() {
			if _, err := compact.Parse(form); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkHash(b *testing.B) {
	benchmark(b, func(b *testing.B, s *snapshot.State, form []byte) {
		for b.Loop() {
			if _, err := compact.Hash(s); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkCopy is the floor: memcpy of the form.
func BenchmarkCopy(b *testing.B) {
	benchmark(b, func(b *testing.B, s *snapshot.State, form []byte) {
		to := make([]byte, len(form))
		for b.Loop() {
			copy(to, form)
		}
	})
}
