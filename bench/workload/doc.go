// Package workload is what the lab measures: documents, and benchmarks that run
// an ID compressor on them and check every answer.
//
// # Terms
//
// A document is a list of sessions and clusters, as [Document] holds it. It
// belongs to no backend, and every right answer can be worked out from it by
// adding and subtracting. The embedded ones ([Names]) are made from a seed;
// others are read from a serialized compressor ([Load]).
//
// The measuring session is session 0 of every document. It has 10,000 IDs of
// its own, in all four states an ID can be in: local or eager, acknowledged
// (finalized) or not.
//
// A subject is a compressor on one backend that was loaded with a document. A
// [Benchmark] is an entry of [Table]: an operation, a variant of it, and how to
// make its body. A body runs lots: a few thousand operations that are timed
// together, since reading the clock costs as much as ten of them.
//
// # How it is measured
//
// Queries are drawn from the whole document, evenly over its finalized IDs, in
// random order, a million or more of them where the document has so many: a
// few thousand would stay in the cache together with what they find. They are
// drawn while the clock stands, a lot before it is asked, and with them the
// checksum of its right answers. The timed loop folds what it is answered into a checksum of its
// own, and a lot whose checksums differ ends the measurement with a
// [WrongAnswerError]: a wrong backend cannot win.
//
// What changes a compressor (generating, taking and finalizing ranges) runs on
// a second one, with a naive twin that says what must come out. It is made
// anew, outside the clock, before it has grown by more than a tenth (or 1,024
// clusters, if that is more), so that the last lot meets the same document as
// the first.
//
// All figures are per operation: per ID, range or document. Allocations are
// those of one lot, counted, not estimated, and that lot is not timed.
package workload
