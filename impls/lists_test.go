package impls

import (
	"testing"

	"example.com/idlab/impls/numericuuid"
)

// What the suite of backends cannot see of [Lists]: that its invariants notice.
func TestListsInvariants(t *testing.T) {
	fill := func() *Lists {
		l := &Lists{}
		l.Reserve(2, 3)
		l.PushSession(numericuuid.UUID{Lo: 1})
		l.PushSession(numericuuid.UUID{Lo: 9})
		l.PushCluster(Cluster{Session: 0, BaseFinal: 0, BaseGen: 1, Capacity: 4, Count: 4})
		l.PushCluster(Cluster{Session: 1, BaseFinal: 4, BaseGen: 1, Capacity: 2, Count: 1})
		l.PushCluster(Cluster{Session: 0, BaseFinal: 6, BaseGen: 5, Capacity: 1, Count: 0})
		return l
	}
	if err := fill().CheckInvariants(); err != nil {
		t.Fatalf("right lists: %v", err)
	}
	if got, want := fill().Bytes(), int64(2*24+3*40); got < want || got > 2*want {
		t.Errorf("Bytes() = %d, want %d and some reserve", got, want)
	}
	for name, spoil := range map[string]func(*Lists){
		"a hole in the final IDs":         func(l *Lists) { l.clusters[1].BaseFinal++ },
		"a hole in the generation counts": func(l *Lists) { l.clusters[2].BaseGen++ },
		"too great a count":               func(l *Lists) { l.clusters[1].Count = 3 },
		"an empty cluster":                func(l *Lists) { l.clusters[2].Capacity = 0 },
		"a wrong last cluster":            func(l *Lists) { l.sessions[0].last = 0 },
	} {
		l := fill()
		if spoil(l); l.CheckInvariants() == nil {
			t.Errorf("%s is not noticed", name)
		}
	}
}
