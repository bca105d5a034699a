package report

import (
	"fmt"
	"os"
	"path/filepath"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.com/idlab/compare"
)

// panelsInFile is how many plots a scaling file has at most.
const panelsInFile = 6

// WriteSVGs writes the plots that a README shows to a folder, which it makes:
// heatmap, scaling, pareto, map and evidence, each as NAME-light.svg and
// NAME-dark.svg, to be chosen by <picture>. What r does not have is not
// written. It returns the names it wrote.
func WriteSVGs(dir string, r *compare.Report, o Options) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	var names []string
	for _, f := range fileFigures(r, o) {
		for _, t := range []theme{light, dark} {
			name := fmt.Sprintf("%s-%s.svg", f.ID, t)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(f.file(t)), 0o666); err != nil {
				return names, err
			}
			names = append(names, name)
		}
	}
	return names, nil
}

// fileFigures are the figures of the files, whose names are their IDs.
func fileFigures(r *compare.Report, o Options) []figure {
	b := &builder{Report: clean(r), Options: o}
	b.styles = newStyles(b.Report)
	var out []figure
	add := func(id, title string, figs []figure, legend []style) {
		if len(figs) > 0 {
			out = append(out, sheet(id, title, figs, legend))
		}
	}
	if b.Operations != nil {
		out = append(out, heatFigure(b.Operations, "heatmap"))
	} else if len(b.HeatMaps) > 0 {
		out = append(out, heatFigure(&b.HeatMaps[0], "heatmap"))
	}
	var curves, fronts, maps []figure
	var names []string
	all := b.curves()
	for _, s := range all[:min(len(all), panelsInFile)] {
		curves = append(curves, b.scalingFigure(s, ""))
		for _, x := range s.Series {
			names = append(names, x.Name)
		}
	}
	for i := range b.Pareto {
		fronts = append(fronts, b.paretoFigure(&b.Pareto[i], ""))
	}
	for i := range b.Maps {
		maps = append(maps, b.mapFigure(&b.Maps[i], ""))
	}
	add("scaling", "How times grow", curves, b.styles.of(names))
	add("pareto", "What speed costs", fronts, nil)
	add("map", "Where another is ahead", maps, nil)
	if b.Choice != nil {
		add("evidence", "Evidence", b.forests(&b.Choice.Backend).Items, nil)
	}
	return out
}

// sheet puts figures of one size beside each other, three in a row, with the
// legend below.
func sheet(id, title string, figs []figure, legend []style) figure {
	const gap, keyWidth, keyHeight = 16, 150, 18
	columns := min(len(figs), 3)
	rows := (len(figs) + columns - 1) / columns
	w := vg.Length(columns)*(figs[0].w+gap) - gap
	perRow := max(1, int(w/keyWidth))
	foot := vg.Length((len(legend)+perRow-1)/perRow) * keyHeight
	var desc string
	for _, f := range figs {
		desc += f.Title + ": " + f.Desc + ". "
	}
	return figure{
		ID: id, Title: title, Desc: desc, w: w, h: vg.Length(rows)*(figs[0].h+gap) + foot,
		draw: func(c draw.Canvas) {
			for i, f := range figs {
				x := c.Min.X + vg.Length(i%columns)*(f.w+gap)
				y := c.Max.Y - vg.Length(i/columns)*(figs[0].h+gap)
				f.draw(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: y - f.h}, Max: vg.Point{X: x + f.w, Y: y}}})
			}
			words := textStyle(newPlot("", "", ""), ink)
			for i, s := range legend {
				at := vg.Point{X: c.Min.X + vg.Length(i%perRow)*keyWidth, Y: c.Min.Y + foot - vg.Length(i/perRow)*keyHeight - keyHeight/2}
				c.StrokeLine2(s.line(), at.X, at.Y, at.X+30, at.Y)
				c.DrawGlyph(s.point(), vg.Point{X: at.X + 15, Y: at.Y})
				c.FillText(words, vg.Point{X: at.X + 36, Y: at.Y}, shorten(s.Name, 18))
			}
		},
	}
}
