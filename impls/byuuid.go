package impls

import (
	"cmp"
	"slices"

	"example.com/idlab/impls/numericuuid"
)

// NamedSession is a session beside its name.
type NamedSession struct {
	ID      numericuuid.UUID
	Session Session
}

// ByUUID returns sessions, the i-th of which is named i, in the order of their
// UUIDs. If two are equal, ok is false and duplicate the smallest position whose
// session is at an earlier one too, as [BulkLoader] wants it. Loaders share it.
func ByUUID(sessions []numericuuid.UUID) (sorted []NamedSession, duplicate int, ok bool) {
	sorted = make([]NamedSession, len(sessions))
	for i, id := range sessions {
		sorted[i] = NamedSession{id, Session(i)}
	}
	slices.SortFunc(sorted, func(a, b NamedSession) int {
		return cmp.Or(a.ID.Compare(b.ID), cmp.Compare(a.Session, b.Session))
	})
	duplicate = len(sessions)
	for i := 1; i < len(sorted); i++ {
		if sorted[i].ID == sorted[i-1].ID {
			duplicate = min(duplicate, int(sorted[i].Session))
		}
	}
	if duplicate < len(sessions) {
		return nil, duplicate, false
	}
	return sorted, 0, true
}
