package inspect

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// WriteText writes the report for people. Widths do not depend on the terminal.
func WriteText(w io.Writer, r Report) error {
	var b strings.Builder
	with := "without session"
	if r.HasLocalState {
		with = "with session"
	}
	fmt.Fprintf(&b, "version %d, %s, as %s of %s bytes\n\n", r.Version, with, r.Form, thousands(int64(r.Bytes)))
	b.WriteString(rows(nil, [][]any{
		{"sessions", r.Sessions, perhaps(r.EmptySessions > 0, "%d of them without clusters", r.EmptySessions)},
		{"clusters", r.Clusters, perhaps(r.Sessions > 0, "%.1f a session", float64(r.Clusters)/float64(r.Sessions))},
		{"IDs finalized", r.Finalized, ""},
		{"IDs reserved", r.Reserved, perhaps(r.Finalized+r.Reserved > 0, "%.1f %% of what is allocated", 100*float64(r.Reserved)/float64(r.Finalized+r.Reserved))},
	}))
	histogram(&b, "How full the clusters are", "clusters", r.Fill)
	histogram(&b, "Clusters of a session", "sessions", r.Chains)
	if len(r.MostReserved) > 0 {
		fmt.Fprintf(&b, "\nWho reserves the most\n")
		var lines [][]any
		for _, s := range r.MostReserved {
			lines = append(lines, []any{s.ID, s.Reserved, s.Finalized, s.Clusters})
		}
		b.WriteString(rows([]any{"session", "reserved", "finalized", "clusters"}, lines))
	}
	if r.Local != nil {
		writeLocal(&b, r.Local)
	}
	writeSizes(&b, r)
	fmt.Fprintf(&b, "\nHash of the canonical form\n%s\n", r.Hash)
	b.WriteString("\nWhat is odd\n")
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "- %s\n", f)
	}
	if len(r.Findings) == 0 {
		b.WriteString("nothing\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeLocal(b *strings.Builder, l *Local) {
	fmt.Fprintf(b, "\nThe own session %s\n", l.Session)
	lines := [][]any{
		{"IDs generated", l.Generated, ""},
		{"of those local", l.LocalIDs, perhaps(l.Runs > 0, "in runs: %d", l.Runs)},
		{"taken", l.Cursor - 1, perhaps(l.Generated >= l.Cursor, "the next creation range begins at %s", thousands(l.Cursor))},
		{"finalized", l.Finalized, ""},
	}
	if h := l.Sharding; h != nil {
		lines = append(lines, []any{"stride", h.Stride, fmt.Sprintf("originally %s", thousands(h.OriginalStride))})
		role := "the root"
		if h.ShardID != "" {
			role = "this is shard " + h.ShardID
		}
		lines = append(lines, []any{"child shards", len(h.Children), role})
		for _, id := range h.Children {
			lines = append(lines, []any{"", "", id})
		}
	}
	b.WriteString(rows(nil, lines))
}

func writeSizes(b *strings.Builder, r Report) {
	b.WriteString("\nBytes in each form\n")
	most := 0
	for _, s := range r.Sizes {
		most = max(most, s.Bytes)
	}
	var lines [][]any
	for _, s := range r.Sizes {
		lines = append(lines, []any{s.Form, s.Bytes, bar(s.Bytes, most)})
		for _, p := range s.Parts {
			lines = append(lines, []any{"  " + p.Name, p.Bytes, ""})
		}
	}
	lines = append(lines, []any{"entropy bound", int64(math.Round(r.Bound)), "of the document, without local state"})
	b.WriteString(rows(nil, lines))
}

// histogram draws a bar for each bucket; nothing if all are empty.
func histogram(b *strings.Builder, title, unit string, buckets []Bucket) {
	most := 0
	for _, bucket := range buckets {
		most = max(most, bucket.Count)
	}
	if most == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	var lines [][]any
	for _, bucket := range buckets {
		lines = append(lines, []any{bucket.Label, bucket.Count, bar(bucket.Count, most)})
	}
	b.WriteString(rows([]any{"", unit, ""}, lines))
}

// bar is n of most, 40 wide; some, be it little, shows.
func bar(n, most int) string {
	const width = 40
	if n == 0 {
		return ""
	}
	return strings.Repeat("█", max(1, int(float64(n)/float64(most)*width+0.5)))
}

// rows sets lines below each other in columns, numbers to the right.
func rows(header []any, lines [][]any) string {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	if header != nil {
		t.AppendHeader(header)
	}
	var columns []table.ColumnConfig
	for i, cell := range lines[0] {
		switch cell.(type) {
		case int, int64:
			columns = append(columns, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.SetColumnConfigs(columns)
	for _, line := range lines {
		row := make(table.Row, len(line))
		for i, cell := range line {
			switch n := cell.(type) {
			case int:
				row[i] = thousands(int64(n))
			case int64:
				row[i] = thousands(n)
			default:
				row[i] = cell
			}
		}
		t.AppendRow(row)
	}
	var b strings.Builder
	for line := range strings.Lines(t.Render() + "\n") {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// perhaps formats if there is something to say.
func perhaps(say bool, format string, args ...any) string {
	if !say {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// thousands writes 1234567 as 1,234,567; n is not negative.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
