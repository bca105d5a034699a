package compare

import (
	"encoding/json"
	"math"
	"strconv"
)

// This file and model_report.go are what a rendering reads: plain data, no
// method computes anything but a look-up. A rendering needs no other file of
// this package, and no rendering computes a statistic.
//
// All figures are in base units, as golang.org/x/perf/benchunit tidies them:
// seconds ("sec/op", "p99-sec") and bytes ("B/op", "inuse-bytes"). Format them
// with benchunit.Scale, or benchunit.CommonScale for a row.

// A Float is a float64 that may be unknown: NaN or infinite. JSON has neither,
// so an unknown Float is written as null, and null is read as NaN.
//
// We tried pointers and a separate "valid" flag: both let a renderer forget to
// look. A NaN forgotten shows as NaN.
type Float float64

// unknown is the Float of nothing.
var unknown = Float(math.NaN())

// Known reports whether f is a number a page may print.
func (f Float) Known() bool { return !math.IsNaN(float64(f)) && !math.IsInf(float64(f), 0) }

// MarshalJSON writes null for an unknown f.
func (f Float) MarshalJSON() ([]byte, error) {
	if !f.Known() {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(f), 'g', -1, 64), nil
}

// UnmarshalJSON reads null as NaN.
func (f *Float) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*f = unknown
		return nil
	}
	return json.Unmarshal(b, (*float64)(f))
}

// An Interval is a confidence interval. An end that the samples cannot bound
// (a median of fewer than six) is infinite, and null in JSON.
type Interval struct {
	Low        Float   `json:"low"`
	High       Float   `json:"high"`
	Confidence float64 `json:"confidence"` // what it really reaches, 0.95 = 95 %
}

// Known reports whether both ends are numbers.
func (i Interval) Known() bool { return i.Low.Known() && i.High.Known() }

// A Role says what a column is for. Only candidates are ever recommended.
type Role string

const (
	Candidate Role = "candidate" // a backend that may be recommended
	Control   Role = "control"   // null, slow, wrong: floor and checks of the lab itself
	Peer      Role = "peer"      // somebody else's library, for orientation
	Twin      Role = "twin"      // the default backend's second registration (aa=twin)
)

// A Mark is what one comparison showed. It carries the direction in words: a
// rendering colours Better and Worse, and nothing else.
type Mark string

const (
	NoMark     Mark = ""           // nothing was compared (the base itself, or no base)
	Better     Mark = "better"     // significant, beyond the margin, in the good direction
	Worse      Mark = "worse"      // significant, beyond the margin, in the bad direction
	Different  Mark = "different"  // significant and beyond the margin, and the unit has no good direction
	Equivalent Mark = "equivalent" // the ratio's interval lies inside the margin
	Unclear    Mark = "unclear"    // none of these can be said yet
)

// A Setting is a key and its value: of the environment, of what a table's cells share.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// A Heading names a row or a column.
type Heading struct {
	Label string    `json:"label"` // the values joined by blanks, "sessions sortedslice"
	Keys  []Setting `json:"keys"`  // the same by key: {"/doc", "sessions"}
	Role  Role      `json:"role"`  // Candidate unless the key holds a backend that is not one
}

// BaseKind says what the ratios of a table are against, and why that.
type BaseKind string

const (
	BaseBest  BaseKind = "best"  // each row's best candidate: ratios are >= 1 for candidates
	BaseNamed BaseKind = "named" // the column the user named
	BaseFirst BaseKind = "first" // nobody named one: the first column in sorted order; say so on the page
)

