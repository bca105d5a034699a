package paged

import "unsafe"

// hugeFrom is the bytes from which an array asks for huge pages. Below, a
// table's pages fit the translation buffers of the processor anyway.
const hugeFrom = 8 << 20

// alloc returns an empty slice with room for n elements, for arrays that are
// read at random. Large ones ask the system for huge pages before they are
// touched: with 4 KiB pages a third of the time of a lookup goes into walks of
// the system's own page table.
func alloc[T any](n int) []T {
	s := make([]T, 0, n)
	if size := n * int(unsafe.Sizeof(*new(T))); size >= hugeFrom {
		// The bytes of the array itself, which hold no pointers; they are
		// neither read nor written.
		preferHugePages(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size))
	}
	return s
}

// reserve returns s with room for one more element, by a quarter more where it
// is large, as append does.
func reserve[T any](s []T) []T {
	if len(s) < cap(s) {
		return s
	}
	if cap(s)*int(unsafe.Sizeof(*new(T))) < hugeFrom/2 {
		var zero T
		return append(s, zero)[:len(s)]
	}
	return append(alloc[T](cap(s)+cap(s)/4), s...)
}
