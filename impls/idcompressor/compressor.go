package idcompressor

import (
	"fmt"
	"math"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
)

// SessionSpaceID is an ID as its own session uses it: negative if it was
// generated before its place in the total order was known, else final. It
// means nothing in another session.
type SessionSpaceID int64

// OpSpaceID is an ID as it travels in an operation, together with the session
// that sent it: final wherever a final form exists.
type OpSpaceID int64

// IsFinal reports whether the ID is final, which is the same in all sessions.
func (id SessionSpaceID) IsFinal() bool { return id >= 0 }

// IsFinal reports whether the ID is final, which is the same in all sessions.
func (id OpSpaceID) IsFinal() bool { return id >= 0 }

// The bounds of a cluster size.
const (
	MinClusterSize     = 1
	MaxClusterSize     = 1 << 20
	DefaultClusterSize = 512
)

// Write versions.
const (
	V2             = snapshot.V2
	V3             = snapshot.V3
	DefaultVersion = V3
)

// local is the own session in every table: it is the first one added.
const local impls.Session = 0

// Compressor is an ID compressor of one session. Make one with [New], [Load]
// or [LoadText]; the zero value is not usable.
//
// A Compressor is not safe for concurrent use.
type Compressor struct {
	table impls.ClusterTable
	norm  impls.Normalizer

	session numericuuid.UUID // the own session's
	stable  uuid.UUID        // the same, as callers know it
	genMax  int64            // the greatest generation count whose UUID exists

	// Generating an ID touches the fields up to here and no table.
	gen      int64 // IDs generated
	eagerEnd int64 // generation counts above gen and below this will be eager finals; 0 without a cluster, or sharded
	shift    int64 // what to add to a generation count of the own last cluster to get its final ID
	open     openRun

	cursor      int64 // first generation count of the next creation range
	clusterSize int64
	version     int

	own       impls.Cluster // the own session's last cluster, zero if there is none
	lastOwner impls.Session // of the document's last cluster
	limit     int64         // the first final ID after all clusters
	finalized int64         // the first final ID after what the last cluster has finalized

	shard    *shardState // nil unless sharded
	ghost    *ghostState // nil unless in a ghost session
	disposed bool

	hook       func(Event)
	newShardID func() uuid.UUID
	counts     StatusEvent // IDs generated since the last status event
	backend    impls.Backend
	scratch    *scratch // of batches
}

// openRun is the newest run of local generation counts, which is not in the
// normalizer yet: so long as local IDs follow each other, generating one costs
// an addition. Its First is MaxInt64 while there is no such run.
type openRun struct{ first, end int64 }

var noRun = openRun{first: math.MaxInt64, end: math.MaxInt64}

// New returns the compressor of a new session.
func New(options ...Option) (*Compressor, error) {
	o, err := newConfig(options)
	if err != nil {
		return nil, err
	}
	id, err := o.sessionID()
	if err != nil {
		return nil, err
	}
	c := o.compressor(id)
	c.table.AddSession(id)
	return c, nil
}

// compressor returns a compressor whose table is still empty.
func (o *config) compressor(session numericuuid.UUID) *Compressor {
	c := &Compressor{
		table:       o.backend.NewTable(),
		norm:        o.backend.NewNormalizer(),
		session:     session,
		stable:      session.UUID(),
		genMax:      impls.MaxID,
		open:        noRun,
		cursor:      1,
		clusterSize: o.clusterSize,
		version:     o.version,
		hook:        o.hook,
		newShardID:  o.newShardID,
		backend:     o.backend,
	}
	if room, ok := numericuuid.Max.Sub(session); ok && room < impls.MaxID {
		c.genMax = int64(room) + 1
	}
	return c
}

// LocalSessionID returns the UUID of the compressor's own session, also after
// it has been disposed.
func (c *Compressor) LocalSessionID() uuid.UUID { return c.stable }

// Backend returns the backend the compressor runs on.
func (c *Compressor) Backend() impls.Backend { return c.backend }

// Table returns the compressor's cluster table, for its optional interfaces. It
// is to be read only.
func (c *Compressor) Table() impls.ClusterTable { return c.table }

// Version returns the version the compressor writes, [V2] or [V3].
func (c *Compressor) Version() int { return c.version }

// ClusterSize returns the cluster size that the next creation ranges request.
func (c *Compressor) ClusterSize() int64 { return c.clusterSize }

// SetClusterSize sets it: how many final IDs a new cluster reserves beyond
// those it is opened for. More of them makes more IDs final at once and the
// document's ID space sparser. A size outside [MinClusterSize] to
// [MaxClusterSize] is refused with [ErrInvalidArgument].
func (c *Compressor) SetClusterSize(size int64) error {
	if err := c.usable("set cluster size"); err != nil {
		return err
	}
	if err := checkClusterSize(size); err != nil {
		return err
	}
	c.clusterSize = size
	return nil
}

func checkClusterSize(size int64) error {
	if size < MinClusterSize || size > MaxClusterSize {
		return fmt.Errorf("idcompressor: %w: cluster size %d is outside %d to %d", ErrInvalidArgument, size, MinClusterSize, MaxClusterSize)
	}
	return nil
}

// usable returns ErrDisposed after the compressor was disposed.
func (c *Compressor) usable(call string) error {
	if c.disposed {
		return fmt.Errorf("idcompressor: %s: %w", call, ErrDisposed)
	}
	return nil
}

// refreshOwn is called whenever the own session's last cluster or the sharding
// has changed: it renews what generating depends on.
func (c *Compressor) refreshOwn() {
	c.own, _ = c.table.LastCluster(local)
	c.shift = c.own.BaseFinal - c.own.BaseGen
	c.eagerEnd = 0
	if c.shard == nil && c.own.Capacity > 0 {
		c.eagerEnd = min(c.own.GenLimit(), c.genMax+1)
	}
}

// isLocal reports whether a generation count of the own session began life as
// a local ID: what the original's normalizer contains.
func (c *Compressor) isLocal(gen int64) bool {
	if gen >= c.open.first {
		return gen < c.open.end
	}
	return gen > 0 && c.norm.Contains(gen)
}

// addLocalRun records generation counts as local ones, after all others.
func (c *Compressor) addLocalRun(first, count int64) {
	if first != c.open.end {
		c.closeRun()
		c.open.first = first
	}
	c.open.end = first + count
}

// closeRun hands the open run to the normalizer.
func (c *Compressor) closeRun() {
	if c.open == noRun {
		return
	}
	if err := c.norm.Append(impls.Run{First: c.open.first, Count: c.open.end - c.open.first}); err != nil {
		panic("idcompressor: normalizer refuses a run in order: " + err.Error())
	}
	c.open = noRun
}
