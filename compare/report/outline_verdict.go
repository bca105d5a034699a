package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/idlab/compare"
)

func (b *builder) verdicts() []block {
	if b.Choice == nil {
		return nil
	}
	var out []block
	for _, v := range []*compare.Verdict{&b.Choice.Backend, &b.Choice.Form} {
		if v.Sentence == "" && v.Outcome == "" {
			continue
		}
		out = append(out, verdict{questionOf(v), v.Outcome, headline(v), v.Sentence})
	}
	if out != nil {
		out = append(out, b.runCommands()...)
	}
	return out
}

func questionOf(v *compare.Verdict) string {
	switch v.Question {
	case "backend":
		return "Backend"
	case "form":
		return "Stored form"
	}
	return v.Question
}

// headline is what to do, in a few words.
func headline(v *compare.Verdict) string {
	verb := "Run"
	if v.Question == "form" {
		verb = "Store"
	}
	switch {
	case v.Choice != "":
		return verb + " " + v.Choice
	case len(v.Scores) == 0 && v.Leader == "":
		return "Not measured"
	case len(v.Scores) == 0 && len(v.LeftOut) == 0:
		return "Only " + v.Leader
	}
	return "Not decided yet"
}

// warnings gathers what a reader must know before believing a figure.
func (b *builder) warnings() []block {
	all := slices.Clone(b.Warnings)
	if b.Choice != nil {
		for _, v := range []*compare.Verdict{&b.Choice.Backend, &b.Choice.Form} {
			for _, w := range v.Warnings {
				if w = questionOf(v) + ": " + w; !slices.Contains(all, w) && !strings.Contains(v.Sentence, strings.TrimPrefix(w, questionOf(v)+": ")) {
					all = append(all, w)
				}
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return []block{bullets{"warning", all}}
}

func (b *builder) whyBackend() []block {
	if b.Choice == nil {
		return nil
	}
	return b.why(&b.Choice.Backend)
}

func (b *builder) whyForm() []block {
	if b.Choice == nil {
		return nil
	}
	return b.why(&b.Choice.Form)
}

// why is the evidence of a verdict.
func (b *builder) why(v *compare.Verdict) []block {
	if len(v.Scores) == 0 && len(v.Evidence) == 0 && len(v.LeftOut) == 0 {
		return nil
	}
	var out []block
	if len(v.Evidence) > 0 {
		who := v.Leader
		if v.Choice != "" {
			who = v.Choice
		}
		out = append(out,
			para{"", fmt.Sprintf("Each rival’s figure over that of %s, the best score: above 1 speaks for %s. The score decides; what it is made of explains. The band is the margin of ±%s, lines are %s intervals.",
				v.Leader, v.Leader, percent(v.Margin), share(v.Confidence))})
		if who != v.Leader {
			out = append(out, para{"note", fmt.Sprintf("%s is the choice by the tie-break (%s); %s has the best score.", who, v.TieBreak, v.Leader)})
		}
		out = append(out, b.forests(v), b.evidenceGrid(v))
	}
	if g := scoreGrid(v); g != nil {
		out = append(out, g)
	}
	if s := sensitivity(v); len(s) > 0 {
		out = append(out, heading{v.Question + "-weights", "How far a weight must move to change the leader"}, bullets{"", s})
	}
	if s := basis(v); len(s) > 0 {
		out = append(out, heading{v.Question + "-basis", "What this rests on"}, bullets{"", s})
	}
	if len(v.Benchmarks) > 0 {
		g := &grid{Title: "The mix: each benchmark’s share of the speed", Head: []head{{Text: "benchmark"}, {Text: "share", Num: true}}, Fold: true}
		for _, w := range v.Benchmarks {
			g.Rows = append(g.Rows, gridRow{Cells: []cell{word(w.Name), number(percent(w.Weight), w.Weight)}})
		}
		out = append(out, g)
	}
	if len(out) > 0 {
		out = append(out, b.runCommands()...)
	}
	return out
}

// evidenceGrid has a row a rival and a column a metric.
func (b *builder) evidenceGrid(v *compare.Verdict) *grid {
	rivals, metrics := evidenceAxes(v)
	g := &grid{Title: "Evidence", Note: "Rival over " + v.Leader + ", with its interval and p (corrected by Holm’s method over the rivals).", Head: []head{{Text: "rival"}}}
	for _, m := range metrics {
		g.Head = append(g.Head, head{Text: m, Num: true})
	}
	for _, rival := range rivals {
		row := gridRow{Cells: []cell{word(rival)}}
		for _, m := range metrics {
			c := blank()
			if e := findEvidence(v, rival, m); e != nil {
				i := compare.Interval{Low: e.Low, High: e.High}
				c = interval(ratioOf(e.Ratio), ratioBetween(i), e.Ratio, i)
				c.Fine = pOf(e.P)
				if e.Low == e.High && e.Low.Known() {
					c.More, c.Fine = "exact", ""
				}
				c.Stat = &compare.Cell{Ratio: e.Ratio, RatioInterval: i, P: e.P, Delta: unknown}
			}
			row.Cells = append(row.Cells, c)
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// evidenceAxes returns who and what the evidence is about, in its order.
func evidenceAxes(v *compare.Verdict) (rivals, metrics []string) {
	for _, e := range v.Evidence {
		if !slices.Contains(rivals, e.Against) {
			rivals = append(rivals, e.Against)
		}
		if !slices.Contains(metrics, e.Metric) {
			metrics = append(metrics, e.Metric)
		}
	}
	return rivals, metrics
}

func findEvidence(v *compare.Verdict, rival, metric string) *compare.Evidence {
	for i := range v.Evidence {
		if e := &v.Evidence[i]; e.Against == rival && e.Metric == metric {
			return e
		}
	}
	return nil
}

// scoreGrid lists the contestants, best first.
func scoreGrid(v *compare.Verdict) *grid {
	if len(v.Scores) == 0 {
		return nil
	}
	g := &grid{
		Title: "Scores",
		Note:  "A score is the weighted geometric mean of the ratios to each benchmark’s best: 1 is the best at everything. Best in is the share of bootstrap draws in which it has the best score.",
		Head:  []head{{Text: v.Question}, {Text: "best in", Num: true}, {Text: "score", Num: true}},
	}
	var names []string
	lines := false
	for _, s := range v.Scores {
		lines = lines || s.Lines > 0
		for _, p := range s.Parts {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
				g.Head = append(g.Head, head{Text: p.Name, Num: true})
			}
		}
	}
	if lines {
		g.Head = append(g.Head, head{Text: "lines of code", Num: true})
	}
	for _, s := range v.Scores {
		row := gridRow{Cells: []cell{word(s.Name), shareBar(s.Best), number(ratioDigits3(s.Score), s.Score)}}
		row.Cells[0].Best = s.Name == v.Choice
		for _, name := range names {
			c := blank()
			if i := slices.IndexFunc(s.Parts, func(p compare.ScorePart) bool { return p.Name == name }); i >= 0 {
				p := s.Parts[i]
				c = number(ratioOf(compare.Float(p.Ratio)), p.Ratio)
				if p.Center.Known() {
					c.More = figureOf(float64(p.Center), p.Unit)
				}
			}
			row.Cells = append(row.Cells, c)
		}
		if lines {
			row.Cells = append(row.Cells, number(plain(float64(s.Lines)), float64(s.Lines)))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// ratioDigits3 keeps a third decimal: scores are close to each other.
func ratioDigits3(v float64) string {
	if math.Abs(v) < 9.995 {
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	return group(digits3(v))
}

// sensitivity says in words how firm the leader is.
func sensitivity(v *compare.Verdict) []string {
	firm := make(map[string]int) // weights that change nothing, in how many directions
	for _, s := range v.Sensitivity {
		if !s.At.Known() {
			firm[s.Weight]++
		}
	}
	var out []string
	for _, s := range v.Sensitivity {
		where, limit := "lowered", "Even at 0, "
		if s.Up {
			where, limit = "raised", "However high, "
		}
		switch {
		case !s.At.Known() && firm[s.Weight] > 1 && s.Up:
			continue // said with the other direction
		case !s.At.Known() && firm[s.Weight] > 1:
			out = append(out, fmt.Sprintf("No weight of %s (now %s), from 0 to any, changes the leader.", s.Weight, plain(s.Now)))
			continue
		case !s.At.Known():
			out = append(out, fmt.Sprintf("%sthe weight of %s (now %s) does not change the leader.", limit, s.Weight, plain(s.Now)))
			continue
		}
		between := axisBetween(s.Interval)
		if between != "" {
			between = " (" + between + ")"
		}
		out = append(out, fmt.Sprintf("%s would lead if the weight of %s, now %s, were %s to %s%s.",
			s.Becomes, s.Weight, plain(s.Now), where, plain(float64(s.At)), between))
	}
	return out
}

// basis says what a verdict was decided from.
func basis(v *compare.Verdict) []string {
	var out []string
	switch {
	case v.Blocks > 0 && v.Paired:
		out = append(out, count(v.Blocks, "block")+", paired: what two were measured at in one block is compared with each other.")
	case v.Blocks > 0:
		out = append(out, count(v.Blocks, "sample")+" each, not paired: fewer differences are found.")
	case len(v.Scores) > 0:
		out = append(out, "Exact figures alone.")
	}
	if len(v.Weights) > 0 {
		var w []string
		for _, x := range v.Weights {
			w = append(w, x.Name+" "+plain(x.Weight))
		}
		out = append(out, "Weights: "+strings.Join(w, ", ")+".")
	}
	if len(v.Scores) > 0 {
		out = append(out, fmt.Sprintf("Significance level %s after Holm’s correction, %s intervals, margin ±%s (the larger of what was asked for and the measured noise).",
			plain(v.Alpha), share(v.Confidence), percent(v.Margin)))
	}
	if v.Outcome == compare.Wins {
		out = append(out, fmt.Sprintf("Ahead of the nearest rival by %s.", percentBetween(v.WinsBy)))
	}
	if len(v.Equivalent) > 1 {
		out = append(out, fmt.Sprintf("Equivalent within the margin: %s; the tie goes by %s.", list(v.Equivalent), v.TieBreak))
	}
	if v.MoreRounds > 0 {
		out = append(out, "About "+count(v.MoreRounds, "more round")+" would tell.")
	}
	for _, l := range v.LeftOut {
		out = append(out, fmt.Sprintf("Not compared: %s, %s.", l.Name, l.Why))
	}
	return out
}
