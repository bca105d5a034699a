package report

import "example.com/idlab/compare"

// marks are the symbols and words of a comparison. A symbol says it without
// its colour, a word without its symbol.
var marks = map[compare.Mark]struct{ symbol, word string }{
	compare.Better:     {"▲", "better"},
	compare.Worse:      {"▼", "worse"},
	compare.Different:  {"≠", "different"},
	compare.Equivalent: {"≈", "equivalent"},
	compare.Unclear:    {"?", "unclear"},
}

func symbolOf(m compare.Mark) string { return marks[m].symbol }

// markLegend explains the symbols.
const markLegend = "▲ better and ▼ worse than the base, significantly and beyond the margin; ≈ equivalent within the margin; ? unclear; ≠ different, in a unit without a good direction; ★ the row’s best."

// outcomes are the symbol and word of a verdict.
var outcomes = map[compare.Outcome]struct{ symbol, word string }{
	compare.Wins:      {"✔", "wins"},
	compare.Tie:       {"≈", "equivalent"},
	compare.Undecided: {"?", "undecided"},
}

// levels are the steps of a heat map: a ratio to the row's best up to (and
// without) the number has that level, from 1.
var levels = []float64{1.05, 1.25, 1.6, 2.5, 5}

// levelOf returns a ratio's level, 1 to len(levels)+1.
func levelOf(ratio float64) int {
	for i, limit := range levels {
		if ratio < limit {
			return i + 1
		}
	}
	return len(levels) + 1
}

// heatSymbol says a heat map's cell without colour.
func heatSymbol(ratio float64, unclear bool) string {
	switch {
	case unclear && levelOf(ratio) == 1:
		return "≈"
	case unclear:
		return "?"
	case ratio <= 1:
		return "▲"
	}
	return "▼"
}
