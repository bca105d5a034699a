package workload

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// keys are the keys that a benchmark's name may have after the operation, in
// their order. They are for ever: results of all times are compared by them.
var keys = []string{"doc", "backend", "aa", "ids", "from", "form", "batch", "cache", "as", "n"}

var (
	nameValue    = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)
	dashedDigits = regexp.MustCompile(`-[0-9]+$`)
)

// Lint returns what is wrong with the name of a benchmark, given without
// "Benchmark" and the number of procs, or nil. Names are
// Op/doc=…/backend=…[/key=value…], each key at most once and in order; no value
// ends in a dash and digits, which would be read as a number of procs.
func Lint(name string) error {
	op, rest, _ := strings.Cut(name, "/")
	if !slices.Contains(Ops(), op) && !isMapOp(op) {
		return fmt.Errorf("%s: %q is no operation", name, op)
	}
	last := -1
	for i, part := range strings.Split(rest, "/") {
		key, value, ok := strings.Cut(part, "=")
		at := slices.Index(keys, key)
		switch {
		case !ok || at < 0:
			return fmt.Errorf("%s: %q is not one of the keys %s with a value", name, part, strings.Join(keys, ", "))
		case at <= last:
			return fmt.Errorf("%s: the key %q is there twice, or not in the order %s", name, key, strings.Join(keys, ", "))
		case i < 2 && at != i:
			return fmt.Errorf("%s: /doc=… and /backend=… come first", name)
		case !nameValue.MatchString(value):
			return fmt.Errorf("%s: %q has other characters than a-z, 0-9, dot, dash and underscore", name, value)
		case dashedDigits.MatchString(value):
			return fmt.Errorf("%s: %q ends in a dash and digits", name, value)
		}
		last = at
	}
	if last < 1 {
		return fmt.Errorf("%s: /doc=… and /backend=… are missing", name)
	}
	return nil
}
