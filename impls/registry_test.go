package impls_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/idlab/impls"
	"example.com/idlab/impls/model"
)

func named(name string, control bool) impls.Backend {
	b := model.Backend
	b.Name, b.Control = name, control
	return b
}

func init() { // once, however often the tests run
	impls.Register(named("second", false))
	impls.Register(named("first", false))
	impls.Register(named("planted", true))
}

func TestRegistry(t *testing.T) {
	var names []string
	for _, b := range impls.Backends() {
		names = append(names, b.Name)
	}
	if got := strings.Join(names, " "); got != "first second" {
		t.Errorf("Backends() = %s, want first second", got)
	}
	if cs := impls.Controls(); len(cs) != 1 || cs[0].Name != "planted" {
		t.Errorf("Controls() = %+v, want planted", cs)
	}
	for _, name := range []string{"first", "planted"} {
		if b, err := impls.Lookup(name); err != nil || b.Name != name {
			t.Errorf("Lookup(%q) = %q, %v", name, b.Name, err)
		}
	}
	_, err := impls.Lookup("third")
	if !errors.Is(err, impls.ErrUnknownBackend) {
		t.Fatalf("Lookup of an unknown name = %v", err)
	}
	for _, word := range []string{`"third"`, "first", "second"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not name %s", err, word)
		}
	}
	if strings.Contains(err.Error(), "planted") {
		t.Errorf("%q lists a control", err)
	}
}

func TestRegisterRefuses(t *testing.T) {
	for name, b := range map[string]impls.Backend{
		"a taken name":  named("first", false),
		"no name":       named("", false),
		"no table":      {Name: "tableless", NewNormalizer: model.Backend.NewNormalizer},
		"no normalizer": {Name: "runless", NewTable: model.Backend.NewTable},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Register takes a backend with %s", name)
				}
			}()
			impls.Register(b)
		}()
	}
}
