// Package hashindex is a cluster table and a normalizer on hash maps of any
// make. The backends swissgo, swissdolthub and closetable are this package on a
// map each.
//
// A hash map finds equal keys only, and an ID compressor asks for the nearest
// key at or below. Two structures turn one question into the other. Sessions and
// clusters themselves lie in slices in the order in which they were added
// ([impls.Lists]), so that no order ever depends on a map, and no map is iterated.
//
// # Blocks of IDs
//
// A block is an aligned range of 2^k numbers. The map names, for blocks in which
// clusters begin, the first that does. As clusters lie in the order of their final
// IDs, that is all a search needs:
//
//	final IDs  |----- block 4 -----|----- block 5 -----|----- block 6 -----|
//	clusters   ...--6--)[----7----)[--8--)[-------------- 9 ---------------...
//	map        4 -> 7,  5 -> 8,  block 6 has no entry
//
// A final ID of block 5 that is below cluster 8 is in the one before, 7; another
// is in 8 or later, which is searched at doubling distances. In block 6 no
// cluster begins, and the search goes on in the block of 16 times the size, and
// so on: a cluster of w IDs is found at a level of about log16(w/1024).
//
// A cluster that is the first in blocks of several levels has an entry for the
// greatest only. Whoever comes from a smaller one misses once more and finds it
// there. So a cluster has one entry or none, and is never charged for being wide;
// growing it, which leaves its base where it is, changes nothing.
//
// Blocks of final IDs hold 1,024: two clusters of the usual 512. The same index,
// by session and block, finds generation counts in the chains of sessions; chains
// of up to 8 clusters have none and are searched by halving. It also finds
// runs, by blocks of 64 generation counts. A key is one uint64 of 31 bits for the
// session, 4 for the level and 29 for the block; numbers from 2^39 on (2^35 in
// the normalizer) therefore begin at a coarser level. That costs steps, not answers.
//
// # Prefixes of UUIDs
//
// Sessions lie in leaves of up to 16, sorted, and the leaves are linked in order.
// A leaf holds all sessions whose UUIDs begin with certain bits. A full leaf is
// split at the first bit in which its sessions differ. The map has an entry for each
// leaf under its prefix, and for each prefix of a leaf's prefix; the search for the
// longest prefix of a UUID that has an entry is by halving over its 122 lengths,
// begun at the length that most leaves have, and ends at the first leaf. This
// is the x-fast trie of D. Willard (Log-logarithmic worst-case range queries are
// possible in space Θ(N), 1983) with the buckets of his y-fast trie: a prefix
// that only zeros or only ones follow names the leaf next to the gap, so that
// the leaf at which a search ends holds the nearest session at or below, or else the
// leaf before it does.
//
// That is also how it stays right when the UUIDs of a session cross a prefix. A
// session is in the leaf of its first UUID alone. The n-th may lie behind any
// number of prefixes: its search ends at a leaf without a session at or below it,
// or at a gap, and the link leads to the last session before. Where other sessions
// lie between, these are the nearest, as the rule of [impls.ClusterTable] wants.
//
// Many sessions that share a prefix, up to sessions one apart, make the trie
// deep, not the leaves long: no search takes more than 16 lookups. The path to a
// split has an entry for each bit, so that whoever chooses UUIDs can make
// 17 sessions cost 122 entries, and a new leaf 122 lookups. Random UUIDs share
// little: 10,000 make 930 leaves of 11, 1,855 entries, and 1.2 lookups a search.
//
// # Cost
//
// StableID is one lookup in a map of uint64 and two or three comparisons; ByStableID
// one or two lookups by prefix, and the chain. Appending a cluster of 512 adds an
// entry every other time, and as many in a long chain. Sessions and clusters are
// never removed, so that it does not matter that no hash map gives memory back.
// Adding sessions up to 200,000 takes 0.3 to 0.4 µs each, one apart or at random,
// and 1 to 2 µs and 260 to 410 bytes where 17 at a time share 114 bits.
//
// A cluster takes 40 bytes, 4 to 8 in its chain, and its share of entries; a
// session 24, 24 more with its chain, and about 35 in the trie. The maps are
// called through an interface, 2 ns a lookup. Type parameters would not avoid
// it, since Go calls their methods through a table, too.
package hashindex
