// Package runner measures: it makes a plan, runs it in processes of their own,
// and writes what they measured to a file that an interrupted run goes on from.
//
// # Terms
//
// A unit is one process: a block, a document and a subject, which is a backend,
// the default backend's twin, or a peer: something that does the same work and
// is no backend. A block holds every document and subject once,
// in shuffled order, so that what changes on the machine meanwhile meets all of
// them; units of the same block are the pairs of the statistics. Within a unit
// the benchmarks run in shuffled order too, after the document was built. Where
// Build was not asked for, as in a quick run, it is there for its memory and is
// not timed.
//
// A [Request] says what is wanted. Fitted into its budget it is a [Plan], which
// the file holds. A plan has a hash, of the request, the program and the
// machine: only an equal one goes on from a file.
//
// # Files
//
// A file is in Go benchmark format. It begins with the plan in a comment and
// the unit metadata; each unit follows as a part: configuration lines, results,
// and a line that closes it, with a checksum. A part is written in one piece.
// What comes after the last part that is whole is cut off before going on.
//
// # Noise
//
// Before each block a spin loop is timed some dozens of times. It does nothing
// but count, so that whatever its times spread by is the machine's doing. The
// spread is in the file (noise), and no difference below it is called one.
package runner
