package report

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.com/idlab/compare"
)

const figureWidth = 340 // fits a phone without scaling

// forests are one forest plot a metric, the score first.
func (b *builder) forests(v *compare.Verdict) figures {
	var out figures
	rivals, metrics := evidenceAxes(v)
	for _, m := range metrics {
		out.Items = append(out.Items, forestFigure(v, m, rivals, fmt.Sprintf("forest-%s-%d", v.Question, len(out.Items)+1)))
	}
	return out
}

// forestFigure draws each rival's ratio with its interval on a logarithmic axis.
func forestFigure(v *compare.Verdict, metric string, rivals []string, id string) figure {
	const rowHeight = 24
	s := newSpan()
	s.add(1/(1+v.Margin), 1+v.Margin)
	var desc []string
	for _, r := range rivals {
		if e := findEvidence(v, r, metric); e != nil && e.Ratio.Known() {
			s.add(float64(e.Ratio), float64(e.Low), float64(e.High))
			desc = append(desc, fmt.Sprintf("%s %s (%s)", r, ratioOf(e.Ratio), betweenOf(e.Low, e.High, ratioDigits)))
		}
	}
	title := fmt.Sprintf("%s, rival over %s", metric, v.Leader)
	return figure{
		ID: id, Title: title, Desc: strings.Join(desc, "; "), w: figureWidth, h: vg.Length(74 + rowHeight*len(rivals)),
		draw: func(c draw.Canvas) {
			p := newPlot(title, "ratio: above 1 speaks for "+v.Leader, "")
			logarithmic(&p.X, s, 1.03, logTicks(6, plain))
			var ticks []plot.Tick
			for i, r := range rivals {
				ticks = append(ticks, plot.Tick{Value: float64(len(rivals) - i), Label: shorten(r, 22)})
			}
			p.Y.Tick.Marker = plot.ConstantTicks(ticks)
			p.Y.Tick.Length, p.Y.LineStyle.Width = 0, 0
			p.Y.Min, p.Y.Max, p.Y.AutoRescale = 0.4, float64(len(rivals))+0.6, false
			p.Add(painter(func(c draw.Canvas, x, y func(float64) vg.Length) {
				band := []vg.Point{{X: x(1 / (1 + v.Margin)), Y: c.Min.Y}, {X: x(1 + v.Margin), Y: c.Min.Y}, {X: x(1 + v.Margin), Y: c.Max.Y}, {X: x(1 / (1 + v.Margin)), Y: c.Max.Y}}
				c.FillPolygon(rule, band)
				c.StrokeLine2(draw.LineStyle{Color: muted, Width: 1}, x(1), c.Min.Y, x(1), c.Max.Y)
				for i, r := range rivals {
					e := findEvidence(v, r, metric)
					if e == nil || !e.Ratio.Known() || e.Ratio <= 0 {
						continue
					}
					drawInterval(c, x, y(float64(len(rivals)-i)), e, v.Margin)
				}
			}))
			p.Draw(c)
		},
	}
}

// drawInterval draws a whisker and its point; an end out of sight is an arrow's.
func drawInterval(c draw.Canvas, x func(float64) vg.Length, y vg.Length, e *compare.Evidence, margin float64) {
	col := muted
	switch {
	case e.Low > 1 && float64(e.Ratio) > 1+margin:
		col = good
	case e.High < 1 && float64(e.Ratio) < 1/(1+margin):
		col = bad
	}
	line := draw.LineStyle{Color: col, Width: 1.75}
	low, high := c.Min.X, c.Max.X
	if e.Low.Known() && e.Low > 0 {
		low = x(float64(e.Low))
	}
	if e.High.Known() {
		high = x(float64(e.High))
	}
	c.StrokeLine2(line, low, y, high, y)
	for _, end := range []vg.Length{low, high} {
		c.StrokeLine2(line, end, y-4, end, y+4)
	}
	c.DrawGlyph(draw.GlyphStyle{Color: col, Radius: 3.5, Shape: draw.BoxGlyph{}}, vg.Point{X: x(float64(e.Ratio)), Y: y})
}

// shorten cuts a name that would take a plot's room.
func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}
