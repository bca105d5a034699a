package compare

// A Report is everything a page shows. Any part may be empty: show what is
// there, in this order.
type Report struct {
	Title       string         `json:"title"`
	Choice      *Choice        `json:"choice"`      // nil when only tables were asked for
	AA          *AA            `json:"aa"`          // nil when nothing was measured twice
	Operations  *HeatMap       `json:"operations"`  // times over all documents; nil if each operation has but one
	HeatMaps    []HeatMap      `json:"heatMaps"`    // one a unit: time, then bytes
	Tables      []Table        `json:"tables"`      // one a unit and table key
	Scaling     []Scaling      `json:"scaling"`     // one an operation and variant
	Pareto      []Pareto       `json:"pareto"`      // speed-memory; size-encode and size-decode of the forms
	Crossovers  []Crossover    `json:"crossovers"`  // points, and stretches without one
	Maps        []WinMap       `json:"maps"`        // who wins where
	Environment []Setting      `json:"environment"` // cpu, go, goos, … of the samples, then the caller's
	Noise       Noise          `json:"noise"`
	Peers       []LeftOut      `json:"peers"`    // columns that are never recommended, and why
	Biases      []string       `json:"biases"`   // what these numbers cannot say: a sentence each
	Commands    []ReproducedBy `json:"commands"` // what reproduces the run and each table
	Warnings    []string       `json:"warnings"`
	Files       []string       `json:"files"` // the sample files read
}

// ReproducedBy is a command and what it makes again.
type ReproducedBy struct {
	What    string `json:"what"`
	Command string `json:"command"`
}

// A HeatMap is a matrix of ratios to each row's best candidate: 1 is the best.
type HeatMap struct {
	Title   string    `json:"title"`
	Unit    string    `json:"unit"`
	Rows    []string  `json:"rows"`    // benchmarks: "Decompress sessions"
	Cols    []Heading `json:"cols"`    // backends, candidates first
	Ratio   [][]Float `json:"ratio"`   // [row][col]; unknown where nothing was measured
	Unclear [][]bool  `json:"unclear"` // not told apart from the row's best: hatch it
}

// A Scaling is how one benchmark grows with the document. Both axes are logarithmic.
type Scaling struct {
	Benchmark string   `json:"benchmark"` // "Decompress ids=remote"
	Unit      string   `json:"unit"`
	Axis      string   `json:"axis"` // what Size counts: "clusters"
	Series    []Series `json:"series"`
}

// A Series is one backend's curve.
type Series struct {
	Name   string          `json:"name"`
	Role   Role            `json:"role"`
	Points []ScalePoint    `json:"points"` // by size
	Growth *GrowthExponent `json:"growth"` // nil with fewer than three sizes
}

// A ScalePoint is a measured document.
type ScalePoint struct {
	Document string   `json:"document"`
	Size     float64  `json:"size"`
	Center   float64  `json:"center"`
	Interval Interval `json:"interval"`
}

// A GrowthExponent is the slope k of log time over log size: time grows as
// size^k. 0 is constant, 1 linear; a logarithm shows as a small k.
type GrowthExponent struct {
	Exponent float64  `json:"exponent"`
	Interval Interval `json:"interval"`
	RSquared float64  `json:"rSquared"` // how straight the line is
	Sizes    int      `json:"sizes"`
}

// A Pareto is a scatter in which lower is better on both axes.
type Pareto struct {
	Title  string        `json:"title"` // "speed against memory"
	XLabel string        `json:"xLabel"`
	YLabel string        `json:"yLabel"`
	XUnit  string        `json:"xUnit"`
	YUnit  string        `json:"yUnit"`
	Points []ParetoPoint `json:"points"`
}

// A ParetoPoint is on the front when none is at least as good on both axes
// and better on one.
type ParetoPoint struct {
	Name      string   `json:"name"`
	Role      Role     `json:"role"`
	X         float64  `json:"x"`
	Y         float64  `json:"y"`
	XInterval Interval `json:"xInterval"`
	YInterval Interval `json:"yInterval"`
	Front     bool     `json:"front"` // peers and controls are shown but never on it
}

// A Crossover is a point along an axis where two backends change places, or
// the finding that there is none between From and To.
type Crossover struct {
	Axis      string   `json:"axis"`      // "clusters" (logarithmic), or "share of Decompress" (0..1)
	Benchmark string   `json:"benchmark"` // "Decompress ids=remote"; of a mix "Generate : Decompress, sessions"
	A         string   `json:"a"`
	B         string   `json:"b"`
	From      float64  `json:"from"` // the range measured
	To        float64  `json:"to"`
	At        Float    `json:"at"`       // unknown: they do not change places
	Interval  Interval `json:"interval"` // an end at From or To says "or further out"
	Below     string   `json:"below"`    // who is ahead before At; over the whole range when At is unknown; "" when nobody is
	Above     string   `json:"above"`
	Decided   bool     `json:"decided"` // both sides are told apart from a draw
	Sentence  string   `json:"sentence"`
}

// A WinMap says who has the best score over a plane of document size and mix
// of two operations. Hatch the undecided cells.
type WinMap struct {
	Title  string      `json:"title"`
	XAxis  string      `json:"xAxis"`  // "clusters", logarithmic
	YAxis  string      `json:"yAxis"`  // "share of Decompress", 0 = only the other operation
	X      []float64   `json:"x"`      // centres of the columns
	Y      []float64   `json:"y"`      // centres of the rows, ascending
	Cells  [][]WinCell `json:"cells"`  // [y][x]
	Points []float64   `json:"points"` // the sizes measured; what is between is interpolated on log axes
}

// A WinCell is one point of the plane.
type WinCell struct {
	Winner  string   `json:"winner"`  // best mean score
	Share   float64  `json:"share"`   // of bootstrap draws it wins
	Decided bool     `json:"decided"` // it wins at least 95 % of the draws
	Among   []string `json:"among"`   // who wins the other draws, most first; at most three
}

// An AA is the lab's test on itself: equal things measured as if they differed.
type AA struct {
	Comparisons int      `json:"comparisons"` // benchmarks measured twice
	Different   int      `json:"different"`   // called different one by one: p < alpha and beyond the margin
	Corrected   int      `json:"corrected"`   // the same after Holm, as a table would show it
	Significant int      `json:"significant"` // p < alpha, margin or not: alpha of them are expected
	Passed      bool     `json:"passed"`      // at least 95 % without a difference, and no twin wins
	Alpha       float64  `json:"alpha"`
	Margin      float64  `json:"margin"`
	Cases       []AACase `json:"cases"` // the backends' scores against their twins'
	Worst       []AACell `json:"worst"` // the largest differences, at most ten
	Warnings    []string `json:"warnings"`
}

// An AACase is one backend's score against its twin's.
type AACase struct {
	Backend  string   `json:"backend"`
	Ratio    Float    `json:"ratio"` // twin over backend
	Interval Interval `json:"interval"`
	P        Float    `json:"p"`
	Mark     Mark     `json:"mark"`
}

// An AACell is one benchmark against its twin.
type AACell struct {
	Benchmark string   `json:"benchmark"`
	Backend   string   `json:"backend"`
	Ratio     Float    `json:"ratio"`
	Interval  Interval `json:"interval"`
	P         Float    `json:"p"` // not corrected
	Mark      Mark     `json:"mark"`
}
