package workload

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"math/rand/v2"

	"github.com/google/uuid"

	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
)

// lot is how many lookups are timed together.
const lot = 4096

// The bounds of how many queries there are: four a cluster, between these.
const (
	fewestQueries = 1 << 20
	mostQueries   = 1 << 22
)

// place is an ID of another session than the measuring one, finalized.
type place struct {
	final   int64
	gen     int64
	session int32
}

// drawn is the finalized IDs of all other sessions in random order, every one
// once. Nothing is written down but where clusters begin: the i-th query is
// the ID whose rank among them is the i-th of a permutation.
type drawn struct {
	spans []span
	guide []int32 // by rank >> shift, several a span: the first span that may hold it
	shift int
	order permutation
	lots  [][]place // those worked out so far, lot queries each: every pool asks for the same ones
}

// span is the finalized IDs of a cluster.
type span struct {
	rank  int64 // of the first one: how many come before it
	first place
}

// drawPlaces makes the order of the document's IDs.
func (d *Document) drawPlaces() *drawn {
	q := &drawn{spans: make([]span, 0, len(d.Clusters))}
	gens := make([]int64, len(d.Sessions))
	var final, total int64
	for _, c := range d.Clusters {
		if c.Session != 0 && c.Count > 0 {
			q.spans = append(q.spans, span{rank: total, first: place{final, gens[c.Session] + 1, c.Session}})
			total += c.Count
		}
		final += c.Capacity
		gens[c.Session] += c.Capacity
	}
	if total == 0 {
		return q
	}
	q.order = newPermutation(total, d.random("queries"))
	q.lots = make([][]place, (q.len()+lot-1)/lot)
	for total>>q.shift > int64(4*len(q.spans)) {
		q.shift++
	}
	q.guide = make([]int32, total>>q.shift+2)
	for i, at := 0, 0; i < len(q.guide); i++ {
		for at+1 < len(q.spans) && q.spans[at+1].rank <= int64(i)<<q.shift {
			at++
		}
		q.guide[i] = int32(at)
	}
	return q
}

// len returns how many queries there are to be.
func (q *drawn) len() int {
	return int(min(int64(q.order.n), int64(min(max(4*len(q.spans), fewestQueries), mostQueries))))
}

// at returns the i-th query. It must not be called from two goroutines.
func (q *drawn) at(i int) place {
	made := &q.lots[i/lot]
	if *made == nil {
		first := i / lot * lot
		*made = make([]place, min(lot, q.len()-first))
		q.draw(*made, first)
	}
	return (*made)[i%lot]
}

// draw works out the queries from the first one on. It does so in steps, each
// for all of them, so that cache misses overlap: drawing can cost more than
// what is then measured.
func (q *drawn) draw(dst []place, first int) {
	var ranks [lot]int64
	for i := range dst {
		ranks[i] = q.order.at(int64(first + i))
	}
	var lows, highs [lot]int32
	for i := range dst {
		bucket := ranks[i] >> q.shift
		lows[i], highs[i] = q.guide[bucket], q.guide[bucket+1]
	}
	for i := range dst {
		rank, low, high := ranks[i], lows[i], highs[i]
		for low < high { // the last span that begins at rank or before
			if middle := (low + high + 1) / 2; q.spans[middle].rank <= rank {
				low = middle
			} else {
				high = middle - 1
			}
		}
		s := &q.spans[low]
		offset := rank - s.rank
		dst[i] = place{s.first.final + offset, s.first.gen + offset, s.first.session}
	}
}

// permutation is a random order of the numbers below n, worked out one by one:
// shuffling millions of numbers costs more than asking about some of them.
type permutation struct {
	n     uint64
	mask  uint64 // 2^k - 1, at least n - 1
	shift int    // about k/2
	keys  [3]uint64
}

func newPermutation(n int64, r *rand.Rand) permutation {
	k := max(bits.Len64(uint64(n-1)), 1)
	p := permutation{n: uint64(n), mask: 1<<k - 1, shift: (k + 1) / 2}
	for i := range p.keys {
		p.keys[i] = r.Uint64()
	}
	return p
}

// at returns the i-th number. Every step is a bijection on k bits; numbers from
// n on are sent on until they come back below it.
func (p *permutation) at(i int64) int64 {
	x := uint64(i)
	for {
		for _, key := range p.keys {
			x = (x*(key|1) + key>>32) & p.mask
			x ^= x >> p.shift
		}
		if x < p.n {
			return int64(x)
		}
	}
}

// Finals yields up to n finalized IDs of other sessions: the queries that
// lookups begin with.
func (d *Document) Finals(n int) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		places := d.places()
		for i := range min(n, places.len()) {
			if !yield(places.at(i).final) {
				return
			}
		}
	}
}

// ownIDs are generation counts of the measuring session, in random order.
type ownIDs struct {
	finals                []int64 // by generation count; -1 where there is none
	local, unacked, eager []int64 // acknowledged local, local not acknowledged, eager
}

