package workload

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// quantiles of the latency's tail. At 100 the histogram says its maximum.
var quantiles = []struct {
	unit string
	at   float64
}{{"p50-ns", 50}, {"p99-ns", 99}, {"p99.9-ns", 99.9}, {"max-ns", 100}}

// The fewest operations a tail is taken of, so that a quantile of 99.9 % has
// ten of them beyond it, and the most.
const (
	fewestLatencies = 10_000
	mostLatencies   = 200_000
)

// latencies times single operations, each with the price of reading the clock,
// some 50 ns. What stalls (growing, rehashing, a garbage collection) shows
// here and not in a mean.
func (m *Meter) latencies(benchtime time.Duration) ([]Metric, error) {
	h := hdrhistogram.New(1, int64(time.Minute), 3)
	deadline := time.Now().Add(2 * benchtime)
	for n := 0; n < mostLatencies && (n < fewestLatencies || n%1024 != 0 || time.Now().Before(deadline)); n++ {
		one, err := m.body.One()
		if err != nil {
			return nil, m.fail(err)
		}
		start := time.Now()
		err = one()
		took := time.Since(start)
		if err != nil {
			return nil, m.fail(err)
		}
		if err := h.RecordValue(min(max(int64(took), 1), int64(time.Minute))); err != nil {
			return nil, m.fail(err)
		}
	}
	if m.body.Finish != nil {
		if err := m.body.Finish(); err != nil {
			return nil, m.fail(err)
		}
	}
	var metrics []Metric
	for _, q := range quantiles {
		metrics = append(metrics, Metric{q.unit, float64(h.ValueAtQuantile(q.at))})
	}
	return metrics, nil
}
