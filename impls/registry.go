package impls

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Backend is a form of the tables a compressor runs on.
type Backend struct {
	// Name is the name of its package, for ever: it is part of results.
	Name string
	// Structure names the data structure as the literature does, in a few words.
	Structure string
	// Guarantees says what a lookup, an insertion and a cluster cost, and
	// which order it keeps.
	Guarantees string
	// Lines is about how many lines of Go a program takes in with it, without
	// blank lines, comments and other people's libraries: what is left to
	// understand when something is wrong. Of equals the lab prefers the fewer.
	Lines int
	// Control marks a backend that only tests the lab. It is neither listed
	// nor recommended.
	Control bool

	NewTable      func() ClusterTable
	NewNormalizer func() Normalizer
}

// ErrUnknownBackend is the error of a name that no backend has.
var ErrUnknownBackend = errors.New("unknown backend")

var registry struct {
	sync.RWMutex
	byName map[string]Backend
}

// Register makes a backend known under its name. It is called from init
// functions and panics if the name is taken or something is missing.
func Register(b Backend) {
	registry.Lock()
	defer registry.Unlock()
	if b.Name == "" || b.NewTable == nil || b.NewNormalizer == nil {
		panic("impls: backend without name, table or normalizer")
	}
	if _, ok := registry.byName[b.Name]; ok {
		panic("impls: backend " + b.Name + " registered twice")
	}
	if registry.byName == nil {
		registry.byName = map[string]Backend{}
	}
	registry.byName[b.Name] = b
}

// Backends returns the registered backends without the controls, by name.
func Backends() []Backend { return list(false) }

// Controls returns the registered controls, by name.
func Controls() []Backend { return list(true) }

func list(control bool) []Backend {
	registry.RLock()
	defer registry.RUnlock()
	var bs []Backend
	for _, b := range registry.byName {
		if b.Control == control {
			bs = append(bs, b)
		}
	}
	slices.SortFunc(bs, func(a, b Backend) int { return strings.Compare(a.Name, b.Name) })
	return bs
}

// Lookup returns the backend or control of that name. Its error matches
// [ErrUnknownBackend] and lists the names there are.
func Lookup(name string) (Backend, error) {
	registry.RLock()
	b, ok := registry.byName[name]
	registry.RUnlock()
	if !ok {
		var names []string
		for _, b := range Backends() {
			names = append(names, b.Name)
		}
		return Backend{}, fmt.Errorf("%w %q: there are %s", ErrUnknownBackend, name, strings.Join(names, ", "))
	}
	return b, nil
}
