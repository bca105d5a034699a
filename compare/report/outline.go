package report

import (
	"slices"
	"unicode/utf8"

	"example.com/idlab/compare"
)

// An outline is a report in reading order, formatted but not laid out.
type outline struct {
	Title    string
	Sections []section
}

// A section is a part of the page with an anchor.
type section struct {
	ID     string
	Title  string
	Blocks []block
}

// A block is one of verdict, para, heading, bullets, grid, figures, command.
type block interface{ Kind() string }

type (
	// A verdict answers one question, first and in large letters.
	verdict struct {
		Question string // "Backend"
		Outcome  compare.Outcome
		Headline string // "Run paged"
		Sentence string
	}
	// A para is a paragraph.
	para struct {
		Tone string // "", "note", "good", "warning"
		Text string
	}
	// A heading begins a part of a section.
	heading struct{ ID, Text string }
	// bullets are short sentences below each other.
	bullets struct {
		Tone  string
		Items []string
	}
	// figures are plots beside each other, with one legend.
	figures struct {
		Items  []figure
		Legend []style
	}
	// A command reproduces what stands above it.
	command struct{ What, Line string }
)

func (verdict) Kind() string { return "verdict" }
func (para) Kind() string    { return "para" }
func (heading) Kind() string { return "heading" }
func (bullets) Kind() string { return "bullets" }
func (figures) Kind() string { return "figures" }
func (command) Kind() string { return "command" }
func (*grid) Kind() string   { return "grid" }

// A grid is a table of cells. A row's first cell names it.
type grid struct {
	Title string
	Note  string // what the figures mean
	Head  []head
	Rows  []gridRow
	Fold  bool // a page may show it folded
	Heat  bool // cells have levels
}

// A head is a column's title.
type head struct {
	Text string
	Role string // "" for candidates and what is not a backend
	Num  bool   // figures: aligned to the right
}

type gridRow struct {
	Cells []cell
	Total bool // a summary of the rows above
}

// A cell is what a rendering shows, and the numbers it was made of.
type cell struct {
	Text   string
	More   string // secondary: an interval
	Versus string // what the comparison with the base gave, after Mark's symbol
	Fine   string // of interest where there is room: p
	Tip    string // of interest to few

	Mark  compare.Mark
	Best  bool
	Level int  // of a heat map, 0 for none
	Hatch bool // not told apart
	Bar   bool // Value is a share of 1, to be drawn as a bar

	Value, Low, High compare.Float
	Stat             *compare.Cell // of tables: all of its statistics
}

func word(s string) cell {
	return cell{Text: s, Value: unknown, Low: unknown, High: unknown}
}

func number(text string, v float64) cell {
	return cell{Text: text, Value: compare.Float(v), Low: unknown, High: unknown}
}

func interval(text, more string, v compare.Float, i compare.Interval) cell {
	return cell{Text: text, More: more, Value: v, Low: i.Low, High: i.High}
}

// shareBar is a share of 1 with its bar.
func shareBar(v float64) cell {
	c := number(share(v), v)
	c.Bar = true
	return c
}

// blank is a cell of nothing.
func blank() cell { return word(nothing) }

// newOutline builds the outline of r: the parts of Report in their order,
// leaving out what is empty.
func newOutline(r *compare.Report, o Options) *outline {
	b := &builder{Report: clean(r), Options: o}
	b.styles = newStyles(b.Report)
	out := &outline{Title: b.Title}
	if out.Title == "" {
		out.Title = "Comparison"
	}
	for _, part := range parts {
		if o.Sections != nil && !slices.Contains(o.Sections, part.id) {
			continue
		}
		if blocks := part.build(b); len(blocks) > 0 {
			out.Sections = append(out.Sections, section{part.id, part.title, blocks})
		}
	}
	return out
}

// A builder makes an outline's sections.
type builder struct {
	*compare.Report
	Options
	styles *styles
}

// parts are the sections in their order. A part of the report is added here,
// and in all renderings.
var parts = []struct {
	id, title string
	build     func(*builder) []block
}{
	{"verdict", "Verdict", (*builder).verdicts},
	{"warnings", "Warnings", (*builder).warnings},
	{"backend", "Why this backend", (*builder).whyBackend},
	{"form", "Why this stored form", (*builder).whyForm},
	{"operations", "Operation by operation", (*builder).operations},
	{"heat", "Who is how far from the best", (*builder).heatMaps},
	{"scaling", "How times grow", (*builder).scaling},
	{"pareto", "What speed costs", (*builder).paretos},
	{"crossovers", "Where another is ahead", (*builder).crossovers},
	{"tails", "Latency tails", (*builder).tails},
	{"tables", "All figures", (*builder).tables},
	{"noise", "Noise and self-test", (*builder).noise},
	{"environment", "Environment", (*builder).environment},
	{"biases", "What these numbers cannot say", (*builder).biases},
	{"commands", "How to make it again", (*builder).commands},
}

// Longest is the length of the longest name of a row, in characters: a page
// gives the names room by it.
func (g *grid) Longest() int {
	n := 0
	for _, r := range g.Rows {
		n = max(n, utf8.RuneCountInString(r.Cells[0].Text))
	}
	return n
}

// names is how many of a grid's columns name its rows: those before the first
// figure, or the first alone where there are no figures.
func (g *grid) names() int {
	return max(1, slices.IndexFunc(g.Head, func(h head) bool { return h.Num }))
}
