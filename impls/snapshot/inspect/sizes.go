package inspect

import (
	"bytes"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/compact"
)

// Size is how many bytes a form of the state takes, and each part of it.
type Size struct {
	Form  string `json:"form"`
	Bytes int    `json:"bytes"`
	Parts []Part `json:"parts,omitempty"`
}

// Part is a part of a form.
type Part struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

// sizes returns the size of all forms that a state can be stored in.
func sizes(s *snapshot.State) ([]Size, error) {
	v3, err := s.InVersion(snapshot.V3)
	if err != nil {
		return nil, err
	}
	data, err := v3.AppendBinary(nil)
	if err != nil {
		return nil, err
	}
	zipped, err := gzipped(data)
	if err != nil {
		return nil, err
	}
	zstandard, err := zstandardized(data)
	if err != nil {
		return nil, err
	}
	p, err := compact.Measure(s)
	if err != nil {
		return nil, err
	}
	return []Size{
		{"v3 base64", len(snapshot.AppendEncode(nil, data)), nil},
		measured("v3 binary", fluidParts(v3)),
		{"v3 binary, gzip", len(zipped), nil},
		{"v3 binary, zstd", len(zstandard), nil},
		measured("compact", []Part{
			{"header", p.Header}, {"sessions", p.Sessions}, {"clusters", p.Clusters}, {"local", p.Local},
			{"sharding", p.Sharding}, {"filling", p.Filling}, {"checksum", p.Sum},
		}),
	}, nil
}

// measured adds the parts up, and leaves out what takes nothing.
func measured(form string, parts []Part) Size {
	size := Size{Form: form}
	for _, p := range parts {
		if p.Bytes > 0 {
			size.Bytes += p.Bytes
			size.Parts = append(size.Parts, p)
		}
	}
	return size
}

// fluidParts returns the parts of the binary form, from what it takes as more
// and more is there.
func fluidParts(s *snapshot.State) []Part {
	var parts []Part
	last := 0
	part := func(name string, s snapshot.State) {
		parts = append(parts, Part{name, s.Size() - last})
		last = s.Size()
	}
	part("header", snapshot.State{Version: s.Version})
	part("sessions", snapshot.State{Version: s.Version, Sessions: s.Sessions})
	part("clusters", snapshot.State{Version: s.Version, Sessions: s.Sessions, Clusters: s.Clusters})
	if s.Local != nil {
		unsharded := *s
		local := *s.Local
		local.Sharding = nil
		unsharded.Local = &local
		part("local", unsharded)
	}
	part("sharding", *s)
	return parts
}

func gzipped(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func zstandardized(data []byte) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return w.EncodeAll(data, nil), nil
}
