package inspect

import (
	"fmt"
	"slices"
	"strings"

	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
)

// largestSize is the greatest cluster size that a range may ask for, and so the
// most that one finalized range leaves reserved.
const largestSize = 1 << 20

// findings says in words what is odd about a state that is not wrong.
func findings(s *snapshot.State, sessions []total) []string {
	found := []string{} // no null in JSON
	add := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if s.Version == snapshot.V2 {
		add("version 2: it cannot be sharded until it is loaded and written as version 3")
	}
	emptySessions(s, sessions, add)
	oddClusters(s, sessions, add)
	overlaps(s, sessions, add)
	if s.Local != nil {
		oddLocal(s.Local, sessions[0].own, add)
	}
	return found
}

type adder = func(format string, args ...any)

func emptySessions(s *snapshot.State, sessions []total, add adder) {
	var empty sample
	for i, t := range sessions {
		if own := s.Local != nil && i == 0; t.clusters == 0 && !own {
			empty.add("%s", s.Sessions[i])
		}
	}
	switch {
	case empty.n == 0:
	case s.Local == nil:
		add("sessions without clusters, which are dropped when it is loaded: %s", &empty)
	default:
		add("sessions without clusters: %s", &empty)
	}
}

func oddClusters(s *snapshot.State, sessions []total, add adder) {
	var unused, partial, adjacent, wide sample
	left := make([]int, len(sessions))
	for i, t := range sessions {
		left[i] = t.clusters
	}
	for i, c := range s.Clusters {
		left[c.Session]--
		switch {
		case c.Count == 0:
			unused.add("%d", i)
		case c.Count < c.Capacity && left[c.Session] > 0:
			partial.add("%d", i)
		}
		if i > 0 && c.Session == s.Clusters[i-1].Session {
			adjacent.add("%d", i)
		}
		if c.Capacity-c.Count > largestSize {
			wide.add("%d with %s", i, thousands(c.Capacity-c.Count))
		}
	}
	for _, f := range []struct {
		what string
		sample
	}{
		{"clusters in which nothing is finalized, and no compressor makes such", unused},
		{"clusters that are not full and not their session's last, as ghost sessions leave them", partial},
		{"clusters after another of the same session, which as a rule would have grown", adjacent},
		{"clusters with more than 1,048,576 IDs reserved, the greatest cluster size", wide},
	} {
		if f.n > 0 {
			add("%s: %s", f.what, &f.sample)
		}
	}
}

// overlaps looks for sessions whose UUIDs reach into another's.
func overlaps(s *snapshot.State, sessions []total, add adder) {
	order := make([]int, 0, len(sessions))
	for i, t := range sessions {
		if t.capacity > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return s.Sessions[a].Compare(s.Sessions[b]) })
	var found sample
	var reach numericuuid.UUID // the last UUID of the sessions so far
	widest := -1               // whose that is
	for _, i := range order {
		if widest >= 0 && !reach.Less(s.Sessions[i]) {
			found.add("%s into %s", s.Sessions[widest], s.Sessions[i])
		}
		if last := s.Sessions[i].Add(uint64(sessions[i].capacity - 1)); widest < 0 || reach.Less(last) {
			reach, widest = last, i
		}
	}
	if found.n > 0 {
		add("sessions whose UUIDs reach into another's, so that one UUID has two IDs: %s", &found)
	}
}

func oddLocal(l *snapshot.Local, own int64, add adder) {
	var adjacent sample
	for i, r := range l.Runs {
		if i > 0 && l.Runs[i-1].First+l.Runs[i-1].Count == r.First {
			adjacent.add("%d", i)
		}
	}
	if adjacent.n > 0 {
		add("runs that continue the one before, and are merged when it is loaded: %s", &adjacent)
	}
	h := l.Sharding
	switch {
	case h == nil:
	case h.ShardID == nil && len(h.Children) == 0:
		add("a root in sharding mode without children: it cannot leave that mode")
	case h.ShardID != nil && own > l.Generated:
		add("a shard that has finalized %s IDs and knows of %s: it is to be synchronized", thousands(own), thousands(l.Generated))
	}
}

// sample is how many things there are, and the first few.
type sample struct {
	n     int
	first []string
}

func (s *sample) add(format string, args ...any) {
	const few = 3
	if s.n++; s.n <= few {
		s.first = append(s.first, fmt.Sprintf(format, args...))
	}
}

func (s *sample) String() string {
	more := ""
	if s.n > len(s.first) {
		more = ", …"
	}
	return fmt.Sprintf("%s (%s%s)", thousands(int64(s.n)), strings.Join(s.first, ", "), more)
}
