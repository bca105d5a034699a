package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.com/idlab/compare"
)

// winners are who wins a cell of m, most cells first.
func winners(m *compare.WinMap) []string {
	n := cellsWon(m)
	var names []string
	for _, row := range m.Cells {
		for _, c := range row {
			if !slices.Contains(names, c.Winner) {
				names = append(names, c.Winner)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return n[b] - n[a] })
	return names
}

func cellsWon(m *compare.WinMap) map[string]int {
	n := make(map[string]int)
	for _, row := range m.Cells {
		for _, c := range row {
			n[c.Winner]++
		}
	}
	return n
}

// mapWords says a map in a sentence.
func mapWords(m *compare.WinMap) string {
	won := cellsWon(m)
	total, open, least, surest := 0, 0, 1.0, 0.0
	among := []string{}
	for _, row := range m.Cells {
		for _, c := range row {
			total++
			least, surest = min(least, c.Share), max(surest, c.Share)
			if !c.Decided {
				open++
				for _, a := range c.Among {
					if !slices.Contains(among, a) {
						among = append(among, a)
					}
				}
			}
		}
	}
	if total == 0 {
		return m.Title + ": nothing was measured."
	}
	part := func(n int) string { return percent(float64(n) / float64(total)) }
	var says []string
	for _, w := range winners(m) {
		says = append(says, fmt.Sprintf("%s is best on %s of the map", w, part(won[w])))
	}
	s := m.Title + ": " + strings.Join(says, ", ") + ". "
	if open > 0 {
		s += fmt.Sprintf("%s of it is undecided", part(open))
		if len(among) > 0 {
			s += ", where also " + list(among) + " win draws"
		}
		s += ". "
	}
	if len(m.Points) > 0 {
		var sizes []string
		for _, p := range m.Points {
			sizes = append(sizes, plain(p))
		}
		s += "Measured at " + list(sizes) + " " + m.XAxis + "; between these it is interpolated. "
	}
	return s + fmt.Sprintf("Cells are won in %s to %s of the draws.", share(least), share(surest))
}

// mapFigure draws who wins where.
func (b *builder) mapFigure(m *compare.WinMap, id string) figure {
	return figure{
		ID: id, Title: m.Title, Desc: mapWords(m), w: figureWidth, h: 290,
		draw: func(c draw.Canvas) {
			p := newPlot(shorten(m.Title, 48), m.XAxis, shorten(m.YAxis, 40))
			x := newSpan()
			x.add(edges(m.X, true)...)
			logarithmic(&p.X, x, 1, logTicks(5, shortNumber))
			if x.high > 1.001*x.low { // no room at the ends
				p.X.Min, p.X.Max = x.low, x.high
			}
			ys := edges(m.Y, false)
			p.Y.Min, p.Y.Max, p.Y.AutoRescale = 0, 1, false
			if len(ys) > 1 && ys[0] < ys[len(ys)-1] && ys[0] > -10 && ys[len(ys)-1] < 10 { // shares, with room
				p.Y.Min, p.Y.Max = ys[0], ys[len(ys)-1]
			}
			p.Y.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick {
				var ticks []plot.Tick
				for _, v := range []float64{0, 0.25, 0.5, 0.75, 1} {
					if v >= low && v <= high {
						ticks = append(ticks, plot.Tick{Value: v, Label: percent(v)})
					}
				}
				return ticks
			})
			p.Add(painter(func(c draw.Canvas, x, y func(float64) vg.Length) { b.drawMap(c, x, y, p, m) }))
			p.Draw(c)
		},
	}
}

// edges are the borders between cells whose centres are given.
func edges(centres []float64, logarithmic bool) []float64 {
	if len(centres) == 0 {
		return nil
	}
	f, back := func(v float64) float64 { return v }, func(v float64) float64 { return v }
	if logarithmic {
		f, back = math.Log, math.Exp
	}
	out := make([]float64, len(centres)+1)
	for i := 1; i < len(centres); i++ {
		out[i] = back((f(centres[i-1]) + f(centres[i])) / 2)
	}
	half := 0.5
	if len(centres) > 1 {
		half = (f(centres[1]) - f(centres[0])) / 2
	}
	out[0] = back(f(centres[0]) - half)
	last := len(centres) - 1
	if last > 0 {
		half = (f(centres[last]) - f(centres[last-1])) / 2
	}
	out[last+1] = back(f(centres[last]) + half)
	return out
}

