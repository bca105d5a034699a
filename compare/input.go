package compare

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// Limits of what is read, so that a hostile file costs bounded memory.
const (
	MaxLine   = 63 << 10 // bytes in a line: benchfmt takes 64 KiB
	MaxText   = 1 << 28  // bytes in a file, after decompression
	MaxValues = 4 << 20  // measurements in a Set
	maxConfig = 256      // different configuration keys in a file
)

// The kinds of an InputError, to test with errors.Is.
var (
	ErrEmpty    = errors.New("no benchmark results")
	ErrEncoding = errors.New("not UTF-8 text")
	ErrDamaged  = errors.New("damaged")
	ErrUnits    = errors.New("units are missing")
	ErrMixed    = errors.New("mixed environments")
	ErrForeign  = errors.New("another tool's benchmark")
	ErrTooLarge = errors.New("too large")
)

// An InputError says which line of which file cannot be used, and why.
type InputError struct {
	File string
	Line int   // from 1
	Kind error // ErrEmpty, ErrEncoding, …
	Msg  string
}

// Error gives FILE:LINE: cause.
func (e *InputError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// Unwrap returns the kind.
func (e *InputError) Unwrap() error { return e.Kind }

// lines feeds a benchfmt.Reader one line a Read and judges what benchfmt lets
// pass in silence: encodings, results in the middle of a line, names cut off,
// failed runs. It is at most one line ahead of the record the Reader returns,
// so configLine knows where a result's configuration came from.
type lines struct {
	r    *bufio.Reader
	file string
	size int    // bytes of the lines so far
	line int    // number of the line in rest
	rest []byte // of the current line, not yet read
	err  error

	pending     []byte         // a name alone on its line, and
	pendingLine int            // where: its result must follow
	configLine  map[string]int // key: line that set it last
}

// newLines tells gzip by its first two bytes, whatever the name ends in.
func newLines(r io.Reader, file string) *lines {
	l := &lines{r: bufio.NewReaderSize(r, MaxLine), file: file, configLine: make(map[string]int)}
	if magic, _ := l.r.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(l.r)
		if err != nil {
			l.err = l.fail(ErrDamaged, "it begins like a gzip file: %v", err)
			return l
		}
		l.r = bufio.NewReaderSize(unzipped{z, l}, MaxLine)
	}
	return l
}

// unzipped makes the errors of a gzip file those of a damaged one.
type unzipped struct {
	z *gzip.Reader
	l *lines
}

func (u unzipped) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	if err != nil && err != io.EOF {
		u.l.line++
		err = u.l.fail(ErrDamaged, "the gzip file is damaged or cut off in or after this line: %v", err)
	}
	return n, err
}

func (l *lines) Read(p []byte) (int, error) {
	if len(l.rest) == 0 && l.err == nil {
		l.err = l.next()
	}
	if len(l.rest) == 0 && l.err != nil {
		return 0, l.err
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func (l *lines) fail(kind error, format string, args ...any) error {
	return &InputError{l.file, max(l.line, 1), kind, fmt.Sprintf(format, args...)}
}

func (l *lines) next() error {
	text, err := l.r.ReadSlice('\n')
	l.line++
	if err == bufio.ErrBufferFull {
		return l.fail(ErrTooLarge, "the line is longer than %d bytes", MaxLine)
	}
	if l.size += len(text); l.size > MaxText {
		return l.fail(ErrTooLarge, "the file is longer than %d MiB", MaxText>>20)
	}
	if damage := (*InputError)(nil); errors.As(err, &damage) {
		return err
	}
	if len(text) == 0 && err != nil {
		if l.pending != nil {
			l.line = l.pendingLine
			return l.fail(ErrDamaged, "the benchmark %q has a name and no result", l.pending)
		}
		if err != io.EOF {
			return fmt.Errorf("%s:%d: %w", l.file, l.line, err)
		}
		return err
	}
	if l.line == 1 {
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	if err := l.judge(bytes.TrimRight(text, "\r\n")); err != nil {
		return err
	}
	l.rest = text
	if len(l.rest) == 0 { // only a byte order mark
		return l.next()
	}
	return nil
}

func (l *lines) judge(line []byte) error {
	if l.line == 1 && (bytes.HasPrefix(line, []byte{0xff, 0xfe}) || bytes.HasPrefix(line, []byte{0xfe, 0xff})) {
		return l.fail(ErrEncoding, "this is UTF-16, and must be UTF-8: convert it, for example with iconv -f UTF-16 -t UTF-8")
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return l.fail(ErrEncoding, "there is a zero byte in it: this is UTF-16 or binary data, and must be UTF-8 text")
	}
	isBench := bytes.HasPrefix(line, []byte("Benchmark"))
	if l.pending != nil {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		if isBench && !bytes.HasPrefix(line, l.pending) {
			l.line = l.pendingLine
			return l.fail(ErrDamaged, "the benchmark %q has a name and no result", l.pending)
		}
	}
	switch {
	case bytes.HasPrefix(line, []byte("#")): // a comment
	case isBench && bytes.Contains(line, []byte("--- FAIL")):
		return l.fail(ErrDamaged, "this benchmark failed: its run cannot be used")
	case isBench && !bytes.ContainsAny(line, " \t"):
		// go test -v prints the name alone when a benchmark starts.
		l.pending, l.pendingLine = bytes.Clone(line), l.line
	case isBench:
		l.pending = nil
	case bytes.HasPrefix(line, []byte("--- FAIL")), bytes.Equal(line, []byte("FAIL")),
		bytes.HasPrefix(line, []byte("FAIL\t")), bytes.HasPrefix(line, []byte("panic:")):
		return l.fail(ErrDamaged, "the run failed here: %.60q", line)
	case bytes.Contains(line, []byte(" ns/op")) && !bytes.HasPrefix(line, []byte("Unit")):
		return l.fail(ErrDamaged, "there is a result in the middle of the line: %.60q", line)
	default:
		l.noteConfig(line)
		if len(l.configLine) > maxConfig {
			return l.fail(ErrTooLarge, "more than %d configuration keys", maxConfig)
		}
	}
	return nil
}

// noteConfig remembers the line of a key: value line. What is not one may be
// remembered too, which harms nothing: only keys of real results are asked for.
func (l *lines) noteConfig(line []byte) {
	key, _, ok := bytes.Cut(line, []byte(":"))
	if ok && len(key) > 0 && !bytes.ContainsAny(key, " \t") && key[0] >= 'a' {
		l.configLine[string(key)] = l.line
	}
}
