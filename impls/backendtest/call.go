package backendtest

import (
	"fmt"
	"runtime/debug"
	"strings"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// method is one of the calls of an [impls.ClusterTable].
type method uint8

const (
	addSession method = iota
	appendCluster
	resizeLast
	lookupSession
	nearestSession
	sessionID
	sessionCount
	lastCluster
	clusterCount
	stableID
	byFinal
	byGen
	byStableID
	genInSession
)

// call is a call with its arguments, of which each method reads its own: a
// value, so that a history can be kept, printed and repeated on any table.
type call struct {
	method method
	s      impls.Session
	n      int64 // a final ID or a generation count
	id     numericuuid.UUID
	c      impls.Cluster // resizeLast reads its capacity and count
}

// answer is what a call returned, in the fields its method sets.
type answer struct {
	ok    bool
	n     int64 // a session, a count or a generation count
	id    numericuuid.UUID
	place impls.Place
	c     impls.Cluster
}

// try is do that turns a panic into an error.
func (c *call) try(t impls.ClusterTable) (a answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v panics: %v\n%s", c, p, debug.Stack())
		}
	}()
	return c.do(t), nil
}

// do makes the call.
func (c *call) do(t impls.ClusterTable) (a answer) {
	var s impls.Session
	switch c.method {
	case addSession:
		s, a.ok = t.AddSession(c.id)
		a.n = int64(s)
	case appendCluster:
		t.AppendCluster(c.c)
	case resizeLast:
		t.ResizeLast(c.s, c.c.Capacity, c.c.Count)
	case lookupSession:
		if s, a.ok = t.LookupSession(c.id); a.ok {
			a.n = int64(s)
		}
	case nearestSession:
		if s, a.ok = t.NearestSession(c.id); a.ok {
			a.n = int64(s)
		}
	case sessionID:
		a.id = t.SessionID(c.s)
	case sessionCount:
		a.n = int64(t.SessionCount())
	case lastCluster:
		if a.c, a.ok = t.LastCluster(c.s); !a.ok {
			a.c = impls.Cluster{}
		}
	case clusterCount:
		a.n = int64(t.ClusterCount())
	case stableID:
		if a.id, a.ok = t.StableID(c.n); !a.ok {
			a.id = numericuuid.UUID{}
		}
	case byFinal:
		a.place = t.ByFinal(c.n)
	case byGen:
		a.place = t.ByGen(c.s, c.n)
	case byStableID:
		a.place = t.ByStableID(c.id)
	case genInSession:
		a.n = t.GenInSession(c.s, c.n)
	}
	return a
}

// String returns the call as Go would have it.
func (c *call) String() string {
	switch c.method {
	case addSession:
		return fmt.Sprintf("AddSession(%v)", c.id)
	case appendCluster:
		return fmt.Sprintf("AppendCluster(%s)", formatCluster(c.c))
	case resizeLast:
		return fmt.Sprintf("ResizeLast(%d, capacity %d, count %d)", c.s, c.c.Capacity, c.c.Count)
	case lookupSession:
		return fmt.Sprintf("LookupSession(%v)", c.id)
	case nearestSession:
		return fmt.Sprintf("NearestSession(%v)", c.id)
	case sessionID:
		return fmt.Sprintf("SessionID(%d)", c.s)
	case sessionCount:
		return "SessionCount()"
	case lastCluster:
		return fmt.Sprintf("LastCluster(%d)", c.s)
	case clusterCount:
		return "ClusterCount()"
	case stableID:
		return fmt.Sprintf("StableID(%d)", c.n)
	case byFinal:
		return fmt.Sprintf("ByFinal(%d)", c.n)
	case byGen:
		return fmt.Sprintf("ByGen(%d, %d)", c.s, c.n)
	case byStableID:
		return fmt.Sprintf("ByStableID(%v)", c.id)
	case genInSession:
		return fmt.Sprintf("GenInSession(%d, %d)", c.s, c.n)
	}
	return "unknown call"
}

// format returns an answer to c.
func (c *call) format(a answer) string {
	switch c.method {
	case addSession:
		return fmt.Sprintf("session %d, added %v", a.n, a.ok)
	case lookupSession, nearestSession:
		if !a.ok {
			return "none"
		}
		return fmt.Sprintf("session %d", a.n)
	case lastCluster:
		if !a.ok {
			return "none"
		}
		return formatCluster(a.c)
	case sessionID:
		return a.id.String()
	case stableID:
		if !a.ok {
			return "none"
		}
		return a.id.String()
	case byFinal, byGen, byStableID:
		return formatPlace(a.place)
	}
	return fmt.Sprint(a.n)
}

func formatPlace(p impls.Place) string {
	switch {
	case p == impls.Place{}:
		return "none"
	case p.Finalized:
		return fmt.Sprintf("session %d, gen count %d, final %d, finalized", p.Session, p.Gen, p.Final)
	}
	return fmt.Sprintf("session %d, gen count %d, final %d, reserved", p.Session, p.Gen, p.Final)
}

func formatCluster(c impls.Cluster) string {
	return fmt.Sprintf("session %d, final %d, gen count %d, capacity %d, count %d",
		c.Session, c.BaseFinal, c.BaseGen, c.Capacity, c.Count)
}

// history is a sequence of calls that change a table.
type history []call

// String returns the calls, one a line, the middle of a very long one left out.
func (h history) String() string {
	const most = 100
	if len(h) == 0 {
		return "\ton an empty table"
	}
	var b strings.Builder
	for i := range h {
		if len(h) > most && i == most/2 {
			fmt.Fprintf(&b, "\t… %d calls …\n", len(h)-most)
		}
		if len(h) <= most || i < most/2 || i >= len(h)-most/2 {
			fmt.Fprintf(&b, "\t%v\n", &h[i])
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
