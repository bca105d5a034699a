package snapshot

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"example.com/idlab/impls/numericuuid"
)

// Header is what the first two slots say.
type Header struct {
	Version  int
	HasLocal bool
}

// ParseHeader reads the version, which is judged before all else, and the flag
// of local state. The two counts that follow must be there.
func ParseHeader(data []byte) (Header, error) {
	r := reader{data: data}
	version, err := r.slot("version")
	if err != nil {
		return Header{}, err
	}
	v := math.Float64frombits(version)
	if v != V2 && v != V3 {
		return Header{}, &Error{
			Field: "version", Value: float(v), Err: ErrUnsupportedVersion,
			Reason: "this program reads versions 2 and 3",
		}
	}
	if len(data)%8 != 0 {
		return Header{}, &Error{Field: "length", Offset: -1, Value: strconv.Itoa(len(data)), Reason: "must be a multiple of 8", Err: ErrCorrupt}
	}
	local, err := r.flag("hasLocalState")
	if err != nil {
		return Header{}, err
	}
	// The original reads the counts, though it does not judge them, before a
	// caller can hold the flag against the session given.
	for _, count := range []string{"sessionCount", "clusterCount"} {
		if _, err := r.slot(count); err != nil {
			return Header{}, err
		}
	}
	return Header{Version: int(v), HasLocal: local}, nil
}

// Parse reads the binary form. Its errors are of type *[Error].
//
// One thing it leaves to the caller, who has a table for it: two sessions may
// be equal. [State.Duplicate] looks for them.
func Parse(data []byte) (*State, error) {
	h, err := ParseHeader(data)
	if err != nil {
		return nil, err
	}
	r := reader{data: data, at: 16}
	s := &State{Version: h.Version}
	sessions, err := r.number("sessionCount")
	if err != nil {
		return nil, err
	}
	clusters, err := r.number("clusterCount")
	if err != nil {
		return nil, err
	}
	if h.HasLocal && sessions == 0 {
		return nil, r.before("sessionCount", "0", "a form with session has at least that one", 16)
	}
	if s.Sessions, err = r.uuids("sessions", sessions, "sessionCount", 16); err != nil {
		return nil, err
	}
	if err := r.room("clusterCount", clusters, 24, 24); err != nil {
		return nil, err
	}
	check := newChecker(s.Sessions)
	s.Clusters = make([]Cluster, clusters)
	for i := range s.Clusters {
		if err := r.cluster(i, &s.Clusters[i], &check); err != nil {
			return nil, err
		}
	}
	if h.HasLocal {
		if s.Local, err = r.local(h.Version, &check); err != nil {
			return nil, err
		}
	}
	if r.at != len(data) {
		return nil, &Error{Field: "end", Offset: int64(r.at), Reason: fmt.Sprintf("%d bytes too many", len(data)-r.at), Err: ErrCorrupt}
	}
	return s, nil
}

// reader reads slots.
type reader struct {
	data []byte
	at   int
}

func (r *reader) before(field, value, reason string, offset int) error {
	return &Error{Field: field, Offset: int64(offset), Value: value, Reason: reason, Err: ErrCorrupt}
}

func (r *reader) slot(field string) (uint64, error) {
	if len(r.data)-r.at < 8 {
		return 0, r.before(field, "", "the data ends here", r.at)
	}
	v := binary.LittleEndian.Uint64(r.data[r.at:])
	r.at += 8
	return v, nil
}

// number reads an integer of 0 to 2^53-1.
func (r *reader) number(field string) (int64, error) {
	slot, err := r.slot(field)
	if err != nil {
		return 0, err
	}
	n, ok := integer(slot)
	if !ok {
		return 0, r.before(field, float(math.Float64frombits(slot)), "must be an integer of 0 to 2^53-1", r.at-8)
	}
	return n, nil
}

// integer converts a slot that holds an integer of 0 to 2^53-1. Negative zero
// is none: it would not be written back.
func integer(slot uint64) (int64, bool) {
	f := math.Float64frombits(slot)
	n := int64(f)
	return n, float64(n) == f && uint64(n) <= MaxID && slot>>63 == 0
}

func (r *reader) flag(field string) (bool, error) {
	slot, err := r.slot(field)
	if err != nil {
		return false, err
	}
	switch slot {
	case 0:
		return false, nil
	case math.Float64bits(1):
		return true, nil
	}
	return false, r.before(field, float(math.Float64frombits(slot)), "must be 0 or 1", r.at-8)
}

// room refuses a count of things, size bytes each, that the rest cannot hold.
func (r *reader) room(field string, n, size int64, offset int) error {
	if n > int64(len(r.data)-r.at)/size || n > math.MaxInt32 {
		return r.before(field, strconv.FormatInt(n, 10), fmt.Sprintf("only %d bytes follow", len(r.data)-r.at), offset)
	}
	return nil
}

