package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A grid finds a contestant's samples.
type grid struct {
	set   *Set
	index map[gridKey]*Sample
}

type gridKey struct {
	id   ID
	name string
	unit string
}

// newGrid indexes s. by says which benchmark and contestant a sample belongs
// to, if to any.
func newGrid(s *Set, by func(ID, Subject) (ID, string, bool)) *grid {
	g := &grid{s, make(map[gridKey]*Sample)}
	for key, x := range s.samples {
		if id, name, ok := by(key.id, key.who); ok {
			g.index[gridKey{id, name, key.unit}] = x
		}
	}
	return g
}

// ids returns what anyone was measured with in unit, of op if one is named.
func (g *grid) ids(unit string, op ...string) []ID {
	seen := make(map[ID]bool)
	for key := range g.index {
		if key.unit == unit && (len(op) == 0 || slices.Contains(op, key.id.Op)) {
			seen[key.id] = true
		}
	}
	return sortedKeys(seen, compareIDs)
}

// common returns those of ids that every contestant was measured with; all of
// them where there is none, so that who lacks what is told.
func (g *grid) common(unit string, op ...string) []ID {
	if ids := g.shared(unit, op...); len(ids) > 0 {
		return ids
	}
	return g.ids(unit, op...)
}

// shared returns those of ids that every contestant was measured with.
func (g *grid) shared(unit string, op ...string) (ids []ID) {
	names := g.names()
	for _, id := range g.ids(unit, op...) {
		if !slices.ContainsFunc(names, func(name string) bool { return g.index[gridKey{id, name, unit}] == nil }) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (g *grid) names() []string {
	seen := make(map[string]bool)
	for key := range g.index {
		seen[key.name] = true
	}
	return sortedKeys(seen, strings.Compare)
}

func equal(n int) []float64 {
	share := make([]float64, n)
	for i := range share {
		share[i] = 1 / float64(n)
	}
	return share
}

// A need is a part of the score before it is looked up: the figures of ids in
// unit, each with its share.
type need struct {
	name     string // "encode"
	unit     string
	knob     string  // the user's weight it hangs on: "speed"
	fraction float64 // of that weight: encode and decode have half each
	weight   float64 // the product
	ids      []ID
	share    []float64
}

func newNeed(name, unit, knob string, weight, fraction float64, ids []ID, share []float64) need {
	return need{name, unit, knob, fraction, weight * fraction, ids, share}
}

func (c *contest) warn(format string, args ...any) {
	c.warnings = append(c.warnings, fmt.Sprintf(format, args...))
}

// fill looks up the parts. Geometric means are comparable over one set of
// benchmarks only, so that a contestant that misses one of a weighed part is
// left out, and named.
func (c *contest) fill(g *grid, byIndex bool, needs ...need) {
	for _, name := range g.names() {
		if why := missing(g, name, needs); why != "" {
			c.leftOut = append(c.leftOut, LeftOut{name, why})
			continue
		}
		c.names = append(c.names, name)
	}
	needs = slices.DeleteFunc(needs, func(n need) bool {
		if len(n.ids) == 0 && n.weight > 0 && len(c.names) > 0 {
			c.warn("%s is not weighed: no %s was measured", n.name, n.unit)
		}
		return len(n.ids) == 0 || n.weight == 0 && slices.ContainsFunc(c.names, func(name string) bool {
			return missing(g, name, []need{{unit: n.unit, weight: 1, ids: n.ids}}) != ""
		})
	})
	if len(c.names) == 0 {
		return
	}
	blocks := c.pairing(g, byIndex, needs)
	for _, n := range needs {
		c.parts = append(c.parts, n.part(g, c.names, blocks, c.blocks))
	}
}

// missing says what contestant name lacks, "" for nothing.
func missing(g *grid, name string, needs []need) string {
	var lacks []string
	for _, n := range needs {
		if n.weight == 0 {
			continue
		}
		for _, id := range n.ids {
			x := g.index[gridKey{id, name, n.unit}]
			switch {
			case x == nil:
				lacks = append(lacks, fmt.Sprintf("%s of %s", n.unit, id))
			case slices.Contains(x.Values, 0):
				return fmt.Sprintf("its %s of %s is 0, which has no ratio", n.unit, id)
			}
		}
	}
	switch len(lacks) {
	case 0:
		return ""
	case 1:
		return "it misses " + lacks[0]
	}
	return fmt.Sprintf("it misses %s and %d more", lacks[0], len(lacks)-1)
}

// pairing finds the blocks that every contestant completed. Without such
// blocks the i-th values stand together, which is pairing only if the user
// says that they were interleaved.
func (c *contest) pairing(g *grid, byIndex bool, needs []need) (blocks []int) {
	count := make(map[int]int) // block: samples that have it
	samples, shortest, whole := 0, math.MaxInt, true
	for _, n := range needs {
		if g.set.Exact(n.unit) {
			continue
		}
		for _, id := range n.ids {
			for _, name := range c.names {
				x := g.index[gridKey{id, name, n.unit}]
				samples++
				shortest = min(shortest, len(x.Values))
				seen := make(map[int]bool)
				for _, b := range x.Blocks {
					whole = whole && b >= 0
					if !seen[b] {
						seen[b] = true
						count[b]++
					}
				}
			}
		}
	}
	if samples == 0 {
		return nil
	}
	if whole {
		for b, n := range count {
			if n == samples {
				blocks = append(blocks, b)
			}
		}
		slices.Sort(blocks)
		if all := len(count); len(blocks) < all && len(blocks) > 0 {
			c.warn("%d of %d blocks do not have every benchmark, and are left out", all-len(blocks), all)
		}
	}
	if len(blocks) > 0 {
		c.paired, c.blocks = true, len(blocks)
		return blocks
	}
	c.paired, c.blocks = byIndex, shortest
	if !c.paired {
		c.warn("the samples have no common blocks: unpaired statistics, which find less")
	}
	return nil
}

// part looks n up: each contestant's mean log ratio to the best, by block.
func (n *need) part(g *grid, names []string, blocks []int, count int) part {
	p := part{need: *n, exact: g.set.Exact(n.unit), logs: make([][]float64, len(names)), center: make([]float64, len(names))}
	if p.exact {
		count = 1
	}
	for i := range names {
		p.logs[i] = make([]float64, count)
	}
	rows := make([][]float64, len(names))
	for j, id := range n.ids {
		best := math.Inf(1)
		for i, name := range names {
			rows[i] = g.row(gridKey{id, name, n.unit}, blocks, count)
			m, _ := meanSD(rows[i])
			p.center[i] += n.share[j] * m
			best = min(best, m)
		}
		for i, row := range rows {
			for k, v := range row {
				p.logs[i][k] += n.share[j] * (v - best)
			}
		}
	}
	for i := range p.center {
		p.center[i] = math.Exp(p.center[i])
	}
	return p
}

// row returns the logarithms of a sample in the blocks, or of its first values.
func (g *grid) row(key gridKey, blocks []int, count int) []float64 {
	x := g.index[key]
	switch {
	case g.set.Exact(key.unit):
		return []float64{math.Log(summarizeExact(x.Values).Center)}
	case blocks == nil:
		return logs(x.Values[:count])
	}
	by := x.byBlock()
	row := make([]float64, len(blocks))
	for i, b := range blocks {
		row[i] = by[b]
	}
	return row
}
