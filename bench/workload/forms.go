package workload

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/compact"
)

// A Form is a way to store a document.
type Form struct {
	Name   string
	Packed bool // what the backend writes is packed further
	// packing is what Fluid's bytes are packed with; nil if they are not.
	packing *packing
	// Encode appends the stored form of what the compressor holds, without session.
	Encode func(dst []byte, c *idcompressor.Compressor) ([]byte, error)
	// Decode returns the state that a stored form holds.
	Decode func(data []byte) (*snapshot.State, error)
}

// Forms returns the stored forms. v3 is Fluid's own, base64 text; compressed
// ones hold its bytes without the base64. To add a form, add a line.
func Forms() []Form {
	return []Form{
		{"v3", false, nil, encodeText, snapshot.ParseText},
		{"v3-gzip", true, &gzipped, compressed(gzipBytes), gzipped.parse},
		{"v3-zstd", true, &zstdPacked, compressed(zstdBytes), zstdPacked.parse},
		{"compact", true, nil, encodeCompact, compact.Parse},
	}
}

// A packing is a general compression of bytes.
type packing struct {
	magic string // what its data begins with
	// unpacked returns what data holds, or an error if that is more than most bytes.
	unpacked func(data []byte, most int) ([]byte, error)
}

var (
	gzipped    = packing{"\x1f\x8b", gunzipBytes}
	zstdPacked = packing{"\x28\xb5\x2f\xfd", unzstdBytes}
)

// unpack returns what data holds, within what an honest document can come to:
// UUIDs do not compress, and of clusters the numbers do, some fifty-fold.
func (p *packing) unpack(data []byte) ([]byte, error) {
	most := min(leastUnpacked+64*len(data), 1<<30)
	plain, err := p.unpacked(data, most)
	if errors.Is(err, errUnpacked) {
		return nil, fmt.Errorf("%w %d bytes: a document of that size is stored otherwise", err, most)
	}
	return plain, err
}

func (p *packing) parse(data []byte) (*snapshot.State, error) {
	plain, err := p.unpack(data)
	if err != nil {
		return nil, err
	}
	return snapshot.Parse(plain)
}

var errUnpacked = errors.New("workload: it holds more than")

// leastUnpacked is how many bytes any data may unpack to.
const leastUnpacked = 64 << 20

func encodeText(dst []byte, c *idcompressor.Compressor) ([]byte, error) {
	return c.AppendSerializedText(dst, false)
}

func encodeCompact(dst []byte, c *idcompressor.Compressor) ([]byte, error) {
	state, err := c.State(false)
	if err != nil {
		return dst, err
	}
	return compact.Append(dst, state)
}

func compressed(pack func(dst, data []byte) ([]byte, error)) func([]byte, *idcompressor.Compressor) ([]byte, error) {
	return func(dst []byte, c *idcompressor.Compressor) ([]byte, error) {
		data, err := c.AppendSerialized(nil, false)
		if err != nil {
			return dst, err
		}
		return pack(dst, data)
	}
}

// Compressors are reused, as a program that stores documents would.
var (
	gzipWriter struct {
		sync.Mutex
		*gzip.Writer
	}
	zstdWriter = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	})
	zstdReader = sync.OnceValues(func() (*zstd.Decoder, error) { return newZstdReader(leastUnpacked) })
)

func gzipBytes(dst, data []byte) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	gzipWriter.Lock()
	defer gzipWriter.Unlock()
	if gzipWriter.Writer == nil {
		gzipWriter.Writer = gzip.NewWriter(nil)
	}
	w := gzipWriter.Writer
	w.Reset(buf)
	if _, err := w.Write(data); err != nil {
		return dst, err
	}
	err := w.Close()
	return buf.Bytes(), err
}

func gunzipBytes(data []byte, most int) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err == nil && len(plain) > most {
		return nil, errUnpacked
	}
	return plain, err
}

func zstdBytes(dst, data []byte) ([]byte, error) {
	w, err := zstdWriter()
	if err != nil {
		return dst, err
	}
	return w.EncodeAll(data, dst), nil
}

func unzstdBytes(data []byte, most int) ([]byte, error) {
	r, err := zstdReader()
	if err != nil {
		return nil, err
	}
	plain, err := r.DecodeAll(data, nil)
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) && most > leastUnpacked {
		if r, err = newZstdReader(most); err != nil {
			return nil, err
		}
		defer r.Close()
		plain, err = r.DecodeAll(data, nil)
	}
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return nil, errUnpacked
	}
	return plain, err
}

func newZstdReader(most int) (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(most)))
}

// Bound returns the fewest bytes that a form of the document could have.
func (d *Document) Bound() float64 {
	return compact.Bound(&snapshot.State{Version: snapshot.V3, Sessions: d.Sessions, Clusters: d.Clusters})
}

// Keys returns the keys of the form's benchmarks: writing and reading.
func (f *Form) Keys() []string {
	return []string{"Serialize/form=" + f.Name, "Deserialize/form=" + f.Name}
}

// level returns the smallest run that a form's benchmarks are part of by
// themselves; writing Fluid's own form comes first.
func (f *Form) level(write bool) Level {
	switch {
	case f.Packed:
		return Full
	case write:
		return Quick
	}
	return Default
}

// serialize times the writing of a form. Its bytes depend on the document
// alone: every backend must write the same.
func serialize(f Form) func(*Subject) (Body, error) {
	return func(s *Subject) (Body, error) {
		c, err := s.compressor()
		if err != nil {
			return Body{}, err
		}
		stored, err := f.Encode(nil, c) // so that compressors and buffers are there
		if err != nil {
			return Body{}, err
		}
		return Body{
			Ops: 1,
			Run: func() (uint64, error) {
				stored, err = f.Encode(stored[:0], c)
				return uint64(len(stored)), err
			},
			Want: func() (uint64, error) {
				if err := s.Document.holds(f, stored); err != nil {
					return 0, err
				}
				return uint64(len(stored)), nil
			},
			Metrics: func() ([]Metric, error) {
				return []Metric{{"serialized-bytes", float64(len(stored))}}, nil
			},
		}, nil
	}
}

// holds returns an error unless a stored form holds the document to the byte.
func (d *Document) holds(f Form, stored []byte) error {
	text := stored
	if f.Name != "v3" {
		state, err := f.Decode(stored)
		if err != nil {
			return err
		}
		if text, err = state.AppendText(nil); err != nil {
			return err
		}
	}
	if !bytes.Equal(text, d.text()) {
		return fmt.Errorf("wrong bytes: the form holds another document than the list (%d and %d bytes)", len(text), len(d.text()))
	}
	return nil
}

// deserialize times the reading of a form and the loading of a compressor with it.
func deserialize(f Form) func(*Subject) (Body, error) {
	return func(s *Subject) (Body, error) {
		c, err := s.compressor()
		if err != nil {
			return Body{}, err
		}
		stored, err := f.Encode(nil, c)
		if err != nil {
			return Body{}, err
		}
		if _, err := f.Decode(stored); err != nil {
			return Body{}, err
		}
		session := randomUUID(s.Document.random("reader")).UUID()
		var loaded *idcompressor.Compressor
		return Body{
			Ops:     1,
			Prepare: func() error { loaded = nil; return nil },
			Run: func() (uint64, error) {
				state, err := f.Decode(stored)
				if err != nil {
					return 0, err
				}
				loaded, err = idcompressor.FromState(state, idcompressor.WithSession(session), idcompressor.WithBackend(s.Backend))
				return 0, err
			},
			Want: func() (uint64, error) { return s.Document.answers(loaded) },
		}, nil
	}
}
