package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/idlab/compare"
)

// scaling shows curves, and the growth exponents as numbers.
func (b *builder) scaling() []block {
	if len(b.Scaling) == 0 {
		return nil
	}
	out := []block{para{"", "Median times with their intervals; both axes are logarithmic, so that a power of the size is a straight line."}}
	figs, names := figures{}, []string{}
	for i, s := range b.curves() {
		figs.Items = append(figs.Items, b.scalingFigure(s, fmt.Sprintf("scaling-%d", i+1)))
		for _, c := range s.Series {
			names = append(names, c.Name)
		}
	}
	figs.Legend = b.styles.of(names)
	out = append(out, figs)
	if g := b.growthGrid(names); g != nil {
		out = append(out, g)
	}
	return append(out, b.plotCommand("these curves")...)
}

// curves are the scalings, those first in which candidates can be compared.
func (b *builder) curves() []*compare.Scaling {
	var several, alone []*compare.Scaling
	for i := range b.Scaling {
		s, n := &b.Scaling[i], 0
		for _, c := range s.Series {
			if c.Role == compare.Candidate {
				n++
			}
		}
		if n > 1 {
			several = append(several, s)
		} else {
			alone = append(alone, s)
		}
	}
	return append(several, alone...)
}

// growthGrid has a row a benchmark and a column a backend.
func (b *builder) growthGrid(names []string) *grid {
	g := &grid{Title: "Growth exponents", Note: "Time grows as size to the power k: 0 is constant, 1 linear; a logarithm shows as a small k. The interval is of the straight line through the documents’ medians.", Head: []head{{Text: "benchmark"}}}
	looks := b.styles.of(names)
	for _, x := range looks {
		g.Head = append(g.Head, head{Text: x.Name, Role: roleWord(x.Role), Num: true})
	}
	found := false
	for _, s := range b.curves() {
		row := gridRow{Cells: []cell{word(s.Benchmark)}}
		for _, look := range looks {
			c := blank()
			i := slices.IndexFunc(s.Series, func(x compare.Series) bool { return x.Name == look.Name })
			if i >= 0 && s.Series[i].Growth != nil {
				k := s.Series[i].Growth
				found = true
				c = interval(plainSigned(k.Exponent), betweenOf(k.Interval.Low, k.Interval.High, func(f compare.Float) string { return plainSigned(float64(f)) }), compare.Float(k.Exponent), k.Interval)
				c.Tip = fmt.Sprintf("over %s, R² %s, %s interval", count(k.Sizes, "size"), plain(k.RSquared), share(k.Interval.Confidence))
			}
			row.Cells = append(row.Cells, c)
		}
		g.Rows = append(g.Rows, row)
	}
	if !found {
		return nil
	}
	return g
}

// plainSigned writes an exponent with two decimals.
func plainSigned(v float64) string {
	if !compare.Float(v).Known() {
		return nothing
	}
	s := strconv.FormatFloat(v, 'f', 2, 64)
	if math.Abs(v) > 1000 {
		s = digits3(v)
	}
	if s == "-0.00" {
		return "0.00"
	}
	return strings.Replace(s, "-", "−", 1)
}

func (b *builder) paretos() []block {
	if len(b.Pareto) == 0 {
		return nil
	}
	out := []block{para{"", "Lower is better on both axes, which are logarithmic. On the front (filled, joined by the dashed line) nobody is at least as good at both and better at one. Controls and peers are never on it, and are in the tables alone where they would crowd the candidates."}}
	figs := figures{}
	var grids []block
	for i := range b.Pareto {
		p := &b.Pareto[i]
		figs.Items = append(figs.Items, b.paretoFigure(p, fmt.Sprintf("pareto-%d", i+1)))
		grids = append(grids, b.paretoGrid(p))
	}
	out = append(append(out, figs), grids...)
	if g := b.boundGrid(); g != nil {
		out = append(out, g)
	}
	return append(out, b.plotCommand("these plots")...)
}

