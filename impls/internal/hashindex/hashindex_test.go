package hashindex_test

import (
	"testing"

	"example.com/idlab/impls/backendtest"
	"example.com/idlab/impls/closemap"
	"example.com/idlab/impls/internal/hashindex"
)

// colliding is a map whose keys all have one hash, or few.
type colliding[K comparable] struct{ *closemap.Map[K, int32] }

func (m colliding[K]) Put(k K, v int32) { m.Set(k, v) }
func (m colliding[K]) Bytes() int64     { return int64(m.Stats().Bytes) }

// Answers do not depend on the hash.
func TestCollisions(t *testing.T) {
	for name, c := range map[string]struct {
		number func(uint64) uint64
		prefix func(hashindex.Prefix) uint64
	}{
		"one hash":                {func(uint64) uint64 { return 0 }, func(hashindex.Prefix) uint64 { return 0 }},
		"nothing in the low bits": {func(k uint64) uint64 { return k << 48 }, func(p hashindex.Prefix) uint64 { return p.Hi &^ (1<<50 - 1) }},
	} {
		b := hashindex.Backend("colliding", "", "", 0, hashindex.Maps{
			Numbers: func(int) hashindex.Map[uint64] {
				return colliding[uint64]{closemap.New[uint64, int32](closemap.WithHasher(c.number))}
			},
			Prefixes: func(int) hashindex.Map[hashindex.Prefix] {
				return colliding[hashindex.Prefix]{closemap.New[hashindex.Prefix, int32](closemap.WithHasher(c.prefix))}
			},
		})
		for _, v := range backendtest.Violations(b, "Cases", "Steps", "Widths", "NormalizerCases", "NormalizerSteps") {
			t.Errorf("%s: %s: %s", name, v.Part, v.Log)
		}
	}
}
