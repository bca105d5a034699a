package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"example.com/idlab/bench/workload"
	"example.com/idlab/impls"
)

// WorkerCommand is the first argument of a program that is to run [Worker].
const WorkerCommand = "worker"

// job is what a worker is told: a unit of a plan.
type job struct {
	Document   Source        `json:"document"`
	File       string        `json:"file,omitempty"` // the document in its binary form, if it is not an embedded one
	Seed       uint64        `json:"seed"`
	Subject    Subject       `json:"subject"`
	Benchmarks []string      `json:"benchmarks"` // in the order to run them
	Benchtime  time.Duration `json:"benchtime"`
	Untimed    bool          `json:"untimed,omitempty"` // Build is there for its memory
	Tail       bool          `json:"tail,omitempty"`
}

// Worker reads a job, measures, and writes the results as lines of Go
// benchmark format.
func Worker(stdin io.Reader, stdout io.Writer) error {
	var j job
	if err := json.NewDecoder(stdin).Decode(&j); err != nil {
		return fmt.Errorf("worker: this is a process that the lab starts by itself: %w", err)
	}
	s, lookup, err := j.subject()
	if err != nil {
		return err
	}
	for _, key := range j.Benchmarks {
		b, err := lookup(key)
		if err != nil {
			return err
		}
		if b == nil {
			continue
		}
		benchtime := j.Benchtime
		if j.Untimed && key == buildKey {
			benchtime = 0
		}
		r, err := workload.Measure(b, s, benchtime, j.Tail)
		if errors.Is(err, workload.ErrDoesNotApply) {
			continue
		}
		if err != nil {
			return err
		}
		line, err := r.AppendText(nil)
		if err != nil {
			return err
		}
		if _, err := stdout.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// subject returns what is measured, and a function that finds the benchmark of
// a key; of those that a peer has not, it is nil.
func (j *job) subject() (*workload.Subject, func(key string) (*workload.Benchmark, error), error) {
	peer, isPeer := workload.LookupPeer(j.Subject.Backend)
	if isPeer && peer.Document != "" {
		d := &workload.Document{Name: peer.Document, Seed: j.Seed}
		return workload.NewSubject(d, impls.Backend{Name: peer.Name}), peerLookup(peer), nil
	}
	d, err := j.document()
	if err != nil {
		return nil, nil, err
	}
	if isPeer {
		return workload.NewSubject(d, impls.Backend{Name: peer.Name}), peerLookup(peer), nil
	}
	backend, err := impls.Lookup(j.Subject.Backend)
	if err != nil {
		return nil, nil, err
	}
	s := workload.NewSubject(d, backend)
	s.Twin = j.Subject.Twin
	return s, func(key string) (*workload.Benchmark, error) {
		b, ok := workload.Lookup(key)
		if !ok {
			return nil, fmt.Errorf("worker: no benchmark %s", key)
		}
		return b, nil
	}, nil
}

func peerLookup(p workload.Peer) func(string) (*workload.Benchmark, error) {
	return func(key string) (*workload.Benchmark, error) {
		b, _ := p.Lookup(key)
		return b, nil
	}
}

func (j *job) document() (*workload.Document, error) {
	if j.File == "" {
		return workload.Embedded(j.Document.Name, j.Seed)
	}
	data, err := os.ReadFile(j.File)
	if err != nil {
		return nil, err
	}
	return workload.Restore(data)
}
