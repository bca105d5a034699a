package idcompressor

import (
	"fmt"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
)

// shardState is what a compressor knows of its place in a tree of shards.
//
// Shards of a session generate IDs without talking to each other: one with the
// stride n takes every n-th generation count, and no two of the tree take the
// same. To split, a shard multiplies its stride by the number of shards it
// becomes and gives its k-th child the counts that lie k old strides ahead.
type shardState struct {
	stride   int64
	original int64              // the stride before it had children: 1 on the root
	children []numericuuid.UUID // active ones, in the order in which they were made
	id       *numericuuid.UUID  // nil on the root
}

// Shard is a child that [Compressor.Shard] made, in its serialized form, to be
// loaded with [Load] wherever it is to work.
type Shard struct {
	Token ShardSyncToken
	Data  []byte // the binary form
}

func (c *Compressor) isChild() bool { return c.shard != nil && c.shard.id != nil }

func (c *Compressor) stride() int64 {
	if c.shard == nil {
		return 1
	}
	return c.shard.stride
}

func shardError(call, format string, args ...any) error {
	return fmt.Errorf("idcompressor: %s: %w: %s", call, ErrShard, fmt.Sprintf(format, args...))
}

// Shard splits the compressor in itself and n children that generate IDs of
// the same session. From now on it generates local IDs only, until all
// children have been disposed and their tokens given to
// [Compressor.SynchronizeWithShard]. Two copies of one shard would give IDs out
// twice, and nothing notices: load each child once. Each child costs a whole copy of the
// state. Errors: [ErrShard], [ErrGhost], [ErrExhausted], [ErrDisposed], and for
// IDs of [WithShardIDs] [ErrInvalidUUID] and [ErrInvalidArgument].
func (c *Compressor) Shard(n int64) ([]Shard, error) {
	if err := c.usable("shard"); err != nil {
		return nil, err
	}
	stride := c.stride()
	switch {
	case n < 1 || n > impls.MaxID:
		return nil, shardError("shard", "%d children", n)
	case c.ghost != nil:
		return nil, fmt.Errorf("idcompressor: shard: %w: not while one is going on", ErrGhost)
	case c.version < V3:
		return nil, shardError("shard", "the document has version %d, sharding needs 3", c.version)
	case n >= snapshot.MaxStride || stride*(n+1) > snapshot.MaxStride:
		return nil, shardError("shard", "limit reached: %d children at stride %d, and the product with the shard itself is at most %d", n, stride, snapshot.MaxStride)
	case n*stride > c.genMax-c.gen:
		return nil, fmt.Errorf("idcompressor: shard: %w: %d IDs have been generated", ErrExhausted, c.gen)
	}
	ids, err := c.newChildren(n)
	if err != nil {
		return nil, err
	}
	state := c.state(true)
	generated, runs := c.gen, state.Local.Runs
	shards := make([]Shard, n)
	for i, id := range ids {
		ahead := int64(i+1) * stride
		state.Local.Generated = generated + ahead
		state.Local.Runs = withRun(runs, snapshot.Run{First: generated + 1, Count: ahead})
		state.Local.Sharding = &snapshot.Sharding{Stride: stride * (n + 1), Original: stride * (n + 1), ShardID: &id}
		data, err := state.AppendBinary(nil)
		if err != nil {
			return nil, err
		}
		shards[i] = Shard{Token: ShardSyncToken{LocalGenCount: generated + ahead, ShardID: id.UUID()}, Data: data}
	}
	if c.shard == nil {
		c.shard = &shardState{original: 1}
	}
	c.shard.stride = stride * (n + 1)
	c.shard.children = append(c.shard.children, ids...)
	c.refreshOwn()
	c.tellSize(c.state(true))
	return shards, nil
}

// newChildren returns the IDs of n more children, all different.
func (c *Compressor) newChildren(n int64) ([]numericuuid.UUID, error) {
	var active []numericuuid.UUID
	if c.shard != nil {
		active = c.shard.children
	}
	known := setOf(active)
	ids := make([]numericuuid.UUID, n)
	for i := range ids {
		id, err := parseID(c.newShardID())
		if err != nil {
			return nil, err
		}
		if _, taken := known[id]; taken {
			return nil, fmt.Errorf("idcompressor: shard: %w: shard ID %s is in use", ErrInvalidArgument, id)
		}
		known[id] = struct{}{}
		ids[i] = id
	}
	return ids, nil
}

func setOf(ids []numericuuid.UUID) map[numericuuid.UUID]struct{} {
	set := make(map[numericuuid.UUID]struct{}, len(ids))
	for _, id := range ids {
		set[id] = struct{}{}
	}
	return set
}

// withRun returns a copy of runs with one more at the end.
func withRun(runs []snapshot.Run, r snapshot.Run) []snapshot.Run {
	merged := append(make([]snapshot.Run, 0, len(runs)+1), runs...)
	if n := len(merged); n > 0 && merged[n-1].First+merged[n-1].Count == r.First {
		merged[n-1].Count += r.Count
		return merged
	}
	return append(merged, r)
}

