package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/idlab/compare"
)

// tables are all tables but the tails'.
func (b *builder) tables() []block {
	var out []block
	for i := range b.Tables {
		t := &b.Tables[i]
		if _, isTail := compare.TailName(t.Unit); isTail {
			continue
		}
		if out == nil {
			out = append(out, para{"note", markLegend + " Each table’s p-values are corrected by themselves: tables are exploratory, the verdict is not read off them."})
		}
		g := b.tableGrid(t)
		g.Fold = len(out) > 1 || len(g.Rows) > MostRows
		out = append(out, g)
		out = append(out, bulletsOf("warning", append(slices.Clone(t.Warnings), cellWarnings(t)...))...)
		out = append(out, b.tableCommand(t)...)
	}
	return out
}

// cellWarnings gathers the cells' warnings: what, and of how many.
func cellWarnings(t *compare.Table) []string {
	n := make(map[string]int)
	var all []string
	for _, row := range t.Cells {
		for _, c := range row {
			if c == nil {
				continue
			}
			for _, w := range c.Warnings {
				if n[w]++; n[w] == 1 {
					all = append(all, w)
				}
			}
		}
	}
	for i, w := range all {
		all[i] = count(n[w], "figure") + ": " + w
	}
	return all
}

func bulletsOf(tone string, items []string) []block {
	if len(items) == 0 {
		return nil
	}
	return []block{bullets{tone, items}}
}

// tails lays the quantiles of each benchmark below each other.
func (b *builder) tails() []block {
	var tables []*compare.Table
	for i := range b.Tables {
		if _, isTail := compare.TailName(b.Tables[i].Unit); isTail {
			tables = append(tables, &b.Tables[i])
		}
	}
	if len(tables) == 0 {
		return nil
	}
	slices.SortStableFunc(tables, func(a, b *compare.Table) int { return cmp.Compare(quantileOf(a.Unit), quantileOf(b.Unit)) })
	out := []block{para{"", "Single operations, timed one by one with the price of reading the clock. What stalls (growing, rehashing, a garbage collection) shows here and not in a mean."}}
	var cols []compare.Heading
	var rows []string
	for _, t := range tables {
		for _, c := range t.Cols {
			if !slices.ContainsFunc(cols, func(h compare.Heading) bool { return h.Label == c.Label }) {
				cols = append(cols, c)
			}
		}
		for i := range t.Rows {
			if name := rowName(t, i); !slices.Contains(rows, name) {
				rows = append(rows, name)
			}
		}
	}
	g := &grid{Title: "Latency of one operation", Fold: len(rows)*len(tables) > MostRows, Note: tableNote(tables[0]), Head: append([]head{{Text: "operation"}, {Text: "quantile"}}, heads(cols)...)}
	for _, name := range rows {
		for _, t := range tables {
			i := slices.IndexFunc(t.Rows, func(h compare.Heading) bool { return rowTitle(t, h) == name })
			if i < 0 {
				continue
			}
			quantile, _ := compare.TailName(t.Unit)
			row := gridRow{Cells: []cell{word(name), word(quantile)}}
			for _, c := range cols {
				j := slices.IndexFunc(t.Cols, func(h compare.Heading) bool { return h.Label == c.Label })
				if j < 0 {
					row.Cells = append(row.Cells, blank())
					continue
				}
				row.Cells = append(row.Cells, tableCell(t, i, j))
			}
			g.Rows = append(g.Rows, row)
		}
	}
	out = append(out, g)
	for _, t := range tables {
		out = append(out, bulletsOf("warning", append(slices.Clone(t.Warnings), cellWarnings(t)...))...)
	}
	return append(out, b.tableCommand(tables[0])...)
}

// quantileOf is a tail's quantile in percent; the maximum is 100.
func quantileOf(unit string) float64 {
	name, _ := compare.TailName(unit)
	q, err := strconv.ParseFloat(strings.TrimPrefix(name, "p"), 64)
	if err != nil {
		return 100
	}
	return q
}

// rowTitle names a row of a table whose cells may share more keys.
func rowTitle(t *compare.Table, h compare.Heading) string {
	var name []string
	for _, s := range t.Shared {
		name = append(name, s.Value)
	}
	return strings.Join(append(name, h.Label), " ")
}

func rowName(t *compare.Table, i int) string { return rowTitle(t, t.Rows[i]) }

func heads(cols []compare.Heading) []head {
	var out []head
	for _, c := range cols {
		h := head{Text: c.Label, Num: true}
		if role := roleWord(c.Role); !strings.Contains(c.Label, role) {
			h.Role = role
		}
		out = append(out, h)
	}
	return out
}

// roleWord is what a name is, when it is no candidate.
func roleWord(r compare.Role) string {
	if r == compare.Candidate {
		return ""
	}
	return string(r)
}

// tableTitle says a table's unit in words, and what its cells share.
func tableTitle(title, unit string) string {
	rest := strings.TrimPrefix(title, unit)
	return capital(unitWords(unit)) + rest
}

// tableNote says how to read a table.
func tableNote(t *compare.Table) string {
	var s string
	switch {
	case t.BaseKind == compare.BaseBest:
		s = "Ratios (×) are to each row’s best candidate"
	case t.Base >= 0 && t.Base < len(t.Cols):
		s = "Ratios (×) are to " + t.Cols[t.Base].Label
		if t.BaseKind == compare.BaseFirst {
			s += ", the first column"
		}
	default:
		s = "There is no base"
	}
	switch {
	case t.Better < 0:
		s += "; lower is better"
	case t.Better > 0:
		s += "; higher is better"
	}
	if t.Exact {
		return s + ". Exact figures: any difference is one."
	}
	center := t.Center
	if center == "" {
		center = "centre"
	}
	return fmt.Sprintf("%s. Each figure is the %s with its interval; margin ±%s; p corrected over %s, significant below %s.",
		s, center, percent(t.Margin), count(t.Comparisons, "comparison"), plain(t.Alpha))
}

