package workload

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// A Body is a benchmark made ready on a subject. Every func but Run may be nil.
type Body struct {
	// Ops is how many operations a lot has.
	Ops int
	// Prepare makes the next lot ready.
	Prepare func() error
	// Run does the lot. Nothing else is timed. It returns a checksum of the answers.
	Run func() (uint64, error)
	// Want returns the checksum of the right answers to the lot that was run.
	Want func() (uint64, error)
	// One makes one operation ready and returns it, for the latency's tail.
	One func() (func() error, error)
	// Finish does what is left of the lot that One is in, so that the compressor
	// is again what the benchmarks after it take it for.
	Finish func() error
	// Metrics returns further figures, once.
	Metrics func() ([]Metric, error)
}

// A Metric is a figure with its unit, as Go benchmark results have them.
type Metric struct {
	Unit  string
	Value float64
}

// A Result is what was measured.
type Result struct {
	Name    string // without "Benchmark" and the number of procs
	N       int    // operations timed
	Metrics []Metric
}

// Metric returns a figure of a result, and false if it has none of that unit.
func (r Result) Metric(unit string) (float64, bool) {
	for _, m := range r.Metrics {
		if m.Unit == unit {
			return m.Value, true
		}
	}
	return 0, false
}

// WrongAnswerError is the error of a backend whose answers are not those that
// the document's list gives.
type WrongAnswerError struct {
	Name      string // of the benchmark
	Lot       int    // which lot, from 1
	Got, Want uint64 // checksums
}

func (e *WrongAnswerError) Error() string {
	return fmt.Sprintf("%s: wrong answers in lot %d: checksum %016x, the document's own list gives %016x; nothing of this backend can be trusted", e.Name, e.Lot, e.Got, e.Want)
}

// A Meter times lots of a body.
type Meter struct {
	name    string
	body    Body
	trust   bool // do not check the answers
	slow    bool // a lot takes so long that one must do
	n       int
	lots    int
	elapsed time.Duration
	mallocs uint64
	bytes   uint64
}

// NewMeter makes a benchmark ready on a subject and runs its first lots, which
// warm up and count allocations.
func NewMeter(b *Benchmark, s *Subject) (*Meter, error) {
	body, err := b.Setup(s)
	m := &Meter{name: b.Name(s), body: body, trust: s.unchecked()}
	if err != nil {
		return nil, m.fail(err)
	}
	if body.Ops == 1 && len(s.Document.Clusters) > Huge {
		// One lot must do if it takes long: it is timed and counted.
		if err := m.count(false); err != nil {
			return nil, err
		}
		if m.slow = m.elapsed > slowLot; m.slow {
			return m, nil
		}
	}
	if body.Ops > 1 {
		// The first lot pays for what a loaded table has no reserve for yet.
		if err := m.Lot(); err != nil {
			return nil, err
		}
		m.lots = 0
	}
	if err := m.count(true); err != nil {
		return nil, err
	}
	if body.Ops == 1 && m.elapsed < quickLot {
		// The first one paid for what is made once a process.
		return m, m.count(true)
	}
	return m, nil
}

// quickLot is how long a lot of one operation takes at the most for which it is
// counted a second time: of longer ones the few allocations that a process
// makes once are a small part.
const quickLot = 20 * time.Millisecond

// slowLot is how long a lot on a huge document takes that is not repeated to
// warm up or to count allocations better.
const slowLot = 100 * time.Millisecond

// count runs a lot and counts its allocations; counting is not timed.
func (m *Meter) count(quietly bool) error {
	run, took := m.body.Run, m.elapsed
	defer func() { m.body.Run, m.elapsed = run, took }()
	m.body.Run = func() (sum uint64, err error) {
		m.mallocs, m.bytes = allocations(quietly, func() {
			start := time.Now()
			sum, err = run()
			took += time.Since(start)
		})
		return sum, err
	}
	return m.Lot()
}

