package compare

import (
	"fmt"
	"math"
)

// MinBlocks is the fewest paired blocks (or samples) a verdict is built on. At
// six a 95 % interval of the median exists, and our own intervals still cover
// at least 93 % (TestCoverage).
const MinBlocks = 6

// Weights say how much each part of a score counts. Only their proportions
// matter. Memory weighs the backend alone, Size the stored form alone.
type Weights struct {
	Speed  float64
	Memory float64
	Size   float64
}

// DefaultWeights are used unless the user tells others.
var DefaultWeights = Weights{Speed: 1, Memory: 0.2, Size: 1}

// Options configure a comparison. Start from DefaultOptions: a zero means zero
// here (a margin of 0, a weight of 0), not "the default".
type Options struct {
	Alpha      float64 // significance level after Holm's correction
	Confidence float64 // of intervals
	Margin     float64 // practical margin as a fraction, 0.05 = 5 %; the noise may raise it
	Draws      int     // of the bootstrap
	Seed       uint64  // of the bootstrap: equal samples and options give equal results

	Weights Weights

	// Shares is the user's workload: the share of each operation ("Decompress")
	// or of one variant of it ("Decompress ids=local", as ID.Series says it).
	// Shares need not add up to 1. What is not named does not count. Nil: every
	// operation counts the same. The variants and documents a share covers count
	// the same within it.
	Shares map[string]float64

	Default     string         // the default backend: base of tables; "" for none
	Lines       map[string]int // lines of code of each backend or form: the last tie-break but the name
	PairByIndex bool           // pair the i-th sample with the i-th where there are no blocks: they were interleaved
}

// DefaultOptions hold lab.md's choices.
var DefaultOptions = Options{
	Alpha:      0.05,
	Confidence: 0.95,
	Margin:     0.05,
	Draws:      2000,
	Seed:       1,
	Weights:    DefaultWeights,
}

// An OptionError says which option cannot be used.
type OptionError struct {
	Option string
	Msg    string
}

func (e *OptionError) Error() string { return fmt.Sprintf("%s: %s", e.Option, e.Msg) }

func (o *Options) check() error {
	between := func(name string, v, low, high float64) error {
		if !(v >= low && v <= high) { // false for NaN too
			return &OptionError{name, fmt.Sprintf("%v is not between %v and %v", v, low, high)}
		}
		return nil
	}
	const most = 1e6
	for _, err := range []error{
		between("alpha", o.Alpha, 1e-6, 0.5),
		between("confidence", o.Confidence, 0.5, 0.9999),
		between("margin", o.Margin, 0, 10),
		between("draws", float64(o.Draws), 100, most),
		between("weight of speed", o.Weights.Speed, 0, most),
		between("weight of memory", o.Weights.Memory, 0, most),
		between("weight of size", o.Weights.Size, 0, most),
	} {
		if err != nil {
			return err
		}
	}
	var sum float64
	for name, share := range o.Shares {
		if err := between("share of "+name, share, 0, math.MaxFloat64/1e6); err != nil {
			return err
		}
		sum += share
	}
	if o.Shares != nil && sum == 0 {
		return &OptionError{"shares", "they add up to nothing"}
	}
	return nil
}
