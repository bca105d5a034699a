package compare

import (
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// An Input is a named stream of benchmark results.
type Input struct {
	Name string // for messages and the .file key
	io.Reader
}

// Read reads files of Go benchmark results, gzip-compressed or not; "-" is standard input. It is
// strict: what benchfmt would skip in silence (another encoding, a cut-off
// line, a failed run, an empty file) is an *InputError, and then no Set is
// returned, since half a file is not a sample of anything.
func Read(files ...string) (*Set, error) {
	var inputs []Input
	for _, name := range files {
		if name == "-" {
			inputs = append(inputs, Input{"-", os.Stdin})
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		inputs = append(inputs, Input{name, f})
	}
	return ReadFrom(inputs...)
}

// ReadFrom is Read of open streams. Without any input there is no Set.
func ReadFrom(inputs ...Input) (*Set, error) {
	if len(inputs) == 0 {
		return nil, &InputError{"", 0, ErrEmpty, "no file to read"}
	}
	s := newSet()
	r := new(benchfmt.Reader) // shared: unit metadata carries over from file to file
	for i, in := range inputs {
		if err := s.read(r, in, i); err != nil {
			return nil, err
		}
	}
	s.units = r.Units()
	if err := s.finish(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Set) read(r *benchfmt.Reader, in Input, file int) error {
	s.Files = append(s.Files, in.Name)
	l := newLines(in.Reader, in.Name)
	r.Reset(l, in.Name, ".file", in.Name)
	n := len(s.results)
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			kind := ErrDamaged
			if strings.Contains(rec.Msg, "missing unit") || strings.Contains(rec.Msg, "missing measurements") {
				kind = ErrUnits
			}
			return &InputError{in.Name, rec.Line, kind, rec.Msg}
		case *benchfmt.Result:
			if err := s.add(rec, file, l.configLine); err != nil {
				return err
			}
		}
	}
	if err := r.Err(); err != nil {
		if l.err != nil && l.err != io.EOF {
			return l.err // benchfmt wraps it with a position of its own
		}
		return err
	}
	if len(s.results) == n {
		what := "no benchmark results in it"
		if l.line <= 1 {
			what = "the file is empty: no benchmark results in it"
		}
		return &InputError{in.Name, 1, ErrEmpty, what}
	}
	return nil
}

// add checks a result and keeps what is needed of it.
func (s *Set) add(rec *benchfmt.Result, file int, configLine map[string]int) error {
	in, line := rec.Pos()
	bad := func(kind error, format string, args ...any) error {
		return &InputError{in, line, kind, fmt.Sprintf(format, args...)}
	}
	s.nValues += len(rec.Values)
	if s.nValues > MaxValues {
		return bad(ErrTooLarge, "more than %d measurements", MaxValues)
	}
	parsed := s.names[string(rec.Name)]
	if parsed == nil {
		parsed = parseName(rec.Name)
		s.names[parsed.full] = parsed
	}
	res := result{name: parsed, config: s.internConfig(rec, file), file: file, line: line, values: make([]value, len(rec.Values))}
	for i, v := range rec.Values {
		v.Unit = tidyUnit(v.Unit) // benchfmt leaves a zero in the unit it came in
		if !plausible(v.Value) {
			return bad(ErrDamaged, "%v %s is not a measurement", v.Value, v.Unit)
		}
		if v.Value == 0 && v.Unit == UnitTime {
			return bad(ErrDamaged, "an operation cannot take 0 ns: the loop was removed, or nothing was timed")
		}
		for _, before := range res.values[:i] {
			if before.unit == v.Unit {
				return bad(ErrDamaged, "the unit %s is there twice", v.Unit)
			}
		}
		res.values[i] = value{s.intern(v.Unit), v.Value}
	}
	if text := rec.GetConfig("noise"); text != "" {
		noise, err := strconv.ParseFloat(text, 64)
		if err != nil || !(noise >= 0) || math.IsInf(noise, 0) {
			return &InputError{in, configLine["noise"], ErrDamaged, fmt.Sprintf("noise: %q is not a fraction such as 0.042", text)}
		}
		s.probe[res.block] = noise
	}
	s.noteEnvironment(&res, configLine)
	s.results = append(s.results, res)
	return nil
}

// plausible reports whether a figure can be one of a measurement. What is
// farther from 1 than these bounds, in whatever unit, makes ratios overflow.
func plausible(v float64) bool {
	return v == 0 || v >= 1e-60 && v <= 1e60
}