func (d *Document) sortOwn() ownIDs {
	own := ownIDs{finals: make([]int64, d.Own.Generated+1)}
	for i := range own.finals {
		own.finals[i] = -1
	}
	var final, gen int64
	acknowledged := int64(0)
	for _, c := range d.Clusters {
		if c.Session == 0 {
			for i := range c.Capacity {
				if gen++; gen <= d.Own.Generated {
					own.finals[gen] = final + i
				}
			}
			acknowledged = gen - c.Capacity + c.Count
		}
		final += c.Capacity
	}
	isLocal := make([]bool, d.Own.Generated+1)
	for _, r := range d.Own.Runs {
		for gen := r.First; gen < r.First+r.Count; gen++ {
			isLocal[gen] = true
		}
	}
	for gen := int64(1); gen <= d.Own.Generated; gen++ {
		switch {
		case !isLocal[gen]:
			own.eager = append(own.eager, gen)
		case gen <= acknowledged:
			own.local = append(own.local, gen)
		default:
			own.unacked = append(own.unacked, gen)
		}
	}
	r := d.random("own")
	for _, gens := range [][]int64{own.local, own.unacked, own.eager} {
		r.Shuffle(len(gens), func(i, j int) { gens[i], gens[j] = gens[j], gens[i] })
	}
	return own
}

// stableID returns the UUID of a generation count of a session.
func (d *Document) stableID(session int32, gen int64) numericuuid.UUID {
	return d.Sessions[session].Add(uint64(gen - 1))
}

// fold takes an answer into a checksum: a polynomial with the answers as its
// coefficients. Rotating instead of multiplying would be a cycle or two
// quicker, but over a lot the 64 rotations of an error that all answers share
// add up to nothing: answers that are all too great by one would pass. Here a
// shared error is multiplied by (foldBase^n-1)/(foldBase-1), which for a lot of n
// = 4,096 is an odd multiple of 2^12, and shows unless it is a multiple of 2^52.
func fold(sum, answer uint64) uint64 { return sum*foldBase + answer }

const foldBase = 0x9e3779b97f4a7c15 // 1 mod 4: with 3 mod 4 more bits are lost

// ofUUID makes one number of a UUID.
func ofUUID(u uuid.UUID) uint64 {
	return binary.LittleEndian.Uint64(u[:])*0x9e3779b97f4a7c15 ^ binary.LittleEndian.Uint64(u[8:])
}

// missing is the answer to a query that has none.
const missing = 1 << 63

// pool is queries in lots, each with the checksum of its right answers. A lot
// is made when it is first prepared: most are never asked.
type pool[Q any] struct {
	lot   int                                 // queries in a lot
	n     int                                 // different ones
	query func(i int, sum uint64) (Q, uint64) // the i-th, and sum with the right answers folded in
	lots  [][]Q
	sums  []uint64
	now   int // the lot that is prepared
}

// newPool makes a pool of n queries, of which query gives the i-th and the
// right answer to it. The last lot is filled up from the start.
func newPool[Q any](n int, query func(i int) (Q, uint64)) *pool[Q] {
	return newFoldedPool(n, lot, func(i int, sum uint64) (Q, uint64) {
		q, answer := query(i)
		return q, fold(sum, answer)
	})
}

// newFoldedPool does so for queries with many answers each, which query folds
// into the checksum of the lot.
func newFoldedPool[Q any](n, lot int, query func(i int, sum uint64) (Q, uint64)) *pool[Q] {
	lots := (n + lot - 1) / lot
	return &pool[Q]{lot: lot, n: n, query: query, lots: make([][]Q, lots), sums: make([]uint64, lots), now: -1}
}

// empty reports whether there is no query.
func (p *pool[Q]) empty() bool { return p.n == 0 }

// prepare goes on to the next lot.
func (p *pool[Q]) prepare() error {
	p.now = (p.now + 1) % len(p.lots)
	if p.lots[p.now] != nil {
		return nil
	}
	queries, sum := make([]Q, p.lot), uint64(0)
	for i := range queries {
		queries[i], sum = p.query((p.now*p.lot+i)%p.n, sum)
	}
	p.lots[p.now], p.sums[p.now] = queries, sum
	return nil
}

// taken returns the queries of the lot, and want the checksum.
func (p *pool[Q]) taken() []Q   { return p.lots[p.now] }
func (p *pool[Q]) want() uint64 { return p.sums[p.now] }

// stretches returns stretches of batch finalized IDs that lie together, in
// random order, each as its first final ID, and n of them a lot.
func (d *Document) stretches(n int) *pool[idcompressor.SessionSpaceID] {
	type stretch struct {
		first   int64
		cluster int // in which it begins
	}
	var all []stretch
	base := make([]int64, len(d.Clusters)) // first final ID
	gens := make([]int64, len(d.Clusters)) // generation counts before it
	chain := make([]int64, len(d.Sessions))
	var next stretch
	var final int64
	for i, c := range d.Clusters {
		base[i], gens[i] = final, chain[c.Session]
		for next.first+batch <= final+c.Count {
			all = append(all, next)
			next.first += batch
			for next.cluster < i && next.first >= base[next.cluster]+d.Clusters[next.cluster].Capacity {
				next.cluster++
			}
		}
		final += c.Capacity
		chain[c.Session] += c.Capacity
		if c.Count < c.Capacity || next.first >= final {
			next = stretch{final, i + 1}
		}
	}
	d.random("stretches").Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:min(len(all), mostQueries/batch)]
	return newFoldedPool(len(all), n, func(i int, sum uint64) (idcompressor.SessionSpaceID, uint64) {
		first, at := all[i].first, all[i].cluster
		for final := first; final < first+batch; at++ {
			c := d.Clusters[at]
			for ; final < min(first+batch, base[at]+c.Capacity); final++ {
				sum = fold(sum, ofUUID(d.stableID(c.Session, gens[at]+1+final-base[at]).UUID()))
			}
		}
		return idcompressor.SessionSpaceID(first), sum
	})
}