// A Table is one unit's figures, rows by columns.
//
// Its p-values are Holm-corrected within the table. A report's tables are
// exploratory: each is corrected by itself, not all together. The verdict is
// not read off a table.
type Table struct {
	Title  string    `json:"title"`  // "sec/op", or with what the table's cells share: "sec/op, Decompress"
	Shared []Setting `json:"shared"` // keys every cell has in common ({"/doc","sessions"})
	Unit   string    `json:"unit"`   // tidied: "sec/op", "B/op", "inuse-bytes"
	Exact  bool      `json:"exact"`  // any difference is a difference; there is no p
	Better int       `json:"better"` // -1 lower is better, +1 higher, 0 nobody said
	Center string    `json:"center"` // what a cell's Center is: "median" or "exact"

	RowKey string    `json:"rowKey"` // the projections, in benchproc syntax
	ColKey string    `json:"colKey"`
	Rows   []Heading `json:"rows"`
	Cols   []Heading `json:"cols"`

	BaseKind BaseKind `json:"baseKind"`
	Base     int      `json:"base"` // index in Cols; -1 with BaseBest

	Cells   [][]*Cell `json:"cells"`   // [row][col], nil where nothing was measured
	Geomean []Geomean `json:"geomean"` // one a column; nil for a table of one row

	Alpha       float64  `json:"alpha"`       // significance level after Holm, 0.05
	Margin      float64  `json:"margin"`      // 0.05 = ±5 %: the larger of the user's and the measured noise
	Comparisons int      `json:"comparisons"` // how many p-values Holm corrected together
	Warnings    []string `json:"warnings"`    // about the whole table
	Command     string   `json:"command"`     // what reproduces it; "" when unknown
}

// A Cell summarizes one sample and compares it with the base of its row.
type Cell struct {
	N        int      `json:"n"`        // measurements (blocks when paired)
	Center   float64  `json:"center"`   // median, or the exact value
	Interval Interval `json:"interval"` // of Center
	Best     bool     `json:"best"`     // no candidate of the row has a better Center

	// Ratio is this cell over the base: 1.25 is 25 % more. Unknown (null) when
	// nothing is compared or the base is zero; then Delta still tells.
	Ratio         Float    `json:"ratio"`
	RatioInterval Interval `json:"ratioInterval"`
	Delta         Float    `json:"delta"`  // Center minus the base's Center, in the unit
	P             Float    `json:"p"`      // Holm-corrected; unknown for exact units and the base
	Method        Method   `json:"method"` // the test P comes from
	Mark          Mark     `json:"mark"`   // read this, not P

	Warnings []string `json:"warnings"` // "need >= 6 samples for confidence interval at level 0.95"
}

// A Geomean is a column's geometric mean over the rows that every column of
// the table has: over different sets it would compare nothing.
type Geomean struct {
	Center  Float    `json:"center"`  // in the unit; unknown when a value is zero
	Ratio   Float    `json:"ratio"`   // to the base column, or to the rows' bests
	Rows    int      `json:"rows"`    // how many rows it is over
	LeftOut []string `json:"leftOut"` // rows left out since some column misses them
}

// A Method names the statistical test behind a p-value.
type Method string

const (
	ByExact    Method = "exact"     // no statistics: equal or not
	BySignFlip Method = "sign-flip" // paired permutation test over blocks
	ByPairedT  Method = "paired t"  // Student's t on the blocks' log ratios
	ByUTest    Method = "U test"    // Mann-Whitney, unpaired
	ByWelch    Method = "Welch t"   // Welch's t on logarithms, unpaired
	ByNothing  Method = ""          // not tested
)

// An Outcome is one of three; there is no fourth, and never a bare name.
type Outcome string

const (
	Wins      Outcome = "wins"       // better than every rival, beyond the margin
	Tie       Outcome = "equivalent" // the best ones are within the margin of each other
	Undecided Outcome = "undecided"  // more rounds would tell
)

// Evidence is one comparison behind a verdict: the rival's figure over the
// choice's (the leader's when undecided), so that above 1 speaks for the choice.
// The field names are those of `idlab choose --json`.
type Evidence struct {
	Against string `json:"against"` // the rival
	Metric  string `json:"metric"`  // "score" decides; "speed", "memory", "size", "encode", "decode" explain
	Ratio   Float  `json:"ratio"`
	Low     Float  `json:"low"` // 95 % interval of Ratio
	High    Float  `json:"high"`
	P       Float  `json:"p"` // Holm-corrected over the rivals
}

