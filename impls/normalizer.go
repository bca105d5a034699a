package impls

import (
	"errors"
	"iter"
)

// Run is a stretch of generation counts: First, First+1, ..., Last().
type Run struct{ First, Count int64 }

// Last returns the last generation count of the run.
func (r Run) Last() int64 { return r.First + r.Count - 1 }

// ErrRun is the error of a run that is empty, begins below 1, reaches past
// [MaxID], or does not lie after all others.
var ErrRun = errors.New("run is empty or out of order")

// Normalizer remembers which generation counts of the own session began life
// as local IDs: a set of integers that only grows at its end, kept as runs.
type Normalizer interface {
	// Append adds a run that lies after all others. One that adjoins the last
	// is merged with it. On ErrRun nothing has changed.
	Append(r Run) error
	// Contains reports whether a run covers gen.
	Contains(gen int64) bool
	// Runs yields what the runs have in common with [first, last], in order.
	// The normalizer must not be changed meanwhile.
	Runs(first, last int64) iter.Seq[Run]
	// RunCount returns the number of runs.
	RunCount() int
}

// CheckRun returns ErrRun unless r may follow a run that ends at last (0 if
// there is none). Normalizers share it.
func CheckRun(r Run, last int64) error {
	if r.Count < 1 || r.First <= last || r.First > MaxID || r.Count > MaxID-r.First+1 {
		return ErrRun
	}
	return nil
}

// Clip returns what r has in common with [first, last], and false if nothing.
func (r Run) Clip(first, last int64) (Run, bool) {
	first, last = max(first, r.First), min(last, r.Last())
	return Run{First: first, Count: last - first + 1}, first <= last
}
