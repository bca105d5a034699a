// Package paged is the backend near the hardware's limit. Nearly every lookup
// costs one to three cache misses, because what it needs to know lies together
// and its place is computed instead of searched for.
//
// # Terms
//
// A slot answers for a few hundred neighbouring final IDs, a page for as many
// neighbouring generation counts of one session. An offset is a generation
// count minus 1, the distance of an ID from its session's UUID. A line is 64
// bytes, what a cache miss brings. Delta is what to add to an offset to get the
// final ID. A region is a stretch of final IDs with slots of one width. Crowds,
// spilled slots and listed chains are what the regular layout gives way to;
// honest documents have next to none.
//
// # Final ID to UUID: slots
//
// Clusters tile the final IDs without a hole, so the array of slots is a page
// table: slot number = (final - region's base) >> shift, with shift 9 where
// clusters have 512 IDs or more.
//
//	       512 final IDs            512 final IDs
//	 ├──────────┬──────────┤├─────────────────────┤
//	     A      │     B              B
//	        split
//	┌────────┬────────┬─────────┬──────────────────────────────────┐
//	│base.Hi │base.Lo │session A│split │ bound A │ bound B │begins │  24 bytes
//	└────────┴────────┴─────────┴──────────────────────────────────┘
//	    8        8         4              4, ten bits each
//
// base is A's session UUID + BaseGen - 1 - BaseFinal modulo 2^128, so that the
// UUID of every ID of A is base + final, whatever the slot. A bound says up to
// where a cluster is finalized. B's base and session are those of the next
// slot, which B reaches, as a cluster as wide as a slot must. The place of an
// ID, whether it is finalized and its UUID are thus one line, or two
// neighbouring ones. Which of A and B has the ID is arithmetic: a branch would
// be mispredicted, and would wait for the miss before it is known to be.
//
// A cluster that begins and ends inside one slot does not fit. Its slot is
// spilled: its list has a record of 40 bytes for each cluster with IDs of the
// slot, found by binary search. At 32 records a new region begins, with slots
// as narrow as the next cluster asks for.
//
// # Widths
//
// Widths come from other people. A cluster that would take more than 4 slots
// begins a new region: with wider slots, up to 512 IDs, or as one of its own,
// a record and no slots. So a cluster takes about 5 slots and 5 pages at the
// most, some 160 bytes, whatever its width; regular ones take one or two. That
// keeps loading a hostile document within 16 times its length. The price is
// that clusters of more than 2,560 IDs are found by binary search, of which a
// document has the fewer the wider they are. Lookups try the largest region
// first, which is the only one of honest documents, and else
// search all: log2(regions) comparisons, and regions are never more than
// clusters.
//
// # UUID to session: radix
//
// Session UUIDs are random, so their upper bits are a hash that keeps the
// order. A bucket is a line:
//
//	UUID, 58 upper bits   │ bucket │ tag, 14 bits │ …
//	┌──────────────────────────────────┬───────────────────────────┐
//	│tags of ten sessions, 16-bit lanes│ten session numbers, 32 bit│  64 bytes
//	└──────────────────────────────────┴───────────────────────────┘
//
// Three subtractions compare a tag with ten. The last session whose tag is not
// greater is the nearest unless it lies above the UUID, which takes a look at
// its own line, needed anyway; then those before it are tried. When none of the
// bucket is at or below the UUID, the nearest is the last one of the bucket
// before: a bitmap with a bit a bucket, and a bit for 64 of these and so on,
// finds it in a few steps however many are empty. That is also how the table
// stays right when UUIDs of a session cross into the next bucket: nothing is
// stored about them there, and the predecessor is looked for where it is.
//
// There are two to four sessions a bucket on average. One bucket in hundreds
// has more than ten by chance, and any by malice; such a crowd is a B+ tree of
// its own with whole UUIDs as keys. UUIDs one apart or with any shared prefix
// cost O(log n) to find and add. The table doubles, one allocation and one pass
// over the old buckets; the tags leave out the bits that name the bucket only
// every fourth time, so that three of four passes do not look at the sessions.
// Adding is O(1) amortized, with a stall of some 10 ns a session at a doubling.
//
// # Session to final ID: lines and chains
//
// A session's line holds its UUID and up to four clusters:
//
//	┌───────────┬─────┬─────────┬───────────┬─────┬────┬─────┐
//	│session ID │first│4 deltas │ 3 starts  │limit│done│chain│  64 bytes
//	└───────────┴─────┴─────────┴───────────┴─────┴────┴─────┘
//	     16        8     4 each     4 each     4     4    4
//
// A UUID minus the session's is an offset; comparing it with the starts gives
// the cluster, adding first and delta the final ID, comparing it with done
// whether it is finalized. So a UUID costs two misses: bucket and line.
//
// Longer chains have pages: a word for 512 offsets with the delta of the
// cluster at its first offset and where in it the next cluster starts, whose
// delta is the next page's. That is 8 bytes a cluster of 512 and one more miss.
// The first cluster of a chain is kept apart, since it is the one that is often
// wide: a document with one writer who is later joined by others. A chain that
// does not fit, because a cluster is narrower than a page and ends in it, is
// too wide, or was left with a hole of IDs that were never finalized, becomes a
// sorted list, once, in one pass; a lookup is then log2(chain) comparisons.
//
// # Normalizer
//
// Runs are bits over generation counts, but for runs and gaps wider than 2,048:
// see [Normalizer].
//
// # What it costs
//
// Final ID to UUID one miss, UUID to place two or three, appending a cluster
// and adding a session amortized constant, another count of a session's last
// cluster constant but for one step for 512 IDs between the counts. Growth
// copies: slots and sessions are slices that grow by a quarter. Nothing but
// chains, two slices each, holds a pointer for the garbage collector. Arrays of 8
// MiB or more ask for huge pages, worth a quarter of a lookup's time among
// millions of clusters.
//
// Bytes, for clusters of 512: 24 in a slot, 8 in a page where the chain is long;
// a session 64 and 16 to 32 in its bucket, and 104 for a chain. With reserves
// that is 33 to 38 a cluster where sessions have thousands of clusters, and 55
// where they have three. [Table.Bytes] is exact.
//
// Other layouts were measured. A line for 1,024 IDs with three whole clusters in
// it is one miss always, but takes a third more, leaves no room for the session,
// and is slower where the table fits a cache. Slots of 32 bytes never straddle
// lines: 5 bytes a cluster more buy 3 to 15 % of a decompress among millions of
// clusters and lose as much among fewer. A slot of 16 bytes, without the UUID,
// saves 8 bytes; its second miss costs 25 to 80 ns among a million sessions.
//
// # Where the ideas come from
//
// The page table is that of virtual memory, the slot that answers alone the
// inverted form of its entry. Radix tables over random keys in order are
// interpolation search carried to its end. Lanes that compare at once are those
// of Swiss tables, in a word as in Lamport's "Multiple byte processing with
// full-word instructions". Batches that touch before they look are group
// prefetching (Chen, Ailamaki, Gibbons, Mowry, 2004) without the instruction.
package paged
