package live

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// Options are those of a run.
type Options struct {
	Sessions     int           `json:"sessions"` // nodes
	IDs          int64         `json:"ids"`      // of all together
	Range        int           `json:"range"`    // about how many IDs an operation creates
	Rate         float64       `json:"rate"`     // IDs a second of each session; 0 for as fast as it goes
	Window       int           `json:"window"`   // without a rate: how many operations of a session may be under way
	ClusterSize  int64         `json:"clusterSize"`
	Backend      string        `json:"backend,omitempty"`
	Latency      time.Duration `json:"latency"` // added, there and back
	Memory       bool          `json:"memory"`  // the stream is in memory, not in files
	NATS         string        `json:"nats,omitempty"`
	Cluster      int           `json:"cluster"` // embedded servers
	Join         int           `json:"join"`    // how many of the sessions are newcomers
	SummaryEvery uint64        `json:"summaryEvery"`
	Refs         int           `json:"refs"`
	Checks       int           `json:"checks"`
	Sync         bool          `json:"sync"` // sessions sync what they store
	Faults       Faults        `json:"faults"`
	Plant        string        `json:"plant,omitempty"`
	Seed         uint64        `json:"seed"`

	Dir      string         `json:"-"` // for nodes and servers; a temporary one if empty
	Binary   string         `json:"-"` // what runs nodes and servers; the running one if empty
	Progress func(Progress) `json:"-"`
}

// Progress is how far a run has come.
type Progress struct {
	Issued, Total int64 // IDs
	Now           string
}

// DefaultOptions are those of a run of 20 sessions, less what only a caller
// knows.
func DefaultOptions() Options {
	return Options{
		Sessions: 20, IDs: 100_000, Range: 50, Window: 4, ClusterSize: idcompressor.DefaultClusterSize,
		Cluster: 1, Join: -1, SummaryEvery: 500, Refs: 3, Checks: 2, Sync: true, Seed: 1,
	}
}

// The bounds of a run.
const (
	maxSessions = 1000
	maxRange    = 4096
	maxLatency  = 30 * time.Second
)

// check fills in what is left open, and refuses what makes no sense.
func (o *Options) check() error {
	between := func(name string, x, least, most int64) error {
		if x < least || x > most {
			return fmt.Errorf("%s: %d is outside %d to %d", name, x, least, most)
		}
		return nil
	}
	if o.Join < 0 {
		o.Join = o.Sessions / 4
	}
	err := errors.Join(
		between("sessions", int64(o.Sessions), 1, maxSessions),
		between("ids", o.IDs, int64(o.Sessions), 1<<40),
		between("range", int64(o.Range), 1, maxRange),
		between("window", int64(o.Window), 1, 1000),
		between("cluster-size", o.ClusterSize, idcompressor.MinClusterSize, idcompressor.MaxClusterSize),
		between("join", int64(o.Join), 0, int64(o.Sessions-1)),
		between("refs", int64(o.Refs), 0, 64),
		between("checks", int64(o.Checks), 0, 64),
	)
	if o.Rate < 0 || o.Rate > 1e6 {
		err = errors.Join(err, fmt.Errorf("rate: %v is outside 0 to 1e6 IDs a second", o.Rate))
	}
	if o.Latency < 0 || o.Latency > maxLatency {
		err = errors.Join(err, fmt.Errorf("latency: %v is outside 0 to %v", o.Latency, maxLatency))
	}
	if o.Cluster != 1 && o.Cluster != 3 && o.Cluster != 5 {
		err = errors.Join(err, fmt.Errorf("cluster: %d servers: give it 1, 3 or 5", o.Cluster))
	}
	if o.Backend != "" {
		_, unknown := impls.Lookup(o.Backend)
		err = errors.Join(err, unknown)
	}
	if o.Faults.Server > 0 && o.NATS != "" {
		err = errors.Join(err, errors.New("faults: only embedded servers can be killed, not those of --nats"))
	}
	if o.Faults.Server > 0 && o.Memory {
		err = errors.Join(err, errors.New("faults: a server that is killed loses a stream in memory: use the file store"))
	}
	if o.Plant != "" && !slices.Contains(Plants, o.Plant) {
		err = errors.Join(err, fmt.Errorf("plant: %q: %w; there are %v", o.Plant, errPlant, Plants))
	}
	return err
}

// share returns how many IDs a node issues.
func (o *Options) share(node int) int64 {
	n := int64(o.Sessions)
	share := o.IDs / n
	if int64(node) < o.IDs%n {
		share++
	}
	return share
}
