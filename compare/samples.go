package compare

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/perf/benchfmt"
)

// The units this package knows by name, as benchunit tidies them.
const (
	UnitTime   = "sec/op"           // ns/op in the file
	UnitMemory = "inuse-bytes"      // of a document's tables, on Build
	UnitSize   = "serialized-bytes" // on Serialize and a stored form
)

// exactUnits are exact without a Unit line too.
var exactUnits = []string{"B/op", "allocs/op", UnitMemory, UnitSize}

var tailUnit = regexp.MustCompile(`^(p[0-9.]+|max)-sec$`)

// TailName returns the quantile that a latency's unit is of, "p99.9" or "max",
// and false for other units.
func TailName(unit string) (string, bool) {
	m := tailUnit.FindStringSubmatch(unit)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// A Set is what was read: results, indexed by what was measured and who.
type Set struct {
	Files []string

	results []result
	nValues int
	strings map[string]string
	names   map[string]*name
	configs map[string]*config
	last    *config // the latest result's
	blocks  map[string]int
	probe   map[int]float64 // block: noise
	units   benchfmt.UnitMetadataMap

	env   map[string]sighting // first of each key
	mixed map[string]error    // first contradiction of each key

	luckOnce sync.Once
	luck     map[string]luck // by series, see twinNoise

	samples map[sampleKey]*Sample
	ids     map[string][]ID // unit: what was measured, sorted
}

type result struct {
	*name
	*config
	values []value
	file   int
	line   int
}

type value struct {
	unit  string
	value float64
}

// config is shared by the results of a process.
type config struct {
	pairs []Setting
	block int // -1: none

	noted, notedPeer bool // its environment is in the Set's
}

func (c *config) get(key string) string {
	for _, p := range c.pairs {
		if p.Key == key {
			return p.Value
		}
	}
	return ""
}

type sampleKey struct {
	id   ID
	who  Subject
	unit string
}

// A Sample is the measurements of one benchmark, subject and unit, in the
// order they were read.
type Sample struct {
	Values []float64
	Blocks []int // the pairing key of each value; -1 where the file has none
}

func newSet() *Set {
	return &Set{
		strings: make(map[string]string), names: make(map[string]*name), configs: make(map[string]*config),
		blocks: make(map[string]int), probe: make(map[int]float64),
		env: make(map[string]sighting), mixed: make(map[string]error),
		samples: make(map[sampleKey]*Sample), ids: make(map[string][]ID),
	}
}

func (s *Set) intern(x string) string {
	if have, ok := s.strings[x]; ok {
		return have
	}
	s.strings[x] = x
	return x
}

// internConfig returns the configuration of rec, the same one for all results
// of a process, which follow each other.
func (s *Set) internConfig(rec *benchfmt.Result, file int) *config {
	if s.last != nil && s.last.equal(rec.Config) {
		return s.last
	}
	var b strings.Builder
	for _, c := range rec.Config {
		b.WriteString(c.Key)
		b.WriteByte(0)
		b.Write(c.Value)
		b.WriteByte(0)
	}
	c, ok := s.configs[b.String()]
	if !ok {
		c = &config{block: s.blockOf(rec, file)}
		for _, x := range rec.Config {
			c.pairs = append(c.pairs, Setting{x.Key, string(x.Value)})
		}
		s.configs[b.String()] = c
	}
	s.last = c
	return c
}

func (c *config) equal(cfg []benchfmt.Config) bool {
	return slices.EqualFunc(c.pairs, cfg, func(a Setting, b benchfmt.Config) bool {
		return a.Key == b.Key && a.Value == string(b.Value)
	})
}

// blockOf numbers the blocks. A block is told from others by the plan it
// belongs to: two files of one plan (a run resumed elsewhere) share blocks,
// two files without a plan never do, since block 3 of the one and block 3 of
// the other were not measured together.
func (s *Set) blockOf(rec *benchfmt.Result, file int) int {
	block := rec.GetConfig("block")
	if block == "" {
		return -1
	}
	scope := rec.GetConfig("plan")
	if scope == "" {
		scope = "file " + strconv.Itoa(file)
	}
	key := scope + "\x00" + block
	i, ok := s.blocks[key]
	if !ok {
		i = len(s.blocks)
		s.blocks[key] = i
	}
	return i
}

// finish builds the index.
func (s *Set) finish() error {
	pkg := make(map[string]string)
	for _, r := range s.results {
		p := r.get("pkg")
		if have, ok := pkg[r.full]; ok && have != p {
			return s.at(r, ErrMixed, "Benchmark%s is of package %q here and of %q before: two benchmarks with one name", r.full, p, have)
		}
		pkg[r.full] = p
		if r.foreign != nil {
			continue
		}
		for _, v := range r.values {
			key := sampleKey{r.id, r.who, v.unit}
			x := s.samples[key]
			if x == nil {
				x = new(Sample)
				s.samples[key] = x
			}
			x.add(v.value, r.block)
		}
	}
	seen := make(map[string]map[ID]bool)
	for k := range s.samples {
		if seen[k.unit] == nil {
			seen[k.unit] = make(map[ID]bool)
		}
		seen[k.unit][k.id] = true
	}
	for unit, ids := range seen {
		s.ids[unit] = sortedKeys(ids, compareIDs)
	}
	return nil
}

func (x *Sample) add(v float64, block int) {
	x.Values = append(x.Values, v)
	x.Blocks = append(x.Blocks, block)
}

// Sample returns the measurements of id by who in a tidied unit, nil if there are none.
func (s *Set) Sample(id ID, who Subject, unit string) *Sample {
	return s.samples[sampleKey{id, who, unit}]
}

// IDs returns what was measured in unit, sorted. The caller must not modify it.
func (s *Set) IDs(unit string) []ID { return s.ids[unit] }

// Subjects returns who was measured, sorted by name.
func (s *Set) Subjects() []Subject {
	seen := make(map[Subject]bool)
	for k := range s.samples {
		seen[k.who] = true
	}
	return sortedKeys(seen, compareSubjects)
}

// Units returns the units measured, time first, then the exact ones, each part sorted.
func (s *Set) Units() []string {
	seen := make(map[string]bool)
	for _, r := range s.results {
		for _, v := range r.values {
			seen[v.unit] = true
		}
	}
	rank := func(unit string) int {
		switch {
		case unit == UnitTime:
			return 0
		case s.Exact(unit):
			return 1
		}
		return 2
	}
	return sortedKeys(seen, func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
}

// Exact reports whether repeating a measurement in unit adds nothing: said by a
// Unit line (assume=exact), or one of the units that always are.
func (s *Set) Exact(unit string) bool {
	if u := s.units.Get(unit, "assume"); u != nil {
		return u.Value == "exact"
	}
	return slices.Contains(exactUnits, unit)
}

// Better is -1 when less of unit is better, +1 when more is, 0 when nobody said.
func (s *Set) Better(unit string) int {
	if b := s.units.GetBetter(unit); b != 0 || s.units.Get(unit, "better") != nil {
		return b
	}
	if slices.Contains(exactUnits, unit) || unit == "sec" || strings.HasSuffix(unit, "-sec") {
		return -1 // bytes, and the latency tail's p99-ns
	}
	return 0
}

// paired returns the logarithms of a and b over their common blocks, a block's
// repeated values averaged: x[i] and y[i] were measured next to each other. It
// returns nil unless both have blocks. Values of zero have no logarithm, and
// make it return nil too.
func paired(a, b *Sample) (x, y []float64) {
	la, lb := a.byBlock(), b.byBlock()
	if la == nil || lb == nil {
		return nil, nil
	}
	for _, block := range sortedKeys(la, func(a, b int) int { return a - b }) {
		if v, ok := lb[block]; ok {
			x, y = append(x, la[block]), append(y, v)
		}
	}
	return x, y
}

// byBlock returns the mean logarithm in each block; nil when a value has no
// block or no logarithm.
func (x *Sample) byBlock() map[int]float64 {
	sum := make(map[int]float64)
	n := make(map[int]int)
	for i, v := range x.Values {
		if x.Blocks[i] < 0 || v <= 0 {
			return nil
		}
		sum[x.Blocks[i]] += math.Log(v)
		n[x.Blocks[i]]++
	}
	for b := range sum {
		sum[b] /= float64(n[b])
	}
	return sum
}

func sortedKeys[K comparable, V any](m map[K]V, cmp func(a, b K) int) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, cmp)
	return keys
}
