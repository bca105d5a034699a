package trace

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"example.com/idlab/impls/idcompressor"
)

// ErrNotPortable is the error of a program with arguments that could not be
// read: the errors they stand for are known only to the process that read them.
var ErrNotPortable = errors.New("trace: the program has arguments that are errors")

// wire is a program as it is handed from one process of the lab to another. It
// is no format to keep: no version, and trusted.
type wire struct {
	Name   string
	Slots  int
	Calls  []byte
	UUIDs  []byte
	Ranges []idcompressor.CreationRange
	Tokens []wireToken
	Opens  []wireOpen
	Shards []wireShard
}

type wireToken struct {
	Child  idcompressor.ShardSyncToken
	Parent idcompressor.ParentShardSyncToken
}

type wireOpen struct {
	Session     *uuid.UUID
	Version     int
	ClusterSize *int64
	Text        []byte
}

type wireShard struct {
	IDs  []uuid.UUID
	Into []int32
}

const wireCall = 8 + 4 + 4 + 4 + 1 + 1 + 1

// MarshalBinary writes the program for another process of the same build:
// reading it takes a fraction of what reading the trace does. A program with
// arguments that are errors is refused with [ErrNotPortable].
func (p *Program) MarshalBinary() ([]byte, error) {
	w := wire{Name: p.Name, Slots: p.slots, Calls: make([]byte, 0, len(p.calls)*wireCall)}
	for _, c := range p.calls {
		w.Calls = binary.LittleEndian.AppendUint64(w.Calls, uint64(c.id))
		for _, v := range [...]int32{c.arg, c.on, c.n} {
			w.Calls = binary.LittleEndian.AppendUint32(w.Calls, uint32(v))
		}
		flag := byte(0)
		if c.flag {
			flag = 1
		}
		w.Calls = append(w.Calls, byte(c.op), byte(c.step), flag)
	}
	for _, id := range p.uuids {
		w.UUIDs = append(w.UUIDs, id[:]...)
	}
	for _, a := range p.ranges {
		if a.err != nil {
			return nil, ErrNotPortable
		}
		w.Ranges = append(w.Ranges, a.r)
	}
	for _, a := range p.tokens {
		if a.err != nil {
			return nil, ErrNotPortable
		}
		w.Tokens = append(w.Tokens, wireToken{a.child, a.parent})
	}
	for _, a := range p.opens {
		w.Opens = append(w.Opens, wireOpen{a.session, a.version, a.clusterSize, a.text})
	}
	for _, a := range p.shards {
		w.Shards = append(w.Shards, wireShard{a.ids, a.into})
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(w)
	return b.Bytes(), err
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (p *Program) UnmarshalBinary(data []byte) error {
	var w wire
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&w); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	*p = Program{Name: w.Name, slots: w.Slots, calls: make([]call, len(w.Calls)/wireCall), uuids: make([]uuid.UUID, len(w.UUIDs)/16)}
	for i := range p.calls {
		b := w.Calls[i*wireCall:][:wireCall]
		p.calls[i] = call{
			id:  int64(binary.LittleEndian.Uint64(b)),
			arg: int32(binary.LittleEndian.Uint32(b[8:])), on: int32(binary.LittleEndian.Uint32(b[12:])), n: int32(binary.LittleEndian.Uint32(b[16:])),
			op: opCode(b[20]), step: int8(b[21]), flag: b[22] == 1,
		}
	}
	for i := range p.uuids {
		copy(p.uuids[i][:], w.UUIDs[i*16:])
	}
	for _, r := range w.Ranges {
		p.ranges = append(p.ranges, rangeArg{r: r})
	}
	for _, t := range w.Tokens {
		p.tokens = append(p.tokens, tokenArg{child: t.Child, parent: t.Parent})
	}
	for _, o := range w.Opens {
		p.opens = append(p.opens, openArg{session: o.Session, version: o.Version, clusterSize: o.ClusterSize, text: o.Text})
	}
	for _, s := range w.Shards {
		p.shards = append(p.shards, shardArg{ids: s.IDs, into: s.Into})
	}
	return nil
}