// A Verdict answers one question: which backend, or which stored form.
type Verdict struct {
	Question   string     `json:"question"` // "backend" or "form"
	Outcome    Outcome    `json:"outcome"`
	Choice     string     `json:"choice"`     // "" when undecided
	Leader     string     `json:"leader"`     // the best score, whatever the outcome: not a recommendation
	Equivalent []string   `json:"equivalent"` // on a tie, Choice included, best score first
	TieBreak   string     `json:"tieBreak"`   // on a tie: "less memory", "smaller", "fewer lines", "name"
	WinsBy     Interval   `json:"winsBy"`     // on Wins: the score's ratio to the nearest rival, less 1: 0.04..0.09
	MoreRounds int        `json:"moreRounds"` // on Undecided: about this many more blocks would tell; 0 when none would
	Sentence   string     `json:"sentence"`   // the whole verdict for a person, with its numbers
	Evidence   []Evidence `json:"evidence"`   // the score against each rival first, then what explains it

	Scores      []Score       `json:"scores"`      // best first
	Sensitivity []Sensitivity `json:"sensitivity"` // how far each weight must move
	LeftOut     []LeftOut     `json:"leftOut"`     // measured, but not comparable
	Weights     []Weight      `json:"weights"`     // as used
	Benchmarks  []Weight      `json:"benchmarks"`  // the mix: the share of each benchmark in the speed

	Blocks     int      `json:"blocks"`     // paired blocks (or samples) behind the score
	Paired     bool     `json:"paired"`     // false: unpaired statistics, fewer differences found
	Confidence float64  `json:"confidence"` // of all intervals here
	Alpha      float64  `json:"alpha"`
	Margin     float64  `json:"margin"` // used: max(user's, measured noise)
	Warnings   []string `json:"warnings"`
}

// A Weight is a name and its weight, or its share of a mix.
type Weight struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight"`
}

// A Score is a contestant's weighted geometric mean of ratios to the best of
// each benchmark. 1 would be the best at everything.
type Score struct {
	Name  string      `json:"name"`
	Score float64     `json:"score"`
	Parts []ScorePart `json:"parts"`
	Best  float64     `json:"probabilityBest"` // share of bootstrap draws in which it has the best score
	Lines int         `json:"lines"`           // lines of code, 0 when not told
}

// A ScorePart is one weighed component: "speed", "memory", "size", …
type ScorePart struct {
	Name   string  `json:"name"`
	Ratio  float64 `json:"ratio"`  // geometric mean of ratios to the best
	Center Float   `json:"center"` // geometric mean of the figures themselves, in Unit
	Unit   string  `json:"unit"`
}

// A Sensitivity says how far one weight must move, the others kept, until
// another contestant has the best score.
type Sensitivity struct {
	Weight   string   `json:"weight"`
	Now      float64  `json:"now"`
	At       Float    `json:"at"`       // unknown when no weight >= 0 changes it in this direction
	Interval Interval `json:"interval"` // of At, over the blocks
	Becomes  string   `json:"becomes"`  // the new leader; "" when At is unknown
	Up       bool     `json:"up"`       // the direction looked in
}

// A LeftOut names who was measured but not compared, and why.
type LeftOut struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// A Choice holds the two verdicts of one run.
type Choice struct {
	Backend Verdict `json:"backend"`
	Form    Verdict `json:"form"`
	Noise   Noise   `json:"noise"`
}

// Noise is how far apart equal things were measured, as fractions (0.04 = 4 %).
// Unknown means that it was not measured.
type Noise struct {
	Probe  Float `json:"probe"`  // the runner's probe before each block, the blocks' median
	Twin   Float `json:"twin"`   // the default backend's score against its twin's
	Spread Float `json:"spread"` // robust relative spread of repeated samples, median over benchmarks
	Level  Float `json:"level"`  // the largest of Probe and Twin (the gate, which has often neither, takes Spread too): feeds the margin
}

// An Answer is what `idlab choose --json` prints.
type Answer struct {
	Verdict      Outcome    `json:"verdict"`
	Backend      *string    `json:"backend"`    // null when undecided
	Equivalent   []string   `json:"equivalent"` // never null
	Form         *string    `json:"form"`       // null when undecided or not measured
	Evidence     []Evidence `json:"evidence"`
	MoreRounds   int        `json:"moreRounds"`
	Out          string     `json:"out"` // folder with samples.txt, plan.json, report.html
	Sentence     string     `json:"sentence"`
	FormVerdict  Outcome    `json:"formVerdict"`
	FormEvidence []Evidence `json:"formEvidence"`
}
