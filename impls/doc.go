// Package impls is the seam between the ID compressor and the data structures
// it can run on.
//
// # Terms
//
// A session mints IDs; its n-th has generation count n and the UUID session +
// n-1. A final ID is the place of such an ID in the document's total order. A
// cluster is a run of final IDs that belongs to one session:
//
//	final ID     0         522       1034      1556
//	             |    A     |    B    |    A    |      clusters tile the final
//	gen count    1       522 1     512 523  1044       IDs without a hole
//
// Its capacity is what it reserves, its count what of that is finalized. A
// session's clusters form its chain. A run is a stretch of generation counts
// whose IDs began life in local form.
//
// # What a backend is
//
// A backend is a [ClusterTable] and a [Normalizer], each in a form of its own.
// Both only store and search: the order of IDs, the rule by which clusters
// grow, every check of input and the serialized form are the compressor's
// (package idcompressor), so that no backend can change an answer or a byte.
// What a structure can do beyond the required calls it shows by implementing
// one of the optional interfaces of this package, which are found by assertion.
//
// The required calls are coarse on purpose. An interface call costs about 2 ns
// here and a whole decompress can cost 10, so the seam is crossed once or twice
// in a call of the compressor and never once a comparison.
//
// # The rule of widths
//
// Widths come from outside: a range may claim 2^45 IDs in one cluster. Memory
// and time of a backend grow with the number of sessions, clusters and runs,
// never with the width of an ID, generation count or UUID range; O(log width)
// entries for a wide cluster are allowed. Package backendtest holds every
// backend to it.
//
// To add a backend, write a package beside the others whose Backend variable
// it registers, import it in package all, and run the tests.
package impls
