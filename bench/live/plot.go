package live

import (
	"fmt"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// WriteSVG plots eager share against unused share: a line for each latency and
// rate, a point for each size, the sizes to take labelled.
func (s *Swept) WriteSVG(w io.Writer) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Cluster sizes %d to %d: %d sessions, %d IDs in the mean, ranges of about %d",
		s.Sweep.Sizes[0], s.Sweep.Sizes[len(s.Sweep.Sizes)-1], s.Sweep.Sessions, s.Sweep.IDs, s.Sweep.Range)
	p.X.Label.Text = "final IDs reserved and never used, % (less is better)"
	p.Y.Label.Text = "IDs that are final at once (eager), % (more is better)"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 100, 0, 100
	p.Legend.Padding = vg.Points(2)
	p.Add(plotter.NewGrid())
	n := len(s.Sweep.Sizes)
	for i, a := range s.Advice {
		var line plotter.XYs
		for _, c := range s.Cells[i*n : (i+1)*n] {
			line = append(line, plotter.XY{X: 100 * c.Unused, Y: 100 * c.Eager})
		}
		l, points, err := plotter.NewLinePoints(line)
		if err != nil {
			return err
		}
		l.Color, l.Dashes = plotutil.Color(i), plotutil.Dashes(i)
		points.Color, points.Shape = plotutil.Color(i), plotutil.Shape(i)
		best, err := plotter.NewLabels(plotter.XYLabels{
			XYs:    plotter.XYs{{X: 100 * a.Best.Unused, Y: 100 * a.Best.Eager}},
			Labels: []string{fmt.Sprintf(" %d", a.Best.Size)},
		})
		if err != nil {
			return err
		}
		p.Add(l, points, best)
		p.Legend.Add(fmt.Sprintf("%v, %g IDs/s: %d", a.Latency, a.Rate, a.Best.Size), l, points)
	}
	svg, err := p.WriterTo(8*vg.Inch, 6*vg.Inch, "svg")
	if err != nil {
		return err
	}
	_, err = svg.WriteTo(w)
	return err
}
