package compact

import (
	"encoding/binary"
	"slices"

	"example.com/idlab/impls/numericuuid"
)

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
