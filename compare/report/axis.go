package report

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// newPlot returns an empty plot in the report's dress: no background, a
// sans-serif face, colours by token.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text = title
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.Title.Padding = 6
	p.Title.TextStyle.Font.Variant, p.Title.TextStyle.Font.Size, p.Title.TextStyle.Color = "Sans", 12, ink
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Variant, a.Label.TextStyle.Font.Size, a.Label.TextStyle.Color = "Sans", 11, muted
		a.Tick.Label.Font.Variant, a.Tick.Label.Font.Size, a.Tick.Label.Color = "Sans", 10.5, ink
		a.LineStyle = draw.LineStyle{Color: muted, Width: 0.75}
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = 4
		a.Padding = 3
		a.Scale = linearScale{}
	}
	return p
}

// textStyle is a label inside a plot.
func textStyle(p *plot.Plot, color token) draw.TextStyle {
	s := p.X.Tick.Label
	s.Color, s.XAlign, s.YAlign, s.Rotation = color, draw.XLeft, draw.YCenter, 0
	return s
}

// span is the range of what an axis shows.
type span struct{ low, high float64 }

func newSpan() span { return span{math.Inf(1), math.Inf(-1)} }

// add widens the span; an axis with a logarithm has no place for the rest.
func (s *span) add(v ...float64) {
	for _, x := range v {
		if x > 1e-100 && x < 1e100 { // beyond, a logarithm's arithmetic ends
			s.low, s.high = min(s.low, x), max(s.high, x)
		}
	}
}

func (s span) empty() bool { return s.low > s.high }

// logarithmic makes a a logarithmic axis over s with room at the ends, and
// the given ticks.
func logarithmic(a *plot.Axis, s span, room float64, ticks plot.Ticker) {
	if s.empty() {
		s = span{1, 10}
	}
	room = max(room, 1.02) * math.Pow(s.high/s.low, 0.04)
	a.Scale = logScale{}
	a.Min, a.Max = s.low/room, s.high*room
	a.AutoRescale = false
	a.Tick.Marker = ticks
}

// logScale is plot.LogScale for numbers of strangers: it does not panic, and
// what an axis has no place for ends up beside the axis.
type logScale struct{}

// Normalize implements plot.Normalizer.
func (logScale) Normalize(low, high, x float64) float64 {
	return beside((math.Log(x) - math.Log(low)) / (math.Log(high) - math.Log(low)))
}

// linearScale is the same for plot.LinearScale.
type linearScale struct{}

// Normalize implements plot.Normalizer.
func (linearScale) Normalize(low, high, x float64) float64 {
	return beside((x - low) / (high - low))
}

func beside(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return min(max(v, -0.02), 1.02)
}

// figureTicks are logTicks of figures in a unit; bytes have powers of two.
func figureTicks(most int, unit string) plot.TickerFunc {
	label := func(v float64) string { return tickOf(v, unit) }
	if symbol(unit) != "B" {
		return logTicks(most, label)
	}
	return func(low, high float64) []plot.Tick {
		first, last := math.Ceil(math.Log2(low)), math.Floor(math.Log2(high))
		skip := max(1, math.Ceil((last-first+1)/float64(most)))
		var ticks []plot.Tick
		for e := first; e <= last; e += skip {
			ticks = append(ticks, plot.Tick{Value: math.Exp2(e), Label: label(math.Exp2(e))})
		}
		if len(ticks) < 2 {
			return logTicks(most, label)(low, high)
		}
		return ticks
	}
}

// logTicks puts ticks on as many of 1, 2 and 5 times the powers of ten as
// there is room for, but at most that many labels. Where even these are too
// few (a range of less than a factor of two), it takes round steps.
func logTicks(most int, format func(float64) string) plot.TickerFunc {
	return func(low, high float64) []plot.Tick {
		var best []float64
		for _, steps := range [][]float64{{1}, {1, 3}, {1, 2, 5}} {
			if v := decades(low, high, steps); len(v) <= most && len(v) > len(best) {
				best = v
			}
		}
		if round := roundSteps(low, high, most); len(best) < 3 && len(round) > len(best) {
			best = round
		}
		if all := decades(low, high, []float64{1}); len(all) > most { // every second, third … power
			best = nil
			skip := (len(all) + most - 1) / most
			for i := 0; i < len(all); i += skip {
				best = append(best, all[i])
			}
		}
		ticks := make([]plot.Tick, len(best))
		for i, v := range best {
			ticks[i] = plot.Tick{Value: v, Label: format(v)}
		}
		return ticks
	}
}

func decades(low, high float64, steps []float64) []float64 {
	var out []float64
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for _, s := range steps {
			if v := s * math.Pow(10, e); v >= low && v <= high {
				out = append(out, v)
			}
		}
	}
	return out
}

func roundSteps(low, high float64, most int) []float64 {
	raw := (high - low) / float64(most)
	if !(raw > 1e-9*high) { // steps would be lost in the number's last digits
		return nil
	}
	unit := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, s := range []float64{1, 2, 5, 10} {
		step := s * unit
		if step < raw {
			continue
		}
		var out []float64
		for k := math.Ceil(low / step); k*step <= high; k++ {
			out = append(out, k*step)
		}
		if len(out) >= 2 || s == 10 {
			return out
		}
	}
	return nil
}

// gridLines draws the ticks' lines behind the data.
type gridLines struct{ x, y bool }

// Plot implements plot.Plotter.
func (g gridLines) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	s := draw.LineStyle{Color: rule, Width: 0.5}
	if g.x {
		for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
			c.StrokeLine2(s, toX(t.Value), c.Min.Y, toX(t.Value), c.Max.Y)
		}
	}
	if g.y {
		for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
			c.StrokeLine2(s, c.Min.X, toY(t.Value), c.Max.X, toY(t.Value))
		}
	}
}

// painter is a plot.Plotter made of a function.
type painter func(c draw.Canvas, x, y func(float64) vg.Length)

// Plot implements plot.Plotter.
func (f painter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	f(c, x, y)
}

// clamp keeps a position inside the canvas.
func clamp(v, low, high vg.Length) vg.Length { return min(max(v, low), high) }
