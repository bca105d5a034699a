package workload

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
)

// A Document is what benchmarks run on. It is not changed once it is made, and
// may be shared by subjects, but its queries are drawn when they are first
// asked for: one goroutine at a time.
type Document struct {
	Name     string // as in doc=
	Seed     uint64 // of everything that is random in it and in its queries
	Sessions []numericuuid.UUID
	Clusters []snapshot.Cluster
	Own      snapshot.Local // of the measuring session, which is Sessions[0]

	writes []int64 // counts of the ranges that wrote it, if not a range or two a cluster

	trace *recorded // where it comes from, if from a trace

	places    func() *drawn
	own       func() ownIDs
	text      func() []byte
	buildable func() error
}

// newDocument completes a document.
func newDocument(d *Document) *Document {
	d.places = sync.OnceValue(d.drawPlaces)
	d.own = sync.OnceValue(d.sortOwn)
	d.text = sync.OnceValue(d.encode)
	d.buildable = sync.OnceValue(d.checkBuildable)
	return d
}

// random returns a source of its own for each purpose, so that adding one
// changes none of the others.
func (d *Document) random(purpose string) *rand.Rand { return random(d.Seed, purpose) }

func random(seed uint64, purpose string) *rand.Rand {
	h := uint64(14695981039346656037) // FNV-1a
	for _, c := range []byte(purpose) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, h))
}

func randomUUID(r *rand.Rand) numericuuid.UUID {
	return numericuuid.UUID{Hi: r.Uint64() & numericuuid.Max.Hi, Lo: r.Uint64()}
}

// State returns the document as the measuring session would serialize it. It
// shares the document's slices.
func (d *Document) State() *snapshot.State {
	own := d.Own
	return &snapshot.State{Version: snapshot.V3, Sessions: d.Sessions, Clusters: d.Clusters, Local: &own}
}

// Compressor returns the measuring session's compressor, loaded with the document.
func (d *Document) Compressor(b impls.Backend) (*idcompressor.Compressor, error) {
	return idcompressor.FromState(d.State(), idcompressor.WithBackend(b))
}

// encode returns the document's stored form, v3 without session, worked out
// from the list alone.
func (d *Document) encode() []byte {
	sessions := d.Sessions
	s := &snapshot.State{Version: snapshot.V3, Sessions: sessions, Clusters: d.Clusters}
	text, err := s.AppendText(nil)
	if err != nil {
		panic("workload: " + err.Error()) // the list is checked
	}
	return text
}

// checkBuildable returns why ranges cannot build the document, or nil.
func (d *Document) checkBuildable() error {
	for i, c := range d.Clusters {
		if c.Count < 1 || c.Capacity-c.Count > idcompressor.MaxClusterSize {
			return fmt.Errorf("cluster %d, %d of %d IDs finalized, comes from no range", i, c.Count, c.Capacity)
		}
	}
	return nil
}

// Buildable returns why [Document.Ranges] cannot build the document, or nil.
func (d *Document) Buildable() error { return d.buildable() }

// Ranges yields creation ranges that build the document in a compressor of
// another session: those that wrote it, or one for each cluster and a second
// one that fills it.
func (d *Document) Ranges() iter.Seq[idcompressor.CreationRange] {
	return func(yield func(idcompressor.CreationRange) bool) {
		next := make([]int64, len(d.Sessions)) // IDs of each session so far
		give := func(session int32, count, size int64) bool {
			first := next[session] + 1
			next[session] += count
			return yield(newRange(d.Sessions[session], first, count, size))
		}
		clusters := d.Clusters
		if d.writes != nil {
			for _, count := range d.writes {
				if !give(clusters[0].Session, count, idcompressor.DefaultClusterSize) {
					return
				}
			}
			clusters = clusters[1:]
		}
		for _, c := range clusters {
			for given := int64(0); c.Session == 0 && given < c.Count; given += ownHalf {
				if !give(0, min(ownHalf, c.Count-given), ownHalf) {
					return
				}
			}
			if c.Session == 0 {
				continue
			}
			count := c.Count
			if c.Count == c.Capacity && count > 1 {
				count-- // a range asks for one more ID at least
			}
			// A cluster of one ID cannot be asked for: it gets a second one.
			if !give(c.Session, count, max(c.Capacity-count, 1)) {
				return
			}
			if count < c.Count && !give(c.Session, 1, 1) {
				return
			}
		}
	}
}

func newRange(session numericuuid.UUID, first, count, size int64) idcompressor.CreationRange {
	return idcompressor.CreationRange{
		SessionID: session.UUID(),
		IDs:       &idcompressor.RangeIDs{FirstGenCount: first, Count: count, RequestedClusterSize: size},
	}
}
