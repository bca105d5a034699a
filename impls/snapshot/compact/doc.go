// Package compact is a serialized form near the entropy of what it holds: for
// a document of 10,000 sessions a fifth of Fluid's binary form, for one of 100
// sessions and 300,000 clusters a thirtieth.
//
// # The form, version 1
//
//	4 bytes   F1 'I' 'D' 'C'
//	1 byte    version of this form, 1
//	1 byte    flags: 1 Fluid's version is 3 (else 2), 2 with session,
//	          4 sharded, 8 a shard (not the root)
//	uvarint   S, the number of sessions
//	uvarint   K, the number of clusters
//	          the sessions' UUIDs, 122 bits each, the lowest bit first, the
//	          last byte filled with zeros
//	          sharded: uvarint C, the number of children, and their UUIDs
//	          likewise; then, a shard, its own UUID
//	          the coded part
//	4 bytes   CRC-32C of all before, little-endian
//
// The coded part is the output of a range coder, without the zeros at its end
// but for those that fill the form: see Trust. It has
//
//	S counts        column: how many clusters the session has
//	K clusters      owner; column: capacity; bit: 1 if count = capacity, with
//	                one model for a session's last cluster and one for the
//	                others; if it is 0, number: count
//	with session    numbers of one model: generated; cursor; how many runs;
//	                for each run, column: first less the end of the run before
//	                (0 before them), column: length
//	sharded         numbers of the same model: original stride; stride
//
// in which every column and number has a model of its own unless it is said
// otherwise, and
//
//   - a bit is coded by two adaptive chances, see model.go, which start at 1/2;
//   - a number is its length in bits (6 bits, each coded by a chance for the
//     ones before it), then what follows its leading one: the first 3 by such
//     chances too, of numbers as long, and the rest as it is, at most 31 bits at
//     a time, the upper ones first;
//   - a column begins with 0 as the one before; for each number there is a bit,
//     1 if it is that before, by one chance if that one was its predecessor too
//     and another if not; if it is 0, the number follows;
//   - an owner is one of the clusters that the sessions have yet to be named
//     for, see owners.go: first come those of all sessions not named so far, as
//     one; then those of the others in the order of the sessions. If it is a
//     session not named so far, a bit follows, 0 if it is the first with clusters
//     after the greatest one named; if 1, its position, as one of S.
//
// A UUID is random and costs its 122 bits. The owners cost the logarithm of
// the number of their sequences with the same counts: see owners.go. A
// capacity is mostly that of the cluster before, and a cluster mostly full
// unless it is its session's last; where that holds, neither costs anything.
// Base finals and generation counts follow from the order and are not written.
//
// # Trust
//
// [Parse] checks the sum first, and every field as package snapshot does. There
// are at most 512 clusters and runs, and 8 more for each byte before the sum;
// [Append] fills the form with zero bytes where it would be too short for
// that. So reading takes at most 200 times the input, and 16 KiB.
//
// # The canonical form
//
// Two sessions that saw the same ranges agree on the clusters and may differ
// in the order of their session tables. [AppendCanonical] writes the sessions
// in the order of their first clusters and nothing else, so that documents are
// equal exactly when their canonical forms are. [Hash] is its SHA-256.
package compact