// allocations counts what f allocates. Quietly means with one processor and no
// garbage collection, so that the runtime, which would start threads and
// workers, allocates next to nothing; no time is to be taken then.
func allocations(quietly bool, f func()) (n, bytes uint64) {
	runtime.GC()
	if quietly {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}

func (m *Meter) fail(err error) error {
	var wrong *WrongAnswerError
	if err == nil || errors.As(err, &wrong) {
		return err
	}
	if m.trust { // an answer that is not right can also make a call fail
		return fmt.Errorf("%s: %w: %w", m.name, ErrDoesNotApply, err)
	}
	return fmt.Errorf("%s: %w", m.name, err)
}

// Reset forgets the times measured so far.
func (m *Meter) Reset() { m.n, m.elapsed = 0, 0 }

// Lot prepares, times and checks one lot.
func (m *Meter) Lot() error {
	if m.body.Prepare != nil {
		if err := m.body.Prepare(); err != nil {
			return m.fail(err)
		}
	}
	start := time.Now()
	sum, err := m.body.Run()
	m.elapsed += time.Since(start)
	m.n += m.body.Ops
	m.lots++
	if err != nil {
		return m.fail(err)
	}
	want, err := m.body.Want()
	if m.trust {
		return nil
	}
	if err != nil {
		return m.fail(err)
	}
	if sum != want {
		return &WrongAnswerError{Name: m.name, Lot: m.lots, Got: sum, Want: want}
	}
	return nil
}

// patience is how many times longer than what is timed a measurement may take
// with all its preparations.
const patience = 3

// Run times lots until they took benchtime in all, at least one. Those before
// were to warm up, unless they are slow.
func (m *Meter) Run(benchtime time.Duration) error {
	if !m.slow {
		m.Reset()
	}
	deadline := time.Now().Add(patience * benchtime)
	for m.elapsed < benchtime && (m.n == 0 || time.Now().Before(deadline)) {
		if err := m.Lot(); err != nil {
			return err
		}
	}
	return nil
}

// Result returns the figures so far.
func (m *Meter) Result() (Result, error) {
	ops := uint64(m.body.Ops)
	r := Result{Name: m.name, N: m.n, Metrics: []Metric{
		{"ns/op", float64(m.elapsed.Nanoseconds()) / float64(max(m.n, 1))},
		{"B/op", float64(m.bytes / ops)},
		{"allocs/op", float64(m.mallocs / ops)},
	}}
	if m.body.Metrics != nil {
		more, err := m.body.Metrics()
		if err != nil {
			return r, m.fail(err)
		}
		r.Metrics = append(r.Metrics, more...)
	}
	return r, nil
}

// Measure measures a benchmark on a subject for benchtime and, with tail, the
// distribution of its single operations where it has them. A benchtime of 0 is
// for the figures that are counted: the result has no time.
func Measure(b *Benchmark, s *Subject, benchtime time.Duration, tail bool) (Result, error) {
	m, err := NewMeter(b, s)
	if err != nil {
		return Result{}, err
	}
	if benchtime > 0 {
		err = m.Run(benchtime)
	} else {
		m.n = m.body.Ops // the lot that was counted
	}
	if err != nil {
		return Result{}, err
	}
	r, err := m.Result()
	if benchtime == 0 {
		r.Metrics = slices.DeleteFunc(r.Metrics, func(m Metric) bool { return m.Unit == "ns/op" })
	}
	if err == nil && tail && m.body.One != nil {
		var more []Metric
		more, err = m.latencies(benchtime)
		r.Metrics = append(r.Metrics, more...)
	}
	return r, err
}

// AppendText appends the result as a line of Go benchmark format.
func (r Result) AppendText(dst []byte) ([]byte, error) {
	dst = append(dst, "Benchmark"...)
	dst = append(dst, r.Name...)
	if procs := runtime.GOMAXPROCS(0); procs > 1 {
		dst = fmt.Appendf(dst, "-%d", procs)
	}
	dst = fmt.Appendf(dst, "\t%8d", r.N)
	for _, m := range r.Metrics {
		dst = append(dst, '\t')
		dst = appendValue(dst, m.Value)
		dst = append(dst, ' ')
		dst = append(dst, m.Unit...)
	}
	return append(dst, '\n'), nil
}

// appendValue writes whole numbers whole and others in four digits or more.
func appendValue(dst []byte, v float64) []byte {
	if v == float64(int64(v)) {
		return fmt.Appendf(dst, "%10d", int64(v))
	}
	if v < 100 {
		return fmt.Appendf(dst, "%10.4g", v)
	}
	return fmt.Appendf(dst, "%10.1f", v)
}

// String returns the line.
func (r Result) String() string {
	text, _ := r.AppendText(nil)
	return strings.TrimSuffix(string(text), "\n")
}

// Units are the units that need to be said to readers of the results, as unit
// metadata lines of the format.
func Units() string {
	lines := []string{
		"Unit B/op better=lower assume=exact",
		"Unit allocs/op better=lower assume=exact",
		"Unit inuse-bytes better=lower assume=exact",
		"Unit serialized-bytes better=lower assume=exact",
		"Unit heap-bytes better=lower",
		"Unit heap-bytes/id better=lower",
		"Unit gc-ns better=lower",
		"Unit probes/op better=lower",
	}
	for _, q := range quantiles {
		lines = append(lines, "Unit "+q.unit+" better=lower")
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}
