package swissdolthub

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/dolthub/maphash"
	"github.com/dolthub/swiss"

	"example.com/idlab/impls/internal/hashindex"
)

// ErrUnsound is the error of a library that does not work with this version of Go.
var ErrUnsound = errors.New("github.com/dolthub/swiss does not get on with this Go runtime")

// Check tries the library, once in a process, which takes less than a
// millisecond: hashes must agree and spread, and a map find what was put into it.
// Its error matches [ErrUnsound].
func Check() error { return check() }

var check = sync.OnceValue(func() error {
	// Hashing calls whatever function the library takes for the runtime's. What
	// that may do wrong becomes an error as far as it can be caught.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if err := try(hasher[uint64], func(i uint64) uint64 { return i << 12 }); err != nil {
		return err
	}
	return try(hasher[hashindex.Prefix], func(i uint64) hashindex.Prefix {
		return hashindex.Prefix{Hi: i >> 1 << 40, Lo: i & 1}
	})
})

// hasher returns a hash as the library's maps make it.
func hasher[K comparable]() func(K) uint64 { return maphash.NewHasher[K]().Hash }

// tried is how many keys of a type are tried.
const tried = 2048

// try tries a hash and a map on keys that differ in a few bits.
func try[K comparable](newHash func() func(K) uint64, key func(i uint64) K) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panics: %v", p)
		}
		if err != nil {
			err = fmt.Errorf("%w (%s, keys of type %T): %w: choose another backend", ErrUnsound, runtime.Version(), *new(K), err)
		}
	}()
	if err := spreads(newHash(), key); err != nil {
		return err
	}
	m := swiss.NewMap[K, int32](0)
	for i := range uint64(tried) {
		m.Put(key(i), int32(i))
	}
	for i := range uint64(2 * tried) {
		v, ok := m.Get(key(i))
		if ok != (i < tried) || ok && v != int32(i) {
			return fmt.Errorf("of %d keys, number %d is found as %d, %v", tried, i, v, ok)
		}
	}
	if m.Count() != tried {
		return fmt.Errorf("%d different keys are counted as %d", tried, m.Count())
	}
	return nil
}

// spreads hashes the keys and looks at the parts of a hash that the library
// uses: 7 bits that tell the slots of a group apart, and the upper of the 32
// bits above, which choose the group.
func spreads[K comparable](hash func(K) uint64, key func(i uint64) K) error {
	const (
		parts = 128
		most  = 4 * tried / parts // the mean is 16, and 64 twelve standard deviations more
	)
	var slots, groups [parts]int
	for i := range uint64(tried) {
		h := hash(key(i))
		if other := hash(key(i)); other != h {
			return fmt.Errorf("equal keys have the hashes %#x and %#x", h, other)
		}
		slots[h%parts]++
		groups[uint32(h>>7)>>(32-7)]++
	}
	for i := range parts {
		if n := max(slots[i], groups[i]); n > most {
			return fmt.Errorf("of %d hashes, %d fall on one of %d", tried, n, parts)
		}
	}
	return nil
}
