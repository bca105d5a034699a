package trace

import (
	"cmp"
	"math/bits"
	"slices"

	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
)

// Profile counts what a program does, in the terms of the lab's benchmarks.
type Profile struct {
	Calls       int64
	Compressors int
	Sessions    int // at the end, of the compressor that has most clusters
	Clusters    int
	Ops         []OpProfile // those that occur, the most frequent first
}

// OpProfile counts one operation.
type OpProfile struct {
	Op     string  // the lab's name, as in "Decompress"; the trace's for what the lab does not measure
	Calls  int64   // calls that were made
	Count  int64   // IDs; calls where ranges or documents are handled
	Share  float64 // of the sum of all counts
	Errors int64   // calls that failed
	// Variants counts the cases that cost differently: by the kind of IDs
	// (local, eager, unacked, own, remote, remote-local, ghost), by whose a
	// range is (own, known, new), and what is not found (miss).
	Variants []Count
	// Batches counts the sizes in IDs of what is generated, taken or finalized
	// at once, by powers of two.
	Batches []Batch
}

// Count is how often a variant occurs, in the unit of the operation.
type Count struct {
	Variant string
	Count   int64
}

// Batch is how many calls had a size of Low to High IDs.
type Batch struct{ Low, High, Calls int64 }

// Profile runs the program on the default backend and counts.
func (p *Program) Profile() Profile {
	m := machine{backend: idcompressor.DefaultBackend, on: make([]*idcompressor.Compressor, p.slots)}
	counts := map[string]*opCounts{}
	profile := Profile{Compressors: p.slots}
	for i := range p.calls {
		c := p.calls[i]
		for range c.n {
			k := counts[c.op.label()]
			if k == nil {
				k = &opCounts{variants: map[string]int64{}}
				counts[c.op.label()] = k
			}
			owner := m.owner(p, &c)
			m.do(p, &c)
			k.add(&m, &c, owner, p.size(&m, &c))
			profile.Calls++
			c.id += int64(c.step)
		}
	}
	for _, comp := range m.on {
		if comp != nil && comp.Table().ClusterCount() >= profile.Clusters {
			profile.Clusters, profile.Sessions = comp.Table().ClusterCount(), comp.Table().SessionCount()
		}
	}
	profile.finish(counts)
	return profile
}

func (o opCode) label() string { return cmp.Or(ops[o].bench, ops[o].name) }

// opCounts is an OpProfile that is not sorted yet.
type opCounts struct {
	calls, count, errors int64
	variants             map[string]int64
	batches              [64]int64 // by bit length of size - 1
}

func (k *opCounts) add(m *machine, c *call, variant string, size int64) {
	k.calls++
	if m.out.err != nil {
		k.errors++
		k.count++
		k.variants["miss"]++
		return
	}
	if size > 0 {
		k.batches[bits.Len64(uint64(size-1))]++
	}
	if m.out.kind == answerIDs {
		for _, id := range m.out.ids {
			k.count++
			k.variants[kind(m, c, int64(id))]++
		}
		return
	}
	k.count++
	if variant = cmp.Or(variant, kind(m, c, m.out.id)); variant != "" {
		k.variants[variant]++
	}
}

// size returns how many IDs a call handles at once, 0 if that is not the point.
func (p *Program) size(m *machine, c *call) int64 {
	switch {
	case m.out.err != nil:
	case c.op == opGenerate, c.op == opGhost:
		return c.id
	case m.out.kind == answerRange && m.out.r.IDs != nil:
		return m.out.r.IDs.Count
	case c.op == opFinalize && p.ranges[c.arg].r.IDs != nil:
		return p.ranges[c.arg].r.IDs.Count
	}
	return 0
}

// owner tells ranges apart before they are finalized.
func (m *machine) owner(p *Program, c *call) string {
	if c.op != opFinalize || int(c.on) >= len(m.on) || m.on[c.on] == nil {
		return ""
	}
	r, table := p.ranges[c.arg].r, m.on[c.on].Table()
	if r.IDs == nil {
		return "empty"
	}
	if r.SessionID == m.on[c.on].LocalSessionID() {
		return "own"
	}
	id, ok := numericuuid.FromUUID(r.SessionID)
	if s, found := table.LookupSession(id); ok && found {
		if _, ok := table.LastCluster(s); ok {
			return "known"
		}
	}
	return "new"
}

// kind tells IDs apart: id is the one answered, c.id the one that was asked for.
func kind(m *machine, c *call, id int64) string {
	own := func(final int64) bool {
		place := m.on[c.on].Table().ByFinal(final)
		return place.Found() && place.Session == 0 // a compressor's own is its first
	}
	switch c.op {
	case opGenerate:
		if id < 0 {
			return "local"
		}
		return "eager"
	case opDocumentUnique:
		if m.out.unique.IsFinal() {
			return "eager"
		}
		return "local"
	case opToOp:
		switch {
		case c.id >= 0:
			return "eager"
		case id < 0:
			return "unacked"
		}
		return "local"
	case opToSession, opToSessionNoOrigin:
		switch {
		case m.out.kind == answerNull:
			return "miss"
		case id < 0 || own(id):
			return "own"
		case c.id < 0:
			return "remote-local"
		}
		return "remote"
	case opDecompress:
		switch {
		case c.id < 0:
			return "local"
		case own(c.id):
			return "eager"
		}
		return "remote"
	case opRecompress:
		switch {
		case m.out.kind == answerNull:
			return "miss"
		case id < 0 || own(id):
			return "own"
		}
		return "remote"
	case opGhost:
		return "ghost"
	}
	return ""
}

func (p *Profile) finish(counts map[string]*opCounts) {
	var all int64
	for op, k := range counts {
		o := OpProfile{Op: op, Calls: k.calls, Count: k.count, Errors: k.errors}
		all += k.count
		for variant, n := range k.variants {
			o.Variants = append(o.Variants, Count{variant, n})
		}
		slices.SortFunc(o.Variants, func(a, b Count) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Variant, b.Variant))
		})
		for i, n := range k.batches {
			if n > 0 {
				o.Batches = append(o.Batches, Batch{Low: int64(1)<<i/2 + 1, High: 1 << i, Calls: n})
			}
		}
		p.Ops = append(p.Ops, o)
	}
	for i := range p.Ops {
		p.Ops[i].Share = float64(p.Ops[i].Count) / float64(all)
	}
	slices.SortFunc(p.Ops, func(a, b OpProfile) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Op, b.Op))
	})
}
