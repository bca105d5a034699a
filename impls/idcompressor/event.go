package idcompressor

import "github.com/google/uuid"

// Event is what a compressor tells its hook, see [WithEventHook]. Finalizing
// an own range gives at most one of FirstCluster, NewCluster and
// ClusterExpansion, then Status, then RangeFinalized; a remote range gives
// RangeFinalized only.
type Event interface {
	// EventName returns the name Fluid's telemetry gives it, without prefix.
	EventName() string
}

// FirstClusterEvent tells that the own session got its first cluster.
type FirstClusterEvent struct{ SessionID uuid.UUID }

// NewClusterEvent tells that the own session overflowed into a new cluster.
type NewClusterEvent struct{ SessionID uuid.UUID }

// ClusterExpansionEvent tells that the own session's last cluster grew in place.
type ClusterExpansionEvent struct {
	SessionID                               uuid.UUID
	PreviousCapacity, NewCapacity, Overflow int64
}

// StatusEvent counts the IDs generated since the last such event.
type StatusEvent struct {
	SessionID                       uuid.UUID
	EagerFinalIDCount, LocalIDCount int64
}

// SerializedSizeEvent tells the size of a serialized form in bytes, before base64.
type SerializedSizeEvent struct{ Size, ClusterCount, SessionCount int }

// RangeFinalizedEvent carries a range that was finalized, own or remote: the one
// that was given, not a copy of what it points to.
type RangeFinalizedEvent struct{ Range CreationRange }

func (FirstClusterEvent) EventName() string     { return "FirstCluster" }
func (NewClusterEvent) EventName() string       { return "NewCluster" }
func (ClusterExpansionEvent) EventName() string { return "ClusterExpansion" }
func (StatusEvent) EventName() string           { return "IdCompressorStatus" }
func (SerializedSizeEvent) EventName() string   { return "SerializedIdCompressorSize" }
func (RangeFinalizedEvent) EventName() string   { return "rangeFinalized" }

// tell builds an event only if somebody listens.
func (c *Compressor) tell(event func() Event) {
	if c.hook != nil {
		c.hook(event())
	}
}
