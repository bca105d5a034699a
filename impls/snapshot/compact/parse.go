package compact

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
)

// Parse reads the compact form. Its errors are of type *[snapshot.Error], with
// offsets in the compact form, or -1 for what is in its coded part. It takes at
// most 200 times the input in memory, and 16 KiB.
func Parse(data []byte) (*snapshot.State, error) {
	const sumSize = 4
	if !Is(data) {
		return nil, corrupt("magic", 0, fmt.Sprintf("%x", data[:min(len(data), 4)]), "this is no compact form")
	}
	if len(data) < len(magic)+1+sumSize {
		return nil, corrupt("length", len(data), fmt.Sprint(len(data)), "the header and the sum take more")
	}
	if v := data[4]; v != magic[4] {
		return nil, &snapshot.Error{Field: "version", Offset: 4, Value: fmt.Sprint(v), Reason: "this program reads version 1", Err: snapshot.ErrUnsupportedVersion}
	}
	body := data[:len(data)-sumSize]
	if sum, want := crc32.Checksum(body, castagnoli), binary.LittleEndian.Uint32(data[len(body):]); sum != want {
		return nil, corrupt("checksum", len(body), fmt.Sprintf("%08x", want), fmt.Sprintf("the content has %08x: it was damaged", sum))
	}
	r := reader{data: body, at: 5}
	flags := r.data[r.at]
	r.at++
	if flags > flagV3|flagLocal|flagSharded|flagShard ||
		flags&flagSharded != 0 && flags&(flagV3|flagLocal) != flagV3|flagLocal || flags&flagShard != 0 && flags&flagSharded == 0 {
		return nil, corrupt("flags", 5, fmt.Sprintf("%#02x", flags), "no such form")
	}
	s := &snapshot.State{Version: snapshot.V2}
	if flags&flagV3 != 0 {
		s.Version = snapshot.V3
	}
	sessions, err := r.count("sessionCount", math.MaxInt32)
	if err != nil {
		return nil, err
	}
	clusters, err := r.count("clusterCount", min(mostItems(len(body)), math.MaxInt32))
	if err != nil {
		return nil, err
	}
	if s.Sessions, err = r.uuids("sessions", sessions); err != nil {
		return nil, err
	}
	if flags&flagLocal != 0 {
		s.Local = &snapshot.Local{}
	}
	if flags&flagSharded != 0 {
		if s.Local.Sharding, err = r.sharding(flags&flagShard != 0); err != nil {
			return nil, err
		}
	}
	d := newDecoder(body[r.at:])
	m := &models{}
	if err := d.clusters(s, clusters, m); err != nil {
		return nil, err
	}
	if s.Local != nil {
		if err := d.local(s.Local, m, mostItems(len(body))-clusters); err != nil {
			return nil, err
		}
	}
	if err := d.end(r.at, len(body) <= leastBytes(items(s))); err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	return s, nil
}

// end refuses what follows the coded part, which begins at offset: all bytes
// but zeros, and those too if the form is not filled.
func (d *decoder) end(offset int, filled bool) error {
	for i := d.read; i < len(d.in); i++ {
		if d.in[i] != 0 {
			return corrupt("end", offset+i, fmt.Sprintf("%#02x", d.in[i]), fmt.Sprintf("%d bytes too many", len(d.in)-i))
		}
	}
	if last := len(d.in) - 1; last >= 0 && d.in[last] == 0 && !filled {
		return corrupt("end", offset+last, "0", "a zero that the form does not need")
	}
	return nil
}

func corrupt(field string, offset int, value, reason string) error {
	return &snapshot.Error{Field: field, Offset: int64(offset), Value: value, Reason: reason, Err: snapshot.ErrCorrupt}
}

// inCoded is an error inside the coded part, which has no bytes of its own for
// a field.
func inCoded(field string, value any, reason string) error {
	return corrupt(field, -1, fmt.Sprint(value), reason)
}

type reader struct {
	data []byte
	at   int
}

func (r *reader) count(field string, most int) (int, error) {
	n, size := binary.Uvarint(r.data[r.at:])
	if size <= 0 || n > uint64(most) {
		return 0, corrupt(field, r.at, fmt.Sprint(n), fmt.Sprintf("must be a uvarint of at most %d", most))
	}
	r.at += size
	return int(n), nil
}

