package idcompressor

import (
	"fmt"

	"example.com/idlab/impls"
)

// Fingerprint returns everything that makes up a compressor's state, also in a
// ghost session and after it was disposed, for tests of what errors leave
// behind. Where the open run ends is left out: it is no state of its own.
func (c *Compressor) Fingerprint() string {
	data, err := c.state(true).AppendBinary(nil)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%x gen=%d eager<%d shift=%d cursor=%d size=%d version=%d own=%+v last=%d limit=%d finalized=%d ghost=%+v disposed=%v counts=%+v",
		data, c.gen, c.eagerEnd, c.shift, c.cursor, c.clusterSize, c.version, c.own, c.lastOwner, c.limit, c.finalized, c.ghost, c.disposed, c.counts)
}

// CheckInvariants returns what is wrong with what a compressor remembers of
// its tables, or what a table or normalizer finds wrong inside itself.
func (c *Compressor) CheckInvariants() error {
	for _, part := range []any{c.table, c.norm} {
		if v, ok := part.(impls.Invarianter); ok {
			if err := v.CheckInvariants(); err != nil {
				return err
			}
		}
	}
	var last, own impls.Cluster
	for cluster := range c.table.Clusters() {
		last = cluster
		if cluster.Session == local {
			own = cluster
		}
	}
	if last.Capacity > 0 && (c.lastOwner != last.Session || c.limit != last.FinalLimit() || c.finalized != last.BaseFinal+last.Count) {
		return fmt.Errorf("last cluster is %+v, remembered are owner %d, limit %d, finalized %d", last, c.lastOwner, c.limit, c.finalized)
	}
	if c.own != own {
		return fmt.Errorf("own last cluster is %+v, remembered is %+v", own, c.own)
	}
	var eager int64
	if c.shard == nil && own.Capacity > 0 {
		eager = min(own.GenLimit(), c.genMax+1)
	}
	if c.eagerEnd != eager {
		return fmt.Errorf("eager IDs end at %d, remembered is %d", eager, c.eagerEnd)
	}
	if c.open != noRun && (c.open.first < 1 || c.open.end <= c.open.first || c.open.end > c.gen+1) {
		return fmt.Errorf("open run %+v at generation count %d", c.open, c.gen)
	}
	if c.gen < 0 || c.gen > c.genMax || c.cursor < 1 {
		return fmt.Errorf("generation count %d of %d, cursor %d", c.gen, c.genMax, c.cursor)
	}
	return nil
}

// Freeze makes the frozen copy anew, as the notes alone would much later.
func (s *Shared) Freeze() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.table.Freeze()
	s.freeze()
}
