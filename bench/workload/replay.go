package workload

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"example.com/idlab/bench/trace"
	"example.com/idlab/impls"
	"example.com/idlab/impls/model"
	"example.com/idlab/impls/sortedslice"
)

// recorded is the trace a document comes from.
type recorded struct {
	program *trace.Program
	raw     []byte      // the trace, if the program cannot be handed on
	right   trace.Tally // what comes out
}

// LoadTrace returns the document that a trace (an idtrace or an editing trace,
// gzip-compressed or not) leaves behind, as its compressor with the most
// clusters holds it, together with the trace itself: its calls are what Replay
// times.
//
// The right answers are those of the naive model; where that would take very
// long, those of the textbook backend.
func LoadTrace(name string, data []byte, seed uint64) (*Document, error) {
	p, err := trace.Load(bytes.NewReader(data), name, trace.DefaultSettings)
	if err != nil {
		return nil, err
	}
	return fromProgram(name, p, data, seed)
}

// modelSteps is how many calls times clusters the model is asked for.
const modelSteps = 2e9

func fromProgram(name string, p *trace.Program, raw []byte, seed uint64) (*Document, error) {
	largest := -1
	on := p.Final(sortedslice.Backend)
	for i, c := range on {
		if c != nil && (largest < 0 || c.Table().ClusterCount() > on[largest].Table().ClusterCount()) {
			largest = i
		}
	}
	if largest < 0 || on[largest].Table().ClusterCount() == 0 {
		return nil, errors.New("the trace leaves no document: nothing is finalized in it")
	}
	state, err := on[largest].State(false)
	if err != nil {
		return nil, fmt.Errorf("the trace leaves no document that can be stored: %w", err)
	}
	d, err := FromState(name, state, seed)
	if err != nil {
		return nil, err
	}
	naive := model.Backend
	if float64(p.Calls())*float64(len(d.Clusters)) > modelSteps {
		naive = sortedslice.Backend
	}
	d.trace = &recorded{program: p, raw: raw, right: p.Run(naive)}
	return d, nil
}

// Trace returns the program of a document that comes from a trace, else nil.
func (d *Document) Trace() *trace.Program {
	if d.trace == nil {
		return nil
	}
	return d.trace.program
}

// replay times all calls of the document's trace, on new compressors.
func replay(s *Subject) (Body, error) {
	t := s.Document.trace
	if t == nil {
		return Body{}, fmt.Errorf("%w: it comes from no trace", ErrDoesNotApply)
	}
	return Body{
		Ops:  int(cmp.Or(t.right.IDs, t.right.Calls, 1)),
		Run:  func() (uint64, error) { return run(t.program, s.Backend), nil },
		Want: func() (uint64, error) { return t.right.Checksum, nil },
	}, nil
}

func run(p *trace.Program, b impls.Backend) uint64 { return p.Run(b).Checksum }