func (r *reader) uuids(field string, n int) ([]numericuuid.UUID, error) {
	if n > (len(r.data)-r.at)*8/122 {
		return nil, corrupt(field, r.at, fmt.Sprint(n), fmt.Sprintf("only %d bytes follow", len(r.data)-r.at))
	}
	ids := make([]numericuuid.UUID, n)
	size := uuidBytes(n)
	if size > len(r.data)-r.at || !readUUIDs(ids, r.data[r.at:r.at+size]) {
		return nil, corrupt(field, r.at+size-1, "", "the last byte is not filled with zeros")
	}
	r.at += size
	return ids, nil
}

func (r *reader) sharding(shard bool) (*snapshot.Sharding, error) {
	n, err := r.count("childCount", math.MaxInt32)
	if err != nil {
		return nil, err
	}
	h := &snapshot.Sharding{}
	if h.Children, err = r.uuids("children", n); err != nil {
		return nil, err
	}
	if shard {
		id, err := r.uuids("shardID", 1)
		if err != nil {
			return nil, err
		}
		h.ShardID = &id[0]
	}
	return h, nil
}

func (d *decoder) clusters(s *snapshot.State, n int, m *models) error {
	counts := make([]uint32, len(s.Sessions))
	left := int64(n)
	for i := range counts {
		c, ok := d.column(&m.clusters)
		if !ok || c > left {
			return inCoded(fmt.Sprintf("sessions[%d].clusters", i), c, fmt.Sprintf("%d clusters are left", left))
		}
		left -= c
		counts[i] = uint32(c)
	}
	if left != 0 {
		return inCoded("clusterCount", n, fmt.Sprintf("the sessions have %d fewer", left))
	}
	o := newOwners(counts)
	s.Clusters = make([]snapshot.Cluster, n)
	for i := range s.Clusters {
		owner, ok := d.owner(o, &m.asExpected)
		if !ok {
			return inCoded(fmt.Sprintf("clusters[%d].session", i), owner, "has no cluster left")
		}
		capacity, ok := d.column(&m.capacity)
		count := capacity
		if !d.bit(&m.full[b2u(o.left[owner] == 0)]) && ok {
			if count, ok = d.int(&m.count); count == capacity {
				ok = false
			}
		}
		if !ok {
			return inCoded(fmt.Sprintf("clusters[%d]", i), capacity, "no number the writer would write")
		}
		s.Clusters[i] = snapshot.Cluster{Session: int32(owner), Capacity: capacity, Count: count}
	}
	return nil
}

func (d *decoder) local(l *snapshot.Local, m *models, mostRuns int) error {
	var runs int64
	for _, f := range []struct {
		name string
		to   *int64
	}{{"generated", &l.Generated}, {"cursor", &l.Cursor}, {"runCount", &runs}} {
		var ok bool
		if *f.to, ok = d.int(&m.number); !ok {
			return inCoded(f.name, "", "is longer than 53 bits")
		}
	}
	if runs > int64(mostRuns) {
		return inCoded("runCount", runs, fmt.Sprintf("a form of this length can hold %d", mostRuns))
	}
	l.Runs = make([]snapshot.Run, 0, runs)
	var last int64
	for i := range runs {
		gap, ok1 := d.column(&m.gap)
		count, ok2 := d.column(&m.length)
		if !ok1 || !ok2 || gap < 1 || count < 1 || gap > snapshot.MaxID-last || count > snapshot.MaxID-last-gap+1 {
			return inCoded(fmt.Sprintf("runs[%d]", i), gap, "is empty, or past 2^53")
		}
		l.Runs = append(l.Runs, snapshot.Run{First: last + gap, Count: count})
		last += gap + count - 1
	}
	if h := l.Sharding; h != nil {
		var ok1, ok2 bool
		h.Original, ok1 = d.int(&m.number)
		h.Stride, ok2 = d.int(&m.number)
		if !ok1 || !ok2 {
			return inCoded("stride", "", "is longer than 53 bits")
		}
	}
	return nil
}
