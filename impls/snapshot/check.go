package snapshot

import (
	"fmt"
	"math"

	"example.com/idlab/impls/numericuuid"
)

// wrong is a field of a state that cannot be. Its offset is the reader's to
// say, who knows where the first field of its kind is.
type wrong struct {
	slot                 int // of the field, counted from that first one
	field, value, reason string
}

// at returns the error; start is the offset of slot 0, -1 if there is none.
func (w *wrong) at(start int) *Error {
	offset := int64(-1)
	if start >= 0 {
		offset = int64(start) + 8*int64(w.slot)
	}
	return &Error{Field: w.field, Offset: offset, Value: w.value, Reason: w.reason, Err: ErrCorrupt}
}

func wrongf(slot int, value int64, reason, field string, args ...any) *wrong {
	return &wrong{slot, fmt.Sprintf(field, args...), fmt.Sprint(value), reason}
}

// checker holds the sums that the checks of a cluster need.
type checker struct {
	sessions []numericuuid.UUID
	room     []int64 // IDs that each session can still get, by its UUID
	left     int64   // final IDs after the clusters so far
	gens     int64   // own IDs reserved
	own      int64   // own IDs finalized
}

func newChecker(sessions []numericuuid.UUID) checker {
	room := make([]int64, len(sessions))
	for i, id := range sessions {
		room[i] = uuidRoom(id)
	}
	return checker{sessions: sessions, room: room, left: MaxID}
}

// uuidRoom returns how many UUIDs there are from id on; MaxInt64 if more.
func uuidRoom(id numericuuid.UUID) int64 {
	if d, ok := numericuuid.Max.Sub(id); ok && d < math.MaxInt64 {
		return int64(d) + 1
	}
	return math.MaxInt64
}

// cluster adds a cluster; false if it cannot be, and then see explain.
func (k *checker) cluster(c *Cluster) bool {
	s := int(c.Session)
	if uint(s) >= uint(len(k.room)) {
		return false
	}
	if c.Capacity < 1 || c.Capacity > k.left || uint64(c.Count) > uint64(c.Capacity) || c.Capacity > k.room[s] {
		return false
	}
	k.left -= c.Capacity
	k.room[s] -= c.Capacity
	if s == 0 {
		k.own = k.gens + c.Count
		k.gens += c.Capacity
	}
	return true
}

// explain says why the i-th cluster cannot be.
func (k *checker) explain(i int, session, capacity, count int64) *wrong {
	switch {
	case uint64(session) >= uint64(len(k.sessions)):
		return wrongf(0, session, fmt.Sprintf("there are %d sessions", len(k.sessions)), "clusters[%d].session", i)
	case capacity < 1:
		return wrongf(1, capacity, "must be 1 or more", "clusters[%d].capacity", i)
	case capacity > k.left:
		return wrongf(1, capacity, fmt.Sprintf("the sum of capacities must be below 2^53, and %d are left", k.left), "clusters[%d].capacity", i)
	case capacity > k.room[session]:
		return wrongf(1, capacity, fmt.Sprintf("reaches past the last UUID, and session %s can have %d more IDs", k.sessions[session], k.room[session]), "clusters[%d].capacity", i)
	}
	return wrongf(2, count, fmt.Sprintf("must be 0 to the capacity, %d", capacity), "clusters[%d].count", i)
}

// local checks what does not depend on the runs. The sharding state is known.
func (k *checker) local(l *Local) *wrong {
	child := l.Sharding != nil && l.Sharding.ShardID != nil
	if l.Generated < 0 || l.Generated > MaxID {
		return wrongf(0, l.Generated, "must be 0 to 2^53-1", "generated")
	}
	if room := uuidRoom(k.sessions[0]); l.Generated > room {
		return wrongf(0, l.Generated, fmt.Sprintf("reaches past the last UUID: session %s can have %d IDs", k.sessions[0], room), "generated")
	}
	most := l.Generated
	if child {
		most = max(most, k.own)
	} else if k.own > l.Generated {
		return wrongf(0, l.Generated, fmt.Sprintf("%d IDs of this session are finalized", k.own), "generated")
	}
	if l.Cursor < 1 || l.Cursor > most+1 {
		return wrongf(1, l.Cursor, fmt.Sprintf("must be 1 to %d", most+1), "cursor")
	}
	return nil
}

