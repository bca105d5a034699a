package compare

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchproc"
	"golang.org/x/perf/benchunit"
)

func tidyUnit(unit string) string {
	_, tidy := benchunit.Tidy(1, unit)
	return tidy
}

// tabulate computes a sheet's statistics.
func (e *engine) tabulate(s *Set, sh *sheet, t *TableOptions) (Table, error) {
	out := Table{
		Unit: sh.unit, Exact: s.Exact(sh.unit), Better: s.Better(sh.unit), Center: "median",
		RowKey: t.Row, ColKey: t.Col, Alpha: e.Alpha, Margin: e.Margin, Command: t.Command,
	}
	if out.Exact {
		out.Center = "exact"
	}
	shared := heading(sh.shared, Candidate)
	out.Title, out.Shared = sh.unit, shared.Keys
	if shared.Label != "" {
		out.Title += ", " + shared.Label
	}
	for _, k := range sh.rows {
		out.Rows = append(out.Rows, heading(k, sh.roles[k]))
	}
	for _, k := range sh.cols {
		out.Cols = append(out.Cols, heading(k, sh.roles[k]))
	}
	var err error
	if out.Base, out.BaseKind, err = baseOf(out.Cols, out.Better, t); err != nil {
		return out, err
	}
	if out.BaseKind == BaseFirst {
		out.Warnings = append(out.Warnings, fmt.Sprintf("no base was named, and %s has no good direction: ratios are against the first column, %s", out.Unit, out.Cols[0].Label))
	}
	samples := make([][]*Sample, len(sh.rows))
	for i, row := range sh.rows {
		samples[i] = make([]*Sample, len(sh.cols))
		for j, col := range sh.cols {
			samples[i][j] = sh.cells[[2]benchproc.Key{row, col}]
		}
	}
	e.fillCells(&out, samples)
	e.geomeans(&out)
	return out, nil
}

// fillCells summarizes, then compares each cell with its row's base, then
// corrects all of the table's p-values together.
func (e *engine) fillCells(t *Table, samples [][]*Sample) {
	for i, row := range samples {
		t.Cells = append(t.Cells, make([]*Cell, len(row)))
		for j, x := range row {
			if x != nil {
				sum := summarize(x.Values, t.Exact, e.Confidence)
				t.Cells[i][j] = &Cell{N: len(x.Values), Center: sum.Center, Interval: sum.interval(), Warnings: sum.Warnings,
					Ratio: unknown, RatioInterval: unbounded(e.Confidence), Delta: unknown, P: unknown}
			}
		}
		markBest(t, i)
	}
	type pair struct{ i, j, base int }
	var pairs []pair
	for i := range t.Cells {
		base := t.baseOfRow(i)
		for j, cell := range t.Cells[i] {
			if cell != nil && base >= 0 && j != base && t.Cells[i][base] != nil {
				pairs = append(pairs, pair{i, j, base})
			} else if cell != nil && j == base {
				cell.Ratio, cell.Delta, cell.RatioInterval = 1, 0, Interval{1, 1, 1}
			}
		}
	}
	if !t.Exact {
		t.Comparisons = len(pairs)
	}
	ps := make([]float64, len(pairs))
	comparisons := make([]Comparison, len(pairs))
	for k, p := range pairs {
		a, b := samples[p.i][p.base], samples[p.i][p.j]
		if t.Exact {
			comparisons[k] = CompareExact(a, b)
		} else {
			comparisons[k] = e.compare(a, b, len(pairs))
		}
		ps[k] = float64(comparisons[k].P)
	}
	for k, p := range Holm(ps) {
		c, at := &comparisons[k], pairs[k]
		cell := t.Cells[at.i][at.j]
		cell.Ratio, cell.RatioInterval, cell.P, cell.Method = c.Ratio, c.Of, Float(p), c.Method
		cell.Delta = Float(cell.Center - t.Cells[at.i][at.base].Center)
		cell.Mark = c.Mark(Float(p), t.Better, e.Alpha, e.Margin)
		for _, w := range c.Warnings {
			if !slices.Contains(cell.Warnings, w) {
				cell.Warnings = append(cell.Warnings, w)
			}
		}
	}
}

// baseOfRow is the column that row i's ratios are against, -1 for none.
func (t *Table) baseOfRow(i int) int {
	if t.BaseKind != BaseBest {
		return t.Base
	}
	return slices.IndexFunc(t.Cells[i], func(c *Cell) bool { return c != nil && c.Best })
}

// markBest marks the row's best candidates.
func markBest(t *Table, i int) {
	if t.Better == 0 {
		return
	}
	best := math.Inf(1)
	each := func(f func(c *Cell, bad float64)) {
		for j, c := range t.Cells[i] {
			if c != nil && t.Cols[j].Role == Candidate {
				f(c, -float64(t.Better)*c.Center)
			}
		}
	}
	each(func(_ *Cell, bad float64) { best = min(best, bad) })
	each(func(c *Cell, bad float64) { c.Best = bad == best })
}

// geomeans summarizes each column over the rows that every candidate has. A
// column that misses one of them has no geometric mean.
func (e *engine) geomeans(t *Table) {
	if len(t.Rows) < 2 {
		return
	}
	var common []int
	var left []string
	for i, row := range t.Cells {
		whole := true
		for j, c := range row {
			if c == nil && t.Cols[j].Role == Candidate {
				whole = false
			}
		}
		if whole {
			common = append(common, i)
		} else {
			left = append(left, t.Rows[i].Label)
		}
	}
	if len(left) > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("geometric means are over the %d of %d rows that every candidate has", len(common), len(t.Rows)))
	}
	for j := range t.Cols {
		g := Geomean{Center: unknown, Ratio: unknown, LeftOut: left}
		var center, ratio float64
		for _, i := range common {
			if c := t.Cells[i][j]; c != nil {
				g.Rows++
				center += math.Log(float64(knownOr(c.Center)))
				ratio += math.Log(float64(knownOr(float64(c.Ratio))))
			}
		}
		if g.Rows == len(common) && g.Rows > 0 {
			g.Center = Float(math.Exp(center / float64(g.Rows)))
			g.Ratio = Float(math.Exp(ratio / float64(g.Rows)))
		}
		t.Geomean = append(t.Geomean, g)
	}
}
