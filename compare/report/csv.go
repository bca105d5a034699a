package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"example.com/idlab/compare"
)

// csvHeader are the columns of the CSV, for ever: add at the end.
var csvHeader = []string{
	"section", "table", "row", "column", "value", "low", "high", "n",
	"ratio", "ratio low", "ratio high", "delta", "p", "method", "mark", "text",
}

// writeCSV writes a line a cell, in base units and with all digits, so that a
// spreadsheet can filter and pivot them. Sentences have their text alone.
func writeCSV(w io.Writer, r *compare.Report, o Options) error {
	out := csv.NewWriter(w)
	write := func(fields ...string) error {
		record := make([]string, len(csvHeader))
		copy(record, fields)
		return out.Write(record)
	}
	if err := write(csvHeader...); err != nil {
		return err
	}
	for _, s := range newOutline(r, o).Sections {
		for _, b := range s.Blocks {
			for _, record := range csvRecords(b) {
				if err := write(append([]string{s.ID}, record...)...); err != nil {
					return err
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

// csvRecords are a block's lines, without the section.
func csvRecords(b block) [][]string {
	sentence := func(kind, row, text string) []string {
		record := make([]string, len(csvHeader)-1)
		record[0], record[1], record[len(record)-1] = kind, row, plainSpace(text)
		return record
	}
	switch b := b.(type) {
	case verdict:
		return [][]string{sentence("verdict", b.Question, string(b.Outcome)), sentence("verdict", b.Question, b.Headline), sentence("verdict", b.Question, b.Sentence)}
	case para:
		if b.Tone == "" || b.Tone == "note" { // how to read the page
			return nil
		}
		return [][]string{sentence("", "", b.Text)}
	case bullets:
		var out [][]string
		for _, item := range b.Items {
			out = append(out, sentence(b.Tone, "", item))
		}
		return out
	case command:
		return [][]string{sentence("command", b.What, b.Line)}
	case *grid:
		var out [][]string
		names := b.names()
		for _, row := range b.Rows {
			var name []string
			for _, c := range row.Cells[:names] {
				name = append(name, c.Text)
			}
			for j, c := range row.Cells[names:] {
				out = append(out, csvCell(b.Title, strings.Join(name, " "), b.Head[names+j].Text, c))
			}
		}
		return out
	}
	return nil
}

func csvCell(table, row, column string, c cell) []string {
	record := []string{plainSpace(table), row, column, csvFloat(c.Value), csvFloat(c.Low), csvFloat(c.High)}
	stat := &compare.Cell{Ratio: unknown, RatioInterval: compare.Interval{Low: unknown, High: unknown}, Delta: unknown, P: unknown}
	if c.Stat != nil {
		stat = c.Stat
	}
	n := ""
	if stat.N > 0 {
		n = strconv.Itoa(stat.N)
	}
	return append(record, n, csvFloat(stat.Ratio), csvFloat(stat.RatioInterval.Low), csvFloat(stat.RatioInterval.High),
		csvFloat(stat.Delta), csvFloat(stat.P), string(stat.Method), string(stat.Mark), plainSpace(c.Text))
}

func csvFloat(f compare.Float) string {
	if !f.Known() {
		return ""
	}
	return strconv.FormatFloat(float64(f), 'g', -1, 64)
}
