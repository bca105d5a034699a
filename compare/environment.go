package compare

import (
	"fmt"
	"slices"
)

// environmentKeys must not differ inside a comparison: what differs would be
// the machine. Their order is that of the report.
var environmentKeys = []string{"cpu", "goos", "goarch", "goamd64", "go", "gomaxprocs"}

// runtimeKeys are of the Go program, and mean nothing for a peer on another runtime.
var runtimeKeys = []string{"goamd64", "go", "gomaxprocs"}

// A sighting is where a value of the environment was first seen.
type sighting struct {
	value, file string
	line        int
}

// noteEnvironment looks at each configuration and name once.
func (s *Set) noteEnvironment(r *result, configLine map[string]int) {
	peer := r.who.Role() == Peer
	seen := &r.config.noted
	if peer {
		seen = &r.config.notedPeer
	}
	if !*seen {
		*seen = true
		for _, key := range environmentKeys {
			if !peer || !slices.Contains(runtimeKeys, key) {
				s.note(key, sighting{r.get(key), s.Files[r.file], configLine[key]})
			}
		}
	}
	if !peer && !r.name.noted && r.get("gomaxprocs") == "" {
		r.name.noted = true
		s.note("gomaxprocs", sighting{r.procs, s.Files[r.file], r.line}) // the -N of the name
	}
}

func (s *Set) note(key string, now sighting) {
	if now.value == "" {
		return
	}
	first, ok := s.env[key]
	if !ok {
		s.env[key] = now
	} else if first.value != now.value && s.mixed[key] == nil {
		s.mixed[key] = differ(key, first, now)
	}
}

func differ(key string, a, b sighting) error {
	return &InputError{b.file, b.line, ErrMixed, fmt.Sprintf("%s is %q here and %q at %s:%d: not comparable", key, b.value, a.value, a.file, a.line)}
}

// Environment returns what the samples say about where they were measured.
func (s *Set) Environment() []Setting {
	var env []Setting
	for _, key := range environmentKeys {
		if x, ok := s.env[key]; ok {
			env = append(env, Setting{key, x.value})
		}
	}
	return env
}

// Check returns why no verdict may be built on s: another tool's benchmarks,
// environments mixed (except in keys named in except), or no times. The error
// is an *InputError naming the line.
func (s *Set) Check(except ...string) error {
	if err := s.checkNames(); err != nil {
		return err
	}
	if err := s.checkEnvironment(except...); err != nil {
		return err
	}
	return s.checkTimes()
}

func (s *Set) at(r result, kind error, format string, args ...any) error {
	return &InputError{s.Files[r.file], r.line, kind, fmt.Sprintf(format, args...)}
}

func (s *Set) checkNames() error {
	for _, r := range s.results {
		if r.foreign != nil {
			return s.at(r, ErrForeign, "Benchmark%s is not one of this lab's benchmarks: %v", r.full, r.foreign)
		}
	}
	return nil
}

func (s *Set) checkEnvironment(except ...string) error {
	for _, key := range environmentKeys {
		if err := s.mixed[key]; err != nil && !slices.Contains(except, key) {
			return err
		}
	}
	return nil
}

// checkTimes finds benchmarks that have a time in one line and none in
// another, and sets without any.
func (s *Set) checkTimes() error {
	timed := make(map[string]bool)
	for _, r := range s.results {
		if r.has(UnitTime) {
			timed[r.full] = true
		}
	}
	for _, r := range s.results {
		if timed[r.full] && !r.has(UnitTime) {
			return s.at(r, ErrUnits, "ns/op is missing: other lines of this benchmark have it")
		}
	}
	if len(timed) == 0 {
		return s.at(s.results[0], ErrUnits, "ns/op is missing, here and in every other line")
	}
	return nil
}

func (r *result) has(unit string) bool {
	return slices.ContainsFunc(r.values, func(v value) bool { return v.unit == unit })
}

// sameEnvironment compares two sets; a key that one does not have is not held
// against the other, but told.
func sameEnvironment(base, next *Set) (unsaid []string, err error) {
	for _, key := range environmentKeys {
		a, inA := base.env[key]
		b, inB := next.env[key]
		switch {
		case inA && inB && a.value != b.value:
			return unsaid, differ(key, a, b)
		case inA != inB:
			unsaid = append(unsaid, key)
		}
	}
	return unsaid, nil
}
