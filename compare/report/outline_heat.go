package report

import (
	"fmt"

	"example.com/idlab/compare"
)

// heatLegend says how to read a heat map.
const heatLegend = "1.00 is the best. ▲ the best; ▼ worse; hatched: not told apart from the best, whether close to it (≈) or not (?). Controls and peers have no colour."

// operations are the times of all documents in one heat map.
func (b *builder) operations() []block {
	if b.Operations == nil {
		return nil
	}
	g := heatGrid(b.Operations)
	g.Head[0].Text = "operation (documents)"
	return append([]block{
		para{"", "Each backend’s time over the best candidate’s, as the geometric mean over the documents, whose number is in brackets. " + heatLegend},
		g,
	}, b.plotCommand("this heat map")...)
}

// heatMaps are matrices of ratios to each row's best.
func (b *builder) heatMaps() []block {
	var out []block
	for i := range b.HeatMaps {
		h := &b.HeatMaps[i]
		if _, isTail := compare.TailName(h.Unit); isTail {
			continue
		}
		if out == nil {
			out = append(out, para{"", "Each figure over the best candidate’s in its row: " + heatLegend})
		}
		g := heatGrid(h)
		g.Fold = len(out) > 1 || len(g.Rows) > MostRows
		if len(g.Rows) > 0 {
			out = append(out, g)
		}
	}
	if len(out) < 2 {
		return nil
	}
	return append(out, b.plotCommand("these heat maps")...)
}

// MostRows is how many rows a table may have that is shown at once: a page folds
// a longer one.
const MostRows = 100

// heatGrid lays out the rows in which there is something to compare.
func heatGrid(h *compare.HeatMap) *grid {
	g := &grid{Title: tableTitle(h.Title, h.Unit), Head: append([]head{{Text: "benchmark"}}, heads(h.Cols)...), Heat: true}
	rows := comparedRows(h)
	for _, r := range rows {
		row := gridRow{Cells: []cell{word(h.Rows[r])}}
		for c := range h.Cols {
			row.Cells = append(row.Cells, heatCell(h, r, c))
		}
		g.Rows = append(g.Rows, row)
	}
	if alone := len(h.Rows) - len(rows); alone > 0 {
		g.Note = fmt.Sprintf("Left out: %s with a single candidate.", count(alone, "row"))
	}
	return g
}

// comparedRows are the rows in which at least two candidates were measured.
func comparedRows(h *compare.HeatMap) []int {
	var rows []int
	for r := range h.Rows {
		n := 0
		for c := range h.Cols {
			if heatCell(h, r, c).Level > 0 {
				n++
			}
		}
		if n > 1 {
			rows = append(rows, r)
		}
	}
	return rows
}

func heatCell(h *compare.HeatMap, r, c int) cell {
	if r >= len(h.Ratio) || c >= len(h.Ratio[r]) || !h.Ratio[r][c].Known() {
		return blank()
	}
	ratio := h.Ratio[r][c]
	unclear := r < len(h.Unclear) && c < len(h.Unclear[r]) && h.Unclear[r][c]
	out := number(ratioDigits(ratio), float64(ratio))
	if h.Cols[c].Role == compare.Candidate {
		out.Level, out.Hatch = levelOf(float64(ratio)), unclear
		out.Text = heatSymbol(float64(ratio), unclear) + nbsp + out.Text
	}
	return out
}
