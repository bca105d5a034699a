package workload

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"

	"example.com/idlab/bench/trace"
	"example.com/idlab/impls/snapshot"
)

// cached is a document as one process of the lab hands it to another.
type cached struct {
	Name    string
	Seed    uint64
	State   []byte // Fluid's binary form, with the measuring session
	Program []byte // of a trace
	Raw     []byte // a trace whose program cannot be written
	Right   trace.Tally
}

// MarshalBinary writes the document, and the trace it comes from, for another
// process of the same build. [Restore] reads it.
func (d *Document) MarshalBinary() ([]byte, error) {
	c := cached{Name: d.Name, Seed: d.Seed}
	var err error
	if c.State, err = d.State().AppendBinary(nil); err != nil {
		return nil, err
	}
	if t := d.trace; t != nil {
		c.Right = t.right
		c.Program, err = t.program.MarshalBinary()
		if errors.Is(err, trace.ErrNotPortable) {
			c.Raw, err = t.raw, nil
		}
		if err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	err = gob.NewEncoder(&b).Encode(c)
	return b.Bytes(), err
}

// Restore returns the document that MarshalBinary wrote. Of a document from
// elsewhere use [Load].
func Restore(data []byte) (*Document, error) {
	var c cached
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&c); err != nil {
		return nil, fmt.Errorf("workload: %w", err)
	}
	s, err := snapshot.Parse(c.State)
	if err != nil {
		return nil, err
	}
	if s.Local == nil {
		return nil, fmt.Errorf("workload: document %s has no measuring session", c.Name)
	}
	d := newDocument(&Document{Name: c.Name, Seed: c.Seed, Sessions: s.Sessions, Clusters: s.Clusters, Own: *s.Local})
	switch {
	case c.Program != nil:
		d.trace = &recorded{program: new(trace.Program), right: c.Right}
		err = d.trace.program.UnmarshalBinary(c.Program)
	case c.Raw != nil:
		d.trace = &recorded{raw: c.Raw, right: c.Right}
		d.trace.program, err = trace.Load(bytes.NewReader(c.Raw), c.Name, trace.DefaultSettings)
	}
	return d, err
}
