package snapshot

import (
	"errors"
	"fmt"
)

var (
	// ErrCorrupt is the error of data that no compressor wrote.
	ErrCorrupt = errors.New("corrupt")
	// ErrUnsupportedVersion is the error of a version other than 2 and 3.
	ErrUnsupportedVersion = errors.New("unsupported version")
)

// Error says what is wrong with a serialized form, and where. It matches
// [ErrCorrupt] or [ErrUnsupportedVersion].
type Error struct {
	Field  string // as in the package comment, for instance "clusters[3].capacity"
	Offset int64  // of the field, in bytes of the binary form; -1 if it has none
	Value  string // what stands there; empty if nothing does
	Reason string
	Err    error
}

func (e *Error) Error() string {
	s := "snapshot: " + e.Err.Error() + ": " + e.Field
	if e.Value != "" {
		s += " = " + e.Value
	}
	if e.Offset >= 0 {
		s += fmt.Sprintf(" at byte %d", e.Offset)
	}
	return s + ": " + e.Reason
}

func (e *Error) Unwrap() error { return e.Err }
