package trace

import (
	"bufio"
	"fmt"
	"io"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// Recorder makes calls on compressors and records them with their answers: as
// the lines of an idtrace, or as a [Program]. After the first error, of a call
// or of the writer, it does nothing more, and Close returns it.
type Recorder struct {
	b    *builder
	m    machine
	w    *bufio.Writer // nil if a program is made
	list []string      // names by number
	line []byte
	err  error
}

// NewRecorder writes the header and returns a recorder that writes the calls,
// made on the backend, to w. The header's format is filled in.
func NewRecorder(w io.Writer, h Header, backend impls.Backend) *Recorder {
	h.Trace = FormatID
	r := &Recorder{b: newBuilder(h.Name, false), m: machine{backend: backend}, w: bufio.NewWriter(w)}
	r.err = h.write(r.w)
	return r
}

// newProgramRecorder returns a recorder that makes a program.
func newProgramRecorder(name string, backend impls.Backend) *Recorder {
	return &Recorder{b: newBuilder(name, true), m: machine{backend: backend}}
}

// Close writes what is left, and returns the first error there was.
func (r *Recorder) Close() error {
	if r.err == nil && r.w != nil {
		r.err = r.w.Flush()
	}
	return r.err
}

// record makes a call.
func (r *Recorder) record(c call) {
	if r.err != nil {
		return
	}
	c.n = 1
	r.m.do(r.b.Program, &c)
	if err := r.m.out.err; err != nil {
		r.err = fmt.Errorf("trace: %s on %s: %w", ops[c.op].name, r.list[c.on], err)
		return
	}
	if r.w == nil {
		r.b.add(c)
		return
	}
	r.line = append(r.line[:0], '{')
	r.line = r.b.appendCall(r.line, r.list, &c)
	r.line = r.m.out.append(r.line, &c)
	_, r.err = r.w.Write(append(r.line, '}', '\n'))
	r.b.reset()
}

// Recorded is a compressor of a [Recorder]. Its calls are those of
// [idcompressor.Compressor]; what they return after an error means nothing.
type Recorded struct {
	r       *Recorder
	slot    int32
	session uuid.UUID
}

// Create makes a compressor under a new name.
func (r *Recorder) Create(name string, session uuid.UUID, writeVersion int, clusterSize int64) Recorded {
	slot, err := r.b.define(name)
	if err != nil && r.err == nil {
		r.err = err
	}
	r.list = append(r.list, name)
	a := push(&r.b.opens, openArg{session: &session, version: writeVersion, clusterSize: &clusterSize})
	r.record(call{op: opCreate, on: slot, arg: a})
	return Recorded{r, slot, session}
}

// Session returns the compressor's own session.
func (c Recorded) Session() uuid.UUID { return c.session }

// Generate generates n IDs. They are valid until the next call.
func (c Recorded) Generate(n int) []idcompressor.SessionSpaceID {
	c.r.record(call{op: opGenerate, on: c.slot, id: int64(n)})
	if c.r.err != nil {
		return nil
	}
	return c.r.m.out.ids
}

// SetClusterSize sets the requested cluster size.
func (c Recorded) SetClusterSize(size int64) {
	c.r.record(call{op: opClusterSize, on: c.slot, id: size})
}

// TakeRange takes the next creation range.
func (c Recorded) TakeRange() idcompressor.CreationRange {
	c.r.record(call{op: opTakeRange, on: c.slot})
	return c.r.m.out.r
}

// Finalize finalizes a range.
func (c Recorded) Finalize(r idcompressor.CreationRange) {
	a := push(&c.r.b.ranges, rangeArg{r: r})
	c.r.record(call{op: opFinalize, on: c.slot, arg: a})
}

// ToOp normalizes an ID to op space.
func (c Recorded) ToOp(id idcompressor.SessionSpaceID) idcompressor.OpSpaceID {
	c.r.record(call{op: opToOp, on: c.slot, id: int64(id)})
	return idcompressor.OpSpaceID(c.r.m.out.id)
}

// ToSession normalizes an ID of the session origin to session space.
func (c Recorded) ToSession(id idcompressor.OpSpaceID, origin uuid.UUID) idcompressor.SessionSpaceID {
	a := push(&c.r.b.uuids, origin)
	c.r.record(call{op: opToSession, on: c.slot, id: int64(id), arg: a})
	return idcompressor.SessionSpaceID(c.r.m.out.id)
}

// Serialize serializes the compressor.
func (c Recorded) Serialize(withSession bool) {
	c.r.record(call{op: opSerialize, on: c.slot, flag: withSession})
}
