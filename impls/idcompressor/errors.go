package idcompressor

import (
	"errors"
	"fmt"

	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
)

// The classes of errors, to be tested with errors.Is. An error of any class
// leaves the compressor as it was.
var (
	// ErrOutOfOrder: a range does not begin where its session's finalized IDs
	// end. errors.As finds an *[OrderError] in that of finalizing.
	ErrOutOfOrder = errors.New("ranges finalized out of order")
	// ErrMalformedRange: a range has no IDs, or a cluster size out of bounds.
	ErrMalformedRange = errors.New("malformed range")
	// ErrUnknownID: no such ID has been generated or finalized.
	ErrUnknownID = errors.New("unknown ID")
	// ErrUnknownSession: no ID of that session has been finalized here.
	ErrUnknownSession = errors.New("no ID of the session has been finalized")
	// ErrUnknownStableID: the UUID is not that of an ID known here.
	ErrUnknownStableID = errors.New("unknown stable ID")
	// ErrCollision: the UUIDs of a new cluster overlap another session's.
	ErrCollision = errors.New("sessions collide")
	// ErrForkedSession: a range of the own session has IDs that this
	// compressor never generated. Another copy of it did: this one is stale
	// and must be given up for a new session.
	ErrForkedSession = errors.New("session was forked")
	// ErrGhost: the call cannot be made in a ghost session, or the ghost
	// session cannot begin.
	ErrGhost = errors.New("ghost session")
	// ErrShard: a shard or a token does not fit the compressor's sharding.
	ErrShard = errors.New("sharding")
	// ErrDisposed: the shard has been disposed.
	ErrDisposed = errors.New("shard has been disposed")
	// ErrUnsupportedVersion: serialized data of an unknown version.
	ErrUnsupportedVersion = snapshot.ErrUnsupportedVersion
	// ErrSessionExists: the document has the session already.
	ErrSessionExists = errors.New("session exists in the document")
	// ErrSessionMismatch: a session was given for data that has one, or none
	// for data that needs one.
	ErrSessionMismatch = errors.New("session does not fit the data")
	// ErrCorrupt: serialized data that no compressor wrote.
	ErrCorrupt = snapshot.ErrCorrupt
	// ErrInvalidUUID: not a version 4 UUID.
	ErrInvalidUUID = numericuuid.ErrInvalid
	// ErrInvalidArgument: a cluster size or write version out of bounds.
	ErrInvalidArgument = errors.New("invalid argument")
	// ErrExhausted: no generation count, final ID or UUID is left.
	ErrExhausted = errors.New("ID space is exhausted")
)

// classes names the error classes as traces do.
var classes = []struct {
	err  error
	name string
}{
	{ErrOutOfOrder, "out-of-order"},
	{ErrMalformedRange, "malformed-range"},
	{ErrUnknownID, "unknown-id"},
	{ErrUnknownSession, "unknown-session"},
	{ErrUnknownStableID, "unknown-stable-id"},
	{ErrCollision, "collision"},
	{ErrForkedSession, "forked-session"},
	{ErrGhost, "ghost"},
	{ErrShard, "shard"},
	{ErrDisposed, "disposed"},
	{ErrUnsupportedVersion, "unsupported-version"},
	{ErrSessionExists, "session-exists"},
	{ErrSessionMismatch, "session-mismatch"},
	{ErrCorrupt, "corrupt"},
	{ErrInvalidUUID, "invalid-uuid"},
	{ErrInvalidArgument, "invalid-argument"},
	{ErrExhausted, "exhausted"},
}

// ErrorClass returns the name of the class of an error in lower case with
// dashes, as in "out-of-order"; it is empty for an error of no class.
func ErrorClass(err error) string {
	for _, c := range classes {
		if errors.Is(err, c.err) {
			return c.name
		}
	}
	return ""
}

// OrderError is an [ErrOutOfOrder] with where the range should have begun and
// where it does, as local IDs: the negated generation counts.
type OrderError struct{ ExpectedStart, ActualStart int64 }

func (e *OrderError) Error() string {
	return fmt.Sprintf("idcompressor: finalize: %v: the range begins at %d, expected %d", ErrOutOfOrder, e.ActualStart, e.ExpectedStart)
}

func (e *OrderError) Unwrap() error { return ErrOutOfOrder }
