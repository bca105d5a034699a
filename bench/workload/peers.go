package workload

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// A Peer is something that does the work of a backend without being one. It is
// measured beside the backends and never recommended.
type Peer struct {
	Name string
	// Document is the only one it is measured on; "" for those of backends.
	Document   string
	Benchmarks []Benchmark // of the operations of backends, under their keys, or its own
}

// Peers returns the peers that are written in Go: what a program would do
// without a compressor, and maps.
func Peers() []Peer {
	peers := []Peer{
		{Name: "uuid-map", Benchmarks: []Benchmark{
			{Op: "Build", Per: "document", Setup: plain(buildPlain(withMap))},
			{Op: "Generate", Variant: "ids=local", Per: "ID", Setup: drawPlain},
			{Op: "Recompress", Variant: "ids=random", Per: "ID", Setup: plain(recompressPlain(mostQueries))},
			{Op: "Recompress", Variant: "ids=hot", Per: "ID", Setup: plain(recompressPlain(hot))},
			{Op: "Recompress", Variant: "ids=miss", Per: "ID", Setup: plain(missPlain)},
		}},
		{Name: "uuid-slice", Benchmarks: []Benchmark{
			{Op: "Build", Per: "document", Setup: plain(buildPlain(withSlice))},
			{Op: "Decompress", Variant: "ids=random", Per: "ID", Setup: plain(decompressPlain(mostQueries))},
			{Op: "Decompress", Variant: "ids=hot", Per: "ID", Setup: plain(decompressPlain(hot))},
		}},
	}
	for _, c := range contestants {
		peers = append(peers, Peer{c.name, MapDocument, mapBenchmarks(c)})
	}
	return peers
}

// LookupPeer returns the peer of that name.
func LookupPeer(name string) (Peer, bool) {
	peers := Peers()
	i := slices.IndexFunc(peers, func(p Peer) bool { return p.Name == name })
	if i < 0 {
		return Peer{}, false
	}
	return peers[i], true
}

// Lookup returns the peer's benchmark of that key.
func (p *Peer) Lookup(key string) (*Benchmark, bool) {
	i := slices.IndexFunc(p.Benchmarks, func(b Benchmark) bool { return b.Key() == key })
	if i < 0 {
		return nil, false
	}
	return &p.Benchmarks[i], true
}

// Without a compressor, a program has an array of UUIDs, whose positions are
// its short IDs, and a map back.

// mostPlain is how many IDs of a document they take at the most. 150 million,
// as the larger documents have, need more memory than machines have; the first
// ones stand for all.
const mostPlain = 1 << 22

// plainTables are those of a document's first IDs; what is only reserved is a
// hole in the slice.
type plainTables struct {
	slice []uuid.UUID
	count int     // of the UUIDs in it
	final []int64 // queries, in random order
}

// plain makes the tables of a document's IDs before a benchmark is set up.
func plain(setup func(s *Subject, t *plainTables) (Body, error)) func(*Subject) (Body, error) {
	return func(s *Subject) (Body, error) { return setup(s, s.Document.plainIDs()) }
}

func (d *Document) plainIDs() *plainTables {
	t := &plainTables{}
	gens := make([]int64, len(d.Sessions))
	for _, c := range d.Clusters {
		room := min(c.Capacity, mostPlain-int64(len(t.slice)))
		for i := range room {
			var u uuid.UUID
			if i < c.Count {
				u = d.stableID(c.Session, gens[c.Session]+1+i).UUID()
				t.count++
			}
			t.slice = append(t.slice, u)
		}
		gens[c.Session] += c.Capacity
	}
	places := d.places()
	for i := range places.len() {
		if final := places.at(i).final; final < int64(len(t.slice)) {
			t.final = append(t.final, final)
		}
	}
	return t
}

