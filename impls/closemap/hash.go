package closemap

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"reflect"
	"unsafe"
)

// A hash turns keys into 64 bits of which all are as good as any other.
type hash[K comparable] struct {
	fn         func(K) uint64 // nil where K is an integer: mix it and be done
	key0, key1 uint64         // of mix
}

func newHash[K comparable](c config) hash[K] {
	seed := c.seed
	if seed == (maphash.Seed{}) {
		seed = maphash.MakeSeed()
	}
	key0, key1 := maphash.Comparable(seed, uint64(0)), maphash.Comparable(seed, uint64(1))|1
	h := hash[K]{key0: key0, key1: key1}
	switch kind := reflect.TypeFor[K]().Kind(); {
	case c.hasher != nil:
		fn, ok := c.hasher.(func(K) uint64)
		if !ok {
			panic(fmt.Sprintf("closemap: WithHasher got a %T, which does not hash keys of type %v", c.hasher, reflect.TypeFor[K]()))
		}
		h.fn = func(k K) uint64 { return mix(fn(k), key0, key1) }
	case kind < reflect.Int || reflect.Uintptr < kind:
		h.fn = func(k K) uint64 { return maphash.Comparable(seed, k) }
	}
	return h
}

// of returns the hash of k.
func (h *hash[K]) of(k K) uint64 {
	if h.fn == nil {
		return mix(widen(k), h.key0, h.key1)
	}
	return h.fn(k)
}

// widen returns the bits of an integer, and 0 of what is none (the key of a map
// that is empty, and whose hash has not been chosen). The switch is on a constant.
func widen[K comparable](k K) uint64 {
	p := unsafe.Pointer(&k)
	switch unsafe.Sizeof(k) {
	case 8:
		return *(*uint64)(p)
	case 4:
		return uint64(*(*uint32)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 1:
		return uint64(*(*uint8)(p))
	}
	return 0
}

// mix spreads x over 64 bits as the keys tell, by two multiplications to 128 bits
// whose halves are folded. The first is the step of wyhash and makes the result
// unpredictable; alone it turns equal distances, as between the addresses of
// pages, into distances that are still equal. The second breaks these up.
func mix(x, key0, key1 uint64) uint64 {
	hi, lo := bits.Mul64(x^key0, key1)
	hi, lo = bits.Mul64(hi^lo, 0x9fb21c651e98df25)
	return hi ^ lo
}
