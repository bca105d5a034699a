// Package live runs ID compressors as their users do: sessions in processes of
// their own, one stream of NATS JetStream as the document's total order,
// processes and servers that are killed, and at the end the question whether
// all have the same document.
//
// # Terms
//
// A session is that of package idcompressor. A node is a place where sessions
// live: a directory and, one after the other, the processes that work in it. A
// node has one session, until that session turns out to be forked; then it has
// a new one. An operation is what a user does: it creates some IDs and refers
// to others. The order is the document's stream; a message in it carries one
// creation range and the operations that created the range's IDs. A summary is
// the document, a serialized compressor without session, as of a sequence
// number of the stream.
//
// # The message
//
// JSON, at most [MaxMessage] bytes, every field required but refs and check:
//
//	{"v":1,                      version of this form
//	 "session":"…",              who sent it
//	 "seq":12,                   which of the session's operations is the first, from 1
//	 "range":{…},                the creation range, as Fluid writes it
//	 "ops":[{"new":[-51,700],    the IDs it created, in op space
//	         "refs":[3,-7],      other IDs it refers to, in op space
//	         "check":[{"at":0,"uuid":"…"}]}]}   what some of these are
//
// The operations together create as many IDs as the range has, in the order of
// their generation counts, so a message cannot announce more IDs than it has
// room to name. A local form in "new" is the one that its place implies. In
// "check", "at" counts through new and then refs.
//
// # Which messages count
//
// A message counts if and only if all sessions finalize its range. The stream
// is the same for all, and so is the answer: one that cannot be read is
// damaged; one whose range begins before its session's next generation count
// is a duplicate, beyond it there is a gap; what else is refused is refused by
// all. Whatever does not count is reported with its sequence number and
// skipped, with its operations.
//
// # What is on disk before what is sent
//
// A node keeps a checkpoint and a log, see [Store].
//
//  1. An ID is given to the application when the operation that created it is
//     in the log, and the log synced. The log says after which message of the
//     stream each ID was generated. An ID that no record of the log has was
//     seen by nobody; the next process generates it as if for the first time.
//  2. A message is published after all its operations are in the log.
//  3. A checkpoint is complete, synced and under its name before the log that it
//     replaces is removed. It is taken between operations.
//  4. An operation leaves the disk when its message has come back from the
//     stream, never because of a publish acknowledgement.
//
// A process that starts on a node reads the checkpoint, then the stream from
// there on, and generates the log's IDs between the same messages as before:
// every ID is again what it was, local or eager. It reads to the stream's end
// before it generates or sends anything new. What is then unfinalized it sends
// again, as one range ([idcompressor.Compressor.TakeUnfinalizedCreationRange]).
//
// If the disk is older than what the session has sent, its own range comes from
// the stream with more IDs than it ever generated:
// [idcompressor.ErrForkedSession]. The session is given up and the node joins as
// a new one, from the newest summary.
//
// A disk that is older and lacks only what was never sent leaves no trace in the
// stream: its session would give these IDs out again. So a disk is not to be
// restored from a copy; a node without one joins as a new session.
//
// Syncing is for the machine's end. A kill alone takes nothing that was written,
// from sessions and from servers: JetStream writes a message before it
// acknowledges it, or has it on a majority of servers.
//
// # Publishing
//
// A session has one message under way: what it publishes next could otherwise
// arrive before what failed and is published again, and would be a gap. The
// price is that a session publishes a message a round trip at most; added
// latency is on top of that and not in it. A message's Nats-Msg-Id is
// session:firstGenCount. So of the messages that begin with the same ID the
// stream keeps one within its deduplication window, and a duplicate publish is
// harmless; beyond the window a second one is a duplicate as above, and no less
// harmless. An acknowledgement that says "duplicate" names the message that has
// the ID, perhaps a shorter one: the session reads up to there and sends the
// rest.
//
// A message that was long on its way can still spoil the one sent instead of it,
// if the window is over: the longer one is then a duplicate, and what followed it
// a gap. Its session sees that as all do, and sends everything that is not
// finalized again, under IDs with another number at the end.
//
// # Trust
//
// What is in the stream is checked before it is believed, and costs no more
// memory than its bytes. But who may publish may publish for others: that is for
// the cluster's permissions to prevent.
//
// # Summaries
//
// The stream elects who writes them: the sender of a message that counts and
// whose sequence number is a multiple of the interval. If it dies before it has
// written, the next one will.
package live
