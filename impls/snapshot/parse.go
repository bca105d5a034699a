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
// of local state. The two counts that follow have to be there.
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
	if whole := len(data) &^ 7; whole != len(data) {
		return Header{}, r.corrupt("length", strconv.Itoa(len(data)), "must be a multiple of 8, the last slot is cut off", whole)
	}
	local, err := r.flag("hasLocalState")
	if err != nil {
		return Header{}, err
	}
	// The original reads the counts, and does not judge them yet, before it
	// holds the flag against the session it was given (Q51).
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
// be equal. [State.CheckDistinct] looks for them.
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
		return nil, noOwnSession().at(16)
	}
	if s.Sessions, err = r.uuids("sessions", sessions, "sessionCount", 16); err != nil {
		return nil, err
	}
	if err := r.room("clusterCount", clusters, clusterBytes, 24); err != nil {
		return nil, err
	}
	check := newChecker(s.Sessions)
	if s.Clusters, err = r.clusters(clusters, &check); err != nil {
		return nil, err
	}
	if h.HasLocal {
		if s.Local, err = r.local(h.Version, &check); err != nil {
			return nil, err
		}
	}
	if more := len(data) - r.at; more > 0 {
		next := math.Float64frombits(binary.LittleEndian.Uint64(data[r.at:]))
		return nil, r.corrupt("end", float(next), fmt.Sprintf("%d bytes too many", more), r.at)
	}
	return s, nil
}

// reader reads slots.
type reader struct {
	data []byte
	at   int
}

func (r *reader) corrupt(field, value, reason string, offset int) error {
	return &Error{Field: field, Offset: int64(offset), Value: value, Reason: reason, Err: ErrCorrupt}
}

func (r *reader) slot(field string) (uint64, error) {
	if left := len(r.data) - r.at; left < 8 {
		return 0, r.corrupt(field, "", fmt.Sprintf("the data ends here, with %d of 8 bytes", left), r.at)
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
		return 0, r.notInteger(field, slot, r.at-8)
	}
	return n, nil
}

func (r *reader) notInteger(field string, slot uint64, offset int) error {
	return r.corrupt(field, float(math.Float64frombits(slot)), "must be an integer of 0 to 2^53-1", offset)
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
	return false, r.corrupt(field, float(math.Float64frombits(slot)), "must be 0 or 1", r.at-8)
}

// room refuses a count of things, size bytes each, that the rest cannot hold.
func (r *reader) room(field string, n, size int64, offset int) error {
	if n > int64(len(r.data)-r.at)/size || n > math.MaxInt32 {
		return r.corrupt(field, strconv.FormatInt(n, 10), fmt.Sprintf("only %d bytes follow", len(r.data)-r.at), offset)
	}
	return nil
}

// uuids reads n UUIDs; count is the field that said so, at that offset.
func (r *reader) uuids(field string, n int64, count string, offset int) ([]numericuuid.UUID, error) {
	if err := r.room(count, n, uuidBytes, offset); err != nil {
		return nil, err
	}
	ids := make([]numericuuid.UUID, n)
	for i := range ids {
		ids[i] = uuidAt(r.data[r.at+uuidBytes*i:])
	}
	if w := valid(field, ids); w != nil {
		return nil, w.at(r.at)
	}
	r.at += uuidBytes * len(ids)
	return ids, nil
}

func uuidAt(slots []byte) numericuuid.UUID {
	slots = slots[:uuidBytes]
	return numericuuid.UUID{Lo: binary.LittleEndian.Uint64(slots), Hi: binary.LittleEndian.Uint64(slots[8:])}
}

// clusters reads n clusters; there is room for them. It is the loop in which
// loading a large document spends its time.
func (r *reader) clusters(n int64, check *checker) ([]Cluster, error) {
	cs := make([]Cluster, n)
	for i := range cs {
		slots := r.data[r.at+clusterBytes*i:][:clusterBytes]
		session, ok0 := integer(binary.LittleEndian.Uint64(slots))
		capacity, ok1 := integer(binary.LittleEndian.Uint64(slots[8:]))
		count, ok2 := integer(binary.LittleEndian.Uint64(slots[16:]))
		c := &cs[i]
		*c = Cluster{Session: int32(session), Capacity: capacity, Count: count}
		if !(ok0 && ok1 && ok2) || session > math.MaxInt32 || !check.cluster(c) {
			return nil, r.badCluster(i, check)
		}
	}
	r.at += clusterBytes * len(cs)
	return cs, nil
}

// badCluster says what is wrong with the i-th cluster: with the first of its
// fields that no cluster could have after those before.
func (r *reader) badCluster(i int, check *checker) error {
	at := r.at + clusterBytes*i
	fields := [3]int64{0, 1, 0} // as good as any while they are not read
	for f, name := range [3]string{"session", "capacity", "count"} {
		slot := binary.LittleEndian.Uint64(r.data[at+8*f:])
		n, ok := integer(slot)
		if !ok {
			return r.notInteger(fmt.Sprintf("clusters[%d].%s", i, name), slot, at+8*f)
		}
		fields[f] = n
		if w := check.explain(i, fields[0], fields[1], fields[2]); w.slot == f {
			return w.at(at)
		}
	}
	panic("unreachable: the cluster is right")
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
	if l.Runs, err = r.runs(l); err != nil {
		return nil, err
	}
	if version == V3 {
		if l.Sharding, err = r.sharding(); err != nil {
			return nil, err
		}
	}
	if w := check.local(l); w != nil {
		return nil, w.at(start)
	}
	return l, nil
}

func (r *reader) runs(l *Local) ([]Run, error) {
	n, err := r.number("runCount")
	if err != nil {
		return nil, err
	}
	if err := r.room("runCount", n, runBytes, r.at-8); err != nil {
		return nil, err
	}
	runs := make([]Run, n)
	var last int64
	for i := range runs {
		slots := r.data[r.at:][:runBytes]
		first, ok := integer(binary.LittleEndian.Uint64(slots))
		if !ok {
			return nil, r.notInteger(fmt.Sprintf("runs[%d].first", i), binary.LittleEndian.Uint64(slots), r.at)
		}
		count, ok := integer(binary.LittleEndian.Uint64(slots[8:]))
		if !ok {
			return nil, r.notInteger(fmt.Sprintf("runs[%d].count", i), binary.LittleEndian.Uint64(slots[8:]), r.at+8)
		}
		runs[i] = Run{First: first, Count: count}
		if w := l.run(i, runs[i], last); w != nil {
			return nil, w.at(r.at)
		}
		last = first + count - 1
		r.at += runBytes
	}
	return runs, nil
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
		return nil, w.at(start)
	}
	at := r.at
	children, err := r.number("childCount")
	if err != nil {
		return nil, err
	}
	if s.Children, err = r.uuids("children", children, "childCount", at); err != nil {
		return nil, err
	}
	if w := distinct("children", s.Children); w != nil {
		return nil, w.at(at + 8)
	}
	at = r.at
	shard, err := r.flag("hasShardID")
	if err != nil || !shard {
		return s, err
	}
	if err := r.room("hasShardID", 1, uuidBytes, at); err != nil {
		return nil, err
	}
	id := uuidAt(r.data[r.at:])
	if !id.Valid() {
		return nil, tooLong(0, "shardID", id).at(r.at)
	}
	s.ShardID = &id
	r.at += uuidBytes
	return s, nil
}

func float(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
