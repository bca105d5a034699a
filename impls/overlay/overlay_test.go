package overlay_test

import (
	"iter"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/backendtest"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/overlay"
	"example.com/idlab/impls/paged"
)

// viewed is a table that answers out of views: every change goes to a recorder,
// every lookup to the view of the state after it. Each few changes a new copy is
// frozen, so that a lookup's answer lies in the copy, in the notes, or in both.
type viewed struct {
	*overlay.View
	recorder *overlay.Recorder
	changes  int
	every    int // changes between two frozen copies
}

func newViewed(every int) *viewed {
	r := overlay.NewRecorder(paged.New())
	return &viewed{View: r.View(), recorder: r, every: every}
}

func (v *viewed) changed() {
	if v.changes++; v.changes%v.every == 0 {
		v.recorder.Freeze()
	}
	v.View = v.recorder.View()
}

func (v *viewed) AddSession(id numericuuid.UUID) (impls.Session, bool) {
	s, added := v.recorder.AddSession(id)
	v.changed()
	return s, added
}

func (v *viewed) AppendCluster(c impls.Cluster) {
	v.recorder.AppendCluster(c)
	v.changed()
}

func (v *viewed) ResizeLast(s impls.Session, capacity, count int64) {
	v.recorder.ResizeLast(s, capacity, count)
	v.changed()
}

// A view is a table: the suite of backends holds for it.
func TestViewConforms(t *testing.T) {
	for name, every := range map[string]int{"few notes": 7, "notes only": 1 << 40} {
		t.Run(name, func(t *testing.T) {
			v := backendtest.Violations(impls.Backend{
				Name:          "overlay",
				NewTable:      func() impls.ClusterTable { return newViewed(every) },
				NewNormalizer: func() impls.Normalizer { return paged.NewNormalizer() },
			}, "Cases", "Steps") // bytes are the copy's, which has a suite of its own
			for _, v := range v {
				t.Errorf("%s: %s", v.Part, v.Log)
			}
		})
	}
}

// state is what a view says of everything there is.
func state(v *overlay.View) (clusters []impls.Cluster, sessions []numericuuid.UUID, last []impls.Cluster) {
	for s := range v.SessionCount() {
		sessions = append(sessions, v.SessionID(impls.Session(s)))
		if c, ok := v.LastCluster(impls.Session(s)); ok {
			last = append(last, c)
		}
	}
	return slices.Collect(iter.Seq[impls.Cluster](v.Clusters())), sessions, last
}

// A view stays what it was, whatever the writer does afterwards.
func TestViewsStay(t *testing.T) {
	type kept struct {
		view     *overlay.View
		clusters []impls.Cluster
		sessions []numericuuid.UUID
		last     []impls.Cluster
	}
	rapid.Check(t, func(t *rapid.T) {
		v := newViewed(rapid.IntRange(1, 9).Draw(t, "every"))
		var views []kept
		next := map[impls.Session]int64{}
		var limit int64
		owner := impls.Session(-1)
		for range rapid.IntRange(1, 30).Draw(t, "changes") {
			s, _ := v.AddSession(numericuuid.UUID{Hi: 1, Lo: uint64(rapid.IntRange(1, 5).Draw(t, "session")) << 40})
			n := rapid.Int64Range(1, 9).Draw(t, "n")
			if c, ok := v.LastCluster(s); ok && owner == s {
				v.ResizeLast(s, c.Capacity+n, c.Count+n)
			} else {
				v.AppendCluster(impls.Cluster{Session: s, BaseFinal: limit, BaseGen: next[s] + 1, Capacity: n, Count: n})
			}
			owner, limit, next[s] = s, limit+n, next[s]+n
			k := kept{view: v.View}
			k.clusters, k.sessions, k.last = state(v.View)
			views = append(views, k)
		}
		for i, k := range views {
			clusters, sessions, last := state(k.view)
			if !slices.Equal(clusters, k.clusters) || !slices.Equal(sessions, k.sessions) || !slices.Equal(last, k.last) {
				t.Fatalf("view %d of %d has changed: %v, was %v", i, len(views), clusters, k.clusters)
			}
		}
	})
}

// A view can be read only: who writes to one has the wrong table in hand.
func TestViewIsReadOnly(t *testing.T) {
	v := overlay.NewRecorder(paged.New()).View()
	for name, change := range map[string]func(){
		"AddSession":    func() { v.AddSession(numericuuid.UUID{}) },
		"AppendCluster": func() { v.AppendCluster(impls.Cluster{Capacity: 1}) },
		"ResizeLast":    func() { v.ResizeLast(0, 1, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			change()
		}()
	}
}
