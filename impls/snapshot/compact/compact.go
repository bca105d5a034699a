package compact

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"

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

// A form of n bytes holds at most mostItems(n) clusters, and as many runs.
// Alike, they cost next to nothing; this keeps a short form from claiming much.
func mostItems(n int) int { return 512 + 8*n }

// leastBytes is the length, without the sum, at which a state is within it.
func leastBytes(s *snapshot.State) int {
	n := len(s.Clusters)
	if s.Local != nil {
		n = max(n, len(s.Local.Runs))
	}
	return (n - mostItems(0) + 7) / 8
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

// Append appends the compact form of a state to dst. The state must be one
// that snapshot.Parse would return.
func Append(dst []byte, s *snapshot.State) ([]byte, error) {
	if s.Version != snapshot.V2 && s.Version != snapshot.V3 {
		return dst, fmt.Errorf("compact: %w: %d", snapshot.ErrUnsupportedVersion, s.Version)
	}
	start := len(dst)
	dst = append(dst, magic[:]...)
	var sharding *snapshot.Sharding
	var flags byte
	if s.Version == snapshot.V3 {
		flags |= flagV3
	}
	if s.Local != nil {
		flags |= flagLocal
		if sharding = s.Local.Sharding; sharding != nil {
			flags |= flagSharded
			if sharding.ShardID != nil {
				flags |= flagShard
			}
		}
	}
	dst = append(dst, flags)
	dst = binary.AppendUvarint(dst, uint64(len(s.Sessions)))
	dst = binary.AppendUvarint(dst, uint64(len(s.Clusters)))
	dst = appendUUIDs(dst, s.Sessions)
	if sharding != nil {
		dst = binary.AppendUvarint(dst, uint64(len(sharding.Children)))
		dst = appendUUIDs(dst, sharding.Children)
		if sharding.ShardID != nil {
			dst = appendUUIDs(dst, []numericuuid.UUID{*sharding.ShardID})
		}
	}
	e := newEncoder(dst)
	m := &models{}
	e.clusters(s, m)
	if s.Local != nil {
		e.local(s.Local, m)
	}
	dst = e.finish()
	if short := leastBytes(s) - (len(dst) - start); short > 0 {
		dst = append(dst, make([]byte, short)...)
	}
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli)), nil
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

// AppendCanonical appends the canonical form of a state's document to dst.
func AppendCanonical(dst []byte, s *snapshot.State) ([]byte, error) {
	return Append(dst, s.Canonical())
}

// Hash returns the SHA-256 of the canonical form: equal for states whose
// documents are equal, in whatever order their sessions were seen.
func Hash(s *snapshot.State) ([sha256.Size]byte, error) {
	form, err := AppendCanonical(nil, s)
	return sha256.Sum256(form), err
}

// appendUUIDs appends 122 bits for each.
func appendUUIDs(dst []byte, ids []numericuuid.UUID) []byte {
	dst = slices.Grow(dst, uuidBytes(len(ids)))
	var bits uint64 // pending ones
	var n uint      // how many, fewer than 64
	put := func(v uint64, size uint) {
		bits |= v << n
		if n+size < 64 {
			n += size
			return
		}
		dst = binary.LittleEndian.AppendUint64(dst, bits)
		bits = v >> (64 - n)
		n = n + size - 64
	}
	for _, id := range ids {
		put(id.Lo, 64)
		put(id.Hi, 58)
	}
	for ; n > 0; n -= min(n, 8) {
		dst = append(dst, byte(bits))
		bits >>= 8
	}
	return dst
}

func uuidBytes(n int) int { return (122*n + 7) / 8 }

// readUUIDs reads n UUIDs from exactly uuidBytes(n) bytes; false if the bits
// that fill the last byte are not zero.
func readUUIDs(ids []numericuuid.UUID, data []byte) bool {
	at := 0 // in bits
	word := func(size int) uint64 {
		var buf [9]byte
		copy(buf[:], data[at>>3:])
		shift := at & 7
		v := binary.LittleEndian.Uint64(buf[:])>>shift | uint64(buf[8])<<(64-shift)
		at += size
		return v & (1<<size - 1)
	}
	for i := range ids {
		ids[i] = numericuuid.UUID{Lo: word(64), Hi: word(58)}
	}
	return at&7 == 0 || data[at>>3]>>(at&7) == 0
}
