package idcompressor

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// chunk is how many IDs a batch hands to a table at once: enough for cache
// misses to overlap, few enough to stay in the first-level cache.
const chunk = 256

// scratch is what batches hand to a table. It is made once, with the first
// batch: passed through the seam, an array of the stack would be on the heap.
type scratch struct {
	finals [chunk]int64
	ids    [chunk]numericuuid.UUID
	v4     [chunk]bool
	places [chunk]impls.Place
}

// batch returns the table's batches and room for a chunk of them, or nil.
func (c *Compressor) batch() (impls.BatchTable, *scratch) {
	batch, ok := c.table.(impls.BatchTable)
	if ok && c.scratch == nil {
		c.scratch = new(scratch)
	}
	return batch, c.scratch
}

// AppendDecompress appends the UUIDs of ids to dst. Where the backend has
// batches ([impls.BatchTable]), cache misses overlap and an ID costs a
// fraction of what [Compressor.Decompress] does. At the first ID that cannot
// be decompressed it stops and returns dst as it was and an error that names
// the position.
func (c *Compressor) AppendDecompress(dst []uuid.UUID, ids []SessionSpaceID) ([]uuid.UUID, error) {
	if err := c.usable("decompress"); err != nil {
		return dst, err
	}
	out := slices.Grow(dst, len(ids))
	batch, room := c.batch()
	if batch == nil {
		for i, id := range ids {
			u, err := c.Decompress(id)
			if err != nil {
				return dst, unknownAt(i, id)
			}
			out = append(out, u)
		}
		return out, nil
	}
	finals, found := &room.finals, &room.ids
	for at := 0; at < len(ids); at += chunk {
		part := ids[at:min(at+chunk, len(ids))]
		for i, id := range part {
			finals[i] = int64(id)
		}
		for done := 0; done < len(part); {
			n := 0
			if part[done].IsFinal() {
				n = batch.StableIDs(found[:len(part)-done], finals[done:len(part)])
			}
			out = appendUUIDs(out, found[:n])
			if done += n; done < len(part) { // local, or known only here, or unknown
				u, err := c.Decompress(part[done])
				if err != nil {
					return dst, unknownAt(at+done, part[done])
				}
				out = append(out, u)
				done++
			}
		}
	}
	return out, nil
}

// appendUUIDs appends the UUIDs of numbers, for which out has room.
func appendUUIDs(out []uuid.UUID, ids []numericuuid.UUID) []uuid.UUID {
	at := len(out)
	out = out[:at+len(ids)]
	for i, id := range ids {
		id.Put(&out[at+i])
	}
	return out
}

func unknownAt(i int, id SessionSpaceID) error {
	return fmt.Errorf("idcompressor: decompress: ids[%d]: %w: %d", i, ErrUnknownID, id)
}

// AppendDecompressRange appends the UUIDs of the final IDs first, first+1, ...,
// first+n-1: the fastest way to decompress what lies together. If one of them
// cannot be decompressed it returns dst as it was and an error that names such
// an ID. Errors: [ErrDisposed], [ErrInvalidArgument] for a negative n or first,
// [ErrUnknownID].
func (c *Compressor) AppendDecompressRange(dst []uuid.UUID, first SessionSpaceID, n int) ([]uuid.UUID, error) {
	if err := c.usable("decompress"); err != nil {
		return dst, err
	}
	if n < 0 || first < 0 {
		return dst, fmt.Errorf("idcompressor: decompress: %w: %d IDs from %d", ErrInvalidArgument, n, first)
	}
	if n == 0 {
		return dst, nil
	}
	if int64(n) > c.limit-int64(first) {
		return dst, c.unknownID("decompress", max(int64(first), c.limit))
	}
	// A cluster may reserve 2^45 IDs and have one: memory follows what is found.
	const most = 1 << 16
	out := slices.Grow(dst, min(n, most))
	batch, room := c.batch()
	for at := 0; at < n; {
		done := 0
		if batch != nil {
			done = batch.StableIDRange(room.ids[:min(chunk, n-at)], int64(first)+int64(at))
			out = appendUUIDs(out, room.ids[:done])
			at += done
		}
		if at < n && done < chunk {
			u, err := c.Decompress(first + SessionSpaceID(at))
			if err != nil {
				return dst, err
			}
			out = append(out, u)
			at++
		}
	}
	return out, nil
}

// AppendRecompress appends the IDs of stable to dst, the ID 0 for a UUID that
// is unknown, and returns dst and how many are known. If ok is not nil it must
// be at least as long as stable: ok[i] is set to whether stable[i] is known.
// Nothing is known to a compressor that was disposed, and a UUID that is no
// version 4 is unknown.
func (c *Compressor) AppendRecompress(dst []SessionSpaceID, ok []bool, stable []uuid.UUID) ([]SessionSpaceID, int) {
	known := 0
	add := func(i int, id SessionSpaceID, found bool) {
		if found {
			known++
		} else {
			id = 0
		}
		dst = append(dst, id)
		if ok != nil {
			ok[i] = found
		}
	}
	dst = slices.Grow(dst, len(stable))
	batch, room := c.batch()
	if batch == nil || c.disposed {
		for i, u := range stable {
			id, found := c.TryRecompress(u)
			add(i, id, found)
		}
		return dst, known
	}
	ids, v4, places := &room.ids, &room.v4, &room.places
	for at := 0; at < len(stable); at += chunk {
		part := stable[at:min(at+chunk, len(stable))]
		for i, u := range part {
			ids[i], v4[i] = numericuuid.FromUUID(u)
		}
		batch.ByStableIDs(places[:len(part)], ids[:len(part)])
		for i := range part {
			id, found := c.sessionForm(places[i], ids[i])
			add(at+i, id, found && v4[i])
		}
	}
	return dst, known
}
