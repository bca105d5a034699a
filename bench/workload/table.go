package workload

import (
	"errors"
	"fmt"
	"strings"
)

// A Benchmark is an operation in one of its variants.
type Benchmark struct {
	Op      string // as in Decompress
	Variant string // as in ids=random/batch=1024; empty if there is but one
	Per     string // what ns/op is per: "ID", "range" or "document"
	Level   Level  // the smallest run it is part of
	// Setup makes the benchmark ready on a subject, or returns an error that
	// matches [ErrDoesNotApply].
	Setup func(*Subject) (Body, error)
}

// ErrDoesNotApply is the error of a benchmark that makes no sense on a
// document, for instance since nobody but the measuring session wrote it.
var ErrDoesNotApply = errors.New("the benchmark does not apply to the document")

// A Level is a size of a run.
type Level int

// The levels, each with all that is in the one before.
const (
	Quick Level = iota
	Default
	Full
)

// Table returns all benchmarks, Build first. To add one, add an entry.
func Table() []Benchmark {
	benchmarks := []Benchmark{
		{Op: "Build", Per: "document", Level: Default, Setup: buildFromState},
		{Op: "Build", Variant: "from=ranges", Per: "document", Level: Full, Setup: buildFromRanges},

		{Op: "Replay", Per: "ID", Level: Quick, Setup: replay},

		{Op: "Generate", Variant: "ids=eager", Per: "ID", Level: Quick, Setup: generate(eagerIDs)},
		{Op: "Generate", Variant: "ids=local", Per: "ID", Level: Default, Setup: generate(localIDs)},
		{Op: "Generate", Variant: "ids=eager/batch=1024", Per: "ID", Level: Full, Setup: generateBatch(eagerIDs)},
		{Op: "Generate", Variant: "ids=local/batch=1024", Per: "ID", Level: Full, Setup: generateBatch(localIDs)},

		{Op: "TakeRange", Variant: "ids=local", Per: "range", Level: Default, Setup: takeRange(localIDs)},
		{Op: "TakeRange", Variant: "ids=eager", Per: "range", Level: Full, Setup: takeRange(eagerIDs)},

		{Op: "FinalizeRange", Variant: "ids=known", Per: "range", Level: Quick, Setup: finalizeKnown},
		{Op: "FinalizeRange", Variant: "ids=new", Per: "range", Level: Default, Setup: finalizeNew},
		{Op: "FinalizeRange", Variant: "ids=own", Per: "range", Level: Full, Setup: finalizeOwn},

		{Op: "NormalizeToOpSpace", Variant: "ids=local", Per: "ID", Level: Default, Setup: toOpSpace(ackedIDs)},
		{Op: "NormalizeToOpSpace", Variant: "ids=unacked", Per: "ID", Level: Full, Setup: toOpSpace(unackedIDs)},
		{Op: "NormalizeToOpSpace", Variant: "ids=eager", Per: "ID", Level: Full, Setup: toOpSpace(eagerOwnIDs)},

		{Op: "NormalizeToSessionSpace", Variant: "ids=remote", Per: "ID", Level: Quick, Setup: toSessionRemote},
		{Op: "NormalizeToSessionSpace", Variant: "ids=own", Per: "ID", Level: Full, Setup: toSessionOwn},
		{Op: "NormalizeToSessionSpace", Variant: "ids=remote-local", Per: "ID", Level: Full, Setup: toSessionRemoteLocal},

		{Op: "Decompress", Variant: "ids=random", Per: "ID", Level: Quick, Setup: decompressRandom},
		{Op: "Decompress", Variant: "ids=random/as=text", Per: "ID", Level: Full, Setup: decompressText},
		{Op: "Decompress", Variant: "ids=random/batch=1024", Per: "ID", Level: Default, Setup: decompressBatch},
		{Op: "Decompress", Variant: "ids=random/cache=cold", Per: "ID", Level: Full, Setup: cold(decompressRandom)},
		{Op: "Decompress", Variant: "ids=range/batch=1024", Per: "ID", Level: Full, Setup: decompressRange},
		{Op: "Decompress", Variant: "ids=hot", Per: "ID", Level: Full, Setup: decompressHot},
		{Op: "Decompress", Variant: "ids=local", Per: "ID", Level: Full, Setup: decompressOwn(ackedIDs)},
		{Op: "Decompress", Variant: "ids=eager", Per: "ID", Level: Full, Setup: decompressOwn(eagerOwnIDs)},

		{Op: "Recompress", Variant: "ids=random", Per: "ID", Level: Quick, Setup: recompressRandom},
		{Op: "Recompress", Variant: "ids=random/as=text", Per: "ID", Level: Full, Setup: recompressText},
		{Op: "Recompress", Variant: "ids=miss", Per: "ID", Level: Full, Setup: recompressMiss},
		{Op: "Recompress", Variant: "ids=random/batch=1024", Per: "ID", Level: Full, Setup: recompressBatch},
		{Op: "Recompress", Variant: "ids=random/cache=cold", Per: "ID", Level: Full, Setup: cold(recompressRandom)},
		{Op: "Recompress", Variant: "ids=hot", Per: "ID", Level: Full, Setup: recompressHot},
		{Op: "Recompress", Variant: "ids=local", Per: "ID", Level: Full, Setup: recompressOwn},
	}
	for _, f := range Forms() {
		benchmarks = append(benchmarks,
			Benchmark{Op: "Serialize", Variant: "form=" + f.Name, Per: "document", Level: f.level(true), Setup: serialize(f)},
			Benchmark{Op: "Deserialize", Variant: "form=" + f.Name, Per: "document", Level: f.level(false), Setup: deserialize(f)},
		)
	}
	return benchmarks
}

// Key returns operation and variant, as in "Decompress/ids=random".
func (b *Benchmark) Key() string {
	if b.Variant == "" {
		return b.Op
	}
	return b.Op + "/" + b.Variant
}

// Lookup returns the benchmark of that key.
func Lookup(key string) (*Benchmark, bool) {
	for _, b := range Table() {
		if b.Key() == key {
			return &b, true
		}
	}
	return nil, false
}

// Name returns the name of the benchmark on a subject, without "Benchmark".
func (b *Benchmark) Name(s *Subject) string {
	name := b.Op + "/doc=" + s.Document.Name + "/backend=" + s.Backend.Name
	if s.Twin {
		name += "/aa=twin"
	}
	if b.Variant != "" {
		name += "/" + b.Variant
	}
	return name
}

// Ops returns the operations of the table, in its order.
func Ops() []string {
	var ops []string
	seen := map[string]bool{}
	for _, b := range Table() {
		if !seen[b.Op] {
			seen[b.Op] = true
			ops = append(ops, b.Op)
		}
	}
	return ops
}

// Select returns the benchmarks of a level or below. With patterns, it returns
// those of all levels that one of them names instead: an operation
// ("Decompress", all its variants) or one variant of it ("Decompress/ids=hot").
func Select(level Level, patterns []string) ([]Benchmark, error) {
	var chosen []Benchmark
	used := map[string]bool{}
	for _, b := range Table() {
		match := len(patterns) == 0 && b.Level <= level
		for _, p := range patterns {
			if strings.EqualFold(p, b.Op) || strings.EqualFold(p, b.Key()) {
				match, used[p] = true, true
			}
		}
		if match {
			chosen = append(chosen, b)
		}
	}
	for _, p := range patterns {
		if !used[p] {
			return nil, fmt.Errorf("unknown operation %q: there are %s, each also with one of its variants, as in Decompress/ids=hot", p, strings.Join(Ops(), ", "))
		}
	}
	return chosen, nil
}
