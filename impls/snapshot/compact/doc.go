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
// The coded part is the output of a range coder, without the zeros at its end.
// It has, each column with a model of its own:
//
//	S counts        how many clusters the session has
//	K clusters      owner; capacity; whether count = capacity; if not, count
//	with session    generated; cursor; number of runs; for each run the gap to
//	                the one before and the length
//	sharded         original stride; stride
//
// A UUID is random and costs its 122 bits. The owners cost the logarithm of
// the number of their sequences with the same counts: see owners.go. A
// capacity is mostly that of the cluster before, and a cluster mostly full
// unless it is its session's last; where that holds, neither costs anything.
// Base finals and generation counts follow from the order and are not written.
//
// # Trust
//
// [Parse] checks the sum first, and every field as package snapshot does. K is
// at most 8 for a byte of input, and [Append] fills the form with zero bytes
// where it would be less, so that reading takes at most 200 times the input.
//
// # The canonical form
//
// Two sessions that saw the same ranges agree on the clusters and may differ
// in the order of their session tables. [AppendCanonical] writes the sessions
// in the order of their first clusters and nothing else, so that documents are
// equal exactly when their canonical forms are. [Hash] is its SHA-256.
package compact
