package workload

import (
	"encoding/binary"
	"fmt"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
)

// lookups returns a body that asks the queries of a pool.
func lookups[Q any](s *Subject, p *pool[Q], run func(c *idcompressor.Compressor, queries []Q) (uint64, error)) (Body, error) {
	if p.empty() {
		return Body{}, fmt.Errorf("%w: it has no such ID", ErrDoesNotApply)
	}
	c, err := s.compressor()
	if err != nil {
		return Body{}, err
	}
	return Body{
		Ops:     lot,
		Prepare: p.prepare,
		Run:     func() (uint64, error) { return run(c, p.taken()) },
		Want:    func() (uint64, error) { return p.want(), nil },
	}, nil
}

// The pools. A hot one asks for few IDs again and again.

const hot = 64

func (d *Document) finals(n int) *pool[idcompressor.SessionSpaceID] {
	places := d.places()
	return newPool(min(n, places.len()), func(i int) (idcompressor.SessionSpaceID, uint64) {
		p := places.at(i)
		return idcompressor.SessionSpaceID(p.final), ofUUID(d.stableID(p.session, p.gen).UUID())
	})
}

func (d *Document) stableIDs(n int) *pool[uuid.UUID] {
	places := d.places()
	return newPool(min(n, places.len()), func(i int) (uuid.UUID, uint64) {
		p := places.at(i)
		return d.stableID(p.session, p.gen).UUID(), uint64(p.final)
	})
}

// misses are UUIDs of no session, which is how a stranger's look.
func (d *Document) misses() *pool[uuid.UUID] {
	r := d.random("misses")
	return newPool(fewestQueries, func(int) (uuid.UUID, uint64) { return randomUUID(r).UUID(), missing })
}

// An ownClass is a class of the measuring session's IDs.
type ownClass func(ownIDs) []int64

func ackedIDs(own ownIDs) []int64    { return own.local }
func unackedIDs(own ownIDs) []int64  { return own.unacked }
func eagerOwnIDs(own ownIDs) []int64 { return own.eager }

// ownForm returns the form in which the measuring session knows its own ID.
func (own ownIDs) form(gen int64, eager bool) idcompressor.SessionSpaceID {
	if eager {
		return idcompressor.SessionSpaceID(own.finals[gen])
	}
	return idcompressor.SessionSpaceID(-gen)
}

func (d *Document) ownPool(class ownClass, answer func(own ownIDs, gen int64) uint64) *pool[idcompressor.SessionSpaceID] {
	own := d.own()
	gens := class(own)
	eager := len(gens) > 0 && len(own.eager) > 0 && &gens[0] == &own.eager[0]
	return newPool(len(gens), func(i int) (idcompressor.SessionSpaceID, uint64) {
		return own.form(gens[i], eager), answer(own, gens[i])
	})
}

// Normalizing.

func toOpSpace(class ownClass) func(*Subject) (Body, error) {
	return func(s *Subject) (Body, error) {
		p := s.Document.ownPool(class, func(own ownIDs, gen int64) uint64 {
			if final := own.finals[gen]; final >= 0 {
				return uint64(final)
			}
			return uint64(-gen)
		})
		return lookups(s, p, func(c *idcompressor.Compressor, ids []idcompressor.SessionSpaceID) (sum uint64, err error) {
			for _, id := range ids {
				op, err := c.NormalizeToOpSpace(id)
				if err != nil {
					return 0, err
				}
				sum = fold(sum, uint64(op))
			}
			return sum, nil
		})
	}
}

// received is an ID as it comes in an operation.
type received struct {
	id     idcompressor.OpSpaceID
	origin uuid.UUID
}

func toSessionAll(c *idcompressor.Compressor, queries []received) (sum uint64, err error) {
	for i := range queries {
		id, err := c.NormalizeToSessionSpace(queries[i].id, queries[i].origin)
		if err != nil {
			return 0, err
		}
		sum = fold(sum, uint64(id))
	}
	return sum, nil
}

func toSessionRemote(s *Subject) (Body, error) {
	d := s.Document
	places := d.places()
	return lookups(s, newPool(places.len(), func(i int) (received, uint64) {
		p := places.at(i)
		return received{idcompressor.OpSpaceID(p.final), d.Sessions[p.session].UUID()}, uint64(p.final)
	}), toSessionAll)
}

