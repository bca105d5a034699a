package trace

import (
	"fmt"

	"github.com/google/uuid"

	"example.com/idlab/impls/idcompressor"
)

// Program is a trace in the form in which it is run: calls of fixed size, and
// beside them what does not fit in. It holds arguments, not answers.
type Program struct {
	Name  string
	calls []call

	slots  int // compressors
	uuids  []uuid.UUID
	ranges []rangeArg
	tokens []tokenArg
	opens  []openArg
	shards []shardArg
}

// call is a call, or a row of them whose IDs follow each other.
type call struct {
	id   int64 // an ID, a number of IDs or shards, or a cluster size
	arg  int32 // which of the program's arguments, or which other compressor
	on   int32 // which compressor
	n    int32 // how many calls
	op   opCode
	step int8 // from one call's ID to the next one's: 1 or -1 if n > 1
	flag bool
}

// Arguments that could not be read carry the error: it is the call's answer.
type (
	rangeArg struct {
		r   idcompressor.CreationRange
		err error
	}
	tokenArg struct {
		child  idcompressor.ShardSyncToken
		parent idcompressor.ParentShardSyncToken
		err    error
	}
	openArg struct {
		session     *uuid.UUID
		version     int
		clusterSize *int64
		text        []byte // of deserialize
	}
	shardArg struct {
		ids  []uuid.UUID
		into []int32
	}
)

// builder adds calls to a program. It knows the compressors by name.
type builder struct {
	*Program
	names map[string]int32
	merge bool // make rows of calls
}

func newBuilder(name string, merge bool) *builder {
	return &builder{Program: &Program{Name: name}, names: map[string]int32{}, merge: merge}
}

// reset forgets the calls, and not the compressors.
func (b *builder) reset() {
	p := b.Program
	p.calls, p.uuids, p.ranges, p.tokens, p.opens, p.shards =
		p.calls[:0], p.uuids[:0], p.ranges[:0], p.tokens[:0], p.opens[:0], p.shards[:0]
}

// define gives a new compressor its number.
func (b *builder) define(name string) (int32, error) {
	if _, ok := b.names[name]; ok {
		return 0, fmt.Errorf("compressor %s is there already: names are not used twice", quote(name))
	}
	if b.slots == MaxCompressors {
		return 0, fmt.Errorf("a trace has %d compressors at the most", MaxCompressors)
	}
	n := int32(b.slots)
	b.names[name] = n
	b.slots++
	return n, nil
}

func (b *builder) slot(name string) (int32, error) {
	n, ok := b.names[name]
	if !ok {
		return 0, fmt.Errorf("there is no compressor %s", quote(name))
	}
	return n, nil
}

func quote(s string) string {
	const most = 60
	if len(s) > most {
		return fmt.Sprintf("%.*q… (%d bytes)", most, s, len(s))
	}
	return fmt.Sprintf("%q", s)
}

// add appends a call, or lengthens the last row by it.
func (b *builder) add(c call) {
	c.n = 1
	if n := len(b.calls); b.merge && n > 0 && b.extend(&b.calls[n-1], &c) {
		return
	}
	b.calls = append(b.calls, c)
}

func (b *builder) extend(last, c *call) bool {
	if !ops[c.op].rows || last.op != c.op || last.on != c.on || last.n == 1<<31-1 {
		return false
	}
	step := last.step
	if last.n == 1 {
		switch c.id - last.id {
		case 1:
			step = 1
		case -1:
			step = -1
		}
	}
	if step == 0 || c.id != last.id+int64(step)*int64(last.n) {
		return false
	}
	if c.op == opToSession {
		if b.uuids[last.arg] != b.uuids[c.arg] {
			return false
		}
		b.uuids = b.uuids[:c.arg]
	}
	last.step = step
	last.n++
	return true
}

// Calls returns the number of calls.
func (p *Program) Calls() int64 {
	var n int64
	for i := range p.calls {
		n += int64(p.calls[i].n)
	}
	return n
}
