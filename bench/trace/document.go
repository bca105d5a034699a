package trace

import (
	"io"
	"iter"

	"github.com/google/uuid"

	"example.com/idlab/impls/idcompressor"
)

// Document is a document as the ranges that built it.
type Document struct {
	// Session is the one whose compressor is recorded. Its own ranges are
	// generated and taken, with the cluster size they request, before they
	// are finalized.
	Session   uuid.UUID
	Generated int64 // IDs that this session has generated in the end
	Ranges    iter.Seq[idcompressor.CreationRange]
}

// WriteDocument writes the building of a document as an idtrace, with its
// serialized form as the last answer where that fits a line ([MaxLine]). The
// header gives name, seed, cluster size and write version; where the last two
// are zero, the usual ones.
func WriteDocument(w io.Writer, h Header, d Document) error {
	if h.ClusterSize == 0 {
		h.ClusterSize = DefaultSettings.ClusterSize
	}
	if h.WriteVersion == 0 {
		h.WriteVersion = DefaultSettings.WriteVersion
	}
	rec := NewRecorder(w, h, idcompressor.DefaultBackend)
	on := rec.Create("document", d.Session, h.WriteVersion, h.ClusterSize)
	size := h.ClusterSize
	var generated int64
	for r := range d.Ranges {
		if rec.err != nil {
			break
		}
		if r.SessionID == d.Session && r.IDs != nil {
			if r.IDs.RequestedClusterSize != size {
				size = r.IDs.RequestedClusterSize
				on.SetClusterSize(size)
			}
			on.Generate(int(r.IDs.Count))
			generated += r.IDs.Count
			r = on.TakeRange()
		}
		on.Finalize(r)
	}
	if size != h.ClusterSize {
		on.SetClusterSize(h.ClusterSize)
	}
	if n := d.Generated - generated; n > 0 {
		on.Generate(int(n))
	}
	if rec.err == nil && rec.serialized(on) < MaxLine {
		on.Serialize(false)
	}
	return rec.Close()
}

// serialized returns about how long the serialized form is.
func (r *Recorder) serialized(c Recorded) int {
	table := r.m.on[c.slot].Table()
	return (4 + 2*table.SessionCount() + 3*table.ClusterCount()) * 8 * 4 / 3
}
