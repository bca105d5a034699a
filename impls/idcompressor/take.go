package idcompressor

import (
	"fmt"
	"slices"

	"example.com/idlab/impls"
)

// TakeNextCreationRange returns the IDs generated since the last range was
// taken. It is to be sent to all sessions, this one included; ranges of a
// session must keep their order. Errors: [ErrGhost], [ErrShard] on a shard
// other than the root, [ErrDisposed].
//
// It allocates the range's IDs and their list of local ones; a range without IDs
// does not allocate.
func (c *Compressor) TakeNextCreationRange() (CreationRange, error) {
	if err := c.mayTake("take range", true); err != nil {
		return CreationRange{}, err
	}
	return c.takeFrom(c.cursor), nil
}

// TakeUnfinalizedCreationRange returns all IDs that have not been finalized,
// whether or not they were taken before: for whoever does not know which
// ranges arrived. The next range begins after it.
func (c *Compressor) TakeUnfinalizedCreationRange() (CreationRange, error) {
	if err := c.mayTake("take unfinalized range", true); err != nil {
		return CreationRange{}, err
	}
	return c.takeFrom(c.firstUnfinalized()), nil
}

// ResetUnfinalizedCreationRange makes the next range begin with the first ID
// that has not been finalized, as if no range beyond had been taken. A shard
// may call it.
func (c *Compressor) ResetUnfinalizedCreationRange() error {
	if err := c.mayTake("reset unfinalized range", false); err != nil {
		return err
	}
	c.cursor = c.firstUnfinalized()
	return nil
}

func (c *Compressor) mayTake(call string, rootOnly bool) error {
	if err := c.usable(call); err != nil {
		return err
	}
	if c.ghost != nil {
		return fmt.Errorf("idcompressor: %s: %w: not while one is going on", call, ErrGhost)
	}
	if rootOnly && c.isChild() {
		return fmt.Errorf("idcompressor: %s: %w: only the root takes creation ranges", call, ErrShard)
	}
	return nil
}

// firstUnfinalized returns the first own generation count that is not finalized.
func (c *Compressor) firstUnfinalized() int64 {
	if c.own.Capacity == 0 {
		return 1
	}
	return c.own.BaseGen + c.own.Count
}

func (c *Compressor) takeFrom(first int64) CreationRange {
	r := CreationRange{SessionID: c.stable}
	if first <= c.gen {
		r.IDs = &RangeIDs{
			FirstGenCount:        first,
			Count:                c.gen - first + 1,
			RequestedClusterSize: c.clusterSize,
			LocalIDRanges:        c.localRuns(first, c.gen),
		}
	}
	c.cursor = c.gen + 1
	return r
}

// localRuns returns the local generation counts of first to last as runs.
func (c *Compressor) localRuns(first, last int64) []impls.Run {
	var runs []impls.Run
	if first < c.open.first {
		runs = slices.Collect(c.norm.Runs(first, last))
	}
	if c.open != noRun {
		open := impls.Run{First: c.open.first, Count: c.open.end - c.open.first}
		if r, ok := open.Clip(first, last); ok {
			runs = append(runs, r) // it adjoins none: that one would still be open
		}
	}
	return runs
}
