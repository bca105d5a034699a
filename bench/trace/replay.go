package trace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// Result is the outcome of a replay.
type Result struct {
	Format     string      // [FormatID] or [FormatMap]
	Backend    string      // what it ran on
	Calls      int         // lines that were replayed, with the one that differs
	Difference *Difference // nil if all answers are the recorded ones
}

// Replay makes the calls of a trace, gzip-compressed or not, and compares the
// answers with the recorded ones up to the first difference. A line that
// records an error must also leave state and cluster size as they were. An
// idtrace runs on compressors of the backend, a maptrace on a closemap,
// whatever the backend.
//
// name is what errors call the input; they are of type *[Error]. Memory is that
// of the compressors and of one line ([MaxLine]).
func Replay(r io.Reader, name string, backend impls.Backend) (Result, error) {
	in, err := open(r, name)
	if err != nil {
		return Result{}, err
	}
	f := &fields{}
	h, err := in.header(f)
	if err != nil {
		return Result{}, err
	}
	var player player
	result := Result{Format: h.Trace, Backend: backend.Name}
	switch h.Trace {
	case FormatID:
		player = &idPlayer{b: newBuilder(h.Name, false), m: machine{backend: backend}}
	case FormatMap:
		player = newMapPlayer()
		result.Backend = "closemap"
	}
	for {
		switch err := in.next(f); {
		case err == io.EOF:
			return result, nil
		case err != nil:
			return result, err
		}
		d, err := player.play(f)
		if err != nil {
			return result, in.fail(err)
		}
		result.Calls++
		if d != nil {
			d.Line = in.line
			result.Difference = d
			return result, nil
		}
	}
}

// player plays one line after the other. An error is one of the line.
type player interface {
	play(f *fields) (*Difference, error)
}

// idPlayer plays idtrace/1.
type idPlayer struct {
	b             *builder
	m             machine
	got           []byte
	before, after []byte
}

func (p *idPlayer) play(f *fields) (*Difference, error) {
	p.b.reset()
	c, err := p.b.parse(f)
	if err != nil {
		return nil, err
	}
	expected, failed, err := optional[string](f, "error")
	if err != nil {
		return nil, err
	}
	if !failed {
		p.m.do(p.b.Program, &c)
		return p.check(f, &c)
	}
	p.before = p.m.appendState(p.before[:0], &c)
	p.m.do(p.b.Program, &c)
	if err := p.m.out.err; err == nil || idcompressor.ErrorClass(err) != expected {
		return differs(&c, "error "+strconv.Quote(expected), p.describe(&c)), nil
	}
	p.after = p.m.appendState(p.after[:0], &c)
	if !bytes.Equal(p.before, p.after) {
		return differs(&c, fmt.Sprintf("that the error changes nothing, state %x", p.before), fmt.Sprintf("%x", p.after)), nil
	}
	return nil, nil
}

// appendState appends all there is to know of a call's compressor: its
// serialized form with session, and the cluster size.
func (m *machine) appendState(dst []byte, c *call) []byte {
	if c.on < 0 || int(c.on) >= len(m.on) || m.on[c.on] == nil {
		return dst
	}
	comp := m.on[c.on]
	dst, err := comp.AppendSerialized(dst, true)
	if err != nil { // it is disposed, and that is its state
		return append(dst, err.Error()...)
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(comp.ClusterSize()))
}

// check compares the answer with a line that records success.
func (p *idPlayer) check(f *fields, c *call) (*Difference, error) {
	for _, key := range ops[c.op].answers {
		if p.m.out.err != nil {
			return differs(c, key+" "+string(f.raw(key)), p.describe(c)), nil
		}
		p.got = p.m.out.appendValue(p.got[:0], key)
		d, err := compare(f, ops[c.op].name, key, p.got)
		if d != nil || err != nil {
			return d, err
		}
	}
	if p.m.out.err != nil {
		return differs(c, "no error", p.describe(c)), nil
	}
	return nil, nil
}

// compare compares an answer with what the line records as key.
func compare(f *fields, op, key string, got []byte) (*Difference, error) {
	expected := f.raw(key)
	if expected == nil {
		return nil, fmt.Errorf("%s: field %q is missing, the answer", op, key)
	}
	if sameJSON(expected, got) {
		return nil, nil
	}
	return &Difference{Op: op, Expected: key + " " + string(expected), Got: key + " " + string(got)}, nil
}

func differs(c *call, expected, got string) *Difference {
	return &Difference{Op: ops[c.op].name, Expected: expected, Got: got}
}

// describe tells the answer to a reader.
func (p *idPlayer) describe(c *call) string {
	if err := p.m.out.err; err != nil {
		return fmt.Sprintf("error %q (%v)", idcompressor.ErrorClass(p.m.out.err), err)
	}
	if len(ops[c.op].answers) == 0 {
		return "no error"
	}
	return string(p.m.out.append(nil, c))
}
