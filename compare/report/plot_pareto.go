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

// sizeLabel is the axis that the entropy bound belongs on.
const sizeLabel = "size"

// paretoFigure draws two axes on which lower is better, and who is on the front.
func (b *builder) paretoFigure(p *compare.Pareto, id string) figure {
	x, y := newSpan(), newSpan()
	var points []compare.ParetoPoint
	var desc []string
	for _, q := range p.Points {
		if !(q.X > 0 && q.Y > 0) || q.Role != compare.Candidate && crowds(p, q) {
			continue
		}
		points = append(points, q)
		x.add(q.X, float64(q.XInterval.Low), float64(q.XInterval.High))
		y.add(q.Y, float64(q.YInterval.Low), float64(q.YInterval.High))
		front := ""
		if q.Front {
			front = ", on the front"
		}
		desc = append(desc, fmt.Sprintf("%s: %s, %s%s", q.Name, figureOf(q.X, p.XUnit), figureOf(q.Y, p.YUnit), front))
	}
	bound := b.boundOf(p)
	if bound > 0 {
		x.add(bound)
		desc = append(desc, "entropy bound: "+figureOf(bound, p.XUnit))
	}
	return figure{
		ID: id, Title: capital(p.Title), Desc: strings.Join(desc, "; "), w: figureWidth, h: 280,
		draw: func(c draw.Canvas) {
			plt := newPlot(capital(p.Title), p.XLabel+", "+p.XUnit, p.YLabel+", "+p.YUnit)
			logarithmic(&plt.X, x, 1.15, figureTicks(5, p.XUnit))
			logarithmic(&plt.Y, y, 1.15, figureTicks(6, p.YUnit))
			plt.Add(gridLines{true, true}, painter(func(c draw.Canvas, x, y func(float64) vg.Length) {
				b.drawPareto(c, x, y, plt, points, bound)
			}))
			plt.Draw(c)
		},
	}
}

// crowds reports whether a control or peer is so far from all candidates that
// an axis with it has little room for them.
func crowds(p *compare.Pareto, q compare.ParetoPoint) bool {
	const far = 3
	x, y := newSpan(), newSpan()
	for _, c := range p.Points {
		if c.Role == compare.Candidate {
			x.add(c.X)
			y.add(c.Y)
		}
	}
	outside := func(s span, v float64) bool { return !s.empty() && (v < s.low/far || v > s.high*far) }
	return outside(x, q.X) || outside(y, q.Y)
}

// boundOf is the geometric mean of the documents' entropy bounds, to compare
// with a size that is a geometric mean over the same documents; 0 when the
// plot has no size, or a document with serialized sizes has no bound.
func (b *builder) boundOf(p *compare.Pareto) float64 {
	if p.XLabel != sizeLabel || len(b.Bounds) == 0 {
		return 0
	}
	var sum, n float64
	for _, doc := range b.sizedDocuments() {
		v := b.Bounds[doc]
		if !(v > 0) {
			return 0
		}
		sum, n = sum+math.Log(v), n+1
	}
	if n == 0 {
		return 0
	}
	return math.Exp(sum / n)
}

// sizedDocuments are the documents that tables have serialized sizes of: those
// whose name is a word of a row's label.
func (b *builder) sizedDocuments() []string {
	var docs []string
	for _, t := range b.Tables {
		if t.Unit != compare.UnitSize {
			continue
		}
		for i := range t.Rows {
			words := strings.Fields(rowName(&t, i))
			if len(words) > 1 && !slices.Contains(docs, words[1]) {
				docs = append(docs, words[1])
			}
		}
	}
	return docs
}

