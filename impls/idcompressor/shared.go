package idcompressor

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/overlay"
)

// ErrNotShareable: the compressor's backend cannot be frozen.
var ErrNotShareable = errors.New("backend cannot be shared")

// Shared is a compressor that many goroutines may read while one changes it.
// Readers take no lock and never wait.
//
// It rests on one property: a positive answer stays true. Once an ID has a
// final form, a final ID a UUID, a UUID a place in a cluster, no later change
// takes it back (a cluster that would take a UUID from another is a collision,
// and refused). So a reader asks a frozen copy of the compressor first, at the
// speed of an unshared one, and what that does not know yet it asks of the
// newest published state: the frozen copy with the changes since on top
// (package overlay).
//
// Consistency: a read sees every change whose [Shared.Update] returned before
// the read began; answers it got before stay true. Two reads may see different
// states.
//
// Cost: a second copy of the tables, and a node path of a B-tree, about a
// microsecond, for every range finalized. When the changes since the copy was
// made exceed 1/64 of the table (and 1,024) the next update makes a new copy,
// which costs as much as copying the tables' bytes; spread over the changes
// that is less than what they cost themselves.
type Shared struct {
	mu     sync.Mutex // writers
	writer *Compressor
	table  *overlay.Recorder
	runs   *runRecorder

	frozen atomic.Pointer[Compressor] // for what is known for long
	newest atomic.Pointer[Compressor] // for the rest
}

// NewShared takes over a compressor, which must only be changed through
// [Shared.Update] from now on. Its error is [ErrNotShareable] where the backend
// cannot be frozen; the default backend can.
func NewShared(c *Compressor) (*Shared, error) {
	table, ok1 := c.table.(overlay.Frozen)
	norm, ok2 := c.norm.(frozenNormalizer)
	if !ok1 || !ok2 {
		return nil, fmt.Errorf("idcompressor: share: %w: %s", ErrNotShareable, c.backend.Name)
	}
	if err := c.usable("share"); err != nil {
		return nil, err
	}
	s := &Shared{writer: c, table: overlay.NewRecorder(table), runs: &runRecorder{frozenNormalizer: norm}}
	c.table, c.norm = s.table, s.runs
	s.freeze()
	return s, nil
}

// Update calls f, which may change the compressor, and then publishes what it
// did, whether or not f returns an error. Updates exclude each other, and
// readers do not wait for them. The compressor must not be used after f
// returned, and f must not call Update.
func (s *Shared) Update(f func(*Compressor) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.publish() // also when f panics: what it did is done
	return f(s.writer)
}

// FinalizeCreationRange is [Compressor.FinalizeCreationRange] as an update.
func (s *Shared) FinalizeCreationRange(r CreationRange) error {
	return s.Update(func(c *Compressor) error { return c.FinalizeCreationRange(r) })
}

// fewNotes are how many changes are kept beside the frozen copy in any case.
const fewNotes = 1024

func (s *Shared) publish() {
	if s.table.Notes() > max(fewNotes, s.table.ClusterCount()/64) || len(s.runs.added) > max(fewNotes, s.runs.RunCount()/64) {
		s.table.Freeze()
		s.freeze()
		return
	}
	s.newest.Store(s.state(s.table.View(), s.runs.view()))
	if s.writer.disposed {
		s.frozen.Store(s.newest.Load())
	}
}

// freeze publishes the frozen copy as it was just made.
func (s *Shared) freeze() {
	s.runs.freeze()
	c := s.state(s.table.Frozen(), s.runs.frozen)
	s.newest.Store(c) // before the other: a reader must not miss what only this has
	s.frozen.Store(c)
}

// state returns a copy of the compressor that is only read.
func (s *Shared) state(table impls.ClusterTable, norm impls.Normalizer) *Compressor {
	c := *s.writer
	c.table, c.norm = table, norm
	c.scratch, c.hook = nil, nil
	if c.ghost != nil {
		c.ghost = &ghostState{}
	}
	return &c
}

// Decompress is [Compressor.Decompress].
func (s *Shared) Decompress(id SessionSpaceID) (stable uuid.UUID, err error) {
	// Nearly always a finalized ID: a call less is what the look at the frozen
	// copy costs.
	if c := s.frozen.Load(); id >= 0 && !c.disposed {
		if n, ok := c.table.StableID(int64(id)); ok {
			n.Put(&stable)
			return stable, nil
		}
	}
	return s.newest.Load().Decompress(id)
}

// AppendStableID is [Compressor.AppendStableID].
func (s *Shared) AppendStableID(dst []byte, id SessionSpaceID) ([]byte, error) {
	if n, ok := s.frozen.Load().lookupStable(id); ok {
		return n.AppendText(dst), nil
	}
	return s.newest.Load().AppendStableID(dst, id)
}