func (b *builder) tableGrid(t *compare.Table) *grid {
	title := t.Title
	if t.Unit != "" {
		title = tableTitle(t.Title, t.Unit)
	}
	g := &grid{Title: title, Note: tableNote(t), Head: append([]head{{Text: keysOf(t)}}, heads(t.Cols)...)}
	same := 0
	for i := range t.Rows {
		if len(t.Rows) > MostRows && allEqual(t, i) {
			same++
			continue
		}
		row := gridRow{Cells: []cell{word(t.Rows[i].Label)}}
		row.Cells[0].More = roleWord(t.Rows[i].Role)
		for j := range t.Cols {
			row.Cells = append(row.Cells, tableCell(t, i, j))
		}
		g.Rows = append(g.Rows, row)
	}
	if same > 0 {
		g.Note += fmt.Sprintf(" Left out: %s in which all columns are equal.", count(same, "row"))
	}
	if t.Geomean == nil {
		return g
	}
	row := gridRow{Cells: []cell{word("geometric mean")}, Total: true}
	for j := range t.Cols {
		if j >= len(t.Geomean) {
			row.Cells = append(row.Cells, blank())
			continue
		}
		m := t.Geomean[j]
		c := number(figureOf(float64(m.Center), t.Unit), float64(m.Center))
		if m.Ratio.Known() {
			c.More = ratioOf(m.Ratio)
		}
		c.Tip = "over " + count(m.Rows, "row")
		if len(m.LeftOut) > 0 {
			c.Tip += ", without " + leftOut(m.LeftOut)
		}
		row.Cells = append(row.Cells, c)
	}
	if len(t.Cols) > 0 {
		row.Cells[0].More = row.Cells[1].Tip
	}
	g.Rows = append(g.Rows, row)
	return g
}

// allEqual reports whether a row's figures are exact and all the same.
func allEqual(t *compare.Table, i int) bool {
	if !t.Exact {
		return false
	}
	var first *compare.Cell
	for _, c := range t.Cells[i] {
		switch {
		case c == nil:
		case first == nil:
			first = c
		case c.Center != first.Center:
			return false
		}
	}
	return first != nil
}

// leftOut names rows where they are few. More of them in one cell would widen
// the whole table.
func leftOut(rows []string) string {
	const most = 2
	if len(rows) > most {
		return count(len(rows), "row") + " that some column misses"
	}
	return list(rows)
}

// keysOf names what a table's rows are, as far as their keys say it.
func keysOf(t *compare.Table) string {
	var keys []string
	for _, row := range t.Rows {
		for _, k := range row.Keys {
			if !slices.Contains(keys, k.Key) {
				keys = append(keys, k.Key)
			}
		}
	}
	if len(keys) == 0 || slices.Equal(keys, []string{".fullname"}) {
		return "benchmark"
	}
	return strings.Join(keys, " ")
}

// tableCell formats a figure and what its comparison showed.
func tableCell(t *compare.Table, i, j int) cell {
	if i >= len(t.Cells) || j >= len(t.Cells[i]) || t.Cells[i][j] == nil {
		return blank()
	}
	c := t.Cells[i][j]
	out := interval(figureOf(c.Center, t.Unit), "", compare.Float(c.Center), c.Interval)
	out.Stat, out.Mark, out.Best = c, c.Mark, c.Best
	if !t.Exact {
		out.More = plusMinus(c.Center, c.Interval)
	}
	switch {
	case c.Mark == compare.NoMark || t.Exact && c.Mark == compare.Equivalent:
		out.Mark = compare.NoMark // equal bytes need no sign
	case c.Ratio.Known():
		out.Versus = ratioOf(c.Ratio)
	case c.Delta.Known():
		out.Versus = signed(float64(c.Delta), t.Unit)
	}
	if out.Mark != compare.NoMark && !t.Exact {
		out.Fine = pOf(c.P)
	}
	out.Tip = tipOf(t, c)
	return out
}

// signed formats a difference with its sign.
func signed(v float64, unit string) string {
	if v < 0 {
		return "−" + figureOf(-v, unit)
	}
	return "+" + figureOf(v, unit)
}

// tipOf holds what only a closer look asks for.
func tipOf(t *compare.Table, c *compare.Cell) string {
	tips := []string{"n=" + plain(float64(c.N))}
	if b := betweenOf(c.Interval.Low, c.Interval.High, func(f compare.Float) string { return figureOf(float64(f), t.Unit) }); b != "" && !t.Exact {
		tips = append(tips, fmt.Sprintf("%s interval %s", share(c.Interval.Confidence), b))
	}
	if b := ratioBetween(c.RatioInterval); b != "" && c.Mark != compare.NoMark && !t.Exact {
		tips = append(tips, "ratio "+b)
	}
	if c.Mark != compare.NoMark {
		word := marks[c.Mark].word
		if word == "" {
			word = string(c.Mark)
		}
		if c.Delta.Known() {
			word += " by " + signed(float64(c.Delta), t.Unit)
		}
		if c.Method != compare.ByNothing {
			word += " (" + string(c.Method) + ")"
		}
		tips = append(tips, word)
	}
	return strings.Join(append(tips, c.Warnings...), "; ")
}
