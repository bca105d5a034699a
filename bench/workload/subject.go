package workload

import (
	"fmt"
	"math/rand/v2"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
)

// A Subject is a backend with a document: what is measured.
type Subject struct {
	Document *Document
	Backend  impls.Backend
	Twin     bool // it is the backend's second registration, to compare it with itself

	loaded  *idcompressor.Compressor
	scratch *scratch
}

// NewSubject returns a subject. The compressor is loaded when it is needed.
func NewSubject(d *Document, b impls.Backend) *Subject { return &Subject{Document: d, Backend: b} }

// unchecked reports whether answers are not compared: the null backend has
// well-formed ones that are not right.
func (s *Subject) unchecked() bool { return s.Backend.Control && s.Backend.Name == "null" }

// compressor returns the compressor for whatever does not change it.
func (s *Subject) compressor() (*idcompressor.Compressor, error) {
	if s.loaded == nil {
		c, err := s.Document.Compressor(s.Backend)
		if err != nil {
			return nil, fmt.Errorf("document %s on %s: %w", s.Document.Name, s.Backend.Name, err)
		}
		s.loaded = c
	}
	return s.loaded, nil
}

// changing returns the compressor for what changes it, as new as it must be.
func (s *Subject) changing() (*scratch, error) {
	if s.scratch == nil || s.scratch.grown() {
		s.scratch = nil // to be collected before its successor is made
		c, err := s.Document.Compressor(s.Backend)
		if err != nil {
			return nil, err
		}
		s.scratch = newScratch(s.Document, c)
	}
	return s.scratch, nil
}

// scratch is a compressor that benchmarks change, with its twin: the naive
// bookkeeping of what the changes must come to.
type scratch struct {
	c        *idcompressor.Compressor
	random   *rand.Rand
	sessions []numericuuid.UUID
	last     []lastCluster // of each session
	limit    int64         // first final ID after all clusters
	owner    int32         // of the last of them
	gen      int64         // IDs the measuring session has generated

	clusters, start int // how many there are, and were at first
	queue           []queued
}

// queued is a range to finalize, and the final ID its last ID must get.
type queued struct {
	r     idcompressor.CreationRange
	final int64
}

type lastCluster struct{ baseFinal, baseGen, capacity, count int64 }

func newScratch(d *Document, c *idcompressor.Compressor) *scratch {
	t := &scratch{
		c: c, random: d.random("changes"), sessions: d.Sessions[:len(d.Sessions):len(d.Sessions)],
		last: make([]lastCluster, len(d.Sessions)), gen: d.Own.Generated,
		clusters: len(d.Clusters), start: len(d.Clusters),
	}
	for i := range t.last {
		t.last[i].baseGen = 1
	}
	for _, c := range d.Clusters {
		l := &t.last[c.Session]
		*l = lastCluster{t.limit, l.baseGen + l.capacity, c.Capacity, c.Count}
		t.limit += c.Capacity
		t.owner = c.Session
	}
	return t
}

// leastGrowth is how many clusters a small document may grow by.
const leastGrowth = 1024

// grown reports whether the document is not the same any more.
func (t *scratch) grown() bool { return t.clusters-t.start >= max(t.start/10, leastGrowth) }

// finalize does what the compressor is to do with a range, by the book, and
// returns the final ID of the range's last ID.
func (t *scratch) finalize(s int32, count, size int64) int64 {
	l := &t.last[s]
	over := count - (l.capacity - l.count)
	switch {
	case over <= 0:
		l.count += count
	case l.capacity > 0 && t.owner == s:
		l.count += count
		l.capacity += over + size
		t.limit += over + size
	default:
		*l = lastCluster{t.limit, l.baseGen + l.capacity, over + size, over}
		t.limit += over + size
		t.owner = s
		t.clusters++
	}
	return l.baseFinal + l.count - 1
}

// plan queues a range that the session s sends next.
func (t *scratch) plan(s int32, count, size int64) {
	l := t.last[s]
	t.queue = append(t.queue, queued{
		newRange(t.sessions[s], l.baseGen+l.count, count, size), t.finalize(s, count, size),
	})
}

// finalizeOwn finalizes whatever own IDs are not yet.
func (t *scratch) finalizeOwn(size int64) error {
	if err := t.c.SetClusterSize(size); err != nil {
		return err
	}
	r, err := t.c.TakeUnfinalizedCreationRange()
	if err != nil || r.IDs == nil {
		return err
	}
	t.finalize(0, r.IDs.Count, size)
	return t.c.FinalizeCreationRange(r)
}

// room is how many eager IDs the measuring session can generate.
func (t *scratch) room() int64 {
	l := t.last[0]
	return max(l.baseGen+l.capacity-1-t.gen, 0)
}

// arm makes room for n eager IDs.
func (t *scratch) arm(n int64) error {
	if t.room() >= n {
		return nil
	}
	// Only an ID that does not fit makes the compressor ask for more.
	if err := t.exhaust(); err != nil {
		return err
	}
	if _, err := t.c.Generate(); err != nil {
		return err
	}
	t.gen++
	return t.finalizeOwn(idcompressor.MaxClusterSize)
}

// exhaust generates eager IDs until the next ones are local.
func (t *scratch) exhaust() error {
	n := t.room()
	_, err := t.c.AppendGenerate(nil, int(n))
	t.gen += n
	return err
}
