package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// Limits of what is read. Input comes from strangers.
const (
	// MaxLine is the greatest length of a line in bytes. It is enough for a
	// serialized compressor of a million clusters.
	MaxLine = 32 << 20
	// MaxProgram is the greatest size, in bytes after decompression, of a
	// trace that is held in memory, see [Load]. A replay holds a line only, and has no such limit.
	MaxProgram = 2 << 30
	// MaxEditing is the greatest size of an editing trace in bytes after
	// decompression. The well-known automerge-paper has 16 MB.
	MaxEditing = 128 << 20
	// MaxCompressors is the greatest number of compressors of a trace.
	MaxCompressors = 1 << 18
	// MaxShards is the greatest size in bytes of all shards that a trace makes:
	// a short line can ask for many copies of a large compressor.
	MaxShards = 1 << 30
)

// sniffed is how much of the input is looked at to tell its format. A header
// is shorter, an editing trace is one long line.
const sniffed = 64 << 10

// input is decompressed text that is read once, line by line or at large.
type input struct {
	*bufio.Reader
	name string
	line int // the newest one read, from 1
	buf  []byte
	used int64 // bytes of the lines read
}

// open tells gzip by its first two bytes, whatever the name ends in.
func open(r io.Reader, name string) (*input, error) {
	in := &input{Reader: bufio.NewReaderSize(r, sniffed), name: name}
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in.Reader)
		if err != nil {
			return nil, in.fail(err)
		}
		in.Reader = bufio.NewReaderSize(z, sniffed)
	}
	return in, nil
}

// fail names the place of an error: the newest line.
func (in *input) fail(err error) error {
	return &Error{File: in.name, Line: max(in.line, 1), Err: err}
}

func (in *input) failf(format string, args ...any) error { return in.fail(fmt.Errorf(format, args...)) }

// next returns the fields of the next line that is not blank, valid until the
// one after it is read, and io.EOF after the last.
func (in *input) next(f *fields) error {
	for {
		line, err := in.readLine()
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := f.split(line); err != nil {
			return in.fail(err)
		}
		return nil
	}
}

func (in *input) readLine() ([]byte, error) {
	in.buf = in.buf[:0]
	in.line++
	for {
		part, err := in.ReadSlice('\n')
		in.used += int64(len(part))
		if len(in.buf)+len(part) > MaxLine {
			return nil, in.failf("line is longer than %d bytes", MaxLine)
		}
		switch {
		case err == nil && len(in.buf) == 0:
			return part, nil
		case err == bufio.ErrBufferFull:
			in.buf = append(in.buf, part...)
		case err == nil, err == io.EOF && len(in.buf)+len(part) > 0:
			in.buf = append(in.buf, part...)
			return in.buf, nil
		case err == io.EOF:
			in.line--
			return nil, io.EOF
		default:
			return nil, in.failf("read: %w", unexpected(err))
		}
	}
}

func unexpected(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the input is cut off: %w", err)
	}
	return err
}