func (b *builder) drawMap(c draw.Canvas, x, y func(float64) vg.Length, p *plot.Plot, m *compare.WinMap) {
	xs, ys := edges(m.X, true), edges(m.Y, false)
	fills := make(map[string]vg.Path)
	var hatched, borders vg.Path
	winner := func(i, j int) string {
		if i < 0 || i >= len(m.Cells) || j < 0 || j >= len(m.Cells[i]) {
			return ""
		}
		return m.Cells[i][j].Winner
	}
	for i, row := range m.Cells {
		for j, cell := range row {
			if j+1 >= len(xs) || i+1 >= len(ys) {
				continue
			}
			r := vg.Rectangle{Min: vg.Point{X: x(xs[j]), Y: y(ys[i])}, Max: vg.Point{X: x(xs[j+1]), Y: y(ys[i+1])}}
			fills[cell.Winner] = append(fills[cell.Winner], r.Path()...)
			if !cell.Decided {
				hatchInto(&hatched, r)
			}
			if w := winner(i, j+1); w != "" && w != cell.Winner {
				borders.Move(vg.Point{X: r.Max.X, Y: r.Min.Y})
				borders.Line(r.Max)
			}
			if w := winner(i+1, j); w != "" && w != cell.Winner {
				borders.Move(vg.Point{X: r.Min.X, Y: r.Max.Y})
				borders.Line(r.Max)
			}
		}
	}
	names := winners(m)
	for _, n := range names {
		c.SetColor(tint(b.styles.get(n).color))
		c.Fill(fills[n])
	}
	c.SetLineStyle(draw.LineStyle{Color: muted, Width: 0.6})
	c.Stroke(hatched)
	c.SetLineStyle(draw.LineStyle{Color: ink, Width: 1.25})
	c.Stroke(borders)
	for _, s := range m.Points {
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1}, x(s), c.Min.Y, x(s), c.Min.Y+5)
	}
	words := textStyle(p, ink)
	words.XAlign = draw.XCenter
	for _, n := range names {
		if i, j, ok := heart(m, n); ok {
			label := shorten(n, 20)
			w := words.Width(label) / 2
			at := vg.Point{X: clamp((x(xs[j])+x(xs[j+1]))/2, c.Min.X+w+2, c.Max.X-w-2), Y: (y(ys[i]) + y(ys[i+1])) / 2}
			c.FillPolygon(bg, []vg.Point{{X: at.X - w - 3, Y: at.Y - 7}, {X: at.X + w + 3, Y: at.Y - 7}, {X: at.X + w + 3, Y: at.Y + 7}, {X: at.X - w - 3, Y: at.Y + 7}})
			c.FillText(words, at, label)
		}
	}
}

// hatchInto adds two strokes across r.
func hatchInto(p *vg.Path, r vg.Rectangle) {
	mid := vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}
	p.Move(vg.Point{X: r.Min.X, Y: mid.Y})
	p.Line(vg.Point{X: mid.X, Y: r.Max.Y})
	p.Move(vg.Point{X: mid.X, Y: r.Min.Y})
	p.Line(vg.Point{X: r.Max.X, Y: mid.Y})
}

// heart finds the cell of a winner that is deepest in its area, which is where
// its name is written; false when the area is too small for one.
func heart(m *compare.WinMap, name string) (row, col int, ok bool) {
	best := 2 // less than three cells square, the name would cover what it names
	for i, r := range m.Cells {
		for j := range r {
			d := 0
			for all := true; all && m.Cells[i][j].Winner == name; d++ {
				for k := -d; k <= d && all; k++ {
					all = wins(m, name, i-d, j+k) && wins(m, name, i+d, j+k) && wins(m, name, i+k, j-d) && wins(m, name, i+k, j+d)
				}
			}
			if d > best {
				row, col, ok, best = i, j, true, d
			}
		}
	}
	return row, col, ok
}

func wins(m *compare.WinMap, name string, i, j int) bool {
	return i >= 0 && i < len(m.Cells) && j >= 0 && j < len(m.Cells[i]) && m.Cells[i][j].Winner == name
}