func (r *reader) uuid(field string) (numericuuid.UUID, error) {
	at := r.at
	lo, err := r.slot(field)
	if err != nil {
		return numericuuid.UUID{}, err
	}
	hi, err := r.slot(field)
	if err != nil {
		return numericuuid.UUID{}, err
	}
	id := numericuuid.UUID{Hi: hi, Lo: lo}
	if !id.Valid() {
		return id, r.before(field, fmt.Sprintf("0x%016x%016x", hi, lo), "more than 122 bits", at)
	}
	return id, nil
}

func (r *reader) uuids(field string, n int64, count string, offset int) ([]numericuuid.UUID, error) {
	if err := r.room(count, n, 16, offset); err != nil {
		return nil, err
	}
	ids := make([]numericuuid.UUID, n)
	for i := range ids {
		var err error
		if ids[i], err = r.uuid(field); err != nil {
			err.(*Error).Field = fmt.Sprintf("%s[%d]", field, i)
			return nil, err
		}
	}
	return ids, nil
}

// cluster reads a cluster; there is room for it. It is the loop in which
// loading a large document spends its time.
func (r *reader) cluster(i int, c *Cluster, check *checker) error {
	slots := r.data[r.at : r.at+24]
	session, ok0 := integer(binary.LittleEndian.Uint64(slots))
	capacity, ok1 := integer(binary.LittleEndian.Uint64(slots[8:]))
	count, ok2 := integer(binary.LittleEndian.Uint64(slots[16:]))
	if !ok0 || !ok1 || !ok2 {
		for _, name := range []string{"session", "capacity", "count"} {
			if _, err := r.number(fmt.Sprintf("clusters[%d].%s", i, name)); err != nil {
				return err
			}
		}
	}
	if session >= int64(len(check.sessions)) {
		return wrongf(session, fmt.Sprintf("there are %d sessions", len(check.sessions)), "clusters[%d].session", i).at(int64(r.at))
	}
	*c = Cluster{Session: int32(session), Capacity: capacity, Count: count}
	if w := check.cluster(i, *c); w != nil {
		return w.at(int64(r.at))
	}
	r.at += 24
	return nil
}

func (r *reader) local(version int, check *checker) (*Local, error) {
	l := &Local{}
	start := r.at
	var err error
	if l.Generated, err = r.number("generated"); err != nil {
		return nil, err
	}
	if l.Cursor, err = r.number("cursor"); err != nil {
		return nil, err
	}
	runs, err := r.number("runCount")
	if err != nil {
		return nil, err
	}
	if err := r.room("runCount", runs, 16, r.at-8); err != nil {
		return nil, err
	}
	l.Runs = make([]Run, 0, runs)
	var last int64
	for i := range int(runs) {
		at := r.at
		var run Run
		if run.First, err = r.number(fmt.Sprintf("runs[%d].first", i)); err != nil {
			return nil, err
		}
		if run.Count, err = r.number(fmt.Sprintf("runs[%d].count", i)); err != nil {
			return nil, err
		}
		if w := l.run(i, run, last); w != nil {
			return nil, w.at(int64(at))
		}
		last = run.First + run.Count - 1
		l.Runs = append(l.Runs, run)
	}
	if version == V3 {
		if l.Sharding, err = r.sharding(); err != nil {
			return nil, err
		}
	}
	if w := check.local(l); w != nil {
		return nil, w.at(int64(start))
	}
	return l, nil
}

func (r *reader) sharding() (*Sharding, error) {
	sharded, err := r.flag("hasShardingState")
	if err != nil || !sharded {
		return nil, err
	}
	s := &Sharding{}
	start := r.at
	if s.Stride, err = r.number("stride"); err != nil {
		return nil, err
	}
	if s.Original, err = r.number("originalStride"); err != nil {
		return nil, err
	}
	if w := s.strides(); w != nil {
		return nil, w.at(int64(start))
	}
	at := r.at
	children, err := r.number("childCount")
	if err != nil {
		return nil, err
	}
	if s.Children, err = r.uuids("children", children, "childCount", at); err != nil {
		return nil, err
	}
	if i, ok := duplicate(s.Children); ok {
		return nil, r.before(fmt.Sprintf("children[%d]", i), s.Children[i].String(), "is there twice", at+8+16*i)
	}
	hasID, err := r.flag("hasShardID")
	if err != nil || !hasID {
		return s, err
	}
	id, err := r.uuid("shardID")
	if err != nil {
		return nil, err
	}
	s.ShardID = &id
	return s, nil
}

// Duplicate returns the position of a session whose UUID an earlier one has,
// and false if all differ.
func (s *State) Duplicate() (int, bool) { return duplicate(s.Sessions) }

func duplicate(ids []numericuuid.UUID) (int, bool) {
	seen := make(map[numericuuid.UUID]struct{}, len(ids))
	for i, id := range ids {
		if _, ok := seen[id]; ok {
			return i, true
		}
		seen[id] = struct{}{}
	}
	return 0, false
}

func float(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
