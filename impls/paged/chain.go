package paged

import (
	"math/bits"

	"example.com/idlab/impls"
)

// chain holds the clusters of a session that has more than its line takes.
//
// Usually it is paged: the offsets from firstEnd on are cut into pages of
// 1<<shift, and a page's word tells the cluster at its first offset and where
// in the page the next one starts, whose own word is the next page's. A chain
// that does not obey the rules of extend becomes a sorted list, for good.
type chain struct {
	pages    []word
	firstEnd int64 // first offset after the first cluster, which is in no page
	start    int64 // first offset of the last cluster
	capacity int64 // of the last cluster
	count    int64
	shift    uint8
	listed   bool  // list is instead of pages
	first    int64 // base final of the first cluster
	final    int64 // base final of the last
	list     []link
}

// word is delta<<splitBits | split, where a final ID is offset + delta and
// split is the offset in the page of the second cluster, or the page's width.
type word uint64

const splitBits = 10

func (w word) split() int64 { return int64(w & (1<<splitBits - 1)) }
func (w word) delta() int64 { return int64(w >> splitBits) }

// next is 1 if the next page's word has the offset in the page, else 0. There
// is no branch: mispredicted, it would wait for the cache miss that w was.
func (w word) next(at int64) int64 { return int64(uint64(w.split()-1-at) >> 63) }

// link is a cluster of a chain that is a list.
type link struct{ start, delta int64 }

func (c *chain) lastCluster(s impls.Session) impls.Cluster {
	return impls.Cluster{Session: s, BaseFinal: c.final, BaseGen: c.start + 1, Capacity: c.capacity, Count: c.count}
}

// append adds a cluster.
func (c *chain) append(cl *impls.Cluster) {
	start := cl.BaseGen - 1
	full := c.count == c.capacity
	c.start, c.final, c.capacity, c.count = start, cl.BaseFinal, cl.Capacity, cl.Count
	delta := cl.BaseFinal - start
	switch {
	case start == 0:
		c.first, c.firstEnd = cl.BaseFinal, cl.Capacity
	case c.listed:
		c.list = append(c.list, link{start, delta})
	case !full || !c.begin(start, delta, cl.Capacity):
		c.unroll(start)
		c.list = append(c.list, link{start, delta})
	}
}

// resize changes the last cluster.
func (c *chain) resize(capacity, count int64) {
	c.capacity, c.count = capacity, count
	switch {
	case c.start == 0:
		c.firstEnd = capacity
	case !c.listed && c.capacity>>c.shift > most:
		c.unroll(c.start)
		c.list = append(c.list, link{c.start, c.final - c.start})
	case !c.listed:
		c.extend(c.final - c.start)
	}
}

// begin adds a cluster to the pages. It returns false, and changes nothing, if
// the cluster is too wide, or begins and ends inside a page: then the next
// page's word would not be its own.
func (c *chain) begin(start, delta, capacity int64) bool {
	if len(c.pages) == 0 {
		c.shift = pageShift(capacity)
	}
	if capacity>>c.shift > most {
		return false
	}
	width := int64(1) << c.shift
	if at := (start - c.firstEnd) & (width - 1); at != 0 {
		if at+capacity <= width {
			return false
		}
		// The last page has one cluster yet: a second would have begun another.
		c.pages[len(c.pages)-1] += word(at - width)
	}
	c.extend(delta)
	return true
}

// extend adds the pages that begin in the last cluster.
func (c *chain) extend(delta int64) {
	width := int64(1) << c.shift
	end := c.start + c.capacity - c.firstEnd
	for int64(len(c.pages))<<c.shift < end {
		c.pages = append(c.pages, word(delta<<splitBits|width))
	}
}

// unroll makes the chain up to the cluster that starts at offset end a list.
// Clusters that adjoin in final IDs too come out as one, which no lookup sees.
func (c *chain) unroll(end int64) {
	c.list = append(make([]link, 0, len(c.pages)+2), link{0, c.first})
	add := func(start, delta int64) {
		if start < end && c.list[len(c.list)-1].delta != delta {
			c.list = append(c.list, link{start, delta})
		}
	}
	for p, w := range c.pages {
		start := c.firstEnd + int64(p)<<c.shift
		add(start, w.delta())
		if p+1 < len(c.pages) && w.split() != 1<<c.shift {
			add(start+w.split(), c.pages[p+1].delta())
		}
	}
	c.pages, c.listed = nil, true
}

// place returns the place of an offset from the session's UUID.
func (c *chain) place(s impls.Session, offset uint64, sp *space) impls.Place {
	if offset >= uint64(c.start+c.capacity) {
		return impls.Place{}
	}
	at := int64(offset)
	p := impls.Place{Session: s, Gen: at + 1}
	if c.listed {
		p.Final = at + c.list[c.linkOf(at)].delta
		h, _ := sp.find(p.Final)
		p.Finalized = p.Final < h.bound
		return p
	}
	p.Finalized = at < c.start+c.count
	if at < c.firstEnd {
		p.Final = c.first + at
		return p
	}
	at -= c.firstEnd
	i := at >> (c.shift & 63)
	i += c.pages[i].next(at & (1<<(c.shift&63) - 1))
	p.Final = int64(offset) + c.pages[i].delta()
	return p
}

// linkOf returns the last link at or below an offset.
func (c *chain) linkOf(offset int64) int {
	lo := 0
	for n := len(c.list); n > 1; {
		half := n / 2
		lo += half & upTo(c.list[lo+half].start, offset)
		n -= half
	}
	return lo
}

// warm is the number of pages up to which gen searches a chain: a cold slot of
// the page table costs as much as that.
const warm = 64

// gen returns the generation count of a final ID, 0 if it is not the chain's.
// Its second result is false if it will not tell.
func (c *chain) gen(final int64) (int64, bool) {
	if final < c.first || final >= c.final+c.capacity {
		return 0, true
	}
	if final >= c.final {
		return c.start + final - c.final + 1, true
	}
	if final < c.first+c.firstEnd {
		return final - c.first + 1, true
	}
	if c.listed || len(c.pages) > warm {
		return 0, false
	}
	// The first ID of a page grows with the page.
	lo := 0
	for n := len(c.pages); n > 1; {
		half := n / 2
		lo += half & upTo(c.firstEnd+int64(lo+half)<<c.shift+c.pages[lo+half].delta(), final)
		n -= half
	}
	if lo >= len(c.pages) {
		return 0, true
	}
	w := c.pages[lo]
	start := c.firstEnd + int64(lo)<<c.shift
	if at := final - w.delta() - start; at >= 0 && at < w.split() {
		return start + at + 1, true
	}
	if w.split() != 1<<c.shift && lo+1 < len(c.pages) {
		if at := final - c.pages[lo+1].delta() - start; at >= w.split() && at < 1<<c.shift {
			return start + at + 1, true
		}
	}
	return 0, true
}

// pageShift returns the width of the pages of which a capacity has one or two,
// but not more than 2^maxShift, as a power of two.
func pageShift(capacity int64) uint8 { return uint8(min(maxShift, bits.Len64(uint64(capacity))-1)) }