func toSessionRemoteLocal(s *Subject) (Body, error) {
	d := s.Document
	places := d.places()
	return lookups(s, newPool(places.len(), func(i int) (received, uint64) {
		p := places.at(i)
		return received{idcompressor.OpSpaceID(-p.gen), d.Sessions[p.session].UUID()}, uint64(p.final)
	}), toSessionAll)
}

func toSessionOwn(s *Subject) (Body, error) {
	own, origin := s.Document.own(), s.Document.Sessions[0].UUID()
	return lookups(s, newPool(len(own.local), func(i int) (received, uint64) {
		gen := own.local[i]
		return received{idcompressor.OpSpaceID(own.finals[gen]), origin}, uint64(-gen)
	}), toSessionAll)
}

// Decompressing.

func decompressAll(c *idcompressor.Compressor, ids []idcompressor.SessionSpaceID) (sum uint64, err error) {
	for _, id := range ids {
		u, err := c.Decompress(id)
		if err != nil {
			return 0, err
		}
		sum = fold(sum, ofUUID(u))
	}
	return sum, nil
}

func decompressRandom(s *Subject) (Body, error) {
	body, err := lookups(s, s.Document.finals(mostQueries), decompressAll)
	body.Metrics = s.probes(func(t impls.Prober, p place) int { return t.ProbeFinal(p.final) })
	return body, err
}

func decompressHot(s *Subject) (Body, error) {
	return lookups(s, s.Document.finals(hot), decompressAll)
}

func decompressOwn(class ownClass) func(*Subject) (Body, error) {
	return func(s *Subject) (Body, error) {
		d := s.Document
		return lookups(s, d.ownPool(class, func(_ ownIDs, gen int64) uint64 {
			return ofUUID(d.stableID(0, gen).UUID())
		}), decompressAll)
	}
}

// batch is how many IDs a call with many of them gets.
const batch = 1024

func decompressBatch(s *Subject) (Body, error) {
	dst := make([]uuid.UUID, 0, batch)
	return lookups(s, s.Document.finals(mostQueries), func(c *idcompressor.Compressor, ids []idcompressor.SessionSpaceID) (sum uint64, err error) {
		for ; len(ids) > 0; ids = ids[batch:] {
			if dst, err = c.AppendDecompress(dst[:0], ids[:batch]); err != nil {
				return 0, err
			}
			for _, u := range dst {
				sum = fold(sum, ofUUID(u))
			}
		}
		return sum, nil
	})
}

// decompressRange decompresses stretches of final IDs that lie together.
func decompressRange(s *Subject) (Body, error) {
	const calls = lot / batch
	p := s.Document.stretches(calls)
	dst := make([]uuid.UUID, 0, batch)
	return lookups(s, p, func(c *idcompressor.Compressor, firsts []idcompressor.SessionSpaceID) (sum uint64, err error) {
		for _, first := range firsts {
			if dst, err = c.AppendDecompressRange(dst[:0], first, batch); err != nil {
				return 0, err
			}
			for _, u := range dst {
				sum = fold(sum, ofUUID(u))
			}
		}
		return sum, nil
	})
}

// Recompressing.

func recompressAll(c *idcompressor.Compressor, ids []uuid.UUID) (sum uint64, err error) {
	for _, u := range ids {
		id, ok := c.TryRecompress(u)
		answer := uint64(id)
		if !ok {
			answer = missing
		}
		sum = fold(sum, answer)
	}
	return sum, nil
}

func recompressRandom(s *Subject) (Body, error) {
	body, err := lookups(s, s.Document.stableIDs(mostQueries), recompressAll)
	body.Metrics = s.probes(func(t impls.Prober, p place) int {
		return t.ProbeStableID(s.Document.stableID(p.session, p.gen))
	})
	return body, err
}

func recompressHot(s *Subject) (Body, error) {
	return lookups(s, s.Document.stableIDs(hot), recompressAll)
}

func recompressMiss(s *Subject) (Body, error) { return lookups(s, s.Document.misses(), recompressAll) }

