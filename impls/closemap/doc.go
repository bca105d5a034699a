/*
Package closemap provides a hash table that iterates in order of insertion and
can be changed while it is iterated: [Map], and [Set] without values.

The idea is Tyler Close's deterministic hash table, in the form that V8 gave it
for JavaScript's Map and Set (OrderedHashMap). Layout, rules of growth and the
behaviour of iterators are theirs; what differs is said below.

# Terms

An entry is a key, its value and a link that continues a chain. Entries lie in
one array, in order of insertion. A link is the index of an entry and some bits
beside it. A bucket is where the search for a key begins: it has four heads,
which are links. A deleted entry stays in its place, marked dead, until a rebuild
moves the live ones together. The capacity is how many entries the array has
room for; the live ones and the dead ones are in use.

	buckets, 2 of 4 heads          entries, in order of insertion
	┌────┬────┬────┬────┐           ┌──────┬─────────┬───────┐
	│  0 │  2 │    │    │         0 │  ant │ end     │ value │ ◀ first
	├────┼────┼────┼────┤           ├──────┼─────────┼───────┤
	│  3 │    │    │    │         1 │      │ dead    │       │
	└────┴────┴────┴────┘           ├──────┼─────────┼───────┤
	  │                           2 │  cat │ end     │ value │
	  │                             ├──────┼─────────┼───────┤
	  └──────────────────────────▶ 3 │  dog │ end     │ value │
	                                └──────┴─────────┴───────┘
	                                                           ◀ used

# Size

The capacity is a power of two and there are half as many buckets: two entries a
bucket. A map starts with two buckets. It doubles when an insertion finds no room;
but where at least half of the entries in use are dead, it is rebuilt at the same
size, in place. It halves when a deletion leaves fewer than a quarter of the
capacity live. So the capacity is at most four entries, or four times the live
ones, after every call (but for one that WithCapacity asked for, until the first
deletion), and every call is amortized O(1). Shrinking and Clear return memory.

There are two allocations, buckets and entries, none an entry, and neither has a
pointer unless the key or the value has one, so that a garbage collection has
nothing to scan. An entry of eight-byte keys and values takes 24 bytes and its
share of a bucket 8: 32 bytes an entry of a full map, 64 just after it doubled.
V8's takes 3.5 words of capacity, 28 bytes: the four more buy the four heads.
[Map.Stats] tells.

# Search

V8's bucket has one head, and a search follows its chain: at two entries a
bucket, half of all keys lie behind others, and each step waits for a cache
miss. Here a bucket has four heads in 16 bytes, which arrive together; an entry has
one to itself as long as one is free, and nineteen of twenty buckets need no
chain. In a link, the bits that the index leaves over hold a part of the key's
hash. So four links are compared at a time, without a branch; one entry is
fetched for a key that is there, and none for nearly all that are not. An insertion
fetches no entry to find out that its key is new. A last bit says whether an entry
has others behind it, so that the end of a chain is not fetched either. Deletion
takes an entry out of its chain at once: a search never meets a dead one.

[Map.GetBatch] looks up many keys and lets their misses overlap.

# Hashing

Integers, named types among them, are hashed by two keyed multiplications;
everything else by [hash/maphash.Comparable], or as [WithHasher] says. The keys are
derived from a seed that is random unless [WithSeed] gives it. Nobody can
therefore foresee which keys share a bucket; no order depends on it. Nor is the
multiplication a cipher: against somebody who measures single lookups, use a
hasher that is. Keys of equal hashes are told apart by ==, one after the other:
n keys of one hash cost n/2 steps a search, and still none a rebuild, which follows
no chains. A NaN is equal to nothing, so it is in no chain: it costs none.

# Cursors

A [Cursor], and likewise a range loop over [Map.All], delivers what is
inserted behind it and never what was deleted, through growth, shrinking and
Clear. For that V8 leaves the old table behind with a pointer to the new one and notes
on what was removed; an iterator that is left half-way keeps all of them alive.

Here entries are numbered by age. Where nothing was ever moved, the number of
an entry is its index and a constant; a cursor remembers index and number, and
as long as the table's epoch is that of the cursor, it goes on by index. A
rebuild that closes gaps begins an epoch. It keeps the numbers of those it moved in an
array of their own, eight bytes an entry, in which a cursor of an older epoch
finds its place again by binary search. The array replaces the one before: its size is
bounded by the entries, whatever the number of cursors and rebuilds.

And it is made only if somebody may need it. Loops are counted. Cursors are not,
since nobody must close them: they share one small object, of which the map knows
by a weak pointer. When the last cursor is dropped or at its end, the collector
clears that, and the next rebuild keeps no numbers. The alternatives are worse: a list of
cursors to be moved in a rebuild makes each rebuild pay for every cursor that was
dropped since the last collection; a log of the moves grows with the operations.
The weak pointer decides about memory only, never about an answer.

# The first entry

In V8's Map, taking the first entry passes over all that were deleted in
front of it since the last rebuild: 26 µs in a queue of 64,000. Here a deletion at
the front moves the index of the first live entry on. It passes each dead entry once
between two rebuilds, so that [Map.First] is O(1) and [Map.PopFirst] amortized.

# Limit

V8's Map ends at 2^24 entries, deleted ones among them. This one ends at
[MaxEntries], 2^29 live ones: an index has 30 bits, and the arrays may be
twice as large as the limit, so that the dead ones always find room.
[Map.TrySet] then returns a [*LimitError], [Map.Set] panics with it, and the
map is as it was.
*/
package closemap
