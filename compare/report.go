package compare

import (
	"fmt"
	"slices"
)

// ReportOptions say what a report is to hold beyond the samples.
type ReportOptions struct {
	Options
	Title   string
	Table   TableOptions
	Verdict bool // choose, beside comparing

	Sizes    map[string]float64 // of documents: without them there are no curves, crossovers along size, or maps
	SizeAxis string             // what Sizes count, "clusters"
	Mixes    [][2]string        // pairs of operations (as ID.Series says them) to look along; nil: all, where places change

	Environment []Setting // beyond what the samples say: load, steal, VM
	Biases      []string  // beyond DefaultBiases
	Commands    []ReproducedBy
}

// DefaultBiases are what any report of this lab cannot say.
var DefaultBiases = []string{
	"All figures are of one machine. Another cache, memory or clock can change who is ahead; the environment above belongs to the result.",
	"Operations run in batches in a loop that does nothing else: caches and branch predictors are warmer than in a program, except where a benchmark says cache=cold.",
	"The embedded documents are synthetic: clusters in seeded random order, nearly all of them full. A real document is what choose --trace and --document are for.",
	"A score is a geometric mean of ratios: it rewards being a little better at everything as much as being much better at little. The shares of a workload change it.",
	"Intervals hold the noise between the blocks of this run. What stays the same during a run, such as the layout of memory on this machine or the compiler's version, is not in them.",
	"Tables, curves and maps are exploratory: each table is corrected for its own comparisons, not for all of the report's. Only the verdict was planned.",
	"The leader is chosen from the samples it is tested on, which flatters it a little; that it must beat every rival makes up for it (measured in this package's tests).",
	"Bytes in use are the tables' own figures. The garbage collector's room beyond them is not in them.",
	"Peers are other libraries doing as much of the work as they can, some in another language: an orientation, not a contest.",
}

// BuildReport computes all of a report. It fails as Choose and Tabulate do: on
// other tools' benchmarks, mixed environments (but in keys that rows or columns
// show), no times, or unusable options.
func BuildReport(s *Set, o ReportOptions) (Report, error) {
	if err := o.check(); err != nil {
		return Report{}, err
	}
	if err := s.checkNames(); err != nil {
		return Report{}, err
	}
	r := Report{
		Title: o.Title, Files: s.Files, Biases: append(slices.Clone(DefaultBiases), o.Biases...), Commands: o.Commands,
		Environment: append(s.Environment(), o.Environment...),
	}
	e := newEngine(o.Options)
	r.Noise = e.measureNoise(s)
	if o.Verdict {
		c, err := Choose(s, o.Options)
		if err != nil {
			return Report{}, err
		}
		r.Choice = &c
	}
	if r.Noise.Level.Known() {
		e.Margin = max(e.Margin, float64(r.Noise.Level))
	}
	if err := r.tabulate(s, o, e.Options); err != nil {
		return Report{}, err
	}
	r.Peers = orientation(s)
	r.warnAboutTimes(s)
	if s.Check() != nil { // a comparison of environments: what follows would mix them
		r.Warnings = append(r.Warnings, "environments differ, or times are missing: tables only")
		return r, nil
	}
	if aa := newEngine(o.Options).selfTest(s); aa.Comparisons > 0 {
		r.AA = &aa
	}
	if o.Table.Row == "" && o.Table.Col == "" {
		r.Operations = e.byOperation(s)
	}
	r.Pareto = e.paretos(s)
	r.Scaling = e.scalings(s, o.Sizes, o.SizeAxis)
	for _, ids := range seriesOf(s, o.Sizes) {
		var x []float64
		for _, id := range ids {
			x = append(x, o.Sizes[id.Doc])
		}
		r.Crossovers = append(r.Crossovers, e.crossovers(e.newField(s, ids, x, true), o.SizeAxis, ids[0].Series())...)
	}
	r.Crossovers = append(r.Crossovers, e.allMixCrossovers(s, o.Mixes)...)
	r.Maps = e.winMaps(s, o.Mixes, o.Sizes, o.SizeAxis)
	return r, nil
}

// tabulate makes the tables, against the default backend where there is a
// column of it, and the heat maps, against each row's best.
func (r *Report) tabulate(s *Set, o ReportOptions, stats Options) error {
	t := o.Table
	best, err := Tabulate(s, t, stats)
	if err != nil {
		return err
	}
	for i := range best {
		if best[i].BaseKind == BaseBest && len(best[i].Cols) > 1 {
			r.HeatMaps = append(r.HeatMaps, heatMap(&best[i]))
		}
	}
	r.Tables = best
	if t.prefer = o.Default; t.prefer != "" {
		r.Tables, err = Tabulate(s, t, stats)
	}
	return err
}

// heatMap is a table against its rows' bests, as a matrix.
func heatMap(t *Table) HeatMap {
	h := HeatMap{Title: t.Title, Unit: t.Unit, Cols: t.Cols}
	for i, row := range t.Cells {
		ratio, unclear := make([]Float, len(row)), make([]bool, len(row))
		for j, c := range row {
			if c == nil {
				ratio[j] = unknown
				continue
			}
			ratio[j] = c.Ratio
			unclear[j] = !c.Best && (c.Mark == Unclear || c.Mark == Equivalent) && !t.Exact
		}
		h.Rows = append(h.Rows, t.Rows[i].Label)
		h.Ratio, h.Unclear = append(h.Ratio, ratio), append(h.Unclear, unclear)
	}
	return h
}

// orientation lists who was measured and is never recommended.
func orientation(s *Set) []LeftOut {
	why := map[Role]string{
		Peer:    "another library, for orientation",
		Control: "a control of the lab: a floor of single calls (batches can undercut it), or a check that it sees what is slow or wrong",
		Twin:    "the same backend again, to measure the noise",
	}
	var out []LeftOut
	for _, who := range s.Subjects() {
		if w, ok := why[who.Role()]; ok {
			out = append(out, LeftOut{who.String(), w})
		}
	}
	return out
}

// warnAboutTimes names times too short to be true.
func (r *Report) warnAboutTimes(s *Set) {
	const nanosecond = 1e-9
	for _, id := range s.IDs(UnitTime) {
		for _, who := range s.Subjects() {
			x := s.Sample(id, who, UnitTime)
			if x == nil || who.Role() != Candidate {
				continue
			}
			if m := median(slices.Clone(x.Values)); m < nanosecond {
				r.Warnings = append(r.Warnings, fmt.Sprintf("%s of %s takes %.2g ns: dead code, or an operation that is the identity", id, who, m/nanosecond))
			}
		}
	}
}
