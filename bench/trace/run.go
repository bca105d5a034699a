package trace

import (
	"bytes"
	"encoding/json"
	"io"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// Load reads a trace, gzip-compressed or not, into memory: an idtrace as it
// is, or an editing trace as [Import] would turn it into one. Errors are of
// type *[Error], but for those of the settings.
//
// A program does not hold the recorded answers. [Replay] is what compares them.
func Load(r io.Reader, name string, s Settings) (*Program, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	in, err := open(r, name)
	if err != nil {
		return nil, err
	}
	if in.isTrace() {
		return in.program()
	}
	e, err := readEditing(in)
	if err != nil {
		return nil, err
	}
	return e.program(name, s, idcompressor.DefaultBackend)
}

// isTrace tells a trace, whose first line is a header, from an editing trace.
func (in *input) isTrace() bool {
	start, _ := in.Peek(sniffed)
	line, _, _ := bytes.Cut(bytes.TrimLeft(start, "\r\n"), []byte{'\n'})
	var header map[string]json.RawMessage
	if json.Unmarshal(line, &header) != nil {
		return false
	}
	_, ok := header["txns"]
	return !ok
}

func (in *input) program() (*Program, error) {
	f := &fields{}
	h, err := in.header(f)
	if err != nil {
		return nil, err
	}
	if h.Trace == FormatMap {
		return nil, in.failf("%w: a %s holds no calls of a compressor", ErrFormat, FormatMap)
	}
	b := newBuilder(h.Name, true)
	for {
		switch err := in.next(f); {
		case err == io.EOF:
			return b.Program, nil
		case err != nil:
			return nil, err
		case in.used > MaxProgram:
			return nil, in.failf("a trace of more than %d bytes is not held in memory", MaxProgram)
		}
		c, err := b.parse(f)
		if err != nil {
			return nil, in.fail(err)
		}
		b.add(c)
	}
}

// Tally is the outcome of [Program.Run].
type Tally struct {
	Checksum uint64 // of all answers in their order: the same on all backends
	Calls    int64
	IDs      int64 // generated, normalized, decompressed or recompressed
}

// Run makes all calls of the program on new compressors of a backend and folds
// the answers (IDs, UUIDs, ranges, tokens, serialized bytes, the classes of
// errors) into a checksum. It is what is timed.
//
// It leaves out what only a [Replay] needs: reading the trace, comparing with
// the recorded answers, and comparing the state before and after a line that
// fails. Calls that differ in nothing but successive IDs are kept as one row,
// and are made one by one. One thing is added: whoever is sharded is
// serialized once more, for the sake of [MaxShards].
func (p *Program) Run(backend impls.Backend) Tally {
	m := machine{backend: backend, on: make([]*idcompressor.Compressor, p.slots)}
	var s sum
	var t Tally
	var c call // one for all: it escapes
	for i := range p.calls {
		c = p.calls[i]
		t.Calls += int64(c.n)
		for range c.n {
			m.do(p, &c)
			m.out.fold(&s)
			t.IDs += m.out.count()
			c.id += int64(c.step)
		}
	}
	t.Checksum = uint64(s)
	return t
}