// Recompress is [Compressor.Recompress].
func (s *Shared) Recompress(id uuid.UUID) (SessionSpaceID, error) {
	if found, ok := s.TryRecompress(id); ok {
		return found, nil
	}
	return s.newest.Load().Recompress(id)
}

// TryRecompress is [Compressor.TryRecompress].
func (s *Shared) TryRecompress(id uuid.UUID) (SessionSpaceID, bool) {
	// An own ID that no cluster covers yet may be another's one day.
	if n, ok := numericuuid.FromUUID(id); ok {
		if c := s.frozen.Load(); !c.disposed {
			if p := c.table.ByStableID(n); p.Found() {
				if found, ok := c.sessionForm(p, n); ok {
					return found, true
				}
			}
		}
	}
	return s.newest.Load().TryRecompress(id)
}

// NormalizeToOpSpace is [Compressor.NormalizeToOpSpace].
func (s *Shared) NormalizeToOpSpace(id SessionSpaceID) (OpSpaceID, error) {
	if op, ok := s.frozen.Load().opForm(id); ok && op.IsFinal() {
		return op, nil
	}
	return s.newest.Load().NormalizeToOpSpace(id)
}

// NormalizeToSessionSpace is [Compressor.NormalizeToSessionSpace].
func (s *Shared) NormalizeToSessionSpace(id OpSpaceID, origin uuid.UUID) (SessionSpaceID, error) {
	if found, ok := s.frozen.Load().sessionSpaceForm(id, origin); ok {
		return found, nil
	}
	return s.newest.Load().NormalizeToSessionSpace(id, origin)
}

// TryNormalizeToSessionSpace is [Compressor.TryNormalizeToSessionSpace].
func (s *Shared) TryNormalizeToSessionSpace(id OpSpaceID) (SessionSpaceID, bool, error) {
	if c := s.frozen.Load(); id >= 0 && !c.disposed {
		if found, ok := c.finalToSession(id); ok {
			return found, true, nil
		}
	}
	return s.newest.Load().TryNormalizeToSessionSpace(id)
}

// scratches are for the batches of readers: a compressor has only one.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// withScratch calls f with a copy of the frozen compressor that has a scratch
// of its own.
func (s *Shared) withScratch(f func(*Compressor)) {
	c := *s.frozen.Load()
	c.scratch = scratches.Get().(*scratch)
	f(&c)
	scratches.Put(c.scratch)
}

// AppendDecompress is [Compressor.AppendDecompress]. Where some of the IDs are
// newer than the frozen copy, it costs what single calls do.
func (s *Shared) AppendDecompress(dst []uuid.UUID, ids []SessionSpaceID) ([]uuid.UUID, error) {
	var err error
	out := dst
	s.withScratch(func(c *Compressor) { out, err = c.AppendDecompress(dst, ids) })
	if err == nil {
		return out, nil
	}
	out = dst
	for i, id := range ids {
		u, err := s.Decompress(id)
		if err != nil {
			if errors.Is(err, ErrDisposed) {
				return dst, err
			}
			return dst, unknownAt(i, id)
		}
		out = append(out, u)
	}
	return out, nil
}

// AppendRecompress is [Compressor.AppendRecompress]. A UUID that the frozen
// copy does not know costs a single call.
func (s *Shared) AppendRecompress(dst []SessionSpaceID, ok []bool, stable []uuid.UUID) ([]SessionSpaceID, int) {
	if ok == nil {
		ok = make([]bool, len(stable))
	}
	var known int
	start := len(dst)
	s.withScratch(func(c *Compressor) { dst, known = c.AppendRecompress(dst, ok, stable) })
	newest := s.newest.Load()
	for i, id := range stable {
		// A local form may be one that has no place in a cluster.
		if !ok[i] || dst[start+i] < 0 {
			if ok[i] {
				known--
			}
			if dst[start+i], ok[i] = newest.TryRecompress(id); ok[i] {
				known++
			} else {
				dst[start+i] = 0
			}
		}
	}
	return dst, known
}

// frozenNormalizer is a normalizer that can be frozen.
type frozenNormalizer interface {
	impls.Normalizer
	impls.Freezer[impls.Normalizer]
}

// runRecorder is the normalizer of a writer. It keeps the runs that were
// appended since it was frozen, in a slice that is only ever appended to.
type runRecorder struct {
	frozenNormalizer
	frozen impls.Normalizer
	added  []impls.Run
}

func (r *runRecorder) Append(run impls.Run) error {
	if err := r.frozenNormalizer.Append(run); err != nil {
		return err
	}
	r.added = append(r.added, run)
	return nil
}

func (r *runRecorder) freeze() {
	r.frozen = r.frozenNormalizer.Freeze()
	r.added = nil
}

func (r *runRecorder) view() impls.Normalizer {
	if len(r.added) == 0 {
		return r.frozen
	}
	return &runView{frozen: r.frozen, added: r.added}
}
