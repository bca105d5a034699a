package snapshot

import (
	"encoding/binary"
	"math"
	"slices"

	"example.com/idlab/impls/numericuuid"
)

// Bytes of the binary form.
const (
	uuidBytes    = 16
	clusterBytes = 24
	runBytes     = 16
	firstUUID    = 32 // where the sessions begin
)

// Size returns the bytes of the binary form.
func (s *State) Size() int {
	slots := 4 + 2*len(s.Sessions) + 3*len(s.Clusters)
	if l := s.Local; l != nil {
		slots += 3 + 2*len(l.Runs)
		if s.Version == V3 {
			slots++
			if h := l.Sharding; h != nil {
				slots += 4 + 2*len(h.Children)
				if h.ShardID != nil {
					slots += 2
				}
			}
		}
	}
	return 8 * slots
}

// AppendBinary appends the binary form to dst. The state must be one that
// [Parse] would return; version 2 has no place for sharding and leaves it out.
func (s *State) AppendBinary(dst []byte) ([]byte, error) {
	w := writer{buf: slices.Grow(dst, s.Size()), size: math.MaxInt}
	w.state(s)
	return w.buf, nil
}

// write hands the binary form to flush in parts of size bytes, a multiple of
// 24, and a last one that may be shorter.
func (s *State) write(size int, flush func([]byte) error) error {
	// A cluster may begin when the part is full but for one byte.
	w := writer{buf: make([]byte, 0, min(size, s.Size())+clusterBytes), size: size, flush: flush}
	w.state(s)
	if w.err == nil && len(w.buf) > 0 {
		w.err = flush(w.buf)
	}
	return w.err
}

// writer collects slots in buf and flushes it when it has size bytes.
type writer struct {
	buf   []byte
	size  int
	flush func([]byte) error
	err   error
}

func (w *writer) state(s *State) {
	w.number(int64(s.Version))
	w.flag(s.Local != nil)
	w.number(int64(len(s.Sessions)))
	w.number(int64(len(s.Clusters)))
	w.uuids(s.Sessions)
	w.clusters(s.Clusters)
	if s.Local != nil {
		w.local(s.Version, s.Local)
	}
}

// settle hands on a part that is full.
func (w *writer) settle() {
	if len(w.buf) < w.size {
		return
	}
	if w.err == nil {
		w.err = w.flush(w.buf[:w.size])
	}
	w.buf = append(w.buf[:0], w.buf[w.size:]...)
}

// rows makes room for as many of n rows as the part takes, the last of which
// may reach past its end, and returns how many, and where.
func (w *writer) rows(n, size int) (int, []byte) {
	at := len(w.buf)
	n = min(n, (w.size-at-1)/size+1)
	w.buf = slices.Grow(w.buf, n*size)[:at+n*size]
	return n, w.buf[at:]
}

func (w *writer) slot(v uint64) {
	w.buf = binary.LittleEndian.AppendUint64(w.buf, v)
	w.settle()
}

func (w *writer) number(n int64) { w.slot(slotOf(n)) }

func (w *writer) flag(b bool) {
	if b {
		w.number(1)
	} else {
		w.number(0)
	}
}

func (w *writer) uuids(ids []numericuuid.UUID) {
	for len(ids) > 0 && w.err == nil {
		n, rows := w.rows(len(ids), uuidBytes)
		for i, id := range ids[:n] {
			slots := rows[uuidBytes*i:][:uuidBytes]
			binary.LittleEndian.PutUint64(slots, id.Lo)
			binary.LittleEndian.PutUint64(slots[8:], id.Hi)
		}
		ids = ids[n:]
		w.settle()
	}
}

// clusters is where the time goes.
func (w *writer) clusters(cs []Cluster) {
	for len(cs) > 0 && w.err == nil {
		n, rows := w.rows(len(cs), clusterBytes)
		for i := range cs[:n] {
			c := &cs[i]
			slots := rows[clusterBytes*i:][:clusterBytes]
			binary.LittleEndian.PutUint64(slots, slotOf(int64(c.Session)))
			binary.LittleEndian.PutUint64(slots[8:], slotOf(c.Capacity))
			binary.LittleEndian.PutUint64(slots[16:], slotOf(c.Count))
		}
		cs = cs[n:]
		w.settle()
	}
}

func (w *writer) local(version int, l *Local) {
	w.number(l.Generated)
	w.number(l.Cursor)
	w.number(int64(len(l.Runs)))
	for _, r := range l.Runs {
		w.number(r.First)
		w.number(r.Count)
	}
	if version != V3 {
		return
	}
	w.flag(l.Sharding != nil)
	if h := l.Sharding; h != nil {
		w.number(h.Stride)
		w.number(h.Original)
		w.number(int64(len(h.Children)))
		w.uuids(h.Children)
		w.flag(h.ShardID != nil)
		if h.ShardID != nil {
			w.uuids([]numericuuid.UUID{*h.ShardID})
		}
	}
}

func slotOf(n int64) uint64 { return math.Float64bits(float64(n)) }
