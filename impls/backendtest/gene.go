package backendtest

import (
	"encoding/binary"
	"math/bits"

	"example.com/idlab/impls"
	"example.com/idlab/impls/model"
	"example.com/idlab/impls/numericuuid"
	"pgregory.net/rapid"
)

// gene is an operation before it is known on which table: eight bytes that
// mean a valid call whatever came before. Random tests draw genes, so that any
// of them can be taken out of a failing history; fuzzing reads them from its
// bytes. Small values mean the simpler thing.
type gene struct {
	kind, pick, form, fill uint8
	value                  uint32
}

const geneBytes = 8

// readGenes decodes a fuzzer's bytes, the first most genes of them.
func readGenes(data []byte, most int) []gene {
	var genes []gene
	for len(data) >= geneBytes && len(genes) < most {
		genes = append(genes, gene{data[0], data[1], data[2], data[3], binary.LittleEndian.Uint32(data[4:])})
		data = data[geneBytes:]
	}
	return genes
}

// appendTo is the inverse of readGenes.
func (g gene) appendTo(data []byte) []byte {
	return binary.LittleEndian.AppendUint32(append(data, g.kind, g.pick, g.form, g.fill), g.value)
}

var geneGenerator = rapid.Custom(func(t *rapid.T) gene {
	small := rapid.Uint8()
	return gene{
		kind: small.Draw(t, "kind"), pick: small.Draw(t, "pick"), form: small.Draw(t, "form"),
		fill: small.Draw(t, "fill"), value: rapid.Uint32().Draw(t, "value"),
	}
})

// drawGenes draws about 5 genes a part, at least one part. Rapid's own slices are short; those of
// a stated least length would not shrink below it.
func drawGenes(t *rapid.T, parts int) []gene {
	var genes []gene
	for range max(parts, 1) {
		genes = append(genes, rapid.SliceOfN(geneGenerator, 0, 16).Draw(t, "genes")...)
	}
	return genes
}

