package workload

import (
	"fmt"
	"runtime"
	"runtime/metrics"

	"example.com/idlab/impls/idcompressor"
)

// buildFromState times the loading of the document's list into a compressor,
// without the reading of any serialized form. What it loads is what the other
// benchmarks of the subject ask.
func buildFromState(s *Subject) (Body, error) {
	s.Document.prepareAnswers()
	s.loaded = nil
	before := heapBytes()
	return Body{
		Ops:     1,
		Prepare: func() error { s.loaded = nil; return nil },
		Run: func() (uint64, error) {
			_, err := s.compressor()
			return 0, err
		},
		Want:    func() (uint64, error) { return s.Document.answers(s.loaded) },
		Metrics: func() ([]Metric, error) { return memory(s.loaded, before), nil },
	}, nil
}

// buildFromRanges times the finalizing of all the document's ranges in an
// empty compressor of another session.
func buildFromRanges(s *Subject) (Body, error) {
	d := s.Document
	if err := d.buildable(); err != nil {
		return Body{}, fmt.Errorf("%w: %w", ErrDoesNotApply, err)
	}
	var ranges []idcompressor.CreationRange
	for r := range d.Ranges() {
		ranges = append(ranges, r)
	}
	session := randomUUID(d.random("reader")).UUID()
	var built *idcompressor.Compressor
	d.prepareAnswers()
	before := heapBytes()
	return Body{
		Ops:     1,
		Prepare: func() error { built = nil; return nil },
		Run: func() (uint64, error) {
			var err error
			built, err = idcompressor.New(idcompressor.WithSession(session), idcompressor.WithBackend(s.Backend))
			if err != nil {
				return 0, err
			}
			for _, r := range ranges {
				if err := built.FinalizeCreationRange(r); err != nil {
					return 0, err
				}
			}
			return 0, nil
		},
		Want:    func() (uint64, error) { return d.answers(built) },
		Metrics: func() ([]Metric, error) { return memory(built, before), nil },
	}, nil
}

// asked is how many IDs of a compressor that was built are asked for.
const asked = 256

// prepareAnswers makes what answers needs, which is not to be counted as the
// compressor's memory.
func (d *Document) prepareAnswers() {
	if places := d.places(); places.len() > 0 {
		places.at(0) // and with it the whole lot
	}
}

// answers asks a compressor for some IDs of the document, and returns a
// checksum of those that come out wrong: 0 if none does.
func (d *Document) answers(c *idcompressor.Compressor) (sum uint64, err error) {
	places := d.places()
	for i := range min(places.len(), asked) {
		p := places.at(i)
		want := d.stableID(p.session, p.gen).UUID()
		got, err := c.Decompress(idcompressor.SessionSpaceID(p.final))
		if err != nil {
			return 0, err
		}
		back, _ := c.TryRecompress(want)
		if got != want || int64(back) != p.final {
			sum = fold(sum, ofUUID(got)|1)
		}
	}
	return sum, nil
}

// memory returns what a compressor takes: by its own account, by the
// growth of the heap, and by the time the garbage collector takes to mark the
// heap with it. The lab's own part in that has no pointers.
func memory(c *idcompressor.Compressor, before uint64) []Metric {
	after := heapBytes()
	heap := float64(max(after, before) - before)
	m := []Metric{{"heap-bytes", heap}, {"gc-ns", markTime()}}
	var ids int64
	for cluster := range c.Clusters() {
		ids += cluster.Count
	}
	if ids > 0 {
		m = append(m, Metric{"heap-bytes/id", heap / float64(ids)})
	}
	if n, ok := c.BytesInUse(); ok {
		m = append(m, Metric{"inuse-bytes", float64(n)})
	}
	return m
}

// heapBytes returns what is alive.
func heapBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// markTime runs a garbage collection and returns the CPU time of its marking,
// in nanoseconds.
func markTime() float64 {
	samples := []metrics.Sample{
		{Name: "/cpu/classes/gc/mark/assist:cpu-seconds"},
		{Name: "/cpu/classes/gc/mark/dedicated:cpu-seconds"},
		{Name: "/cpu/classes/gc/mark/idle:cpu-seconds"},
	}
	total := func() (sum float64) {
		metrics.Read(samples)
		for _, s := range samples {
			sum += s.Value.Float64()
		}
		return sum * 1e9
	}
	before := total()
	runtime.GC()
	return total() - before
}
