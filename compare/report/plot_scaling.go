package report

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.com/idlab/compare"
)

// scalingFigure draws one benchmark's curves, both axes logarithmic.
func (b *builder) scalingFigure(s *compare.Scaling, id string) figure {
	x, y := newSpan(), newSpan()
	var desc []string
	for _, c := range s.Series {
		for _, p := range c.Points {
			if p.Size > 0 && p.Center > 0 {
				x.add(p.Size)
				y.add(p.Center, float64(p.Interval.Low), float64(p.Interval.High))
			}
		}
		if n := len(c.Points); n > 0 {
			first, last := c.Points[0], c.Points[n-1]
			desc = append(desc, fmt.Sprintf("%s from %s at %s (%s) to %s at %s (%s)", c.Name,
				figureOf(first.Center, s.Unit), plain(first.Size), first.Document, figureOf(last.Center, s.Unit), plain(last.Size), last.Document))
		}
	}
	return figure{
		ID: id, Title: s.Benchmark + ", " + s.Unit + " by " + s.Axis, Desc: strings.Join(desc, "; "), w: figureWidth, h: 230,
		draw: func(c draw.Canvas) {
			p := newPlot(shorten(s.Benchmark, 48), s.Axis, "")
			logarithmic(&p.X, x, 1.1, logTicks(5, shortNumber))
			logarithmic(&p.Y, y, 1.1, figureTicks(5, s.Unit))
			p.Add(gridLines{true, true}, painter(func(c draw.Canvas, x, y func(float64) vg.Length) {
				for i, series := range s.Series {
					// Whiskers are drawn beside each other, to be told apart.
					aside := 8 * (vg.Length(2*i+1)/vg.Length(2*len(s.Series)) - 0.5)
					drawCurve(c, x, y, aside, series.Points, b.styles.get(series.Name))
				}
			}))
			p.Draw(c)
		},
	}
}

func drawCurve(c draw.Canvas, x, y func(float64) vg.Length, aside vg.Length, points []compare.ScalePoint, look style) {
	var line []vg.Point
	whisker := draw.LineStyle{Color: look.color, Width: 1}
	for _, p := range points {
		if !(p.Size > 0 && p.Center > 0) {
			continue
		}
		at := vg.Point{X: x(p.Size), Y: y(p.Center)}
		line = append(line, at)
		if i := p.Interval; i.Known() && i.Low > 0 {
			low, high := y(float64(i.Low)), y(float64(i.High))
			at.X += aside
			c.StrokeLine2(whisker, at.X, low, at.X, high)
			c.StrokeLine2(whisker, at.X-2, low, at.X+2, low)
			c.StrokeLine2(whisker, at.X-2, high, at.X+2, high)
		}
	}
	c.StrokeLines(look.line(), line)
	for _, at := range line {
		c.DrawGlyph(look.point(), at)
	}
}

// shortNumber labels an axis of counts: "500", "30 k", "2 M".
func shortNumber(v float64) string {
	for _, u := range []struct {
		factor float64
		prefix string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= u.factor {
			return join(plain(round3(v/u.factor)), u.prefix)
		}
	}
	return plain(round3(v))
}
