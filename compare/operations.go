package compare

import (
	"fmt"
	"math"
	"slices"
)

// byOperation compares backends operation by operation: the geometric means of
// their times over the documents that all candidates were measured with, over
// the row's best. There is none where every operation has but one document: the
// heat map of the times then says the same.
func (e *engine) byOperation(s *Set) *HeatMap {
	everybody := newGrid(s, func(id ID, who Subject) (ID, string, bool) { return id, who.String(), true })
	candidates := newGrid(s, func(id ID, who Subject) (ID, string, bool) { return id, who.String(), who.Role() == Candidate })
	h := &HeatMap{Title: UnitTime + ", geometric mean over documents", Unit: UnitTime}
	var names []string
	for _, who := range s.Subjects() {
		h.Cols = append(h.Cols, Heading{Label: who.String(), Keys: []Setting{{"/backend", who.String()}}, Role: who.Role()})
		names = append(names, who.String())
	}
	rows, several := candidates.bySeries(UnitTime)
	if !several || len(candidates.names()) < 2 {
		return nil
	}
	family := len(rows) * (len(candidates.names()) - 1)
	type place struct{ row, col int }
	var places []place
	var found []Comparison
	for _, ids := range rows {
		c := new(contest)
		c.fill(candidates, e.PairByIndex, newNeed("speed", UnitTime, "speed", 1, 1, ids, equal(len(ids))))
		centers, best := everybody.centers(ids, names, h.Cols)
		ratio, unclear := make([]Float, len(names)), make([]bool, len(names))
		for j := range names {
			ratio[j] = unknown
			if !math.IsNaN(centers[j]) {
				ratio[j] = expF(Float(centers[j] - centers[best]))
			}
		}
		for i, name := range c.names {
			if name == names[best] {
				continue
			}
			places = append(places, place{len(h.Rows), slices.Index(names, name)})
			found = append(found, e.compareRows(c.parts[0].logs[slices.Index(c.names, names[best])], c.parts[0].logs[i], false, c.paired, family))
		}
		h.Rows = append(h.Rows, fmt.Sprintf("%s (%d)", ids[0].Series(), len(ids)))
		h.Ratio, h.Unclear = append(h.Ratio, ratio), append(h.Unclear, unclear)
	}
	ps := make([]float64, len(found))
	for i := range found {
		ps[i] = float64(found[i].P)
	}
	for i, p := range Holm(ps) {
		mark := found[i].Mark(Float(p), -1, e.Alpha, e.Margin)
		h.Unclear[places[i].row][places[i].col] = mark == Unclear || mark == Equivalent
	}
	return h
}

// bySeries returns the benchmarks that every contestant was measured with,
// those of a series together, and whether a series has several.
func (g *grid) bySeries(unit string) (rows [][]ID, several bool) {
	at := make(map[string]int)
	for _, id := range g.shared(unit) {
		i, ok := at[id.Series()]
		if !ok {
			i = len(rows)
			at[id.Series()] = i
			rows = append(rows, nil)
		}
		rows[i] = append(rows[i], id)
		several = several || len(rows[i]) > 1
	}
	return rows, several
}

// centers returns the mean logarithm of each contestant over ids, NaN where it
// misses one, and which candidate has the least.
func (g *grid) centers(ids []ID, names []string, cols []Heading) (centers []float64, best int) {
	centers, best = make([]float64, len(names)), -1
	for j, name := range names {
		for _, id := range ids {
			x := g.index[gridKey{id, name, UnitTime}]
			if x == nil {
				centers[j] = math.NaN()
				break
			}
			m, _ := meanSD(logs(x.Values))
			centers[j] += m / float64(len(ids))
		}
		if cols[j].Role == Candidate && (best < 0 || centers[j] < centers[best]) {
			best = j
		}
	}
	return centers, best
}
