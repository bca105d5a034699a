package closemap

import "unsafe"

// Stats says what a map consists of.
type Stats struct {
	Buckets  int // a power of two, each for two entries; 2 before the first Set, too
	Capacity int // entries there is room for; 0 before the first Set and after Clear
	Used     int // entries in use, the deleted ones among them
	Deleted  int // deleted entries that wait for a rebuild
	Bytes    int // in the arrays, without what the allocator rounds up
}

// Live returns the number of entries that are not deleted.
func (s Stats) Live() int { return s.Used - s.Deleted }

// Stats returns what the map consists of, in O(1).
func (m *Map[K, V]) Stats() Stats {
	const number = unsafe.Sizeof(m.order.base)
	bytes := uintptr(len(m.buckets))*unsafe.Sizeof(bucket{}) +
		uintptr(len(m.entries))*unsafe.Sizeof(entry[K, V]{}) +
		uintptr(cap(m.order.moved))*number
	return Stats{
		Buckets:  max(len(m.buckets), minCapacity/2),
		Capacity: len(m.entries),
		Used:     m.used,
		Deleted:  m.dead,
		Bytes:    int(bytes),
	}
}
