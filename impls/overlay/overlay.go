// Package overlay puts the changes of a table on top of a frozen copy of it,
// so that a reader can have each state of the table for itself at the price
// of what changed, not of what there is.
//
//	Recorder    wraps the table of a writer and notes what it changes
//	View        a state: the frozen copy and the notes up to then, read-only
//
// The notes are three B-trees that are copied lazily (google/btree's Clone):
// taking a view is O(1), a change afterwards copies the path to it, and a view
// is never changed, so that any number of goroutines may read it. Whatever a
// view has no note of, it asks of the frozen copy. Where notes become many, a
// new frozen copy is to be made ([Recorder.Freeze]).
package overlay

import (
	"cmp"
	"iter"

	"github.com/google/btree"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// degree of the trees. Changes copy whole nodes, so they are small.
const degree = 16

type named struct {
	id      numericuuid.UUID
	session impls.Session
}

// notes are what changed since a table was frozen.
type notes struct {
	byFinal *btree.BTreeG[impls.Cluster] // changed clusters as they are now
	byGen   *btree.BTreeG[impls.Cluster] // the same, by session and generation count
	byID    *btree.BTreeG[named]         // new sessions
	ids     []numericuuid.UUID           // new sessions in order; only ever appended to
	added   int                          // clusters appended
}

func newNotes() notes {
	return notes{
		byFinal: btree.NewG(degree, func(a, b impls.Cluster) bool { return a.BaseFinal < b.BaseFinal }),
		byGen: btree.NewG(degree, func(a, b impls.Cluster) bool {
			return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.BaseGen, b.BaseGen)) < 0
		}),
		byID: btree.NewG(degree, func(a, b named) bool { return a.id.Less(b.id) }),
	}
}

func (n *notes) clone() notes {
	c := *n
	c.byFinal, c.byGen, c.byID = n.byFinal.Clone(), n.byGen.Clone(), n.byID.Clone()
	return c
}

// Frozen is a table that can be frozen.
type Frozen interface {
	impls.ClusterTable
	impls.Freezer[impls.ClusterTable]
}

// Recorder is the table of one writer. Its lookups are the table's own.
type Recorder struct {
	impls.ClusterTable
	source Frozen
	frozen impls.ClusterTable
	notes  notes
}

// NewRecorder freezes t and notes what is changed through the recorder from
// now on; t must not be changed otherwise.
func NewRecorder(t Frozen) *Recorder {
	r := &Recorder{ClusterTable: t, source: t}
	r.Freeze()
	return r
}

// Freeze makes a new frozen copy and starts with no notes. Views taken before
// stay as they are.
func (r *Recorder) Freeze() {
	r.frozen = r.source.Freeze()
	r.notes = newNotes()
}

// Frozen returns the newest frozen copy.
func (r *Recorder) Frozen() impls.ClusterTable { return r.frozen }

// Notes returns how many clusters and sessions were changed or added since.
func (r *Recorder) Notes() int { return r.notes.byFinal.Len() + len(r.notes.ids) }

// View returns the table's present state. It is O(1).
func (r *Recorder) View() *View {
	return &View{frozen: r.frozen, sessions: r.frozen.SessionCount(), notes: r.notes.clone()}
}

func (r *Recorder) AddSession(id numericuuid.UUID) (impls.Session, bool) {
	s, added := r.ClusterTable.AddSession(id)
	if added {
		r.notes.byID.ReplaceOrInsert(named{id, s})
		r.notes.ids = append(r.notes.ids, id)
	}
	return s, added
}

func (r *Recorder) AppendCluster(c impls.Cluster) {
	r.ClusterTable.AppendCluster(c)
	r.notes.added++
	r.note(c)
}

func (r *Recorder) ResizeLast(s impls.Session, capacity, count int64) {
	r.ClusterTable.ResizeLast(s, capacity, count)
	c, _ := r.ClusterTable.LastCluster(s)
	r.note(c)
}

func (r *Recorder) note(c impls.Cluster) {
	r.notes.byFinal.ReplaceOrInsert(c)
	r.notes.byGen.ReplaceOrInsert(c)
}

// View is one state of a table, for any number of readers.
type View struct {
	frozen   impls.ClusterTable
	sessions int // of frozen
	notes    notes
}

// atOrBelow returns the greatest item of a tree that is not above pivot.
func atOrBelow[T any](t *btree.BTreeG[T], pivot T) (found T, ok bool) {
	t.DescendLessOrEqual(pivot, func(item T) bool {
		found, ok = item, true
		return false
	})
	return found, ok
}