func (b *builder) drawPareto(c draw.Canvas, x, y func(float64) vg.Length, plt *plot.Plot, points []compare.ParetoPoint, bound float64) {
	words := textStyle(plt, ink)
	var taken []vg.Rectangle
	if bound > 0 {
		at := x(bound)
		c.StrokeLine2(draw.LineStyle{Color: accent, Width: 1.25, Dashes: []vg.Length{5, 3}}, at, c.Min.Y, at, c.Max.Y)
		label := words
		label.Color = accent
		pos := vg.Point{X: at + 4, Y: c.Min.Y + 8}
		c.FillText(label, pos, "entropy bound")
		taken = append(taken, boxOf(label, pos, "entropy bound"))
	}
	var front []compare.ParetoPoint
	for _, p := range points {
		if p.Front {
			front = append(front, p)
		}
	}
	slices.SortFunc(front, func(p, q compare.ParetoPoint) int {
		if p.X != q.X {
			return int(math.Copysign(1, p.X-q.X))
		}
		return int(math.Copysign(1, q.Y-p.Y))
	})
	var steps []vg.Point // from each point right, then down to the next
	for i, p := range front {
		if i > 0 {
			steps = append(steps, vg.Point{X: x(p.X), Y: y(front[i-1].Y)})
		}
		steps = append(steps, vg.Point{X: x(p.X), Y: y(p.Y)})
	}
	c.StrokeLines(draw.LineStyle{Color: muted, Width: 1, Dashes: []vg.Length{3, 3}}, steps)
	for i := 1; i < len(steps); i++ {
		a, b := steps[i-1], steps[i]
		taken = append(taken, vg.Rectangle{Min: vg.Point{X: min(a.X, b.X) - 1, Y: min(a.Y, b.Y) - 1}, Max: vg.Point{X: max(a.X, b.X) + 1, Y: max(a.Y, b.Y) + 1}})
	}
	for _, p := range points {
		at := vg.Point{X: x(p.X), Y: y(p.Y)}
		box := vg.Rectangle{Min: vg.Point{X: at.X - 6, Y: at.Y - 6}, Max: vg.Point{X: at.X + 6, Y: at.Y + 6}}
		taken = append(taken, box)
		if i := p.XInterval; i.Known() && i.Low > 0 {
			taken = append(taken, vg.Rectangle{Min: vg.Point{X: x(float64(i.Low)), Y: at.Y - 2}, Max: vg.Point{X: x(float64(i.High)), Y: at.Y + 2}})
		}
		if i := p.YInterval; i.Known() && i.Low > 0 {
			taken = append(taken, vg.Rectangle{Min: vg.Point{X: at.X - 2, Y: y(float64(i.Low))}, Max: vg.Point{X: at.X + 2, Y: y(float64(i.High))}})
		}
	}
	for _, p := range points {
		look := b.styles.get(p.Name)
		at := vg.Point{X: x(p.X), Y: y(p.Y)}
		whisker := draw.LineStyle{Color: look.color, Width: 1}
		if i := p.XInterval; i.Known() && i.Low > 0 && i.Low != i.High {
			c.StrokeLine2(whisker, x(float64(i.Low)), at.Y, x(float64(i.High)), at.Y)
		}
		if i := p.YInterval; i.Known() && i.Low > 0 && i.Low != i.High {
			c.StrokeLine2(whisker, at.X, y(float64(i.Low)), at.X, y(float64(i.High)))
		}
		glyph := look.point()
		glyph.Radius, glyph.Shape = 4.5, draw.RingGlyph{}
		if p.Front {
			glyph.Shape = draw.CircleGlyph{}
		}
		c.DrawGlyph(glyph, at)
		label := words
		if p.Role != compare.Candidate {
			label.Color = muted
		}
		taken = append(taken, placeLabel(c, label, at, shorten(p.Name, 24), taken))
	}
}

// placeLabel writes a label beside a point where it covers least, and returns
// the room it takes.
func placeLabel(c draw.Canvas, s draw.TextStyle, at vg.Point, label string, taken []vg.Rectangle) vg.Rectangle {
	const away = 8
	w := s.Width(label)
	best, least := vg.Point{}, vg.Length(math.Inf(1))
	for _, d := range []vg.Point{{X: away}, {X: -away - w}, {X: -w / 2, Y: 12}, {X: -w / 2, Y: -12}, {X: away, Y: 12}, {X: away, Y: -12}, {X: -away - w, Y: 12}, {X: -away - w, Y: -12}, {X: away, Y: 22}, {X: away, Y: -22}} {
		pos := vg.Point{X: clamp(at.X+d.X, c.Min.X, c.Max.X-w), Y: clamp(at.Y+d.Y, c.Min.Y+6, c.Max.Y-6)}
		var covers vg.Length
		for _, t := range taken {
			covers += overlap(boxOf(s, pos, label), t)
		}
		if covers < least {
			best, least = pos, covers
		}
	}
	c.FillText(s, best, label)
	return boxOf(s, best, label)
}

func boxOf(s draw.TextStyle, at vg.Point, label string) vg.Rectangle {
	w, h := s.Width(label), s.Font.Size
	return vg.Rectangle{Min: vg.Point{X: at.X, Y: at.Y - h/2}, Max: vg.Point{X: at.X + w, Y: at.Y + h/2}}
}

// overlap is the area that two boxes share.
func overlap(a, b vg.Rectangle) vg.Length {
	w := min(a.Max.X, b.Max.X) - max(a.Min.X, b.Min.X)
	h := min(a.Max.Y, b.Max.Y) - max(a.Min.Y, b.Min.Y)
	if w <= 0 || h <= 0 {
		return 0
	}
	return w * h
}

// sortedDocs are the names of documents with a bound.
func sortedDocs(bounds map[string]float64) []string {
	var docs []string
	for d := range bounds {
		docs = append(docs, d)
	}
	slices.Sort(docs)
	return docs
}
