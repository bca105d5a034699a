package closemap

import (
	"fmt"
	"hash/maphash"
)

// MaxEntries is the largest number of entries that can be in a map at a time.
// Deleted ones do not count, however many are still in the arrays: these can
// grow to twice as many, which is what 30 bits of a link can name.
const MaxEntries = 1 << 29

// A LimitError says that a map holds as many entries as it can.
type LimitError struct {
	Limit int // in entries
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("closemap: a map holds at most %d entries: delete some, or spread the keys over several maps", e.Limit)
}

// An Option changes how [New] makes a map or [NewSet] a set. None changes an
// answer or an order.
type Option func(*config)

type config struct {
	capacity int
	hasher   any // a func(K) uint64
	seed     maphash.Seed
}

// WithCapacity takes memory for n entries at once. It is a start and no floor:
// a deletion that leaves fewer than a quarter of the capacity in use gives the
// rest back. New panics with a [*LimitError] where n is more than [MaxEntries].
func WithCapacity(n int) Option {
	return func(c *config) { c.capacity = n }
}

// WithHasher hashes keys with f instead of [maphash.Comparable] (or, for
// integers, a keyed multiplication). Equal keys must have equal hashes; the
// result is mixed with the seed, so that bits which are all alike do no harm,
// but keys whose 64 bits are the same share a chain. New panics where f is
// for another type of key than the map.
func WithHasher[K comparable](f func(K) uint64) Option {
	return func(c *config) { c.hasher = f }
}

// WithSeed hashes with the given seed instead of a random one: maps of one seed
// place their keys alike, which no answer and no order shows.
func WithSeed(seed maphash.Seed) Option {
	return func(c *config) { c.seed = seed }
}

// configure applies the options; without any it allocates nothing.
func configure(options []Option) config {
	if len(options) == 0 {
		return config{}
	}
	c := new(config)
	for _, o := range options {
		o(c)
	}
	return *c
}
