package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// Saved is what a store holds: a checkpoint and the log since.
//
// A checkpoint is "IDLV", a byte 1, the uvarints applied, nextOp, generated,
// the number of operations pending and of each its number, first generation
// count, count and refs; then the compressor with session; then CRC-32C of all
// before, little-endian. A record of the log is its length and CRC-32C, 4 bytes
// each, little-endian; then the uvarints of the operation's number, how often
// IDs were generated for it and each time after which message, how many; and
// refs. Refs are their number and varints.
type Saved struct {
	applied    uint64
	nextOp     int64
	generated  int64
	pending    []savedOp
	compressor []byte

	records []record
}

// savedOp is an operation in a checkpoint. The forms of its IDs follow from the
// compressor.
type savedOp struct {
	seq, first, count int64
	refs              []idcompressor.SessionSpaceID
}

func (op *savedOp) last() int64 { return op.first + op.count - 1 }

// record is an operation in the log.
type record struct {
	seq  int64
	gens []generated
	refs []idcompressor.SessionSpaceID
}

const (
	checkpointMagic = "IDLV\x01"
	logHead         = 8
	maxOp           = 16384   // IDs in an operation
	maxPending      = 1 << 24 // IDs of all that are pending
)

func (c *Saved) append(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, checkpointMagic...)
	dst = binary.AppendUvarint(dst, c.applied)
	dst = binary.AppendUvarint(dst, uint64(c.nextOp))
	dst = binary.AppendUvarint(dst, uint64(c.generated))
	dst = binary.AppendUvarint(dst, uint64(len(c.pending)))
	for _, op := range c.pending {
		dst = binary.AppendUvarint(dst, uint64(op.seq))
		dst = binary.AppendUvarint(dst, uint64(op.first))
		dst = binary.AppendUvarint(dst, uint64(op.count))
		dst = appendRefs(dst, op.refs)
	}
	dst = append(dst, c.compressor...)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

func appendRefs(dst []byte, refs []idcompressor.SessionSpaceID) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(refs)))
	for _, id := range refs {
		dst = binary.AppendVarint(dst, int64(id))
	}
	return dst
}

func appendRecord(dst []byte, r record) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, logHead)...)
	dst = binary.AppendUvarint(dst, uint64(r.seq))
	dst = binary.AppendUvarint(dst, uint64(len(r.gens)))
	for _, g := range r.gens {
		dst = binary.AppendUvarint(dst, g.after)
		dst = binary.AppendUvarint(dst, uint64(g.n))
	}
	dst = appendRefs(dst, r.refs)
	body := dst[start+logHead:]
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(body)))
	binary.LittleEndian.PutUint32(dst[start+4:], crc32.Checksum(body, castagnoli))
	return dst
}

func parseCheckpoint(data []byte) (*Saved, error) {
	if len(data) < len(checkpointMagic)+4 || string(data[:len(checkpointMagic)]) != checkpointMagic {
		return nil, errors.New("it is no checkpoint")
	}
	body := data[:len(data)-4]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(data[len(body):]) {
		return nil, errors.New("it has another checksum")
	}
	r := reader{data: body[len(checkpointMagic):]}
	c := &Saved{applied: r.uint(), nextOp: r.id(), generated: r.id()}
	for range r.length() {
		c.pending = append(c.pending, savedOp{seq: r.id(), first: r.id(), count: r.id(), refs: r.refs()})
	}
	c.compressor = r.data
	return c, r.err
}

func parseRecord(data []byte) (record, error) {
	r := reader{data: data}
	rec := record{seq: r.id()}
	for range r.length() {
		g := generated{r.uint(), r.id()}
		if g.n < 1 || g.n > maxOp {
			r.fail()
		}
		rec.gens = append(rec.gens, g)
	}
	rec.refs = r.refs()
	if r.err == nil && len(r.data) > 0 {
		r.err = fmt.Errorf("%d bytes too many", len(r.data))
	}
	if r.err == nil && len(rec.gens) == 0 {
		r.err = errors.New("it has no IDs")
	}
	return rec, r.err
}

// reader reads varints. After an error it reads zeros.
type reader struct {
	data []byte
	err  error
}

func (r *reader) uint() uint64 {
	x, n := binary.Uvarint(r.data)
	if n <= 0 {
		return r.fail()
	}
	r.data = r.data[n:]
	return x
}

func (r *reader) fail() uint64 {
	if r.err == nil {
		r.err = errors.New("it ends in a number, or a number is out of bounds")
	}
	r.data = nil
	return 0
}

// id reads a number that no count of IDs or operations exceeds.
func (r *reader) id() int64 {
	x := r.uint()
	if x > impls.MaxID {
		return int64(r.fail())
	}
	return int64(x)
}

// length reads how many things follow, of a byte each at least.
func (r *reader) length() int {
	x := r.uint()
	if x > uint64(len(r.data)) {
		return int(r.fail())
	}
	return int(x)
}

func (r *reader) refs() []idcompressor.SessionSpaceID {
	var refs []idcompressor.SessionSpaceID
	for range r.length() {
		x, n := binary.Varint(r.data)
		if n <= 0 {
			r.fail()
			return nil
		}
		r.data = r.data[n:]
		refs = append(refs, idcompressor.SessionSpaceID(x))
	}
	return refs
}
