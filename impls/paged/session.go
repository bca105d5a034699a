package paged

import (
	"math"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// inline is the number of clusters that fit a session's line.
const inline = 4

// session is a session's line of 64 bytes: its UUID and, while chain is not
// negative, its whole chain. An ID is given by its offset, generation count-1.
//
// What does not fit, because there are more clusters or offsets past 32 bits
// or because a cluster that is not the last has IDs that were never finalized,
// goes to a chain; then limit is 0, so that a lookup needs no other test.
type session struct {
	id    numericuuid.UUID
	first int64              // base final of the first cluster
	delta [inline]uint32     // final = first + offset + delta[cluster]; delta[0] is 0
	start [inline - 1]uint32 // first offset of the clusters 1, 2, 3; none is MaxUint32
	limit uint32             // first offset that is not reserved
	done  uint32             // first offset that is not finalized
	chain int32              // number of clusters here, or ^index in Table.chains
}

// none is the start of a cluster that is not there. No offset reaches it.
const none = math.MaxUint32

// below is 1 where a < b and else 0, without a branch.
func below(a, b uint32) uint32 { return uint32((uint64(a) - uint64(b)) >> 63) }

// cluster returns the number of the cluster that holds offset < limit. The
// comparisons are arithmetic since random queries mispredict branches.
func (l *session) cluster(offset uint32) uint32 {
	return 3 - below(offset, l.start[0]) - below(offset, l.start[1]) - below(offset, l.start[2])
}

// startOf returns the first offset of cluster k.
func (l *session) startOf(k int32) uint32 {
	if k == 0 {
		return 0
	}
	return l.start[k-1]
}

// endOf returns the first offset after cluster k.
func (l *session) endOf(k int32) uint32 {
	if k+1 == l.chain {
		return l.limit
	}
	return l.start[k]
}

func (l *session) finalOf(k int32) int64 { return l.first + int64(l.startOf(k)) + int64(l.delta[k]) }

// last returns the last cluster of s, whose line l is.
func (l *session) last(s impls.Session) impls.Cluster {
	k := l.chain - 1
	start := l.startOf(k)
	return impls.Cluster{
		Session:   s,
		BaseFinal: l.finalOf(k),
		BaseGen:   int64(start) + 1,
		Capacity:  int64(l.limit - start),
		Count:     int64(l.done - start),
	}
}

// append adds a cluster, or changes nothing and returns false if the line has
// no room for it.
func (l *session) append(c *impls.Cluster) bool {
	start := c.BaseGen - 1
	if l.chain == inline || l.done != l.limit || c.Capacity >= none-start {
		return false
	}
	k := l.chain
	if k == 0 {
		l.first = c.BaseFinal
		l.start = [inline - 1]uint32{none, none, none}
	} else {
		delta := c.BaseFinal - start - l.first
		if delta > math.MaxUint32 {
			return false
		}
		l.start[k-1], l.delta[k] = uint32(start), uint32(delta)
	}
	l.limit, l.done = uint32(start+c.Capacity), uint32(start+c.Count)
	l.chain++
	return true
}

// resize is append for the last cluster, which starts there.
func (l *session) resize(start, capacity, count int64) bool {
	if capacity >= none-start {
		return false
	}
	l.limit, l.done = uint32(start+capacity), uint32(start+count)
	return true
}

// gen returns the generation count of a final ID of this session, or 0.
func (l *session) gen(final int64) int64 {
	for k := l.chain - 1; k >= 0; k-- {
		if base := l.finalOf(k); final >= base {
			at := int64(l.startOf(k)) + final - base
			if at >= int64(l.endOf(k)) {
				return 0
			}
			return at + 1
		}
	}
	return 0
}

// toChain moves the clusters to a chain and closes the line.
func (l *session) toChain() chain {
	var c chain
	for k := range l.chain {
		start, end := int64(l.startOf(k)), int64(l.endOf(k))
		c.append(&impls.Cluster{
			BaseFinal: l.finalOf(k),
			BaseGen:   start + 1,
			Capacity:  end - start,
			Count:     min(end, int64(l.done)) - start,
		})
	}
	l.limit, l.done = 0, 0
	return c
}
