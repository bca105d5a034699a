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
	Sweep     []string // embedded ones, in the fewest blocks, with the quick benchmarks and Build only
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
		Level: workload.Full, Blocks: 8, Benchtime: 100 * time.Millisecond,
		Documents: workload.Names(), Sweep: workload.Sweep(), Tail: true,
	}
)

// manyClusters is how many a document has that a quick run leaves stored forms
// out on.
const manyClusters = 100_000

// buildKey is the benchmark whose memory every comparison needs, and which
// makes what the others run on.
const buildKey = "Build"

// brief returns the keys for huge documents, which are measured in the fewest
// blocks: of those benchmarks that are not per document, of the quick ones, and
// Build.
func brief(keys []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
		b, ok := workload.Lookup(key)
		return ok && b.Per == "document" && b.Level > workload.Quick && key != buildKey
	})
}

// Request returns the mode's request for backends, of which standard is the
// default. With no documents it has the mode's own, with no operations the
// mode's level, and the stored forms: packed ones on the standard backend only,
// since what they add costs the same on all.
func (m Mode) Request(backends []string, standard string, documents []Source, ops []string) (Request, error) {
	level, timed, err := keysOf(m.Level, ops)
	if err != nil {
		return Request{}, err
	}
	quick, _, err := keysOf(workload.Quick, nil)
	if err != nil {
		return Request{}, err
	}
	r := Request{
		Seed: 1, Blocks: m.Blocks, Benchtime: m.Benchtime, Benchmarks: level, Tail: m.Tail,
		Documents: slices.Clone(documents), Standard: standard, Untimed: !timed,
	}
	if len(ops) == 0 && slices.Contains(backends, standard) {
		r.addForms()
	}
	if len(documents) == 0 {
		for _, name := range m.Documents {
			src := Source{Name: name}
			switch n := src.clusters(); {
			case len(ops) > 0:
			case n > workload.Huge:
				src.Only, src.Blocks = brief(level), MinBlocks
			case n > manyClusters && m.Level == workload.Quick:
				src.Only = quick
			}
			r.Documents = append(r.Documents, src)
		}
		for _, name := range m.Sweep {
			if len(ops) == 0 {
				r.Documents = append(r.Documents, Source{Name: name, Only: quick, Blocks: MinBlocks})
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

// addForms adds the benchmarks of stored forms. Those of packed ones, and those
// that only the choice of the form needs, run on the standard backend only.
func (r *Request) addForms() {
	for _, f := range workload.Forms() {
		for _, key := range f.Keys() {
			added := !slices.Contains(r.Benchmarks, key)
			if added {
				r.Benchmarks = append(r.Benchmarks, key)
			}
			if added || f.Packed {
				r.OnStandard = append(r.OnStandard, key)
			}
		}
	}
}

// keysOf returns the keys of a selection and Build, and whether Build is one of
// the selection.
func keysOf(level workload.Level, ops []string) (keys []string, timed bool, err error) {
	chosen, err := workload.Select(level, ops)
	keys = []string{buildKey}
	for _, b := range chosen {
		if b.Key() == buildKey {
			timed = true
		} else {
			keys = append(keys, b.Key())
		}
	}
	return keys, timed, err
}
