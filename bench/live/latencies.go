package live

import (
	"encoding/json"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latencies are those of a node, from a microsecond to a minute: Ack from an
// operation's end to its coming back from the stream, added latency included;
// Publish from publishing to the stream's acknowledgement.
type Latencies struct{ Ack, Publish *hdrhistogram.Histogram }

func newLatencies() *Latencies {
	return &Latencies{newHistogram(), newHistogram()}
}

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, int64(longest/time.Microsecond), 3)
}

const longest = time.Minute

func observe(h *hdrhistogram.Histogram, d time.Duration) {
	// It is in the bounds, and so no error.
	_ = h.RecordValue(int64(min(max(d, time.Microsecond), longest) / time.Microsecond))
}

// merge adds what another has.
func (l *Latencies) merge(o *Latencies) {
	if o != nil {
		l.Ack.Merge(o.Ack)
		l.Publish.Merge(o.Publish)
	}
}

type wireLatencies struct{ Ack, Publish string }

// MarshalJSON is [json.Marshaler]: each in HdrHistogram's compressed form.
func (l *Latencies) MarshalJSON() ([]byte, error) {
	ack, err := l.Ack.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, err
	}
	publish, err := l.Publish.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, err
	}
	return json.Marshal(wireLatencies{string(ack), string(publish)})
}

// UnmarshalJSON is [json.Unmarshaler].
func (l *Latencies) UnmarshalJSON(data []byte) (err error) {
	var wire wireLatencies
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	if l.Ack, err = hdrhistogram.Decode([]byte(wire.Ack)); err != nil {
		return err
	}
	l.Publish, err = hdrhistogram.Decode([]byte(wire.Publish))
	return err
}

// Quantiles are those of a latency, in nanoseconds; the histogram's resolution
// is three digits.
type Quantiles struct {
	P50  time.Duration `json:"p50-ns"`
	P99  time.Duration `json:"p99-ns"`
	P999 time.Duration `json:"p99.9-ns"`
	Max  time.Duration `json:"max-ns"`
}

func quantiles(h *hdrhistogram.Histogram) Quantiles {
	at := func(q float64) time.Duration { return time.Duration(h.ValueAtQuantile(q)) * time.Microsecond }
	return Quantiles{at(50), at(99), at(99.9), time.Duration(h.Max()) * time.Microsecond}
}
