package inspect

import (
	"bytes"
	"errors"
	"fmt"

	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/compact"
)

// Form is how a state is serialized.
type Form string

const (
	Text    Form = "base64" // Fluid's text form
	Binary  Form = "binary" // Fluid's binary form
	Compact Form = "compact"
)

// ErrUnknownTarget is the error of something to convert to that there is not.
var ErrUnknownTarget = errors.New("no form to convert to")

// formOf recognizes the form by content. In Fluid's binary form the first slot
// is a small number, which has zero bytes as a float64, and no text has any.
func formOf(data []byte) Form {
	switch {
	case compact.Is(data):
		return Compact
	case bytes.IndexByte(data[:min(8, len(data))], 0) >= 0:
		return Binary
	}
	return Text
}

// Read reads a state in any form, which it recognizes by content. A text form
// may end in line breaks, as text files do. Errors are of type
// *[snapshot.Error].
func Read(data []byte) (*snapshot.State, Form, error) {
	form := formOf(data)
	var s *snapshot.State
	var err error
	switch form {
	case Compact:
		s, err = compact.Parse(data)
	case Binary:
		s, err = snapshot.Parse(data)
	case Text:
		s, err = snapshot.ParseText(data)
	}
	if err == nil && form != Compact { // Parse of which does so
		err = s.CheckDistinct()
	}
	if err != nil {
		return nil, form, err
	}
	return s, form, nil
}

// Convert returns data, in any form, in another one, nothing lost: to "v2" or
// "v3", as base64 without a line break, or to "compact". Errors: those of
// [Read], [snapshot.ErrSharded] if version 2 cannot hold it, and
// [ErrUnknownTarget].
func Convert(data []byte, to string) ([]byte, error) {
	version, ok := map[string]int{"v2": snapshot.V2, "v3": snapshot.V3, "compact": 0}[to]
	if !ok {
		return nil, fmt.Errorf("inspect: %w: %q is none of v2, v3 and compact", ErrUnknownTarget, to)
	}
	s, _, err := Read(data)
	if err != nil {
		return nil, err
	}
	if to == "compact" {
		return compact.Append(nil, s)
	}
	if s, err = s.InVersion(version); err != nil {
		return nil, err
	}
	return s.AppendText(nil)
}
