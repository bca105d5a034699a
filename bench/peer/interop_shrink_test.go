package peer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"example.com/idlab/bench/trace"
	"example.com/idlab/impls"
)

// differsError is the error of a backend that answers otherwise than the original.
type differsError struct {
	backend string
	d       *trace.Difference
}

func (e *differsError) Error() string {
	return fmt.Sprintf("%s differs in line %d: %v", e.backend, e.d.Line, e.d)
}

// check replays the exchange on backends. It returns the trace.
func (x *exchange) check(backends []impls.Backend, counted *tally) ([]byte, error) {
	text, err := x.finish(counted)
	if err != nil {
		return nil, err
	}
	for _, b := range backends {
		result, err := trace.Replay(bytes.NewReader(text), x.name, b)
		if err != nil {
			return text, err
		}
		if result.Difference != nil {
			return text, &differsError{b.Name, result.Difference}
		}
	}
	return text, nil
}

// again makes the calls of some lines, without those that make no sense where
// others are missing, and checks them.
func (d *driver) again(name string, lines [][]byte, backends []impls.Backend) (calls int, text []byte, err error) {
	x := newExchange(d, name)
	for _, line := range lines {
		var c call
		if err := json.Unmarshal(line, &c); err != nil {
			return 0, nil, err
		}
		if _, err := x.send(c, line); err != nil && !errors.Is(err, errSenseless) {
			return 0, nil, err
		}
	}
	text, err = x.check(backends, newTally())
	return len(x.made), text, err
}

// difference is one that was made small.
type difference struct {
	calls int
	trace []byte // with the answers it should have
	err   error
}

// reduce makes the difference of an exchange small. An error that is no
// difference is returned as it is.
func (d *driver) reduce(x *exchange, err error, backends []impls.Backend) (*difference, error) {
	var found *differsError
	if !errors.As(err, &found) {
		return nil, err
	}
	var failed error
	fails := func(lines [][]byte) bool {
		_, _, err := d.again(x.name, lines, backends)
		differs := errors.As(err, new(*differsError))
		if err != nil && !differs {
			failed = err
		}
		return differs
	}
	var lines [][]byte
	for i := range x.made {
		lines = append(lines, x.made[i].line)
	}
	// What comes after the difference has no part in it. Line 1 is the header.
	if upTo := lines[:found.d.Line-1]; fails(upTo) {
		lines = upTo
	}
	lines = shrink(lines, fails)
	if failed != nil {
		return nil, failed
	}
	calls, text, err := d.again(x.name, lines, backends)
	if err == nil {
		return nil, errors.New("a difference does not show again")
	}
	return &difference{calls, text, err}, nil
}

// explain tells of what went wrong in an exchange. A difference is made small
// and saved as a trace that replays.
func (d *driver) explain(x *exchange, err error, backends []impls.Backend) string {
	small, failed := d.reduce(x, err, backends)
	if failed != nil {
		return fmt.Sprintf("%s: %v; %v", x.name, err, failed)
	}
	dir, failed := os.MkdirTemp("", "interop")
	file := filepath.Join(dir, x.name+".jsonl")
	if failed == nil {
		failed = os.WriteFile(file, small.trace, 0o666)
	}
	if failed != nil {
		file = failed.Error()
	}
	return fmt.Sprintf("%s: %v\n%d of %d calls remain, in %s\n%s", x.name, small.err, small.calls, len(x.made), file, small.trace)
}

// shrink returns a list of lines that still fails, by taking ever shorter
// stretches out (delta debugging: Zeller, Hildebrandt 2002), until it would
// pass without any single one of them.
func shrink(lines [][]byte, fails func([][]byte) bool) [][]byte {
	for size := (len(lines) + 1) / 2; size > 0; {
		shorter := false
		for end := len(lines); end > 0; {
			start := max(0, end-size)
			if less := slices.Concat(lines[:start], lines[end:]); fails(less) {
				lines, shorter = less, true
			}
			end = start
		}
		if size > 1 || !shorter {
			size /= 2
		}
	}
	return lines
}

func TestShrink(t *testing.T) {
	lines := bytes.Split([]byte("a b c d e f g h i j k l m n o p q r s t u v"), []byte(" "))
	for _, wanted := range []string{"", "a", "v", "a v", "c d q", "k l m n o"} {
		runs := 0
		got := shrink(lines, func(less [][]byte) bool {
			runs++
			text := bytes.Join(less, nil)
			for _, letter := range bytes.Fields([]byte(wanted)) {
				if !bytes.Contains(text, letter) {
					return false
				}
			}
			return true
		})
		if string(bytes.Join(got, []byte(" "))) != wanted {
			t.Errorf("%q remains, want %q", bytes.Join(got, []byte(" ")), wanted)
		}
		if runs > 4*len(lines) {
			t.Errorf("%q took %d runs", wanted, runs)
		}
	}
}
