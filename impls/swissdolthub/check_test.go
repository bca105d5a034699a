package swissdolthub

import (
	"errors"
	"strings"
	"testing"

	"github.com/dolthub/maphash"
)

func TestCheck(t *testing.T) {
	if err := Check(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkCheck(b *testing.B) {
	for b.Loop() {
		if err := try(hasher[uint64], func(i uint64) uint64 { return i << 12 }); err != nil {
			b.Fatal(err)
		}
	}
}

// Hashes that would lose keys or pile them up are noticed.
func TestCheckNotices(t *testing.T) {
	good := maphash.NewHasher[uint64]().Hash
	calls := uint64(0)
	for name, c := range map[string]struct {
		hash func(uint64) uint64
		says string
	}{
		"a constant":             {func(uint64) uint64 { return 42 }, "fall on one"},
		"the identity":           {func(k uint64) uint64 { return k }, "fall on one"},
		"only the low bits":      {func(k uint64) uint64 { return good(k) & 0x7f }, "fall on one"},
		"only the high bits":     {func(k uint64) uint64 { return good(k) &^ 0x7f }, "fall on one"},
		"an eighth of the table": {func(k uint64) uint64 { return good(k) &^ (7 << 36) }, "fall on one"},
		"another one every time": {func(k uint64) uint64 { calls++; return good(k + calls) }, "equal keys"},
		"no function":            {nil, "panics"},
	} {
		err := try(func() func(uint64) uint64 { return c.hash }, func(i uint64) uint64 { return i << 12 })
		if !errors.Is(err, ErrUnsound) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "uint64") {
			t.Errorf("%s: %v, want an error that says %q", name, err, c.says)
		}
	}
}

func TestRefuses(t *testing.T) {
	defer func(was func() error) { check = was }(check)
	check = func() error { return ErrUnsound }
	for name, make := range map[string]func(){
		"table":      func() { Backend.NewTable() },
		"normalizer": func() { Backend.NewNormalizer() },
	} {
		func() {
			defer func() {
				if err, _ := recover().(error); !errors.Is(err, ErrUnsound) {
					t.Errorf("an unsound library makes a %s: %v", name, err)
				}
			}()
			make()
		}()
	}
}