func recompressOwn(s *Subject) (Body, error) {
	d, own := s.Document, s.Document.own()
	return lookups(s, newPool(len(own.local), func(i int) (uuid.UUID, uint64) {
		gen := own.local[i]
		return d.stableID(0, gen).UUID(), uint64(-gen)
	}), recompressAll)
}

func recompressBatch(s *Subject) (Body, error) {
	dst := make([]idcompressor.SessionSpaceID, 0, batch)
	return lookups(s, s.Document.stableIDs(mostQueries), func(c *idcompressor.Compressor, ids []uuid.UUID) (sum uint64, err error) {
		for ; len(ids) > 0; ids = ids[batch:] {
			// All are known: an unknown one counts as 0, which is no answer here.
			dst, _ = c.AppendRecompress(dst[:0], nil, ids[:batch])
			for _, id := range dst {
				sum = fold(sum, uint64(id))
			}
		}
		return sum, nil
	})
}

// probed is how many lookups the mean of their steps is taken over.
const probed = 2000

// probes returns the mean steps of a table's lookups, if it counts them.
func (s *Subject) probes(count func(impls.Prober, place) int) func() ([]Metric, error) {
	return func() ([]Metric, error) {
		c, err := s.compressor()
		if err != nil {
			return nil, err
		}
		t, ok := c.Table().(impls.Prober)
		if !ok {
			return nil, nil
		}
		places := s.Document.places()
		n := min(places.len(), probed)
		var sum int
		for i := range n {
			sum += count(t, places.at(i))
		}
		return []Metric{{"probes/op", float64(sum) / float64(n)}}, nil
	}
}

// cold makes a benchmark run on a cold cache: before each lot, much other
// memory is written, and a lot is so short that most of it misses.
func cold(setup func(*Subject) (Body, error)) func(*Subject) (Body, error) {
	return func(s *Subject) (Body, error) {
		body, err := setup(s)
		if err != nil {
			return body, err
		}
		other := make([]numericuuid.UUID, coldBytes/16)
		body.Metrics = nil
		next := body.Prepare
		body.Prepare = func() error {
			if err := next(); err != nil {
				return err
			}
			for i := 0; i < len(other); i += 4 {
				other[i].Lo++
			}
			return nil
		}
		return body, nil
	}
}

// coldBytes is more than the caches of a core have. Where cores share a
// greater one, cold means that an answer comes from there.
const coldBytes = 64 << 20

// Text: the 36 characters, as the original has UUIDs.

func decompressText(s *Subject) (Body, error) {
	d, places := s.Document, s.Document.places()
	p := newPool(min(mostQueries, places.len()), func(i int) (idcompressor.SessionSpaceID, uint64) {
		p := places.at(i)
		return idcompressor.SessionSpaceID(p.final), ofText(d.stableID(p.session, p.gen).AppendText(nil))
	})
	text := make([]byte, 0, textLen)
	return lookups(s, p, func(c *idcompressor.Compressor, ids []idcompressor.SessionSpaceID) (sum uint64, err error) {
		for _, id := range ids {
			if text, err = c.AppendStableID(text[:0], id); err != nil {
				return 0, err
			}
			sum = fold(sum, ofText(text))
		}
		return sum, nil
	})
}

const textLen = 36

// ofText makes one number of the end of a UUID's text, in which the IDs of a
// session differ.
func ofText(text []byte) uint64 { return binary.LittleEndian.Uint64(text[textLen-8:]) }

// mostTexts is how many texts are asked for: they take three times the room.
const mostTexts = 1 << 20

func recompressText(s *Subject) (Body, error) {
	d, places := s.Document, s.Document.places()
	p := newPool(min(mostTexts, places.len()), func(i int) ([textLen]byte, uint64) {
		p := places.at(i)
		return [textLen]byte(d.stableID(p.session, p.gen).AppendText(nil)), uint64(p.final)
	})
	return lookups(s, p, func(c *idcompressor.Compressor, texts [][textLen]byte) (sum uint64, err error) {
		for i := range texts {
			u, err := uuid.ParseBytes(texts[i][:])
			if err != nil {
				return 0, err
			}
			id, _ := c.TryRecompress(u)
			sum = fold(sum, uint64(id))
		}
		return sum, nil
	})
}
