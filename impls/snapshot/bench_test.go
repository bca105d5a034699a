package snapshot_test

import (
	"bytes"
	"io"
	"testing"

	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/internal/statetest"
)

var (
	ownID, _ = numericuuid.Parse("88888888-8888-4888-b088-888888888888")
	own      = idcompressor.WithSession(ownID.UUID())
)

// benchmark runs body on the lab's two documents; it is given one of them in
// all forms, and MB/s are of the form that it returns.
func benchmark(b *testing.B, body func(b *testing.B, s *snapshot.State, data, text []byte) (form []byte)) {
	for _, doc := range []struct {
		name           string
		sessions, each int
	}{{"sessions", 10_000, 3}, {"clusters", 100, 3_000}} {
		b.Run("doc="+doc.name, func(b *testing.B) {
			s := statetest.Document(doc.sessions, doc.each)
			data, _ := s.AppendBinary(nil)
			text, _ := s.AppendText(nil)
			b.ReportAllocs()
			b.SetBytes(int64(len(body(b, s, data, text))))
		})
	}
}

func BenchmarkAppendBinary(b *testing.B) {
	benchmark(b, func(b *testing.B, s *snapshot.State, data, text []byte) []byte {
		for b.Loop() {
			data, _ = s.AppendBinary(data[:0])
		}
		return data
	})
}

func BenchmarkAppendText(b *testing.B) {
	benchmark(b, func(b *testing.B, s *snapshot.State, data, text []byte) []byte {
		for b.Loop() {
			text, _ = s.AppendText(text[:0])
		}
		return text
	})
}

func BenchmarkWriteText(b *testing.B) {
	benchmark(b, func(b *testing.B, s *snapshot.State, data, text []byte) []byte {
		for b.Loop() {
			if err := s.WriteText(io.Discard); err != nil {
				b.Fatal(err)
			}
		}
		return text
	})
}

func BenchmarkParse(b *testing.B) {
	benchmark(b, func(b *testing.B, s *snapshot.State, data, text []byte) []byte {
		for b.Loop() {
			if _, err := snapshot.Parse(data); err != nil {
				b.Fatal(err)
			}
		}
		return data
	})
}

func BenchmarkParseText(b *testing.B) {
	benchmark(b, func(b *testing.B, s *snapshot.State, data, text []byte) []byte {
		for b.Loop() {
			if _, err := snapshot.ParseText(text); err != nil {
				b.Fatal(err)
			}
		}
		return text
	})
}

func BenchmarkReadText(b *testing.B) {
	benchmark(b, func(b *testing.B, s *snapshot.State, data, text []byte) []byte {
		for b.Loop() {
			if _, err := snapshot.ReadText(bytes.NewReader(text), len(data)); err != nil {
				b.Fatal(err)
			}
		}
		return text
	})
}

// BenchmarkLoadText is the way of a document from text into a compressor.
func BenchmarkLoadText(b *testing.B) {
	benchmark(b, func(b *testing.B, s *snapshot.State, data, text []byte) []byte {
		for b.Loop() {
			if _, err := idcompressor.LoadText(text, own); err != nil {
				b.Fatal(err)
			}
		}
		return text
	})
}

func BenchmarkDuplicate(b *testing.B) {
	benchmark(b, func(b *testing.B, s *snapshot.State, data, text []byte) []byte {
		for b.Loop() {
			if _, ok := s.Duplicate(); ok {
				b.Fatal("there is none")
			}
		}
		return make([]byte, 16*len(s.Sessions))
	})
}

// BenchmarkCopy is the floor: memcpy of the text.
func BenchmarkCopy(b *testing.B) {
	benchmark(b, func(b *testing.B, s *snapshot.State, data, text []byte) []byte {
		to := make([]byte, len(text))
		for b.Loop() {
			copy(to, text)
		}
		return text
	})
}
