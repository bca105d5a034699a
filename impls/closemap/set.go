package closemap

import "iter"

// A Set is a [Map] without values: it costs no memory for them, keeps its
// members in order of insertion, and promises what Map does. The zero Set is
// empty and ready to use.
type Set[K comparable] struct{ m Map[K, struct{}] }

// NewSet returns an empty set.
func NewSet[K comparable](options ...Option) *Set[K] {
	s := new(Set[K])
	s.m.init(options)
	return s
}

// Add puts k into the set. It panics with a [*LimitError] where [Set.TryAdd]
// returns one.
func (s *Set[K]) Add(k K) { s.m.Set(k, struct{}{}) }

// TryAdd puts k into the set; see [Map.TrySet].
func (s *Set[K]) TryAdd(k K) error { return s.m.TrySet(k, struct{}{}) }

// Has reports whether k is in the set.
func (s *Set[K]) Has(k K) bool { return s.m.Has(k) }

// Delete removes k and reports whether it was there; see [Map.Delete].
func (s *Set[K]) Delete(k K) bool { return s.m.Delete(k) }

// Clear removes all members and gives their memory back.
func (s *Set[K]) Clear() { s.m.Clear() }

// Len returns the number of members.
func (s *Set[K]) Len() int { return s.m.Len() }

// First returns the oldest member, if there is one, in O(1).
func (s *Set[K]) First() (k K, ok bool) {
	k, _, ok = s.m.First()
	return k, ok
}

// PopFirst removes the oldest member and returns it, if there is one; see [Map.PopFirst].
func (s *Set[K]) PopFirst() (k K, ok bool) {
	k, _, ok = s.m.PopFirst()
	return k, ok
}

// All returns the members in order of insertion; see [Map.All].
func (s *Set[K]) All() iter.Seq[K] { return s.m.Keys() }

// Cursor returns a cursor at the first member.
func (s *Set[K]) Cursor() *SetCursor[K] { return &SetCursor[K]{s.m.Cursor()} }

// Stats returns what the set consists of.
func (s *Set[K]) Stats() Stats { return s.m.Stats() }

// A SetCursor walks a set while it changes; see [Cursor].
type SetCursor[K comparable] struct{ c *Cursor[K, struct{}] }

// Next moves to the next member and returns it; see [Cursor.Next].
func (c *SetCursor[K]) Next() (k K, ok bool) {
	k, _, ok = c.c.Next()
	return k, ok
}
