package trace

import (
	"errors"
	"fmt"
	"strings"
)

// ErrFormat is the error of input that is none of this package's formats.
var ErrFormat = errors.New("unknown trace format")

// Error is an error in a trace: what is wrong, and where.
type Error struct {
	File string // the name the caller gave the input
	Line int    // from 1
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// Difference is the first answer of a replay that is not the recorded one.
type Difference struct {
	Line     int // from 1
	Op       string
	Expected string
	Got      string
}

func (d *Difference) String() string {
	expected, got := clip(d.Expected, d.Got)
	return fmt.Sprintf("%s: expected %s, got %s", d.Op, expected, got)
}

// clip shortens two long texts to the part around their first difference.
func clip(a, b string) (string, string) {
	const most, before = 160, 40
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	part := func(s string) string {
		if len(s) <= most {
			return s
		}
		first := max(0, min(at-before, len(s)-most))
		last := min(len(s), first+most)
		out := strings.ToValidUTF8(s[first:last], "")
		if first > 0 {
			out = fmt.Sprintf("(from byte %d) …", first) + out
		}
		if last < len(s) {
			out += fmt.Sprintf("… (%d bytes)", len(s))
		}
		return out
	}
	return part(a), part(b)
}
