package closemap

import (
	"iter"
	"runtime"
	"testing"
	"weak"
)

// churn changes every entry of a map of n, with rebuilds that close gaps.
func churn(m *Map[int, int], n, rounds int) {
	next := 1 << 30
	for range rounds {
		for range n {
			m.Set(next, next)
			m.Delete(next - n/2)
			next++
		}
	}
}

// A cursor that is held costs eight bytes an entry in use, however many rebuilds
// there are, and stays where it is.
func TestHeldCursorIsBounded(t *testing.T) {
	const n = 1000
	m := New[int, int]()
	for i := range n {
		m.Set(i, i)
	}
	c := m.Cursor()
	for i := range n / 2 {
		if k, _, ok := c.Next(); k != i || !ok {
			t.Fatalf("Next = %d, %t; want %d", k, ok, i)
		}
	}
	for range 100 {
		churn(m, n, 1)
		s := m.Stats()
		if arrays := s.Capacity * 32; s.Bytes > arrays+8*s.Used {
			t.Fatalf("%+v with a cursor, want at most 32 bytes an entry there is room for and 8 a used one", s)
		}
	}
	for i := n / 2; i < n; i++ {
		if k, _, ok := c.Next(); k != i || !ok {
			t.Fatalf("Next = %d, %t; want %d", k, ok, i)
		}
	}
}

// A cursor that is dropped keeps nothing: neither tables nor numbers.
func TestDroppedCursorIsForgotten(t *testing.T) {
	const n = 1000
	m := New[int, int]()
	for i := range n {
		m.Set(i, i)
	}
	table := weak.Make(&m.entries[0])
	c := m.Cursor()
	c.Next()
	cursor := weak.Make(c)
	churn(m, n, 3)
	if len(m.order.moved) == 0 {
		t.Fatal("no rebuild closed gaps under the cursor")
	}
	runtime.GC()
	if table.Value() != nil {
		t.Error("an old table is alive while the cursor is")
	}
	runtime.KeepAlive(c)
	runtime.GC()
	if cursor.Value() != nil {
		t.Error("the map keeps a dropped cursor alive")
	}
	churn(m, n, 3)
	if s := m.Stats(); s.Bytes != 32*s.Capacity {
		t.Errorf("%+v after the cursor is gone, want 32 bytes an entry", s)
	}
}

// Neither a cursor at its end nor a loop that is over is taken for one under way.
func TestFinishedIterationIsForgotten(t *testing.T) {
	const n = 100
	m := New[int, int]()
	for i := range n {
		m.Set(i, i)
	}
	c := m.Cursor()
	for ok := true; ok; {
		_, _, ok = c.Next()
	}
	runtime.GC()
	for range m.All() {
		break
	}
	next, stop := iter.Pull2(m.All())
	next()
	if !m.watched() {
		t.Error("a loop under way is not noticed")
	}
	stop()
	churn(m, n, 3)
	if s := m.Stats(); s.Bytes != 32*s.Capacity {
		t.Errorf("%+v, want 32 bytes an entry", s)
	}
	m.Set(-1, -1)
	if _, _, ok := c.Next(); ok {
		t.Error("a cursor went on behind its end")
	}
}

// Deletions at the front, as in a queue, leave no gaps: a cursor costs nothing.
func TestQueueNeedsNoNumbers(t *testing.T) {
	m := New[int, int]()
	for i := range 100 {
		m.Set(i, i)
	}
	c := m.Cursor()
	for i := 100; i < 1000; i++ {
		m.PopFirst()
		m.Set(i, i)
	}
	if len(m.order.moved) != 0 {
		t.Errorf("%d numbers kept", len(m.order.moved))
	}
	if k, _, ok := c.Next(); k != 900 || !ok {
		t.Errorf("Next = %d, %t; want 900", k, ok)
	}
}
