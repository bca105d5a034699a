package control

import (
	"example.com/idlab/impls/numericuuid"
)

// wrongTable makes the mistake of a page table at the edge of its pages: the
// last final ID of each 1024 gets the UUID after its own.
type wrongTable struct{ sorted }

func newWrongTable() wrongTable { return wrongTable{newSorted()} }

const wrongPage = 1024

func (t wrongTable) StableID(final int64) (numericuuid.UUID, bool) {
	id, ok := t.t.StableID(final)
	if ok && final%wrongPage == wrongPage-1 {
		id = id.Add(1)
	}
	return id, ok
}
