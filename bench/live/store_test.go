package live

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"example.com/idlab/impls/idcompressor"
)

// script drives a session through two operations, of which the first comes
// back, and checkpoints. It tells what was given to the application.
func script(store *Store, saved *Saved, given *[]Issued) error {
	o := SessionOptions{Store: store, ClusterSize: 4, Refs: 1}
	var s *Session
	var err error
	if saved == nil {
		s, err = NewSession(someone, o)
	} else if s, err = ResumeSession(saved, o); err == nil {
		err = s.CaughtUp()
	}
	if err != nil {
		return err
	}
	for range 2 {
		if err := s.Generate(3); err != nil {
			return err
		}
		issued, err := s.Cut(time.Time{})
		if err != nil {
			return err
		}
		*given = append(*given, issued)
		if err := s.Checkpoint(); err != nil {
			return err
		}
	}
	return nil
}

// A process is killed before each step of its disk in turn, and the next one
// goes on with all that was given out, and gives nothing out again.
func TestCrashPoints(t *testing.T) {
	for k := 0; ; k++ {
		dir := t.TempDir()
		var before, after []Issued
		store, saved, err := OpenStore(dir, true)
		if err != nil || saved != nil {
			t.Fatal(saved, err)
		}
		at, left := "", k
		store.step = func(step string) {
			if left--; left < 0 {
				at = step
				panic(crash(step))
			}
		}
		func() {
			defer func() { recover() }()
			err = script(store, nil, &before)
		}()
		store.Close()
		if at == "" {
			if err != nil || k < 15 {
				t.Fatalf("%d steps, %v", k, err)
			}
			return
		}
		store, saved, err = OpenStore(dir, true)
		if err != nil {
			t.Fatalf("killed before %q: %v", at, err)
		}
		next := int64(1)
		if saved != nil {
			s, err := ResumeSession(saved, SessionOptions{ClusterSize: 4})
			if err == nil {
				err = s.CaughtUp()
			}
			if err != nil {
				t.Fatalf("killed before %q: %v", at, err)
			}
			next = s.Generated() + 1
			recovered := s.Recovered()
			for i, issued := range before {
				if diff := cmp.Diff(issued, recovered[i]); diff != "" {
					t.Fatalf("killed before %q: operation %d: %s", at, i, diff)
				}
			}
			if len(recovered) > len(before)+1 {
				t.Fatalf("killed before %q: %d operations are there, %d were given out", at, len(recovered), len(before))
			}
			if out := s.Outgoing(); len(recovered) > 0 && (out == nil || out.first != 1 || out.last != next-1) {
				t.Fatalf("killed before %q: %+v goes out again, expected IDs 1 to %d", at, out, next-1)
			}
		} else if len(before) > 0 {
			t.Fatalf("killed before %q: nothing is there, %v was given out", at, before)
		}
		if err := script(store, saved, &after); err != nil {
			t.Fatalf("killed before %q: %v", at, err)
		}
		if after[0].First != next {
			t.Fatalf("killed before %q: goes on with ID %d, expected %d", at, after[0].First, next)
		}
		store.Close()
		if files, _ := filepath.Glob(filepath.Join(dir, "*-*")); len(files) != 2 {
			t.Fatalf("killed before %q: %v are left", at, files)
		}
	}
}

func TestLog(t *testing.T) {
	var want []record
	var data []byte
	var ends []int
	for i := range int64(4) {
		r := record{i + 1, []generated{{uint64(i), 3}, {uint64(i) + 9, 1}}, []idcompressor.SessionSpaceID{idcompressor.SessionSpaceID(-i), 1 << 40}}
		want = append(want, r)
		data = appendRecord(data, r)
		ends = append(ends, len(data))
	}
	same := cmp.AllowUnexported(record{}, generated{})
	for n := range len(data) + 1 {
		whole := 0
		for whole < len(ends) && ends[whole] <= n {
			whole++
		}
		got, size, err := parseLog(data[:n])
		if diff := cmp.Diff(want[:whole], got[:len(got):len(got)], same); err != nil || len(got) != whole || whole > 0 && diff != "" {
			t.Fatalf("cut at %d: %v %s", n, err, diff)
		}
		if whole > 0 && size != ends[whole-1] {
			t.Fatalf("cut at %d: %d bytes are whole, expected %d", n, size, ends[whole-1])
		}
	}
	bad := bytes.Clone(data)
	bad[logHead] ^= 1
	if _, _, err := parseLog(bad); err == nil {
		t.Fatal("a damaged record before others was read")
	}
}

func TestDamagedStore(t *testing.T) {
	dir := t.TempDir()
	store, _, err := OpenStore(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	var given []Issued
	if err := script(store, nil, &given); err != nil {
		t.Fatal(err)
	}
	store.Close()
	states, _ := filepath.Glob(filepath.Join(dir, "state-*"))
	data, err := os.ReadFile(states[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 0x10
		os.WriteFile(states[0], bad, 0o666)
		if _, _, err := OpenStore(dir, false); !errors.Is(err, ErrDamagedStore) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
}

func FuzzStored(f *testing.F) {
	s, err := NewSession(someone, SessionOptions{ClusterSize: 4})
	if err != nil {
		f.Fatal(err)
	}
	s.Generate(3)
	s.Cut(time.Time{})
	state, _ := s.c.AppendSerialized(nil, true)
	f.Add((&Saved{nextOp: 2, generated: 3, pending: []savedOp{{1, 1, 3, nil}}, compressor: state}).append(nil))
	f.Add(appendRecord(nil, record{1, []generated{{1, 1}}, nil}))
	summary, _ := s.Summary()
	f.Add(summary)
	f.Fuzz(func(t *testing.T, data []byte) {
		parseLog(data)
		ParseSummary(data)
		if saved, err := parseCheckpoint(data); err == nil {
			ResumeSession(saved, SessionOptions{})
		}
		readLedger(bytes.NewReader(data))
	})
}

func TestSummary(t *testing.T) {
	n := newNetwork(t, 3, 3)
	for range 300 {
		n.nodes[n.rng.IntN(3)].step()
	}
	n.settle()
	data, err := n.nodes[0].Summary()
	n.must(err)
	summary, err := ParseSummary(data)
	n.must(err)
	s, err := JoinSession(uuid.New(), summary, SessionOptions{})
	n.must(err)
	want, _ := n.nodes[1].Hash()
	if got, err := s.Hash(); err != nil || got != want || s.Applied() != n.nodes[1].Applied() {
		t.Fatalf("joined with %s as of %d, expected %s as of %d, %v", got, s.Applied(), want, n.nodes[1].Applied(), err)
	}
	for i := range data {
		if i >= len(summaryMagic) && i < summaryHead {
			continue // the sequence number has no checksum: the stream is held against it
		}
		bad := bytes.Clone(data)
		bad[i] ^= 4
		if _, err := ParseSummary(bad); !errors.Is(err, ErrDamagedSummary) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
}
