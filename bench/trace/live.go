package trace

import (
	"maps"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// Live makes calls of idtrace/1 one at a time, for whoever has to see an answer
// before thinking of the next call.
type Live struct {
	b    *builder
	m    machine
	f    fields
	line []byte
}

// NewLive returns a world of compressors of the backend that holds none yet.
func NewLive(backend impls.Backend) *Live {
	return &Live{b: newBuilder("live", false), m: machine{backend: backend}}
}

// Do makes the call of a line, which holds no answer, and returns the answer as
// the members that complete it, valid until the next call, and the call's own
// error, whose class is in them. A name that a failed call was to give is still
// free. err says that the line makes no sense here; then nothing was called.
//
// A call of shard that cannot succeed needs a member "error" in place of names
// and shard IDs.
func (l *Live) Do(line []byte) (answer []byte, failure, err error) {
	if err := l.f.split(line); err != nil {
		return nil, nil, err
	}
	named := int32(l.b.slots)
	l.b.reset()
	c, err := l.b.parse(&l.f)
	if err == nil {
		l.m.do(l.b.Program, &c)
		failure = l.m.out.err
		l.line = l.m.out.append(l.line[:0], &c)
	}
	if err != nil || failure != nil {
		maps.DeleteFunc(l.b.names, func(_ string, slot int32) bool { return slot >= named })
	}
	return l.line, failure, err
}

// Compressor returns the compressor of that name, nil if there is none. It is
// to be looked at only.
func (l *Live) Compressor(name string) *idcompressor.Compressor {
	slot, ok := l.b.names[name]
	if !ok || int(slot) >= len(l.m.on) {
		return nil
	}
	return l.m.on[slot]
}
