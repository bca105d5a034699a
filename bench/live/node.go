package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"example.com/idlab/impls"
)

// NodeCommand is the hidden subcommand that runs a node's process.
const NodeCommand = "node"

// NodeConfig is what a node's process gets on its standard input, as JSON in a
// line. Commands follow, a line each. When the input ends, so does the process.
type NodeConfig struct {
	URLs, Doc, Dir string
	Sync           bool  // see OpenStore
	IDs            int64 // how many IDs to issue in the node's whole life
	Range          int   // about how many IDs an operation creates
	Rate           float64
	Window         int // without a rate: how many operations may be pending
	ClusterSize    int64
	Backend        string
	Latency        time.Duration
	SummaryEvery   uint64
	Refs, Checks   int
	Seed           uint64
	SkipOp         int64
}

// Command is what a node's process is told.
type Command struct {
	// Cut cuts the node off until it has that many IDs unsent, or nothing more
	// to issue, or CutFor is over.
	Cut    int64         `json:",omitempty"`
	CutFor time.Duration `json:",omitempty"`
	// Finish has it read to that sequence number, say what it has, and end.
	Finish uint64 `json:",omitempty"`
}

// Event is what a node's process tells on its standard output: one of the
// fields.
type Event struct {
	Hello   *Hello   `json:",omitempty"`
	Status  *Status  `json:",omitempty"`
	Finding *Finding `json:",omitempty"`
	GivenUp *GivenUp `json:",omitempty"`
	Cut     *CutOff  `json:",omitempty"`
	Final   *Final   `json:",omitempty"`
	Error   string   `json:",omitempty"`
}

// Hello tells which session the node has, now that it has read the stream.
type Hello struct {
	Session uuid.UUID
	Resumed bool   // from its checkpoint and log
	Summary uint64 // the sequence number of the summary it joined with, else 0
	Resent  int64  // IDs that were not finalized, and are sent again
}

// GivenUp tells that a session cannot go on.
type GivenUp struct {
	Session uuid.UUID
	Forked  bool // else its store is damaged
	Cause   string
}

// CutOff tells that a node is back.
type CutOff struct{ Unsent int64 }

// Status is how far a node has come.
type Status struct {
	Issued, Eager int64 // IDs, in the node's whole life
	Pending       int64 // IDs among them that are not finalized
	Applied       uint64
	Done          bool // all is issued, and nothing pending
	Latencies     *Latencies
}

// Final is what a node has at the end.
type Final struct {
	Status
	Session  uuid.UUID
	Hash     string
	Messages map[Verdict]int64 // by this process
}

// RunNode runs a node's process.
func RunNode(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	in := json.NewDecoder(stdin)
	d := &driver{emit: json.NewEncoder(stdout).Encode}
	if err := in.Decode(&d.NodeConfig); err != nil {
		return fmt.Errorf("node: its configuration: %w", err)
	}
	if d.Backend != "" {
		b, err := impls.Lookup(d.Backend)
		if err != nil {
			return err
		}
		d.backend = b
	}
	commands := make(chan Command)
	go func() {
		for {
			var c Command
			if err := in.Decode(&c); err != nil {
				cancel(fmt.Errorf("node: its input ended: %w", err))
				return
			}
			select {
			case commands <- c:
			case <-ctx.Done():
				return
			}
		}
	}()
	err := d.run(ctx, commands)
	if err != nil && ctx.Err() == nil {
		d.emit(Event{Error: err.Error()})
	}
	return errors.Join(err, d.close())
}
