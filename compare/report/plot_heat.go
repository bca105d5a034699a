package report

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.com/idlab/compare"
)

// heatFigure draws a heat map for a file; the page has it as a table.
func heatFigure(h *compare.HeatMap, id string) figure {
	const cellWidth, cellHeight, head, top = 86, 22, 262, 44
	title := tableTitle(h.Title, h.Unit) + ", ratio to the row’s best"
	rows := comparedRows(h)
	var desc []string
	for _, r := range rows {
		var cells []string
		for c, col := range h.Cols {
			cells = append(cells, col.Label+" "+heatCell(h, r, c).Text)
		}
		desc = append(desc, h.Rows[r]+": "+strings.Join(cells, ", "))
	}
	return figure{
		ID: id, Title: title, Desc: strings.Join(desc, "; "),
		w: vg.Length(head + cellWidth*len(h.Cols)), h: vg.Length(top + 24 + cellHeight*len(rows)),
		draw: func(c draw.Canvas) {
			words := textStyle(newPlot("", "", ""), ink)
			faint, centred := words, words
			faint.Color = muted
			centred.XAlign = draw.XCenter
			big := words
			big.Font.Size = 13
			c.FillText(big, vg.Point{X: c.Min.X, Y: c.Max.Y - 10}, title)
			for j, col := range h.Cols {
				c.FillText(centred, vg.Point{X: c.Min.X + head + vg.Length(j)*cellWidth + cellWidth/2, Y: c.Max.Y - top + 10}, shorten(col.Label, 15))
			}
			for i, row := range rows {
				y := c.Max.Y - top - vg.Length(i)*cellHeight
				c.FillText(words, vg.Point{X: c.Min.X, Y: y - cellHeight/2}, shorten(h.Rows[row], 46))
				for j := range h.Cols {
					r := vg.Rectangle{Min: vg.Point{X: c.Min.X + head + vg.Length(j)*cellWidth + 1, Y: y - cellHeight + 1}, Max: vg.Point{X: c.Min.X + head + vg.Length(j+1)*cellWidth - 1, Y: y - 1}}
					drawHeat(c, r, heatCell(h, row, j), centred)
				}
			}
			key := fmt.Sprintf("▲ the row’s best   ▼ worse   hatched: not told apart from the best, close to it (≈) or not (?)   steps: %s", strings.Join(stepWords(), ", "))
			c.FillText(faint, vg.Point{X: c.Min.X, Y: c.Min.Y + 8}, key)
		},
	}
}

func drawHeat(c draw.Canvas, r vg.Rectangle, cell cell, words draw.TextStyle) {
	if cell.Level > 0 {
		c.SetColor(heat(cell.Level))
		c.Fill(r.Path())
	}
	if cell.Hatch {
		var p vg.Path
		h := r.Max.Y - r.Min.Y
		for x := r.Min.X; x+h <= r.Max.X; x += 8 {
			p.Move(vg.Point{X: x, Y: r.Min.Y})
			p.Line(vg.Point{X: x + h, Y: r.Max.Y})
		}
		c.SetLineStyle(draw.LineStyle{Color: tint(muted), Width: 1})
		c.Stroke(p)
	}
	c.FillText(words, vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}, strings.ReplaceAll(cell.Text, nbsp, " "))
}

func stepWords() []string {
	var out []string
	for _, l := range levels {
		out = append(out, ratioDigits(compare.Float(l))+"×")
	}
	return out
}
