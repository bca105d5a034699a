package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

const (
	mapColumns = 25  // of a win map, along size
	mapRows    = 21  // along the mix: steps of 5 %
	mapDraws   = 500 // of the bootstrap, a cell
	mostMixes  = 30  // crossovers along mixes in a report
	decidedBy  = 0.95
)

// A mix is two operations of which a workload does more or less. Along it the
// score is the one the verdict uses: the weighted geometric mean, so that the
// map and a verdict with these shares agree.
type mix struct{ a, b string }

func (m mix) axis() string { return "share of " + m.b }

// mixField is the field along m in one document; nil when it was not measured.
func mixField(e *engine, s *Set, m mix, doc string) *field {
	a, okA := findSeries(s, m.a, doc)
	b, okB := findSeries(s, m.b, doc)
	if !okA || !okB {
		return nil
	}
	return e.newField(s, []ID{a, b}, []float64{0, 1}, false)
}

func findSeries(s *Set, series, doc string) (ID, bool) {
	for _, id := range s.IDs(UnitTime) {
		if id.Doc == doc && id.Series() == series {
			return id, true
		}
	}
	return ID{}, false
}

// mixes returns the pairs of operations to look along: the ones asked for, or
// all of different operations.
func mixes(s *Set, asked [][2]string) []mix {
	var out []mix
	for _, p := range asked {
		out = append(out, mix{p[0], p[1]})
	}
	if asked != nil {
		return out
	}
	var series []ID
	for _, id := range s.IDs(UnitTime) {
		id.Doc = ""
		if forBackend(id) && !slices.Contains(series, id) {
			series = append(series, id)
		}
	}
	for i, a := range series {
		for _, b := range series[i+1:] {
			if a.Op != b.Op {
				out = append(out, mix{a.Series(), b.Series()})
			}
		}
	}
	return out
}

// allMixCrossovers looks along every mix and document. Of mixes nobody asked
// for, only those with a decided change of places are of interest.
func (e *engine) allMixCrossovers(s *Set, asked [][2]string) []Crossover {
	var out []Crossover
	docs := make(map[string]bool)
	for _, id := range s.IDs(UnitTime) {
		docs[id.Doc] = true
	}
	for _, m := range mixes(s, asked) {
		for _, doc := range sortedKeys(docs, strings.Compare) {
			f := mixField(e, s, m, doc)
			if f == nil || asked == nil && len(f.leaders()) < 2 {
				continue
			}
			for _, c := range e.crossovers(f, m.axis(), fmt.Sprintf("%s : %s, %s", m.a, m.b, doc)) {
				if asked != nil || c.Decided {
					out = append(out, c)
				}
			}
		}
	}
	// The surest first: the narrowest interval.
	slices.SortStableFunc(out, func(a, b Crossover) int {
		return cmp.Compare(a.Interval.High-a.Interval.Low, b.Interval.High-b.Interval.Low)
	})
	return out[:min(len(out), mostMixes)]
}

// winMaps draws the asked mixes over the sizes; unasked, the one mix with the
// most different winners, if there are two.
func (e *engine) winMaps(s *Set, asked [][2]string, sizes map[string]float64, axis string) []WinMap {
	maps := []WinMap{}
	var best func() WinMap
	most := 1
	for _, m := range mixes(s, asked) {
		a, b := e.plane(s, m, sizes)
		if a == nil || len(a.names) < 2 {
			continue
		}
		draw := func() WinMap { return e.drawMap(a, b, m, axis) }
		if asked != nil {
			maps = append(maps, draw())
			continue
		}
		winners := a.leaders()
		for _, i := range b.leaders() {
			if !slices.Contains(winners, i) {
				winners = append(winners, i)
			}
		}
		if len(winners) > most {
			most, best = len(winners), draw
		}
	}
	if best != nil {
		maps = append(maps, best())
	}
	return maps
}

// plane returns both operations' fields over the sizes that both were measured
// at, by the contestants that both have; nil when they share fewer than two sizes.
func (e *engine) plane(s *Set, m mix, sizes map[string]float64) (a, b *field) {
	var idsA, idsB []ID
	var x []float64
	for _, series := range seriesOf(s, sizes) {
		for _, id := range series {
			other, ok := findSeries(s, m.b, id.Doc)
			if id.Series() == m.a && ok && !slices.Contains(x, sizes[id.Doc]) {
				idsA, idsB, x = append(idsA, id), append(idsB, other), append(x, sizes[id.Doc])
			}
		}
	}
	if len(x) < 2 {
		return nil, nil
	}
	// One look-up of both, so that both have the same contestants and blocks.
	both := e.newField(s, slices.Concat(idsA, idsB), slices.Concat(x, x), true)
	if len(both.names) == 0 {
		return nil, nil
	}
	return both.cut(0, len(x), x), both.cut(len(x), len(x), x)
}

func (e *engine) drawMap(a, b *field, m mix, axis string) WinMap {
	a.prepare(e)
	b.prepare(e)
	x := a.x
	w := WinMap{Title: m.a + " : " + m.b, XAxis: axis, YAxis: m.axis(), Points: x}
	low, high := math.Log(x[0]), math.Log(x[len(x)-1])
	for i := range mapColumns {
		w.X = append(w.X, math.Exp(low+(high-low)*float64(i)/(mapColumns-1)))
	}
	for i := range mapRows {
		share := float64(i) / (mapRows - 1)
		w.Y = append(w.Y, share)
		row := make([]WinCell, mapColumns)
		for j, size := range w.X {
			row[j] = winner(a, b, share, size)
		}
		w.Cells = append(w.Cells, row)
	}
	return w
}

// winner scores every contestant at a point of the plane.
func winner(a, b *field, share, size float64) WinCell {
	k := 0
	for k+2 < len(a.x) && a.x[k+1] <= size {
		k++
	}
	u, v := math.Log(a.x[k]), math.Log(a.x[k+1])
	t := min(1, max(0, (math.Log(size)-u)/(v-u)))
	weights := [4]float64{(1 - share) * (1 - t), (1 - share) * t, share * (1 - t), share * t}
	score := func(at func(f *field, point, who int) float64, who int) float64 {
		return weights[0]*at(a, k, who) + weights[1]*at(a, k+1, who) + weights[2]*at(b, k, who) + weights[3]*at(b, k+1, who)
	}
	best := func(at func(f *field, point, who int) float64) int {
		lead, least := 0, math.Inf(1)
		for i := range a.names {
			if s := score(at, i); s < least {
				lead, least = i, s
			}
		}
		return lead
	}
	wins := make([]int, len(a.names))
	n := min(mapDraws, len(a.draws[0][0]))
	for d := range n {
		wins[best(func(f *field, point, who int) float64 { return f.draws[point][who][d] })]++
	}
	lead := best(func(f *field, point, who int) float64 { return f.mean[point][who] })
	cell := WinCell{Winner: a.names[lead], Share: float64(wins[lead]) / float64(n)}
	cell.Decided = cell.Share >= decidedBy
	others := make([]int, 0, len(wins))
	for i, w := range wins {
		if i != lead && w > 0 {
			others = append(others, i)
		}
	}
	slices.SortStableFunc(others, func(i, j int) int { return wins[j] - wins[i] })
	for _, i := range others[:min(3, len(others))] {
		cell.Among = append(cell.Among, a.names[i])
	}
	return cell
}
