package compact

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
)

var magic = [5]byte{0xf1, 'I', 'D', 'C', 1}

const (
	flagV3 = 1 << iota
	flagLocal
	flagSharded
	flagShard
)

// A form of n bytes, without the sum, holds at most mostItems(n) clusters and
// runs together. Alike, they cost next to nothing; this keeps a short form from
// claiming much.
func mostItems(n int) int { return 512 + 8*n }

// leastBytes is the length at which a form may hold that many items.
func leastBytes(items int) int { return (items - mostItems(0) + 7) / 8 }

// items returns how many clusters and runs a state has.
func items(s *snapshot.State) int {
	n := len(s.Clusters)
	if s.Local != nil {
		n += len(s.Local.Runs)
	}
	return n
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Is reports whether data begins like a compact form.
func Is(data []byte) bool { return len(data) >= 4 && [4]byte(data) == [4]byte(magic[:4]) }

// models are those of the coded part.
type models struct {
	clusters   column
	capacity   column
	full       [2]bitModel // by whether it is the session's last cluster
	count      intModel
	asExpected bitModel
	gap        column
	length     column
	number     intModel
}

// Parts is how many bytes each part of a form takes. The coded part is one
// number, so that where its clusters end is known to about 8 bytes.
type Parts struct {
	Header   int // with the numbers of sessions, clusters and children
	Sessions int // their UUIDs
	Sharding int // UUIDs of the children and of the shard
	Clusters int // coded
	Local    int // coded
	Filling  int
	Sum      int
}

// Append appends the compact form of a state to dst. The state must be one
// that snapshot.Parse would return.
func Append(dst []byte, s *snapshot.State) ([]byte, error) {
	dst, _, err := appendParts(dst, s)
	return dst, err
}

// Measure returns how many bytes each part of the state's form takes.
func Measure(s *snapshot.State) (Parts, error) {
	_, p, err := appendParts(nil, s)
	return p, err
}

func appendParts(dst []byte, s *snapshot.State) ([]byte, Parts, error) {
	var p Parts
	if s.Version != snapshot.V2 && s.Version != snapshot.V3 {
		return dst, p, fmt.Errorf("compact: %w: %d", snapshot.ErrUnsupportedVersion, s.Version)
	}
	start, measured := len(dst), len(dst)
	part := func(n *int, dst []byte) []byte {
		*n += len(dst) - measured
		measured = len(dst)
		return dst
	}
	flags, sharding := flagsOf(s)
	dst = append(append(dst, magic[:]...), flags)
	dst = binary.AppendUvarint(dst, uint64(len(s.Sessions)))
	dst = part(&p.Header, binary.AppendUvarint(dst, uint64(len(s.Clusters))))
	dst = part(&p.Sessions, appendUUIDs(dst, s.Sessions))
	if sharding != nil {
		dst = part(&p.Header, binary.AppendUvarint(dst, uint64(len(sharding.Children))))
		dst = appendUUIDs(dst, sharding.Children)
		if sharding.ShardID != nil {
			dst = appendUUIDs(dst, []numericuuid.UUID{*sharding.ShardID})
		}
		part(&p.Sharding, dst)
	}
	e := newEncoder(dst)
	m := &models{}
	e.clusters(s, m)
	if s.Local == nil {
		dst = part(&p.Clusters, e.finish())
	} else {
		part(&p.Clusters, e.out)
		e.local(s.Local, m)
		dst = part(&p.Local, e.finish())
	}
	if short := leastBytes(items(s)) - (len(dst) - start); short > 0 {
		dst = part(&p.Filling, append(dst, make([]byte, short)...))
	}
	dst = part(&p.Sum, binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli)))
	return dst, p, nil
}

// flagsOf returns the flags of a state's form, and the sharding it is to hold.
func flagsOf(s *snapshot.State) (flags byte, h *snapshot.Sharding) {
	if s.Version == snapshot.V3 {
		flags |= flagV3
	}
	if s.Local == nil {
		return flags, nil
	}
	flags |= flagLocal
	if h = s.Local.Sharding; h != nil {
		flags |= flagSharded
		if h.ShardID != nil {
			flags |= flagShard
		}
	}
	return flags, h
}

func (e *encoder) clusters(s *snapshot.State, m *models) {
	counts := make([]uint32, len(s.Sessions))
	for _, c := range s.Clusters {
		counts[c.Session]++
	}
	for _, n := range counts {
		e.column(int64(n), &m.clusters)
	}
	o := newOwners(counts)
	for _, c := range s.Clusters {
		e.owner(int(c.Session), o, &m.asExpected)
		e.column(c.Capacity, &m.capacity)
		full := &m.full[b2u(o.left[c.Session] == 0)]
		e.bit(c.Count == c.Capacity, full)
		if c.Count != c.Capacity {
			e.int(c.Count, &m.count)
		}
	}
}

func (e *encoder) local(l *snapshot.Local, m *models) {
	e.int(l.Generated, &m.number)
	e.int(l.Cursor, &m.number)
	e.int(int64(len(l.Runs)), &m.number)
	var last int64
	for _, r := range l.Runs {
		e.column(r.First-last, &m.gap)
		e.column(r.Count, &m.length)
		last = r.First + r.Count - 1
	}
	if h := l.Sharding; h != nil {
		e.int(h.Original, &m.number)
		e.int(h.Stride, &m.number)
	}
}