func (t *plainTables) index() map[uuid.UUID]uint32 {
	index := map[uuid.UUID]uint32{}
	for i, u := range t.slice {
		if u != (uuid.UUID{}) {
			index[u] = uint32(i)
		}
	}
	return index
}

// asks returns a body that asks the queries of a pool.
func asks[Q any](p *pool[Q], run func(queries []Q) uint64) (Body, error) {
	if p.empty() {
		return Body{}, fmt.Errorf("%w: it has no such ID", ErrDoesNotApply)
	}
	return Body{
		Ops:     lot,
		Prepare: p.prepare,
		Run:     func() (uint64, error) { return run(p.taken()), nil },
		Want:    func() (uint64, error) { return p.want(), nil },
	}, nil
}

func decompressPlain(n int) func(*Subject, *plainTables) (Body, error) {
	return func(_ *Subject, t *plainTables) (Body, error) {
		p := newPool(min(n, len(t.final)), func(i int) (int64, uint64) {
			return t.final[i], ofUUID(t.slice[t.final[i]])
		})
		return asks(p, func(finals []int64) (sum uint64) {
			for _, final := range finals {
				sum = fold(sum, ofUUID(t.slice[final]))
			}
			return sum
		})
	}
}

func recompressPlain(n int) func(*Subject, *plainTables) (Body, error) {
	return func(_ *Subject, t *plainTables) (Body, error) {
		p := newPool(min(n, len(t.final)), func(i int) (uuid.UUID, uint64) {
			return t.slice[t.final[i]], uint64(t.final[i])
		})
		return asks(p, askIndex(t.index()))
	}
}

func missPlain(s *Subject, t *plainTables) (Body, error) {
	return asks(s.Document.misses(), askIndex(t.index()))
}

func askIndex(index map[uuid.UUID]uint32) func([]uuid.UUID) uint64 {
	return func(ids []uuid.UUID) (sum uint64) {
		for _, u := range ids {
			answer := uint64(missing)
			if final, ok := index[u]; ok {
				answer = uint64(final)
			}
			sum = fold(sum, answer)
		}
		return sum
	}
}

// A plain table is made of the UUIDs in their order.
type plainTable func(t *plainTables) (table any, sum uint64)

func withMap(t *plainTables) (any, uint64) {
	index := t.index()
	return index, uint64(len(index))
}

func withSlice(t *plainTables) (any, uint64) {
	var table []uuid.UUID
	n := 0
	for _, u := range t.slice {
		if u != (uuid.UUID{}) {
			n++
		}
		table = append(table, u)
	}
	return table, uint64(n)
}

func buildPlain(build plainTable) func(*Subject, *plainTables) (Body, error) {
	return func(_ *Subject, t *plainTables) (Body, error) {
		var table any
		before := heapBytes()
		return Body{
			Ops:     1,
			Prepare: func() error { table = nil; return nil },
			Run: func() (sum uint64, err error) {
				table, sum = build(t)
				return sum, nil
			},
			Want: func() (uint64, error) { return uint64(t.count), nil },
			Metrics: func() ([]Metric, error) {
				bytes := float64(heapBytes() - before)
				if table == nil {
					return nil, fmt.Errorf("workload: no table was made")
				}
				return []Metric{{"heap-bytes/id", bytes / float64(t.count)}}, nil
			},
		}, nil
	}
}

// drawPlain times how a new ID is made without a compressor: a random UUID
// that both tables take in. They begin empty, so that growth is in it.
func drawPlain(*Subject) (Body, error) {
	const ops = 16 * lot
	return Body{
		Ops: ops,
		Run: func() (uint64, error) {
			index := map[uuid.UUID]uint32{}
			var slice []uuid.UUID
			for range ops {
				u, err := uuid.NewRandom()
				if err != nil {
					return 0, err
				}
				index[u] = uint32(len(slice))
				slice = append(slice, u)
			}
			return uint64(len(index)), nil
		},
		Want: func() (uint64, error) { return ops, nil },
	}, nil
}
