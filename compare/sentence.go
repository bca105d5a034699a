package compare

import (
	"fmt"
	"strings"
)

// sentence says a verdict in words. It never says a name without a number.
func sentence(v *Verdict, rivals []rival) string {
	n := fmt.Sprintf("%d blocks", v.Blocks)
	if !v.Paired {
		n = fmt.Sprintf("%d unpaired samples", v.Blocks)
	}
	if v.Blocks == 0 {
		n = "exact figures"
	}
	switch v.Outcome {
	case Wins:
		return fmt.Sprintf("%s wins by %s over %s, the nearest of %s (score, %.0f %% interval; %s; margin %.0f %%)",
			v.Choice, percentRange(v.WinsBy), nearest(rivals).name, plural(len(rivals), "rival"), 100*v.Confidence, n, 100*v.Margin)
	case Tie:
		return fmt.Sprintf("%s are equivalent within the margin of %.0f %%; the tie goes to %s by %s (%s)",
			join(v.Equivalent), 100*v.Margin, v.Choice, v.TieBreak, n)
	}
	if v.Blocks < MinBlocks {
		return fmt.Sprintf("undecided: %s has the best score, but %s are too few; about %d more would tell", v.Leader, n, v.MoreRounds)
	}
	var open []string
	for _, r := range rivals {
		if !r.beaten && !r.equal {
			open = append(open, r.name)
		}
	}
	rounds := fmt.Sprintf("about %d more rounds would tell", v.MoreRounds)
	if v.MoreRounds >= mostRounds {
		rounds = "more rounds would hardly tell, since a difference is about as large as the margin"
	}
	if v.MoreRounds == 1 {
		rounds = "about one more round would tell"
	}
	return fmt.Sprintf("undecided: %s has the best score, but is not told apart from %s (%s; margin %.0f %%); %s",
		v.Leader, join(open), n, 100*v.Margin, rounds)
}

// percentRange writes 0.041..0.09 as "4.1..9.0 %", small ones with a digit more.
func percentRange(i Interval) string {
	if !i.Known() {
		return "an unknown amount"
	}
	digits := 1
	if i.High >= 0.2 {
		digits = 0
	}
	return fmt.Sprintf("%.*f..%.*f %%", digits, 100*i.Low, digits, 100*i.High)
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func join(names []string) string {
	switch len(names) {
	case 0:
		return "any"
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
