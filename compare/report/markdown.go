package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"example.com/idlab/compare"
)

// writeMarkdown writes GitHub's Markdown.
func writeMarkdown(w io.Writer, r *compare.Report, o Options) error {
	out := newOutline(r, o)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", escapeMarkdown(out.Title))
	for _, s := range out.Sections {
		fmt.Fprintf(&b, "\n## %s\n", escapeMarkdown(s.Title))
		for _, block := range s.Blocks {
			markdownBlock(&b, block)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownBlock(b *strings.Builder, block block) {
	switch x := block.(type) {
	case verdict:
		o := outcomes[x.Outcome]
		fmt.Fprintf(b, "\n**%s: %s** (%s)\n\n%s\n", escapeMarkdown(x.Question), escapeMarkdown(x.Headline), strings.TrimSpace(o.symbol+" "+o.word), escapeMarkdown(x.Sentence))
	case para:
		fmt.Fprintf(b, "\n%s%s\n", toneSign(x.Tone), escapeMarkdown(x.Text))
	case heading:
		fmt.Fprintf(b, "\n### %s\n", escapeMarkdown(x.Text))
	case bullets:
		b.WriteString("\n")
		for _, item := range x.Items {
			fmt.Fprintf(b, "- %s%s\n", toneSign(x.Tone), escapeMarkdown(item))
		}
	case command:
		fence := "```"
		for strings.Contains(x.Line, fence) {
			fence += "`"
		}
		fmt.Fprintf(b, "\n%s:\n\n%ssh\n%s\n%[2]s\n", escapeMarkdown(capital(x.What)), fence, x.Line)
	case *grid:
		markdownGrid(b, x)
	}
}

func markdownGrid(b *strings.Builder, g *grid) {
	fmt.Fprintf(b, "\n### %s\n\n", escapeMarkdown(g.Title))
	if g.Note != "" {
		b.WriteString(escapeMarkdown(g.Note) + "\n\n")
	}
	t := table.NewWriter()
	style := table.StyleDefault
	style.Format = table.FormatOptions{}
	t.SetStyle(style)
	header, configs := table.Row{}, []table.ColumnConfig{}
	for j, h := range g.Head {
		header = append(header, escapeCell(headText(h)))
		align := text.AlignLeft
		if h.Num {
			align = text.AlignRight
		}
		configs = append(configs, table.ColumnConfig{Number: j + 1, Align: align})
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(header)
	p := &printer{}
	for _, r := range g.Rows {
		row := table.Row{}
		for _, c := range r.Cells {
			row = append(row, escapeCell(p.cell(c)))
		}
		t.AppendRow(row)
	}
	b.WriteString(t.RenderMarkdown() + "\n")
}

// markdownEscapes are what would be markup: HTML first of all.
var markdownEscapes = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", `\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "://", ":&#47;&#47;", "@", "&#64;", "#", `\#`,
)

func escapeMarkdown(s string) string { return markdownEscapes.Replace(plainSpace(s)) }

// escapeCell leaves the bar to go-pretty, which escapes it in tables.
func escapeCell(s string) string { return strings.ReplaceAll(escapeMarkdown(s), `\|`, "|") }
