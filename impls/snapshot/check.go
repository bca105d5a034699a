package snapshot

import (
	"fmt"

	"example.com/idlab/impls/numericuuid"
)

// wrong is a field of a state that cannot be. Its offset is the reader's to say.
type wrong struct{ field, value, reason string }

func (w *wrong) at(offset int64) *Error {
	return &Error{Field: w.field, Offset: offset, Value: w.value, Reason: w.reason, Err: ErrCorrupt}
}

func wrongf(value int64, reason, field string, args ...any) *wrong {
	return &wrong{fmt.Sprintf(field, args...), fmt.Sprint(value), reason}
}

// checker holds the sums that the checks of a cluster need.
type checker struct {
	sessions []numericuuid.UUID
	limit    int64   // first final ID after the clusters so far
	gens     []int64 // IDs reserved for each session so far
	own      int64   // own IDs finalized
}

func newChecker(sessions []numericuuid.UUID) checker {
	return checker{sessions: sessions, gens: make([]int64, len(sessions))}
}

// cluster checks the i-th cluster.
func (k *checker) cluster(i int, c Cluster) *wrong {
	if uint64(c.Session) >= uint64(len(k.sessions)) {
		return wrongf(int64(c.Session), fmt.Sprintf("there are %d sessions", len(k.sessions)), "clusters[%d].session", i)
	}
	if c.Capacity < 1 || c.Capacity > MaxID-k.limit {
		return wrongf(c.Capacity, "must be 1 or more, and the sum of capacities below 2^53", "clusters[%d].capacity", i)
	}
	if c.Count < 0 || c.Count > c.Capacity {
		return wrongf(c.Count, fmt.Sprintf("must be 0 to the capacity, %d", c.Capacity), "clusters[%d].count", i)
	}
	if c.Session == 0 {
		k.own = k.gens[0] + c.Count
	}
	k.limit += c.Capacity
	k.gens[c.Session] += c.Capacity
	if !k.sessions[c.Session].Add(uint64(k.gens[c.Session] - 1)).Valid() {
		return wrongf(c.Capacity, "reaches past the last UUID", "clusters[%d].capacity", i)
	}
	return nil
}

// local checks what does not depend on the runs. The sharding state is known.
func (k *checker) local(l *Local) *wrong {
	child := l.Sharding != nil && l.Sharding.ShardID != nil
	if l.Generated < 0 || l.Generated > MaxID {
		return wrongf(l.Generated, "must be 0 to 2^53-1", "generated")
	}
	if l.Generated > 0 && !k.sessions[0].Add(uint64(l.Generated-1)).Valid() {
		return wrongf(l.Generated, "reaches past the last UUID", "generated")
	}
	most := l.Generated
	if child {
		most = max(most, k.own)
	} else if k.own > l.Generated {
		return wrongf(l.Generated, fmt.Sprintf("%d IDs of this session are finalized", k.own), "generated")
	}
	if l.Cursor < 1 || l.Cursor > most+1 {
		return wrongf(l.Cursor, fmt.Sprintf("must be 1 to %d", most+1), "cursor")
	}
	return nil
}

// run checks the i-th run, which follows one that ends at last.
func (l *Local) run(i int, r Run, last int64) *wrong {
	switch {
	case r.First < 1 || r.First <= last:
		return wrongf(r.First, fmt.Sprintf("must be above %d", last), "runs[%d].first", i)
	case r.Count < 1 || r.First > l.Generated || r.Count > l.Generated-r.First+1:
		return wrongf(r.Count, fmt.Sprintf("must be 1 or more, and the run end at %d, the IDs generated, or before", l.Generated), "runs[%d].count", i)
	}
	return nil
}

// strides checks the two strides.
func (s *Sharding) strides() *wrong {
	switch {
	case s.Stride < 1 || s.Stride > MaxStride:
		return wrongf(s.Stride, "must be 1 to 1000000", "stride")
	case s.Original < 1 || s.Original > s.Stride:
		return wrongf(s.Original, fmt.Sprintf("must be 1 to the stride, %d", s.Stride), "originalStride")
	}
	return nil
}

// Check returns an *[Error] if the state is not one that a form can hold, two
// equal sessions included. It is for states that were not read by [Parse].
func (s *State) Check() error {
	unplaced := func(w *wrong) error { return w.at(-1) }
	if s.Version != V2 && s.Version != V3 {
		return &Error{Field: "version", Offset: -1, Value: fmt.Sprint(s.Version), Reason: "must be 2 or 3", Err: ErrUnsupportedVersion}
	}
	for i, id := range s.Sessions {
		if !id.Valid() {
			return unplaced(&wrong{fmt.Sprintf("sessions[%d]", i), fmt.Sprintf("%#x", id), "more than 122 bits"})
		}
	}
	if i, ok := s.Duplicate(); ok {
		return unplaced(&wrong{fmt.Sprintf("sessions[%d]", i), s.Sessions[i].String(), "is there twice"})
	}
	check := newChecker(s.Sessions)
	for i, c := range s.Clusters {
		if w := check.cluster(i, c); w != nil {
			return unplaced(w)
		}
	}
	l := s.Local
	if l == nil {
		return nil
	}
	if len(s.Sessions) == 0 {
		return unplaced(&wrong{"sessionCount", "0", "a form with session has at least that one"})
	}
	var last int64
	for i, r := range l.Runs {
		if w := l.run(i, r, last); w != nil {
			return unplaced(w)
		}
		last = r.First + r.Count - 1
	}
	if h := l.Sharding; h != nil {
		if w := h.strides(); w != nil {
			return unplaced(w)
		}
		if i, ok := duplicate(h.Children); ok {
			return unplaced(&wrong{fmt.Sprintf("children[%d]", i), h.Children[i].String(), "is there twice"})
		}
	}
	if w := check.local(l); w != nil {
		return unplaced(w)
	}
	return nil
}
