package closemap

import (
	"fmt"
	"hash/maphash"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A model is the naive map: all entries that ever were, in order, with marks.
// A cursor is how many of them it has passed.
type model struct {
	entries []modelEntry
	cursors []int // -1 at the end
}

type modelEntry struct {
	K, V    int
	Deleted bool
}

func (m *model) find(k int) int {
	return slices.IndexFunc(m.entries, func(e modelEntry) bool { return e.K == k && !e.Deleted })
}

func (m *model) set(k, v int) {
	if i := m.find(k); i >= 0 {
		m.entries[i].V = v
		return
	}
	m.entries = append(m.entries, modelEntry{K: k, V: v})
}

func (m *model) delete(k int) bool {
	i := m.find(k)
	if i >= 0 {
		m.entries[i].Deleted = true
	}
	return i >= 0
}

func (m *model) clear() {
	for i := range m.entries {
		m.entries[i].Deleted = true
	}
}

func (m *model) next(c int) (k, v int, ok bool) {
	if m.cursors[c] < 0 {
		return 0, 0, false
	}
	for i := m.cursors[c]; i < len(m.entries); i++ {
		if e := m.entries[i]; !e.Deleted {
			m.cursors[c] = i + 1
			return e.K, e.V, true
		}
	}
	m.cursors[c] = -1
	return 0, 0, false
}

func (m *model) live() []modelEntry {
	return slices.DeleteFunc(slices.Clone(m.entries), func(e modelEntry) bool { return e.Deleted })
}

// A step is an operation on both; its key and value are made of two bytes.
type step struct {
	op   byte
	k, v byte
}

const (
	opSet = iota
	opSetMany
	opGet
	opDelete
	opDeleteMany
	opPopFirst
	opFirst
	opClear
	opCursor
	opNext
	opLoop
	opCount
)

// maxCursors bounds what a sequence of steps opens.
const maxCursors = 8

// run does the steps on a map and on the model, and returns the first difference.
func run(m *Map[int, int], steps []step) error {
	var want model
	var cursors []*Cursor[int, int]
	for n, s := range steps {
		k, v := int(s.k), n
		var got, exp any
		switch s.op % opCount {
		case opSet:
			m.Set(k, v)
			want.set(k, v)
		case opSetMany:
			for i := range int(s.v) {
				m.Set(k+i, v)
				want.set(k+i, v)
			}
		case opGet:
			value, ok := m.Get(k)
			i := want.find(k)
			got, exp = fmt.Sprint(value, ok), "0 false"
			if i >= 0 {
				exp = fmt.Sprint(want.entries[i].V, true)
			}
			if m.Has(k) != ok {
				return fmt.Errorf("step %d: Has(%d) = %t, unlike Get", n, k, !ok)
			}
		case opDelete:
			got, exp = m.Delete(k), want.delete(k)
		case opDeleteMany:
			for i := range int(s.v) {
				if got, exp = m.Delete(k+i), want.delete(k+i); got != exp {
					break
				}
			}
		case opPopFirst, opFirst:
			first := m.First
			if s.op%opCount == opPopFirst {
				first = m.PopFirst
			}
			k, v, ok := first()
			got, exp = fmt.Sprint(k, v, ok), "0 0 false"
			if live := want.live(); len(live) > 0 {
				exp = fmt.Sprint(live[0].K, live[0].V, true)
				if s.op%opCount == opPopFirst {
					want.delete(live[0].K)
				}
			}
		case opClear:
			m.Clear()
			want.clear()
		case opCursor:
			if len(cursors) < maxCursors {
				cursors = append(cursors, m.Cursor())
				want.cursors = append(want.cursors, 0)
			}
		case opNext:
			if len(cursors) == 0 {
				break
			}
			i := k % len(cursors)
			for range 1 + s.v%8 {
				k, v, ok := cursors[i].Next()
				wk, wv, wok := want.next(i)
				got, exp = fmt.Sprint(k, v, ok), fmt.Sprint(wk, wv, wok)
				if got != exp {
					return fmt.Errorf("step %d: cursor %d: Next = %v, want %v", n, i, got, exp)
				}
			}
		case opLoop:
			// A loop whose body deletes and inserts as the loop goes.
			want.cursors = append(want.cursors, 0)
			c, turns := len(want.cursors)-1, 0
			for k, v := range m.All() {
				wk, wv, ok := want.next(c)
				if !ok || wk != k || wv != v {
					return fmt.Errorf("step %d: loop delivers %d, %d; want %d, %d, %t", n, k, v, wk, wv, ok)
				}
				if turns++; turns > int(s.v) {
					break
				}
				for i := range int(s.k) {
					m.Delete(k + i)
					want.delete(k + i)
				}
				m.Set(k+256, n)
				want.set(k+256, n)
			}
			if _, _, ok := want.next(c); ok && turns <= int(s.v) {
				return fmt.Errorf("step %d: loop ended early", n)
			}
			want.cursors = want.cursors[:c]
		}
		if got != exp {
			return fmt.Errorf("step %d: op %d of %d = %v, want %v", n, s.op%opCount, k, got, exp)
		}
		if err := sameState(m, &want); err != nil {
			return fmt.Errorf("step %d: after op %d of %d: %w", n, s.op%opCount, k, err)
		}
	}
	return nil
}

// sameState compares all entries, and the size of the arrays with their bound.
func sameState(m *Map[int, int], want *model) error {
	var got []modelEntry
	for k, v := range m.All() {
		got = append(got, modelEntry{K: k, V: v})
	}
	if live := want.live(); !slices.Equal(live, got) {
		return fmt.Errorf("entries (-want +got):\n%s", cmp.Diff(live, got))
	}
	if m.Len() != len(got) {
		return fmt.Errorf("Len = %d of %d entries", m.Len(), len(got))
	}
	return bounded(m.Stats(), len(got))
}

// bounded checks what the package promises about memory for a table that started small.
func bounded(s Stats, live int) error {
	if s.Live() != live || s.Capacity > max(minCapacity, 4*live) || s.Used > s.Capacity {
		return fmt.Errorf("%+v for %d entries", s, live)
	}
	return nil
}

// hashers are the default and the adversary's.
var hashers = map[string][]Option{
	"default":   nil,
	"one hash":  {WithHasher(func(int) uint64 { return 42 })},
	"few":       {WithHasher(func(k int) uint64 { return uint64(k % 3) })},
	"low bits":  {WithHasher(func(k int) uint64 { return uint64(k) << 40 })},
	"identity":  {WithHasher(func(k int) uint64 { return uint64(k) })},
	"maphash":   {WithHasher(func(k int) uint64 { return maphash.Comparable(testSeed, k) })},
	"with room": {WithSeed(testSeed), WithHasher(func(k int) uint64 { return uint64(k) })},
}

var testSeed = maphash.MakeSeed()

func TestModel(t *testing.T) {
	for name, options := range hashers {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			keys := rapid.SampledFrom([]byte{3, 12, 255}).Draw(t, "keys")
			steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
				return step{
					op: byte(rapid.IntRange(0, opCount-1).Draw(t, "op")),
					k:  rapid.ByteRange(0, keys).Draw(t, "k"),
					v:  rapid.ByteRange(0, keys).Draw(t, "v"),
				}
			}), 0, 60).Draw(t, "steps")
			if err := run(New[int, int](options...), steps); err != nil {
				t.Fatal(err)
			}
		}))
	}
}

// The rarest of operations are the ones that move everything: drawn seldom,
// so that maps grow large in between.
func TestModelLongRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ops := []byte{opSet, opSet, opSet, opSetMany, opDelete, opDelete, opDeleteMany, opPopFirst, opNext, opNext, opNext, opCursor}
		steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
			return step{rapid.SampledFrom(ops).Draw(t, "op"), rapid.Byte().Draw(t, "k"), rapid.Byte().Draw(t, "v")}
		}), 50, 150).Draw(t, "steps")
		if err := run(new(Map[int, int]), steps); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzOperations reads a hasher and then three bytes a step.
func FuzzOperations(f *testing.F) {
	names := []string{"default", "one hash", "few", "low bits", "identity"}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 || len(data) > 300 {
			return
		}
		options := hashers[names[int(data[0])%len(names)]]
		var steps []step
		for s := range slices.Chunk(data[1:], 3) {
			if len(s) == 3 {
				steps = append(steps, step{s[0], s[1], s[2]})
			}
		}
		if err := run(New[int, int](options...), steps); err != nil {
			t.Fatal(err)
		}
	})
}