func (v *View) LookupSession(id numericuuid.UUID) (impls.Session, bool) {
	if n, ok := v.notes.byID.Get(named{id: id}); ok {
		return n.session, true
	}
	return v.frozen.LookupSession(id)
}

func (v *View) NearestSession(id numericuuid.UUID) (impls.Session, bool) {
	s, ok := v.frozen.NearestSession(id)
	if n, found := atOrBelow(v.notes.byID, named{id: id}); found && (!ok || v.frozen.SessionID(s).Less(n.id)) {
		return n.session, true
	}
	return s, ok
}

func (v *View) SessionID(s impls.Session) numericuuid.UUID {
	if int(s) < v.sessions {
		return v.frozen.SessionID(s)
	}
	return v.notes.ids[int(s)-v.sessions]
}

func (v *View) SessionCount() int { return v.sessions + len(v.notes.ids) }
func (v *View) ClusterCount() int { return v.frozen.ClusterCount() + v.notes.added }

func (v *View) LastCluster(s impls.Session) (impls.Cluster, bool) {
	if c, ok := atOrBelow(v.notes.byGen, impls.Cluster{Session: s, BaseGen: impls.MaxID + 1}); ok && c.Session == s {
		return c, true
	}
	if int(s) >= v.sessions {
		return impls.Cluster{}, false
	}
	return v.frozen.LastCluster(s)
}

// Clusters merges: every noted cluster takes the place of the frozen one with
// its base, or lies after all of them.
func (v *View) Clusters() iter.Seq[impls.Cluster] {
	return func(yield func(impls.Cluster) bool) {
		end := int64(0)
		for c := range v.frozen.Clusters() {
			end = c.FinalLimit()
			if noted, ok := v.notes.byFinal.Get(c); ok {
				c = noted
			}
			if !yield(c) {
				return
			}
		}
		v.notes.byFinal.AscendGreaterOrEqual(impls.Cluster{BaseFinal: end}, yield)
	}
}

func (v *View) noted(final int64) (impls.Cluster, bool) {
	c, ok := atOrBelow(v.notes.byFinal, impls.Cluster{BaseFinal: final})
	return c, ok && final < c.FinalLimit()
}

func (v *View) StableID(final int64) (numericuuid.UUID, bool) {
	if c, ok := v.noted(final); ok {
		p := c.PlaceOf(final)
		return v.SessionID(c.Session).Add(uint64(p.Gen - 1)), p.Finalized
	}
	return v.frozen.StableID(final)
}

func (v *View) ByFinal(final int64) impls.Place {
	if c, ok := v.noted(final); ok {
		return c.PlaceOf(final)
	}
	return v.frozen.ByFinal(final)
}

func (v *View) ByGen(s impls.Session, gen int64) impls.Place {
	if c, ok := atOrBelow(v.notes.byGen, impls.Cluster{Session: s, BaseGen: gen}); ok && c.Session == s && gen < c.GenLimit() {
		return c.PlaceOf(c.BaseFinal + gen - c.BaseGen)
	}
	if int(s) >= v.sessions {
		return impls.Place{}
	}
	return v.frozen.ByGen(s, gen)
}

func (v *View) ByStableID(id numericuuid.UUID) impls.Place {
	s, ok := v.NearestSession(id)
	if !ok {
		return impls.Place{}
	}
	offset, ok := id.Sub(v.SessionID(s))
	if !ok || offset >= impls.MaxID {
		return impls.Place{}
	}
	return v.ByGen(s, int64(offset)+1)
}

func (v *View) GenInSession(s impls.Session, final int64) int64 {
	if p := v.ByFinal(final); p.Session == s {
		return p.Gen
	}
	return 0
}

const readOnly = "overlay: a view is read-only"

// AddSession panics: a view is read-only.
func (v *View) AddSession(numericuuid.UUID) (impls.Session, bool) { panic(readOnly) }

// AppendCluster panics: a view is read-only.
func (v *View) AppendCluster(impls.Cluster) { panic(readOnly) }

// ResizeLast panics: a view is read-only.
func (v *View) ResizeLast(impls.Session, int64, int64) { panic(readOnly) }

var (
	_ impls.ClusterTable = (*View)(nil)
	_ impls.ClusterTable = (*Recorder)(nil)
)