func (b *builder) paretoGrid(p *compare.Pareto) *grid {
	g := &grid{Title: capital(p.Title), Fold: true, Head: []head{{Text: "name"}, {Text: p.XLabel, Num: true}, {Text: p.YLabel, Num: true}, {Text: "on the front"}}}
	for _, x := range p.Points {
		name := word(x.Name)
		name.More = roleWord(x.Role)
		front := "no"
		if x.Front {
			front = "yes"
		}
		axis := func(v float64, i compare.Interval, unit string) cell {
			c := interval(figureOf(v, unit), "", compare.Float(v), i)
			if i.Low != i.High {
				c.More = plusMinus(v, i)
				c.Tip = fmt.Sprintf("%s interval %s", share(i.Confidence), betweenOf(i.Low, i.High, func(f compare.Float) string { return figureOf(float64(f), unit) }))
			}
			return c
		}
		g.Rows = append(g.Rows, gridRow{Cells: []cell{name, axis(x.X, x.XInterval, p.XUnit), axis(x.Y, x.YInterval, p.YUnit), word(front)}})
	}
	return g
}

// boundGrid lists the entropy bounds the caller gave.
func (b *builder) boundGrid() *grid {
	if len(b.Bounds) == 0 || !slices.ContainsFunc(b.Pareto, func(p compare.Pareto) bool { return p.XLabel == sizeLabel }) {
		return nil
	}
	g := &grid{Title: "The fewest bytes possible", Note: "The entropy bound of each document: no form can be smaller on average.", Fold: true, Head: []head{{Text: "document"}, {Text: "bound", Num: true}}}
	for _, doc := range sortedDocs(b.Bounds) {
		g.Rows = append(g.Rows, gridRow{Cells: []cell{word(cleanString(doc)), number(figureOf(b.Bounds[doc], compare.UnitSize), b.Bounds[doc])}})
	}
	return g
}

// crossovers are maps, then the points in sentences.
func (b *builder) crossovers() []block {
	var out []block
	if len(b.Maps) > 0 {
		out = append(out, para{"", "Who has the best score at each size of document and mix of two operations. Hatched: undecided, since it wins less than 95 of 100 bootstrap draws."})
		figs, names := figures{}, []string{}
		var inWords []string
		for i := range b.Maps {
			m := &b.Maps[i]
			figs.Items = append(figs.Items, b.mapFigure(m, fmt.Sprintf("map-%d", i+1)))
			names = append(names, winners(m)...)
			inWords = append(inWords, mapWords(m))
		}
		figs.Legend = b.styles.of(names)
		out = append(out, figs, bullets{"", inWords})
	}
	for _, kind := range []struct {
		id, title string
		keep      func(compare.Crossover) bool
	}{
		{"decided", "Change of places", func(c compare.Crossover) bool { return c.At.Known() && c.Decided }},
		{"open", "Perhaps a change of places: not told apart on both sides", func(c compare.Crossover) bool { return c.At.Known() && !c.Decided }},
		{"none", "No change of places over the range measured", func(c compare.Crossover) bool { return !c.At.Known() }},
	} {
		g := &grid{Title: kind.title, Fold: kind.id != "decided", Head: []head{{Text: "where"}, {Text: "along"}, {Text: "at", Num: true}, {Text: "in words"}}}
		for _, c := range b.Crossovers {
			if kind.keep(c) {
				g.Rows = append(g.Rows, crossoverRow(c))
			}
		}
		if len(g.Rows) > 0 {
			out = append(out, g)
		}
	}
	if out != nil {
		out = append(out, b.plotCommand("the map and the crossings")...)
	}
	return out
}

func crossoverRow(c compare.Crossover) gridRow {
	at := blank()
	along := func(v float64) string { return plain(round3(v)) }
	if strings.HasPrefix(c.Axis, "share of ") {
		along = percent
	}
	if c.At.Known() {
		at = interval(along(float64(c.At)), betweenOf(c.Interval.Low, c.Interval.High, func(f compare.Float) string { return along(float64(f)) }), c.At, c.Interval)
		at.Tip = share(c.Interval.Confidence) + " interval"
	}
	where := word(c.Benchmark)
	where.More = c.A + " and " + c.B
	axis := word(c.Axis)
	axis.More = along(c.From) + " to " + along(c.To)
	var who string
	switch {
	case !c.At.Known() && c.Below == "":
		who = "nobody is ahead all along"
	case !c.At.Known():
		who = c.Below + " ahead all along"
		if c.Above != c.Below {
			who = c.Below + " ahead at first, " + c.Above + " at last"
		}
		if !c.Decided {
			who += ", not told apart"
		}
	default:
		who = c.Below + " below, " + c.Above + " above"
		if !c.Decided {
			who += ", not told apart on both sides"
		}
	}
	inWords := word(who)
	inWords.Tip = c.Sentence
	return gridRow{Cells: []cell{where, axis, at, inWords}}
}

