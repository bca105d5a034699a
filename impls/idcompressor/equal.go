package idcompressor

import (
	"iter"
	"slices"
)

// Equal reports whether two compressors have the same document: the same
// clusters of the same sessions. With local state they must also be of the
// same session and agree on what it generated, took and sharded. A session
// without clusters counts as absent; cluster size, write version and ghost
// sessions do not count. The other compressor may be disposed; if this one
// is, the error is [ErrDisposed].
func (c *Compressor) Equal(other *Compressor, withLocal bool) (bool, error) {
	if err := c.usable("equal"); err != nil {
		return false, err
	}
	return (!withLocal || c.equalLocal(other)) && c.equalDocument(other), nil
}

func (c *Compressor) equalLocal(other *Compressor) bool {
	return c.session == other.session && c.gen == other.gen && c.cursor == other.cursor &&
		slices.Equal(c.localRuns(1, c.gen), other.localRuns(1, other.gen)) &&
		c.shard.equal(other.shard)
}

func (s *shardState) equal(o *shardState) bool {
	if s == nil || o == nil {
		return s == o
	}
	if s.stride != o.stride || s.original != o.original || len(s.children) != len(o.children) ||
		(s.id == nil) != (o.id == nil) || s.id != nil && *s.id != *o.id {
		return false
	}
	theirs := setOf(o.children) // in any order
	for _, child := range s.children {
		if _, ok := theirs[child]; !ok {
			return false
		}
	}
	return true
}

// equalDocument compares cluster by cluster. Base finals, base generation
// counts and chains follow from the order.
func (c *Compressor) equalDocument(other *Compressor) bool {
	if c.table.ClusterCount() != other.table.ClusterCount() {
		return false
	}
	next, stop := iter.Pull(other.table.Clusters())
	defer stop()
	for mine := range c.table.Clusters() {
		theirs, ok := next()
		if !ok || mine.Capacity != theirs.Capacity || mine.Count != theirs.Count || mine.BaseFinal != theirs.BaseFinal ||
			c.table.SessionID(mine.Session) != other.table.SessionID(theirs.Session) {
			return false
		}
	}
	return true
}
