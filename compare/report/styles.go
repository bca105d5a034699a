package report

import (
	"cmp"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.com/idlab/compare"
)

// A style is how one backend (or form) looks in all plots of a report: a
// colour, and a glyph and dashes that tell it without the colour.
type style struct {
	Name   string
	Role   compare.Role
	color  token
	glyph  draw.GlyphDrawer
	dashes []vg.Length
}

// glyphs of candidates, in the order of the series.
var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, diamond{},
	draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{},
}

// dashes repeat with another length than the glyphs, so that more than eight differ.
var dashes = [][]vg.Length{nil, {6, 2}, {2, 2}, {6, 2, 2, 2}, {1, 2}}

// diamond is a square on its corner.
type diamond struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (diamond) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	r := sty.Radius * 1.25
	c.SetColor(sty.Color)
	var p vg.Path
	p.Move(vg.Point{X: pt.X, Y: pt.Y + r})
	p.Line(vg.Point{X: pt.X + r, Y: pt.Y})
	p.Line(vg.Point{X: pt.X, Y: pt.Y - r})
	p.Line(vg.Point{X: pt.X - r, Y: pt.Y})
	p.Close()
	c.Fill(p)
}

// styles are a report's, by name.
type styles struct{ by map[string]style }

// newStyles gives every name in r a style. Candidates are taken by name, so
// that runs over the same backends look alike.
func newStyles(r *compare.Report) *styles {
	s := &styles{by: make(map[string]style)}
	var backends, forms []style
	add := func(to *[]style, name string, role compare.Role) {
		if _, ok := s.by[name]; !ok {
			s.by[name] = style{Name: name, Role: role}
			*to = append(*to, s.by[name])
		}
	}
	for _, sc := range r.Scaling {
		for _, x := range sc.Series {
			add(&backends, x.Name, x.Role)
		}
	}
	for i := range r.Maps {
		for _, w := range winners(&r.Maps[i]) {
			add(&backends, w, compare.Candidate)
		}
	}
	for _, p := range r.Pareto {
		to := &backends
		if p.XLabel == sizeLabel {
			to = &forms
		}
		for _, x := range p.Points {
			add(to, x.Name, x.Role)
		}
	}
	s.giveOut(backends)
	s.giveOut(forms)
	return s
}

// giveOut gives styles to names that appear together.
func (s *styles) giveOut(all []style) {
	slices.SortFunc(all, compareStyles)
	for i, x := range all {
		x.color = firstSeries + token(i)%(lastSeries-firstSeries+1)
		if x.Role != compare.Candidate {
			x.color = other
		}
		x.glyph, x.dashes = glyphs[i%len(glyphs)], dashes[i%len(dashes)]
		s.by[x.Name] = x
	}
}

// compareStyles puts candidates first, then goes by name.
func compareStyles(a, b style) int {
	return cmp.Or(roleRank(a.Role)-roleRank(b.Role), strings.Compare(a.Name, b.Name))
}

func roleRank(r compare.Role) int {
	if r == compare.Candidate {
		return 0
	}
	return 1
}

func (s *styles) get(name string) style {
	if x, ok := s.by[name]; ok {
		return x
	}
	return style{Name: name, color: other, glyph: draw.CircleGlyph{}}
}

// of returns the styles of names, in the order in which they were given out.
func (s *styles) of(names []string) []style {
	var out []style
	for _, n := range names {
		out = append(out, s.get(n))
	}
	slices.SortFunc(out, compareStyles)
	return slices.CompactFunc(out, func(a, b style) bool { return a.Name == b.Name })
}

func (x style) line() draw.LineStyle {
	return draw.LineStyle{Color: x.color, Width: 1.5, Dashes: x.dashes}
}

func (x style) point() draw.GlyphStyle {
	return draw.GlyphStyle{Color: x.color, Radius: 3, Shape: x.glyph}
}