// spread returns a number that looks random, the same for the same n
// (the finalizer of Steele, Lea and Flood's SplitMix64).
func spread(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

const hiMask = 1<<58 - 1

// call returns what g means for a table as it stands in t, and false if that
// is nothing.
func (g gene) call(t *model.Table) (call, bool) {
	sessions := t.SessionCount()
	if sessions == 0 {
		return call{method: addSession, id: g.uuid(numericuuid.UUID{})}, true
	}
	s := impls.Session(int(g.pick) % sessions)
	switch g.kind % 8 {
	case 0, 5:
		id := g.uuid(t.SessionID(s))
		return call{method: addSession, id: id}, id.Valid()
	case 1, 2, 6:
		var c impls.Cluster
		c.Session, c.BaseFinal = s, end(t)
		c.BaseGen = 1
		if last, ok := t.LastCluster(s); ok {
			c.BaseGen = last.GenLimit()
		}
		c.Capacity = g.capacity(c.BaseFinal, room(t, s))
		c.Count = g.count(c.Capacity)
		return call{method: appendCluster, c: c}, c.Capacity > 0
	case 3: // the table's last cluster grows
		last, ok := lastOfAll(t)
		if !ok {
			return call{}, false
		}
		last.Capacity += g.capacity(last.FinalLimit(), room(t, last.Session))
		last.Count = g.count(last.Capacity)
		return call{method: resizeLast, s: last.Session, c: last}, true
	default: // another count only
		last, ok := t.LastCluster(s)
		last.Count = g.count(last.Capacity)
		return call{method: resizeLast, s: s, c: last}, ok
	}
}

// allowed reports whether a call that changes t keeps the preconditions of
// [impls.ClusterTable]: the suite must not ask for what no caller may.
func (c *call) allowed(t *model.Table) bool {
	switch c.method {
	case addSession:
		return c.id.Valid()
	case appendCluster:
		gen := int64(1)
		if last, ok := t.LastCluster(c.c.Session); ok {
			gen = last.GenLimit()
		}
		return c.c.BaseFinal == end(t) && c.c.BaseGen == gen && 1 <= c.c.Capacity && c.c.Capacity <= room(t, c.c.Session) &&
			0 <= c.c.Count && c.c.Count <= c.c.Capacity
	case resizeLast:
		last, ok := t.LastCluster(c.s)
		grown := c.c.Capacity - last.Capacity
		return ok && 0 <= c.c.Count && c.c.Count <= c.c.Capacity && 0 <= grown && grown <= room(t, c.s) &&
			(grown == 0 || last.FinalLimit() == end(t))
	}
	return true
}

func lastOfAll(t *model.Table) (last impls.Cluster, ok bool) {
	for c := range t.Clusters() {
		last, ok = c, true
	}
	return last, ok
}

// end returns the first final ID after t's clusters.
func end(t *model.Table) int64 {
	last, _ := lastOfAll(t)
	return last.FinalLimit()
}

// room returns how many more IDs s can have without a sum past MaxID or a UUID
// past the last.
func room(t *model.Table, s impls.Session) int64 {
	most := impls.MaxID - end(t)
	ids := int64(impls.MaxID)
	if above, ok := numericuuid.Max.Sub(t.SessionID(s)); ok && above < impls.MaxID {
		ids = int64(above) + 1
	}
	if last, ok := t.LastCluster(s); ok {
		ids -= last.GenLimit() - 1
	}
	return min(most, ids)
}

// uuid returns a UUID, in most forms one that has something in common with near.
func (g gene) uuid(near numericuuid.UUID) numericuuid.UUID {
	v := uint64(g.value)
	small := v % 4
	switch g.form % 12 {
	case 0: // anywhere
		return numericuuid.UUID{Hi: spread(v) & hiMask, Lo: spread(v + 1)}
	case 1: // the same, or one apart
		return near.Add(small)
	case 2: // just below
		for range small + 1 {
			near, _ = near.Prev()
		}
		near.Hi &= hiMask
		return near
	case 3: // inside the session's clusters, or not far behind
		return near.Add(v)
	case 4: // all of the top bits in common
		return numericuuid.UUID{Hi: near.Hi, Lo: spread(v)}
	case 5: // all of the low bits in common
		return numericuuid.UUID{Hi: spread(v) & hiMask, Lo: near.Lo}
	case 6: // all but a few in the middle
		return numericuuid.UUID{Hi: near.Hi, Lo: near.Lo ^ (v%16)<<(g.fill%60)}
	case 7: // one bit only
		var id numericuuid.UUID
		if bit := v % 122; bit < 64 {
			id.Lo = 1 << bit
		} else {
			id.Hi = 1 << (bit - 64)
		}
		return id
	case 8: // the end
		return numericuuid.UUID{Hi: numericuuid.Max.Hi, Lo: numericuuid.Max.Lo - small}
	case 9: // the beginning
		return numericuuid.UUID{Lo: small}
	case 10: // around a carry out of the low bits
		return numericuuid.UUID{Hi: near.Hi, Lo: ^uint64(0)}.Add(small)
	default: // around the edge of a prefix
		mask := uint64(1)<<(40+g.fill%18) - 1
		id := numericuuid.UUID{Hi: near.Hi | mask, Lo: ^uint64(0)}
		return id.Add(small)
	}
}

// capacity returns a number in 1..most, or 0 if there is none, for a cluster
// or growth that begins at a final ID.
func (g gene) capacity(final, most int64) int64 {
	n := int64(1)
	v := int64(g.value)
	switch g.form % 10 {
	case 0:
	case 1:
		n = 1 + v%10
	case 2:
		n = 512
	case 3:
		n = 1 << (v % 12)
	case 4:
		n = 1<<(1+v%12) - 1
	case 5:
		n = 1<<(v%12) + 1
	case 6: // up to the edge of a page, or one ID before or behind it
		page := int64(1) << []int{6, 6, 9, 10, 10, 12, 16, 20}[v%8]
		n = page - final%page + v/8%3 - 1
	case 7: // a prime, so that the edges of pages fall everywhere
		n = []int64{7, 61, 127, 509, 1021, 4093}[v%6]
	case 8: // wide
		n = 1<<(20+v%26) + v/64%3 - 1
	default: // as wide as can be, now and then
		n = 3
		if v%16 == 0 {
			n = most - v/16%3
		}
	}
	return min(max(n, 1), most)
}

// count returns a number in 0..capacity.
func (g gene) count(capacity int64) int64 {
	var n int64
	switch g.fill % 8 {
	case 0, 1, 2:
		n = capacity
	case 3:
		n = capacity - 1
	case 4:
		n = 1
	case 5:
		n = 0
	case 6:
		n = capacity / 2
	default:
		hi, _ := bits.Mul64(spread(uint64(g.value)), uint64(capacity)+1)
		n = int64(hi)
	}
	return min(max(n, 0), capacity)
}
