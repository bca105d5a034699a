package runner

import (
	"slices"
	"time"

	"example.com/idlab/bench/workload"
)

// A Mode is a size of a run.
type Mode struct {
	Level     workload.Level
	Blocks    int
	Benchtime time.Duration
	Documents []string // embedded ones
	Sweep     []string // embedded ones, with the quick benchmarks only
	Tail      bool
}

// The modes: under a minute, under five minutes, about an hour.
var (
	Quick = Mode{
		Level: workload.Quick, Blocks: MinBlocks, Benchtime: 20 * time.Millisecond,
		Documents: []string{"small", "sessions", "clusters"},
	}
	Default = Mode{
		Level: workload.Default, Blocks: 10, Benchtime: 20 * time.Millisecond,
		Documents: []string{"one-writer", "small", "sessions", "clusters"},
	}
	Full = Mode{
		Level: workload.Full, Blocks: 10, Benchtime: 100 * time.Millisecond,
		Documents: workload.Names(), Sweep: workload.Sweep(), Tail: true,
	}
)

// manyClusters is how many a document has that a quick run leaves stored forms
// out on.
const manyClusters = 100_000

// hugeClusters is how many a document has that takes seconds to build: it is
// measured in the fewest blocks, and little of it that is per document.
const hugeClusters = 1 << 20

// brief returns the keys of those benchmarks that are not per document, and
// of the quick ones.
func brief(keys []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
		b, ok := workload.Lookup(key)
		return ok && b.Per == "document" && b.Level > workload.Quick
	})
}

// Request returns the mode's request for backends, of which standard is the
// default. With no documents it has the mode's own, with no operations the
// mode's level, and the stored forms: packed ones on the standard backend only,
// since what they add costs the same on all.
func (m Mode) Request(backends []string, standard string, documents []Source, ops []string) (Request, error) {
	level, err := keysOf(m.Level, ops)
	if err != nil {
		return Request{}, err
	}
	quick, err := keysOf(workload.Quick, nil)
	if err != nil {
		return Request{}, err
	}
	r := Request{
		Seed: 1, Blocks: m.Blocks, Benchtime: m.Benchtime, Benchmarks: level, Tail: m.Tail,
		Documents: slices.Clone(documents), Standard: standard,
	}
	if len(ops) == 0 && slices.Contains(backends, standard) {
		r.addForms()
	}
	if len(documents) == 0 {
		for _, name := range m.Documents {
			src := Source{Name: name}
			switch n := src.clusters(); {
			case len(ops) > 0:
			case n > hugeClusters:
				src.Only, src.Blocks = brief(level), MinBlocks
			case n > manyClusters && m.Level == workload.Quick:
				src.Only = quick
			}
			r.Documents = append(r.Documents, src)
		}
		for _, name := range m.Sweep {
			if len(ops) == 0 {
				r.Documents = append(r.Documents, Source{Name: name, Only: quick})
			}
		}
	}
	for _, name := range backends {
		r.Subjects = append(r.Subjects, Subject{Backend: name})
		if name == standard {
			r.Subjects = append(r.Subjects, Subject{Backend: name, Twin: true})
		}
	}
	return r, nil
}

// addForms adds the benchmarks of stored forms; those of packed ones run on the
// standard backend only.
func (r *Request) addForms() {
	for _, f := range workload.Forms() {
		for _, key := range f.Keys() {
			if !slices.Contains(r.Benchmarks, key) {
				r.Benchmarks = append(r.Benchmarks, key)
			}
			if f.Packed {
				r.OnStandard = append(r.OnStandard, key)
			}
		}
	}
}

// keysOf returns the keys of a selection, with Build, whose memory every
// comparison needs.
func keysOf(level workload.Level, ops []string) ([]string, error) {
	chosen, err := workload.Select(level, ops)
	if err != nil {
		return nil, err
	}
	keys := []string{"Build"}
	for _, b := range chosen {
		if b.Key() != "Build" {
			keys = append(keys, b.Key())
		}
	}
	return keys, nil
}
