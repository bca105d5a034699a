package live

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

// messages returns what a session sends that makes n operations of 50 IDs, each
// of which comes back before the next but one.
func messages(b *testing.B, n int) []Delivery {
	s, err := NewSession(someone, SessionOptions{Refs: 3, Checks: 2})
	if err != nil {
		b.Fatal(err)
	}
	var all []Delivery
	for i := range n {
		s.Generate(50)
		if _, err := s.Cut(time.Time{}); err != nil {
			b.Fatal(err)
		}
		out := s.Outgoing()
		s.Stored(out, Ack{})
		all = append(all, Delivery{uint64(i + 1), out.Data})
		if i > 0 {
			if _, err := s.Apply(all[i-1]); err != nil {
				b.Fatal(err)
			}
		}
	}
	return all
}

func BenchmarkParseMessage(b *testing.B) {
	all := messages(b, 1000)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := ParseMessage(all[i%len(all)].Data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkApply is what a message costs a session that it comes to: reading it,
// finalizing its range, and checking its 50 IDs.
func BenchmarkApply(b *testing.B) {
	all := messages(b, 1000)
	b.ReportAllocs()
	var s *Session
	for i := 0; b.Loop(); i++ {
		if i%len(all) == 0 {
			b.StopTimer()
			s, _ = NewSession(uuid.New(), SessionOptions{})
			b.StartTimer()
		}
		if out, err := s.Apply(all[i%len(all)]); err != nil || out.Verdict != Accepted || len(out.Findings) > 0 {
			b.Fatal(out, err)
		}
	}
}

// BenchmarkCut is what an operation of 50 IDs costs the session that makes it,
// synced log included.
func BenchmarkCut(b *testing.B) {
	store, _, err := OpenStore(b.TempDir(), true)
	if err != nil {
		b.Fatal(err)
	}
	s, err := NewSession(someone, SessionOptions{Store: store, Checks: 2})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s.Generate(50)
		if _, err := s.Cut(time.Time{}); err != nil {
			b.Fatal(err)
		}
	}
}
