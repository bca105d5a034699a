package report

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"example.com/idlab/compare"
)

// barWidth is how many characters a whole bar has.
const barWidth = 10

// writeText writes for a terminal: no wider than it, and with the verdict once
// more at the end, where a reader's eyes are.
func writeText(w io.Writer, r *compare.Report, o Options) error {
	out := newOutline(r, o)
	p := &printer{width: textWidth(w, o.Width), color: o.Color}
	p.line(out.Title)
	var last []verdict
	for i, s := range out.Sections {
		if s.ID != "verdict" || i > 0 {
			p.line("")
			p.line(p.paint(strings.ToUpper(s.Title), text.Bold))
		}
		for _, b := range s.Blocks {
			if v, ok := b.(verdict); ok {
				last = append(last, v)
			}
			p.block(b)
		}
	}
	if len(out.Sections) > 1 {
		for _, v := range last {
			p.block(v)
		}
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// textWidth is the width asked for, or the terminal's, or no limit.
func textWidth(w io.Writer, asked int) int {
	if asked > 0 {
		return max(asked, 40)
	}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return max(width, 40)
		}
	}
	return math.MaxInt
}

// A printer lays an outline's blocks out in text.
type printer struct {
	strings.Builder
	width int
	color bool
}

func (p *printer) line(s string) {
	for l := range strings.SplitSeq(plainSpace(s), "\n") {
		p.WriteString(strings.TrimRight(l, " ") + "\n")
	}
}

func (p *printer) paint(s string, c ...text.Color) string {
	if !p.color || s == "" {
		return s
	}
	return text.Escape(s, text.Colors(c).EscapeSeq())
}

// wrap breaks a sentence into lines, all but the first indented.
func (p *printer) wrap(first, s string) {
	indent := strings.Repeat(" ", text.StringWidth(first))
	if p.width == math.MaxInt {
		p.line(first + s)
		return
	}
	for l := range strings.SplitSeq(text.WrapSoft(plainSpace(s), max(20, p.width-len(indent))), "\n") {
		p.line(first + strings.TrimSpace(l))
		first = indent
	}
}

func (p *printer) block(b block) {
	switch b := b.(type) {
	case verdict:
		o := outcomes[b.Outcome]
		p.line("")
		p.line(p.paint(fmt.Sprintf("%s: %s", b.Question, b.Headline), text.Bold) + "  " + strings.TrimSpace(o.symbol+" "+o.word))
		p.wrap("  ", b.Sentence)
	case para:
		p.line("")
		p.wrap(toneSign(b.Tone), b.Text)
	case heading:
		p.line("")
		p.line(p.paint(b.Text, text.Bold))
	case bullets:
		p.line("")
		for _, item := range b.Items {
			p.wrap(bulletSign(b.Tone), item)
		}
	case command:
		p.line("")
		p.line("  " + b.What + ": " + b.Line) // never broken: it is there to be copied
	case *grid:
		p.grid(b)
	}
}

func toneSign(tone string) string {
	switch tone {
	case "warning":
		return "! "
	case "good":
		return "✔ "
	}
	return ""
}

func bulletSign(tone string) string {
	if s := toneSign(tone); s != "" {
		return "  " + s
	}
	return "  - "
}

// grid prints a table, in several parts where it is too wide: each has the
// columns that name the rows.
func (p *printer) grid(g *grid) {
	p.line("")
	p.line(p.paint(g.Title, text.Bold))
	if g.Note != "" {
		p.wrap("", g.Note)
	}
	widths := make([]int, len(g.Head))
	for j, h := range g.Head {
		widths[j] = text.StringWidth(headText(h))
		for _, r := range g.Rows {
			widths[j] = max(widths[j], text.StringWidthWithoutEscSequences(p.cell(r.Cells[j])))
		}
	}
	names := g.names()
	limit := p.limits(g, widths)
	for from := names; ; {
		to, used := from, 0
		for j := range names {
			used += widths[j] + 2
		}
		for to < len(g.Head) && (to == from || used+widths[to]+2 <= p.width) {
			used += widths[to] + 2
			to++
		}
		if from > names {
			p.line("")
		}
		p.part(g, names, from, to, limit)
		if from = to; from >= len(g.Head) {
			return
		}
	}
}

// limits narrows columns of words where they alone would fill the width.
func (p *printer) limits(g *grid, widths []int) []int {
	limit := make([]int, len(widths))
	if p.width == math.MaxInt {
		return limit
	}
	for j, h := range g.Head {
		most := p.width / 2 / g.names()
		if j >= g.names() {
			most = p.width / 3
		}
		if j == len(g.Head)-1 && !h.Num {
			most = p.width - 2
			for k := range j {
				most -= widths[k] + 2
			}
			most = max(most, 20)
		}
		if !h.Num && widths[j] > most {
			widths[j], limit[j] = most, most
		}
	}
	return limit
}

func (p *printer) part(g *grid, names, from, to int, limit []int) {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true, SeparateFooter: true}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format = table.FormatOptions{}
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	var columns []int
	for j := range names {
		columns = append(columns, j)
	}
	for j := from; j < to; j++ {
		columns = append(columns, j)
	}
	header, configs := table.Row{}, []table.ColumnConfig{}
	for k, j := range columns {
		header = append(header, headText(g.Head[j]))
		align := text.AlignLeft
		if g.Head[j].Num {
			align = text.AlignRight
		}
		configs = append(configs, table.ColumnConfig{Number: k + 1, Align: align, AlignHeader: align, AlignFooter: align, WidthMax: limit[j], WidthMaxEnforcer: text.WrapSoft})
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(header)
	for _, r := range g.Rows {
		row := table.Row{}
		for _, j := range columns {
			row = append(row, p.cell(r.Cells[j]))
		}
		if r.Total {
			t.AppendFooter(row)
		} else {
			t.AppendRow(row)
		}
	}
	p.line(t.Render())
}

func headText(h head) string {
	if h.Role != "" {
		return h.Text + " (" + h.Role + ")"
	}
	return h.Text
}

// cell is a cell in one line.
func (p *printer) cell(c cell) string {
	s := c.Text
	if c.Bar && c.Value.Known() {
		n := int(math.Round(min(max(float64(c.Value), 0), 1) * barWidth))
		s = strings.Repeat("█", n) + strings.Repeat("░", barWidth-n) + " " + s
	}
	if c.More != "" {
		s += " " + c.More
	}
	if c.Best {
		s += " ★"
	}
	if c.Mark != compare.NoMark {
		s += " " + p.paint(strings.TrimSpace(symbolOf(c.Mark)+" "+c.Versus), colorOf(c.Mark)...)
	}
	if c.Fine != "" && (c.Stat == nil || c.Stat.N == 0) { // a large table's marks say what its p says
		s += " " + c.Fine
	}
	return plainSpace(s)
}

func colorOf(m compare.Mark) []text.Color {
	switch m {
	case compare.Better:
		return []text.Color{text.FgHiBlue}
	case compare.Worse:
		return []text.Color{text.FgYellow}
	}
	return []text.Color{text.Faint}
}

// plainSpace has blanks that can be searched for and broken at.
func plainSpace(s string) string { return strings.ReplaceAll(s, nbsp, " ") }