// ShardSyncToken returns the progress of this shard, for its parent; nil if
// the compressor is not sharded. On the root it is an [ErrShard].
func (c *Compressor) ShardSyncToken() (*ShardSyncToken, error) {
	if err := c.usable("shard sync token"); err != nil {
		return nil, err
	}
	if c.shard == nil {
		return nil, nil
	}
	if c.shard.id == nil {
		return nil, shardError("shard sync token", "the root has no parent to synchronize with")
	}
	return &ShardSyncToken{LocalGenCount: c.gen, ShardID: c.shard.id.UUID()}, nil
}

// DisposeShard ends this shard and returns the token with which its parent
// takes its share of the generation counts back; nil if the compressor is not
// sharded, and then it stays usable. A shard with children, and the root, are
// not disposed: [ErrShard]. A shard that was disposed answers every call that
// can fail with [ErrDisposed].
func (c *Compressor) DisposeShard() (*ShardSyncToken, error) {
	if err := c.usable("dispose shard"); err != nil {
		return nil, err
	}
	if c.shard == nil {
		return nil, nil
	}
	if n := len(c.shard.children); n > 0 {
		return nil, shardError("dispose shard", "%d children are active", n)
	}
	token, err := c.ShardSyncToken()
	if err != nil {
		return nil, err
	}
	token.Disposed = true
	c.disposed = true
	return token, nil
}

// SynchronizeWithShard takes in the progress of a child: IDs it generated can
// be decompressed here from now on. A token of a child that was disposed also
// takes the child back; with the last of them, the stride is again what it was
// before, and a root leaves sharding. Errors: [ErrShard], [ErrExhausted],
// [ErrDisposed].
func (c *Compressor) SynchronizeWithShard(token ShardSyncToken) error {
	const call = "synchronize with shard"
	if err := c.usable(call); err != nil {
		return err
	}
	if c.version < V3 {
		return shardError(call, "the document has version %d, sharding needs 3", c.version)
	}
	if c.shard == nil {
		return shardError(call, "the compressor is not sharded")
	}
	child, ok := c.childIndex(token.ShardID)
	if !ok {
		return shardError(call, "%s is not an active child", token.ShardID)
	}
	last := token.Disposed && len(c.shard.children) == 1
	stride := c.shard.stride
	if last {
		stride = c.shard.original
	}
	if err := c.backfill(call, token.LocalGenCount, stride); err != nil {
		return err
	}
	if token.Disposed {
		c.shard.children = append(c.shard.children[:child:child], c.shard.children[child+1:]...)
	}
	if last {
		c.shard.stride = c.shard.original
		if c.shard.id == nil && c.shard.original == 1 {
			c.shard = nil
		}
		c.refreshOwn()
	}
	return nil
}

func (c *Compressor) childIndex(id uuid.UUID) (int, bool) {
	if n, ok := numericuuid.FromUUID(id); ok && c.shard != nil {
		for i, child := range c.shard.children {
			if child == n {
				return i, true
			}
		}
	}
	return 0, false
}

// ChildShardSyncToken returns the progress of this compressor, for the child
// whose token it is given. Errors: [ErrShard], [ErrDisposed].
func (c *Compressor) ChildShardSyncToken(child ShardSyncToken) (ParentShardSyncToken, error) {
	const call = "child shard sync token"
	if err := c.usable(call); err != nil {
		return ParentShardSyncToken{}, err
	}
	if _, ok := c.childIndex(child.ShardID); !ok {
		return ParentShardSyncToken{}, shardError(call, "%s is not an active child", child.ShardID)
	}
	return ParentShardSyncToken{ShardID: child.ShardID, LocalGenCount: c.gen}, nil
}

// SynchronizeWithParent takes in the progress of the parent, so that IDs
// generated there can be decompressed here. Errors: [ErrShard],
// [ErrExhausted], [ErrDisposed].
func (c *Compressor) SynchronizeWithParent(token ParentShardSyncToken) error {
	const call = "synchronize with parent"
	if err := c.usable(call); err != nil {
		return err
	}
	if !c.isChild() || c.shard.id.UUID() != token.ShardID {
		return shardError(call, "the token is not for this shard")
	}
	return c.backfill(call, token.LocalGenCount, c.shard.stride)
}

// backfill moves the generation count strictly past target, in whole strides,
// if it is not there yet; the counts passed become local IDs.
func (c *Compressor) backfill(call string, target, stride int64) error {
	if target < 0 || target > impls.MaxID {
		return shardError(call, "generation count %d is outside 0 to 2^53-1", target)
	}
	if target <= c.gen {
		return nil
	}
	count := (target - c.gen + stride) / stride * stride
	if count > impls.MaxID-c.gen {
		return shardError(call, "generation count %d exceeds the ID space", target)
	}
	if count > c.genMax-c.gen {
		return fmt.Errorf("idcompressor: %s: %w: generation count %d", call, ErrExhausted, target)
	}
	c.addLocalRun(c.gen+1, count)
	c.gen += count
	return nil
}
