package snapshot

import (
	"encoding/binary"
	"math"
	"slices"

	"example.com/idlab/impls/numericuuid"
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
	w := writer{buf: slices.Grow(dst, s.Size())}
	w.state(s)
	return w.buf, nil
}

// write hands the binary form to flush in parts of size bytes, a multiple of
// 24, and a last one that may be shorter.
func (s *State) write(size int, flush func([]byte) error) error {
	// A slot may be put in when the part is full but for less than a cluster.
	w := writer{buf: make([]byte, 0, size+24), size: size, flush: flush}
	w.state(s)
	if w.err == nil && len(w.buf) > 0 {
		w.err = flush(w.buf)
	}
	return w.err
}

type writer struct {
	buf   []byte
	size  int // 0: all in one
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

// room hands on a part that is full.
func (w *writer) room() {
	if w.size == 0 || len(w.buf) < w.size {
		return
	}
	if w.err == nil {
		w.err = w.flush(w.buf[:w.size])
	}
	w.buf = append(w.buf[:0], w.buf[w.size:]...)
}

func (w *writer) slot(v uint64) {
	w.buf = binary.LittleEndian.AppendUint64(w.buf, v)
	w.room()
}

func (w *writer) number(n int64) { w.slot(math.Float64bits(float64(n))) }

func (w *writer) flag(b bool) {
	if b {
		w.number(1)
	} else {
		w.number(0)
	}
}

func (w *writer) uuids(ids []numericuuid.UUID) {
	for _, id := range ids {
		w.slot(id.Lo)
		w.slot(id.Hi)
	}
}

// clusters is where the time goes: three slots at a time.
func (w *writer) clusters(cs []Cluster) {
	for i := range cs {
		c := &cs[i]
		at := len(w.buf)
		w.buf = append(w.buf, make([]byte, 24)...)
		slots := w.buf[at : at+24]
		binary.LittleEndian.PutUint64(slots, math.Float64bits(float64(c.Session)))
		binary.LittleEndian.PutUint64(slots[8:], math.Float64bits(float64(c.Capacity)))
		binary.LittleEndian.PutUint64(slots[16:], math.Float64bits(float64(c.Count)))
		w.room()
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