// noise is how far apart equal things were measured.
func (b *builder) noise() []block {
	if b.Noise == (compare.Noise{}) { // not told, and no perfect silence
		b.Noise = compare.Noise{Probe: unknown, Twin: unknown, Spread: unknown, Level: unknown}
	}
	var out []block
	var items []string
	for _, n := range []struct {
		v     compare.Float
		words string
	}{
		{b.Noise.Probe, "The probe before each block, a loop that only counts, spread by %s."},
		{b.Noise.Twin, "The default backend and its twin, the same code, were %s apart in score."},
		{b.Noise.Spread, "Repeated samples spread by %s, the median over the benchmarks."},
		{b.Noise.Level, "The noise level is %s: no smaller difference is called one."},
	} {
		if n.v.Known() {
			items = append(items, fmt.Sprintf(n.words, percent(float64(n.v))))
		}
	}
	out = append(out, bulletsOf("", items)...)
	return append(out, b.selfTest()...)
}

// selfTest is the A/A result.
func (b *builder) selfTest() []block {
	aa := b.AA
	if aa == nil {
		return nil
	}
	tone, result := "warning", "failed"
	if aa.Passed {
		tone, result = "good", "passed"
	}
	out := []block{
		heading{"aa", "A/A self-test: " + result},
		para{tone, fmt.Sprintf("Equal code was measured twice in %s: %d called different one by one, %d after Holm’s correction. (%d significant whatever the margin; by chance about %s of %d are. Significance level %s, margin ±%s.)",
			count(aa.Comparisons, "benchmark"), aa.Different, aa.Corrected, aa.Significant, plain(aa.Alpha*float64(aa.Comparisons)), aa.Comparisons, plain(aa.Alpha), percent(aa.Margin))},
	}
	out = append(out, bulletsOf("warning", aa.Warnings)...)
	compared := func(r compare.Float, i compare.Interval, p compare.Float, m compare.Mark) cell {
		c := interval(ratioOf(r), ratioBetween(i), r, i)
		c.Mark, c.Versus, c.Fine, c.Tip = m, marks[m].word, pOf(p), share(i.Confidence)+" interval"
		c.Stat = &compare.Cell{Ratio: r, RatioInterval: i, P: p, Mark: m, Delta: unknown}
		return c
	}
	if len(aa.Cases) > 0 {
		g := &grid{Title: "Scores of twins", Head: []head{{Text: "backend"}, {Text: "twin over backend", Num: true}}}
		for _, c := range aa.Cases {
			g.Rows = append(g.Rows, gridRow{Cells: []cell{word(c.Backend), compared(c.Ratio, c.Interval, c.P, c.Mark)}})
		}
		out = append(out, g)
	}
	if len(aa.Worst) > 0 {
		g := &grid{Title: "The largest differences between equal code", Note: "p is not corrected.", Fold: true, Head: []head{{Text: "benchmark"}, {Text: "backend"}, {Text: "twin over backend", Num: true}}}
		for _, c := range aa.Worst {
			g.Rows = append(g.Rows, gridRow{Cells: []cell{word(c.Benchmark), word(c.Backend), compared(c.Ratio, c.Interval, c.P, c.Mark)}})
		}
		out = append(out, g)
	}
	return out
}

func (b *builder) environment() []block {
	var out []block
	if len(b.Environment) > 0 {
		g := &grid{Title: "Where it was measured", Head: []head{{Text: "what"}, {Text: "value"}}}
		for _, s := range b.Environment {
			if s.Value != "" {
				g.Rows = append(g.Rows, gridRow{Cells: []cell{word(s.Key), word(s.Value)}})
			}
		}
		out = append(out, g)
	}
	if len(b.Peers) > 0 {
		g := &grid{Title: "Measured, and never recommended", Head: []head{{Text: "column"}, {Text: "why"}}}
		for _, p := range b.Peers {
			g.Rows = append(g.Rows, gridRow{Cells: []cell{word(p.Name), word(p.Why)}})
		}
		out = append(out, g)
	}
	return out
}

func (b *builder) biases() []block { return bulletsOf("", b.Biases) }

func (b *builder) commands() []block {
	out := b.runCommands()
	if len(b.Files) > 0 {
		out = append(out, bullets{"", []string{"Samples: " + strings.Join(b.Files, ", ") + ", in Go benchmark format."}})
	}
	return out
}

// capital begins s with a capital letter.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
