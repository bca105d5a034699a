package swissgo

import (
	"math/bits"
	"unsafe"

	"example.com/idlab/impls"
	"example.com/idlab/impls/internal/hashindex"
)

// Backend is Go's own map.
var Backend = hashindex.Backend("swissgo", "Go's map, a Swiss table",
	"the maps grow in pieces of 1,024 slots", 910,
	hashindex.Maps{
		Numbers:  func(n int) hashindex.Map[uint64] { return make(table[uint64], n) },
		Prefixes: func(n int) hashindex.Map[hashindex.Prefix] { return make(table[hashindex.Prefix], n) },
	})

func init() { impls.Register(Backend) }

type table[K comparable] map[K]int32

func (m table[K]) Get(k K) (int32, bool) { v, ok := m[k]; return v, ok }
func (m table[K]) Put(k K, v int32)      { m[k] = v }
func (m table[K]) Len() int              { return len(m) }

// Bytes is an estimate, as the runtime hides the map: the slots that its rule of
// growth has made for so many entries, one after the other. Up to 1,024 slots
// they are a power of two, at most seven eighths full; beyond, tables of
// 1,024 split in two when they are, and being filled at random do so at about
// the same time.
func (m table[K]) Bytes() int64 {
	if len(m) == 0 {
		return 0
	}
	const group = 8
	slots := int64(group)
	if len(m) > group {
		slots = 1 << bits.Len(uint(len(m)*8/7))
	}
	var slot struct {
		_ K
		_ int32
	}
	return slots * (1 + int64(unsafe.Sizeof(slot)))
}
