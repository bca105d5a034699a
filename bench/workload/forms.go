package workload

import (
	"bytes"
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
	// Is reports whether data begins like this form; nil if that is told otherwise.
	Is func(data []byte) bool
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
		{"v3-gzip", true, begins("\x1f\x8b"), compressed(gzipBytes), decompressed(gunzipBytes)},
		{"v3-zstd", true, begins("\x28\xb5\x2f\xfd"), compressed(zstdBytes), decompressed(unzstdBytes)},
		{"compact", true, compact.Is, encodeCompact, compact.Parse},
	}
}

func begins(magic string) func([]byte) bool {
	return func(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }
}

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

func decompressed(unpack func(data []byte) ([]byte, error)) func([]byte) (*snapshot.State, error) {
	return func(data []byte) (*snapshot.State, error) {
		plain, err := unpack(data)
		if err != nil {
			return nil, err
		}
		return snapshot.Parse(plain)
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
	zstdReader = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	})
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

func gunzipBytes(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func zstdBytes(dst, data []byte) ([]byte, error) {
	w, err := zstdWriter()
	if err != nil {
		return dst, err
	}
	return w.EncodeAll(data, dst), nil
}

func unzstdBytes(data []byte) ([]byte, error) {
	r, err := zstdReader()
	if err != nil {
		return nil, err
	}
	return r.DecodeAll(data, nil)
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
