package backendtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// keys is a way to choose the UUIDs of sessions, in no order; of equal ones the
// first counts.
type keys struct {
	name string
	id   func(i int) numericuuid.UUID
}

var spreadKeys = keys{"random UUIDs", func(i int) numericuuid.UUID {
	return numericuuid.UUID{Hi: spread(uint64(i)) & hiMask, Lo: spread(^uint64(i))}
}}

// adversarialKeys are what someone would send who knows a backend: keys that
// fall together under whatever part of them it looks at.
var adversarialKeys = []keys{
	{"UUIDs one apart", func(i int) numericuuid.UUID {
		return numericuuid.UUID{Hi: 0x12345, Lo: ^uint64(0) - 500}.Add(uint64(i))
	}},
	{"UUIDs 2^20 apart", func(i int) numericuuid.UUID { return numericuuid.UUID{Hi: 0x12345, Lo: uint64(i) << 20} }},
	{"UUIDs with the top 58 bits in common", func(i int) numericuuid.UUID {
		return numericuuid.UUID{Hi: 0x2aaaaaaaaaaaaaa, Lo: spread(uint64(i))}
	}},
	{"UUIDs with the low 64 bits in common", func(i int) numericuuid.UUID {
		return numericuuid.UUID{Hi: spread(uint64(i)) & hiMask, Lo: 0x8000000000000001}
	}},
	{"UUIDs that differ in 16 bits in the middle", func(i int) numericuuid.UUID {
		return numericuuid.UUID{Hi: 0x155555555500000 | uint64(i)>>8, Lo: uint64(i)<<56 | 77}
	}},
	{"UUIDs that differ in the top 16 bits", func(i int) numericuuid.UUID {
		return numericuuid.UUID{Hi: uint64(i) << 42, Lo: 3}
	}},
	{"UUIDs at both ends", func(i int) numericuuid.UUID {
		if i%2 == 0 {
			return numericuuid.UUID{Lo: uint64(i / 2)}
		}
		return numericuuid.UUID{Hi: numericuuid.Max.Hi, Lo: numericuuid.Max.Lo - uint64(i/2)}
	}},
	{"UUIDs in a geometric sequence", func(i int) numericuuid.UUID {
		// 122 lengths of prefix, and variations in the lowest bits.
		bit, low := i%122, uint64(i/122)
		if bit < 64 {
			return numericuuid.UUID{Lo: 1<<bit ^ low<<1}
		}
		return numericuuid.UUID{Hi: 1 << (bit - 64), Lo: low << 1}
	}},
}

// capacities are ways to choose the capacity of the i-th cluster, which begins
// at a final ID.
var capacities = map[string]func(i int, final int64) int64{
	"1":     func(int, int64) int64 { return 1 },
	"512":   func(int, int64) int64 { return 512 },
	"small": func(i int, _ int64) int64 { return int64(spread(uint64(i)) % 10) },
	"powers of two, one more, one less": func(i int, _ int64) int64 {
		return 1<<(spread(uint64(i))%12) + int64(i%3) - 1
	},
	"to the edges of pages": func(i int, final int64) int64 {
		page := int64(64) << (spread(uint64(i)) % 8)
		return page - final%page + int64(i%3) - 1
	},
	"mixed, some of them wide": func(i int, _ int64) int64 {
		if i%97 == 0 {
			return 1 << 40
		}
		return int64(spread(uint64(i)) % 2000)
	},
}

// order is the order in which sessions are added.
type order int

const (
	ascending order = iota
	descending
	shuffled
)

func (o order) String() string { return [...]string{"ascending", "descending", "in random order"}[o] }

// document says what a large table holds.
type document struct {
	keys      keys
	order     order
	nSessions int
	nClusters int // dealt to the sessions
	capacity  func(i int, final int64) int64
}

func (d document) String() string {
	return fmt.Sprintf("%d sessions, %v %v, %d clusters", d.nSessions, d.keys.name, d.order, d.nClusters)
}

// smallDocument is a table for tests that need some content.
var smallDocument = document{
	keys: spreadKeys, order: shuffled, nSessions: 20, nClusters: 60,
	capacity: capacities["powers of two, one more, one less"],
}.build()

// contents is what a table of a document holds. It answers by construction:
// what a cluster was made from says what its IDs are.
type contents struct {
	document
	sessions []numericuuid.UUID
	clusters []impls.Cluster
	sorted   []impls.Session   // by UUID
	chains   [][]impls.Cluster // by session
}

