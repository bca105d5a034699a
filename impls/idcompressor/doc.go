// Package idcompressor lets many sessions mint v4 UUIDs without talking to
// each other and write them as small integers: Fluid's ID compressor, with
// interchangeable tables inside.
//
// # Terms
//
// A session is one run of one client, named by a random UUID. The n-th ID it
// generates has generation count n and the stable ID, or UUID, session + n-1.
// Its compressed form is an integer:
//
//	local   -n         negative: known to the session that generated it
//	final   0, 1, ...  the same in all sessions, once the ID has a place in
//	                   the document's total order
//
// A session announces its IDs in a creation range. All sessions finalize all
// ranges in one order, and so give the IDs the same final forms: those of a
// cluster, a run of finals that belongs to one session and is reserved in
// advance. Where a session has room in its cluster, it can give new IDs their
// final form at once; such an ID is eager.
//
// IDs are kept in session space ([SessionSpaceID]), in which a session's own
// IDs keep the form in which they were generated, and travel in op space
// ([OpSpaceID]), final wherever possible. Normalizing goes from one to the
// other, decompressing to the UUID, recompressing back.
//
//	c.Generate()                    session space
//	c.TakeNextCreationRange()       to be sent, before what uses its IDs
//	c.NormalizeToOpSpace(id)        to be sent
//	...
//	c.FinalizeCreationRange(r)      own and remote, in the one order
//	c.NormalizeToSessionSpace(id, origin)
//
// A ghost session gives IDs to changes that all sessions make by themselves; a
// shard is a copy of a compressor that generates IDs of the same session
// elsewhere, for instance in a worker.
//
// # What is the original's and what is not
//
// For every valid use the answers, and the serialized bytes, are those of
// @fluidframework/id-compressor 3.7.0. Where the original corrupts its state,
// loses an ID, gives one out twice or accepts garbage, this package returns an
// error and leaves the compressor as it was.
//
// # Errors and concurrency
//
// Errors are tested with errors.Is against the classes of this package. No
// error changes a compressor. A compressor is not safe for concurrent use.
package idcompressor
