// Package swissdolthub is the backend on github.com/dolthub/swiss, the Swiss
// table that Go programs used before Go's own map became one.
//
// How a hash map comes to find the nearest session and cluster at or below, by
// blocks of IDs and prefixes of UUIDs, how it stays right when a session's UUIDs
// cross a prefix, and what it costs, is said in package hashindex, of which this
// is the map. An entry takes 13 bytes by number and 21 by prefix, in groups of 16
// that are seven sixteenths to seven eighths full. Growth moves all entries in a
// single call.
//
// The library is archived, and takes the runtime's hash function out of a
// private type whose layout it assumes. It works as of Go 1.26, and may cease to
// with any other. [Check] tries it before the first table is made; if it fails,
// the backend's tables and normalizers are refused with a panic that says so,
// instead of losing sessions or hanging in a table whose keys all collide.
//
// Deleted keys can come back while the library's map grows inside an iteration.
// Here nothing is deleted, and no map is iterated.
package swissdolthub

import (
	"unsafe"

	"github.com/dolthub/swiss"

	"example.com/idlab/impls"
	"example.com/idlab/impls/internal/hashindex"
)

// Backend is dolthub/swiss.
var Backend = hashindex.Backend("swissdolthub", "Swiss table (dolthub/swiss)",
	"growing the map stalls a call; refuses to work if the library does not get on with the Go runtime", 980,
	hashindex.Maps{
		Numbers:  func(n int) hashindex.Map[uint64] { return newTable[uint64](n) },
		Prefixes: func(n int) hashindex.Map[hashindex.Prefix] { return newTable[hashindex.Prefix](n) },
	})

func init() { impls.Register(Backend) }

type table[K comparable] struct{ *swiss.Map[K, int32] }

func newTable[K comparable](n int) table[K] {
	if err := Check(); err != nil {
		panic(err)
	}
	return table[K]{swiss.NewMap[K, int32](uint32(n))}
}

func (t table[K]) Len() int { return t.Count() }

// Bytes is exact, but for what the allocator rounds up: a slot has a byte
// beside key and value, and seven of eight slots may be in use.
func (t table[K]) Bytes() int64 {
	var k K
	slots := int64(t.Count()+t.Capacity()) * 8 / 7
	return slots * int64(1+unsafe.Sizeof(k)+unsafe.Sizeof(int32(0)))
}