// run checks the i-th run, which follows one that ends at last.
func (l *Local) run(i int, r Run, last int64) *wrong {
	switch {
	case r.First <= last: // 0 before the first run
		return wrongf(0, r.First, fmt.Sprintf("must be above %d, where the run before ends", last), "runs[%d].first", i)
	case r.First > l.Generated:
		return wrongf(0, r.First, fmt.Sprintf("must be at most %d, the IDs generated", l.Generated), "runs[%d].first", i)
	case r.Count < 1:
		return wrongf(1, r.Count, "must be 1 or more", "runs[%d].count", i)
	case r.Count > l.Generated-r.First+1:
		return wrongf(1, r.Count, fmt.Sprintf("the run must end at %d, the IDs generated, or before", l.Generated), "runs[%d].count", i)
	}
	return nil
}

// strides checks the two strides.
func (s *Sharding) strides() *wrong {
	switch {
	case s.Stride < 1 || s.Stride > MaxStride:
		return wrongf(0, s.Stride, fmt.Sprintf("must be 1 to %d", MaxStride), "stride")
	case s.Original < 1 || s.Original > s.Stride:
		return wrongf(1, s.Original, fmt.Sprintf("must be 1 to the stride, %d", s.Stride), "originalStride")
	}
	return nil
}

// distinct checks that no two of the UUIDs, whose first one is slot 0, are equal.
func distinct(kind string, ids []numericuuid.UUID) *wrong {
	if i, ok := duplicate(ids); ok {
		return &wrong{2 * i, fmt.Sprintf("%s[%d]", kind, i), ids[i].String(), "is there twice"}
	}
	return nil
}

// CheckDistinct returns an *[Error] if two sessions are equal, which [Parse]
// leaves to its caller.
func (s *State) CheckDistinct() error {
	if w := distinct("sessions", s.Sessions); w != nil {
		return w.at(firstUUID)
	}
	return nil
}

// valid checks that the UUIDs are numbers of 122 bits.
func valid(kind string, ids []numericuuid.UUID) *wrong {
	for i, id := range ids {
		if !id.Valid() {
			return tooLong(2*i, fmt.Sprintf("%s[%d]", kind, i), id)
		}
	}
	return nil
}

func tooLong(slot int, field string, id numericuuid.UUID) *wrong {
	return &wrong{slot, field, fmt.Sprintf("%#016x%016x", id.Hi, id.Lo), "more than 122 bits"}
}

// Check returns an *[Error] if the state is not one that a form can hold, two
// equal sessions included. It is for states that were not read by [Parse].
func (s *State) Check() error {
	if w := s.check(); w != nil {
		return w.at(-1)
	}
	return nil
}

func (s *State) check() *wrong {
	if s.Version != V2 && s.Version != V3 {
		return wrongf(0, int64(s.Version), "must be 2 or 3", "version")
	}
	if w := valid("sessions", s.Sessions); w != nil {
		return w
	}
	if w := distinct("sessions", s.Sessions); w != nil {
		return w
	}
	check := newChecker(s.Sessions)
	for i := range s.Clusters {
		if c := &s.Clusters[i]; !check.cluster(c) {
			return check.explain(i, int64(c.Session), c.Capacity, c.Count)
		}
	}
	l := s.Local
	if l == nil {
		return nil
	}
	if len(s.Sessions) == 0 {
		return noOwnSession()
	}
	var last int64
	for i, r := range l.Runs {
		if w := l.run(i, r, last); w != nil {
			return w
		}
		last = r.First + r.Count - 1
	}
	if l.Sharding != nil {
		if s.Version != V3 {
			return wrongf(0, 1, "version 2 has no place for it", "hasShardingState")
		}
		if w := l.Sharding.check(); w != nil {
			return w
		}
	}
	return check.local(l)
}

func (s *Sharding) check() *wrong {
	if w := s.strides(); w != nil {
		return w
	}
	if w := valid("children", s.Children); w != nil {
		return w
	}
	if w := distinct("children", s.Children); w != nil {
		return w
	}
	if s.ShardID != nil && !s.ShardID.Valid() {
		return tooLong(0, "shardID", *s.ShardID)
	}
	return nil
}

func noOwnSession() *wrong {
	return wrongf(0, 0, "a form with session has at least that one", "sessionCount")
}
