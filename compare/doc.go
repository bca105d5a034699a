// Package compare turns Go benchmark results into tables, verdicts and gates.
// It knows names and numbers, and nothing of what was measured.
//
// # Terms
//
// A sample is the repeated measurements of one benchmark by one subject (a
// backend) in one unit. A block is one round of a run, in which every subject
// was measured once, in shuffled order; what two subjects measured in one block
// is a pair, and the machine's mood cancels in its ratio. A pair of a backend
// with its own second registration is an A/A pair: its ratio is noise.
//
// A ratio is of times or bytes, other over base: 1.25 is a quarter more. All
// averaging is of logarithms, so that a ratio and its inverse weigh the same,
// and so that means of ratios are ratios of (geometric) means. An interval is a
// 95 % confidence interval. p is the chance of a difference at least as large
// as the one seen if there were none; after Holm's correction the chance that
// any comparison of the family is called different by mistake stays under alpha.
//
// The margin is the difference that would not matter in practice: the user's,
// or the measured noise if that is more. Significant and beyond the margin is
// better or worse; an interval inside the margin is equivalent; the rest is
// unclear, which is not the same as equal.
//
// # Layers
//
// Each can be used alone:
//
//   - Read gives a Set: strict where benchfmt is lenient, since half a file is
//     not a sample of anything. Errors name FILE:LINE.
//   - Options.Compare, CompareExact, Holm, SignFlip: the statistics of samples.
//   - Tabulate lays a Set out by benchproc projections.
//   - Choose decides which backend to run and which form to store.
//   - Gate compares a new run with a base; SelfTest a run with itself.
//   - BuildReport computes all a page shows (model.go, model_report.go); a
//     rendering reads that and computes nothing.
//
// # The tests, and why these
//
// Medians with their intervals, and the U test, are benchmath's. Paired samples
// are tested by flipping the signs of the blocks' log ratios, which assumes only
// that a pair could have been exchanged. Both tests have a floor: with six
// blocks no p is under 0.03, however large the difference, and Holm would
// multiply it. Where the floor times the family's size is over alpha, so that
// the test could show nothing, Student's (Welch's, unpaired) on the logarithms
// is used instead. That is decided by the number of blocks and of comparisons,
// never by the figures, and each result names its Method. TestFalseAlarms
// measures that it keeps alpha on normal, heavy-tailed and spiky noise.
//
// Intervals of ratios are a paired bootstrap over blocks, stretched so that they
// cover what they claim at six blocks (see interval in bootstrap.go, and
// TestCoverage); unpaired ones invert the U test. Exact figures (bytes,
// allocations, sizes) are not tested at all: different is different, from 0 to 1
// too, and nothing is divided by zero.
//
// Along a curve, somebody is ahead only by more than the margin and more than
// equal code differs from itself in that series: a process can be lucky in all
// its samples, which no interval between them holds (twinnoise.go).
//
// Everything is deterministic: one seed, PCG, and no order of a map or of a
// file reaches a result.
//
// # The score
//
// A backend's score is the weighted geometric mean of its ratios to each
// benchmark's best: speed, split among operations by the user's workload, and
// memory. A benchmark that one backend misses would make means over different
// sets, so that backend is left out, by name; a stored form that the default
// backend alone was measured with is there for the choice of the form, and
// leaves nobody out. The verdict is on the scores
// alone, one comparison a rival; everything else in a report is exploratory.
package compare