func (d document) build() *contents {
	rng := rand.New(rand.NewPCG(1, 2))
	c := &contents{document: d, chains: make([][]impls.Cluster, d.nSessions)}
	seen := map[numericuuid.UUID]bool{}
	for i := 0; len(c.sessions) < d.nSessions; i++ {
		if id := d.keys.id(i); !seen[id] {
			seen[id] = true
			c.sessions = append(c.sessions, id)
		}
	}
	slices.SortFunc(c.sessions, numericuuid.UUID.Compare)
	switch d.order {
	case descending:
		slices.Reverse(c.sessions)
	case shuffled:
		rng.Shuffle(len(c.sessions), func(i, j int) {
			c.sessions[i], c.sessions[j] = c.sessions[j], c.sessions[i]
		})
	}
	var final int64
	for i := range d.nClusters {
		s := impls.Session(i % d.nSessions)
		if i/d.nSessions%2 == 1 {
			s = impls.Session(rng.IntN(d.nSessions))
		}
		gen := int64(1)
		if chain := c.chains[s]; len(chain) > 0 {
			gen = chain[len(chain)-1].GenLimit()
		}
		capacity := max(d.capacity(i, final), 1)
		if above, ok := numericuuid.Max.Sub(c.sessions[s]); ok && above < impls.MaxID {
			capacity = min(capacity, int64(above)+2-gen)
		}
		if capacity < 1 {
			continue // the session is at the end of the UUIDs
		}
		cluster := impls.Cluster{Session: s, BaseFinal: final, BaseGen: gen, Capacity: capacity, Count: capacity}
		if i%5 == 0 {
			cluster.Count = int64(spread(uint64(i)) % uint64(capacity+1))
		}
		c.chains[s] = append(c.chains[s], cluster)
		c.clusters = append(c.clusters, cluster)
		final += capacity
	}
	c.sorted = make([]impls.Session, d.nSessions)
	for s := range c.sorted {
		c.sorted[s] = impls.Session(s)
	}
	slices.SortFunc(c.sorted, func(a, b impls.Session) int { return c.sessions[a].Compare(c.sessions[b]) })
	return c
}

// size returns the number of sessions and clusters.
func (c *contents) size() int { return len(c.sessions) + len(c.clusters) }

// history returns the calls that make the table.
func (c *contents) history() history {
	var h history
	for _, id := range c.sessions {
		h = append(h, call{method: addSession, id: id})
	}
	for _, cluster := range c.clusters {
		h = append(h, call{method: appendCluster, c: cluster})
	}
	return h
}

// nearest returns the session at or below id.
func (c *contents) nearest(id numericuuid.UUID) (impls.Session, bool) {
	at := sort.Search(len(c.sorted), func(i int) bool { return id.Less(c.sessions[c.sorted[i]]) })
	if at == 0 {
		return 0, false
	}
	return c.sorted[at-1], true
}

// byStableID returns the place of id in the chain of the nearest session.
func (c *contents) byStableID(id numericuuid.UUID) impls.Place {
	s, ok := c.nearest(id)
	if !ok {
		return impls.Place{}
	}
	offset, ok := id.Sub(c.sessions[s])
	if !ok || offset >= impls.MaxID {
		return impls.Place{}
	}
	gen := int64(offset) + 1
	at, found := slices.BinarySearchFunc(c.chains[s], gen, func(cluster impls.Cluster, gen int64) int {
		switch {
		case cluster.GenLimit() <= gen:
			return -1
		case cluster.BaseGen > gen:
			return 1
		}
		return 0
	})
	if !found {
		return impls.Place{}
	}
	cluster := &c.chains[s][at]
	return cluster.PlaceOf(cluster.BaseFinal + gen - cluster.BaseGen)
}

// documents are the large tables: every kind of keys in every order, with the
// kinds of capacities in turn.
func documents() []document {
	names := make([]string, 0, len(capacities))
	for name := range capacities {
		names = append(names, name)
	}
	slices.Sort(names)
	var ds []document
	for _, k := range append(adversarialKeys[:len(adversarialKeys):len(adversarialKeys)], spreadKeys) {
		for _, o := range []order{ascending, descending, shuffled} {
			ds = append(ds, document{keys: k, order: o, nSessions: 700 / slowdown, nClusters: 2100 / slowdown,
				capacity: capacities[names[len(ds)%len(names)]]})
		}
	}
	for _, name := range names { // long chains
		ds = append(ds,
			document{keys: spreadKeys, nSessions: 1, nClusters: 3000 / slowdown, capacity: capacities[name]},
			document{keys: spreadKeys, order: shuffled, nSessions: 5, nClusters: 3000 / slowdown, capacity: capacities[name]})
	}
	return ds
}
