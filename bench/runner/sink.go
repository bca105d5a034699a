package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// A Sink takes the samples of a run.
type Sink interface {
	// resume returns the plan and the content that is there, or nil.
	resume() (*Plan, []byte)
	// cut leaves the first n bytes.
	cut(n int64) error
	// add adds a piece, as a whole or not at all as far as the system allows.
	add(piece []byte) error
}

// Stream returns a sink that only writes.
func Stream(w io.Writer) Sink { return stream{w} }

type stream struct{ w io.Writer }

func (s stream) resume() (*Plan, []byte) { return nil, nil }
func (s stream) cut(int64) error         { return nil }

func (s stream) add(piece []byte) error {
	_, err := s.w.Write(piece)
	return err
}

// ErrNotSamples is the error of a file that is there and that this package did
// not write.
var ErrNotSamples = errors.New("the file holds something else than samples of this lab: remove it, or name another")

// A File is a sink that goes on from what it holds.
type File struct {
	f    *os.File
	plan *Plan
	data []byte
}

// OpenFile opens or makes a file of samples. One that holds something else is
// refused with [ErrNotSamples]. A run of another plan replaces what is there.
func OpenFile(name string) (*File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	s := &File{f: f}
	if err := s.read(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

func (s *File) read() (err error) {
	if s.data, err = io.ReadAll(s.f); err != nil {
		return err
	}
	rest, ok := bytes.CutPrefix(s.data, []byte(planPrefix))
	if !ok && len(s.data) > 0 {
		// A head that was cut off while it was written is nobody's loss.
		if bytes.HasPrefix([]byte(planPrefix), s.data) {
			return nil
		}
		return ErrNotSamples
	}
	text, _, whole := bytes.Cut(rest, []byte{'\n'})
	plan := new(Plan)
	if whole && json.Unmarshal(text, plan) == nil {
		s.plan = plan
	}
	return nil
}

// Close closes the file.
func (s *File) Close() error { return s.f.Close() }

func (s *File) resume() (*Plan, []byte) { return s.plan, s.data }

func (s *File) cut(n int64) error {
	if err := s.f.Truncate(n); err != nil {
		return err
	}
	s.data = nil
	_, err := s.f.Seek(n, io.SeekStart)
	return err
}

func (s *File) add(piece []byte) error {
	if _, err := s.f.Write(piece); err != nil {
		return err
	}
	return s.f.Sync()
}
