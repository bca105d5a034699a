package workload

import (
	"fmt"

	"example.com/idlab/impls/idcompressor"
)

// remoteCount is how many IDs a range has that another session sends.
const remoteCount = 7

// ownKind is a way to generate IDs.
type ownKind struct {
	arm  func(t *scratch, n int64) error   // makes the next n of them come
	next func(t *scratch) (id, step int64) // the next one, and from each to the one after it
}

var (
	eagerIDs = ownKind{
		arm: (*scratch).arm,
		next: func(t *scratch) (id, step int64) {
			return t.last[0].baseFinal + t.gen + 1 - t.last[0].baseGen, 1
		},
	}
	localIDs = ownKind{
		arm:  func(t *scratch, _ int64) error { return t.exhaust() },
		next: func(t *scratch) (id, step int64) { return -t.gen - 1, -1 },
	}
)

// generated returns the checksum of the next n IDs, and counts them.
func (k ownKind) generated(t *scratch, n int) uint64 {
	var sum uint64
	id, step := k.next(t)
	for range n {
		sum = fold(sum, uint64(id))
		id += step
	}
	t.gen += int64(n)
	return sum
}

// changes completes a body that changes a compressor: each lot begins with one
// that has not grown too much.
func changes(s *Subject, t **scratch, prepare func() error) func() error {
	return func() (err error) {
		if *t, err = s.changing(); err != nil {
			return err
		}
		return prepare()
	}
}

// generate times Generate.
func generate(kind ownKind) func(*Subject) (Body, error) {
	return func(s *Subject) (Body, error) {
		const ops = 2 * lot // the quickest of all operations
		var t *scratch
		prepare := changes(s, &t, func() error { return kind.arm(t, ops) })
		left := 0
		return Body{
			Ops:     ops,
			Prepare: prepare,
			Run: func() (sum uint64, err error) {
				c := t.c
				for range ops {
					id, err := c.Generate()
					if err != nil {
						return 0, err
					}
					sum = fold(sum, uint64(id))
				}
				return sum, nil
			},
			Want: func() (uint64, error) { return kind.generated(t, ops), nil },
			One: func() (func() error, error) {
				if left == 0 {
					if err := prepare(); err != nil {
						return nil, err
					}
					left = ops
				}
				left--
				t.gen++
				return func() error { _, err := t.c.Generate(); return err }, nil
			},
		}, nil
	}
}

// generateBatch times AppendGenerate.
func generateBatch(kind ownKind) func(*Subject) (Body, error) {
	return func(s *Subject) (Body, error) {
		const ops, batch = 8 * lot, 1024
		var t *scratch
		ids := make([]idcompressor.SessionSpaceID, 0, batch)
		return Body{
			Ops:     ops,
			Prepare: changes(s, &t, func() error { return kind.arm(t, ops) }),
			Run: func() (sum uint64, err error) {
				for range ops / batch {
					if ids, err = t.c.AppendGenerate(ids[:0], batch); err != nil {
						return 0, err
					}
					for _, id := range ids {
						sum = fold(sum, uint64(id))
					}
				}
				return sum, nil
			},
			Want: func() (uint64, error) { return kind.generated(t, ops), nil },
		}, nil
	}
}

// takeRange times TakeNextCreationRange with the Generate that gives it an ID
// to announce.
func takeRange(kind ownKind) func(*Subject) (Body, error) {
	return func(s *Subject) (Body, error) {
		const ops = lot
		var t *scratch
		return Body{
			Ops: ops,
			Prepare: changes(s, &t, func() error {
				if err := kind.arm(t, ops); err != nil {
					return err
				}
				_, err := t.c.TakeNextCreationRange()
				return err
			}),
			Run: func() (sum uint64, err error) {
				c := t.c
				for range ops {
					if _, err := c.Generate(); err != nil {
						return 0, err
					}
					r, err := c.TakeNextCreationRange()
					if err != nil {
						return 0, err
					}
					sum = fold(sum, uint64(r.IDs.FirstGenCount<<20+r.IDs.Count))
				}
				return sum, nil
			},
			Want: func() (sum uint64, err error) {
				for range ops {
					t.gen++
					sum = fold(sum, uint64(t.gen<<20+1))
				}
				return sum, nil
			},
		}, nil
	}
}

// finalizing times FinalizeCreationRange on the ranges that fill queues. What
// came of them is asked for afterwards.
func finalizing(s *Subject, ops int, fill func(*scratch) error) Body {
	s.scratch = nil // the first lot, which is counted, is to meet the document as it was
	var t *scratch
	prepare := changes(s, &t, func() error {
		t.queue = t.queue[:0]
		return fill(t)
	})
	left := 0
	rest := func() error {
		c := t.c
		for i := ops - left; i < ops; i++ {
			if err := c.FinalizeCreationRange(t.queue[i].r); err != nil {
				return err
			}
		}
		left = 0
		return nil
	}
	return Body{
		Ops:     ops,
		Prepare: prepare,
		Run: func() (uint64, error) {
			left = ops
			return 0, rest()
		},
		Want: func() (uint64, error) { return t.misplaced(), nil },
		One: func() (func() error, error) {
			if left == 0 {
				if err := prepare(); err != nil {
					return nil, err
				}
				left = ops
			}
			r := t.queue[ops-left].r
			left--
			return func() error { return t.c.FinalizeCreationRange(r) }, nil
		},
		Finish: rest,
	}
}

// misplaced folds where the last IDs of the queued ranges are that are not
// where they must be; it is 0 if all are.
func (t *scratch) misplaced() (sum uint64) {
	table := t.c.Table()
	for i := range t.queue {
		r, final := t.queue[i].r, t.queue[i].final
		p := table.ByFinal(final)
		if !p.Finalized || p.Gen != r.IDs.FirstGenCount+r.IDs.Count-1 || table.SessionID(p.Session).UUID() != r.SessionID {
			sum = fold(sum, uint64(p.Gen)|1)
		}
	}
	return sum
}

// finalizeKnown finalizes ranges of sessions that the document has. Most fit
// into the session's last cluster, one in 73 opens a new one.
func finalizeKnown(s *Subject) (Body, error) {
	others := len(s.Document.Sessions) - 1
	if others == 0 {
		return Body{}, fmt.Errorf("%w: it has no other session", ErrDoesNotApply)
	}
	return finalizing(s, lot, func(t *scratch) error {
		for range lot {
			t.plan(1+int32(t.random.IntN(others)), remoteCount, idcompressor.DefaultClusterSize)
		}
		return nil
	}), nil
}

// finalizeNew finalizes the first range of sessions that are new.
func finalizeNew(s *Subject) (Body, error) {
	const ops = leastGrowth
	return finalizing(s, ops, func(t *scratch) error {
		for range ops {
			t.sessions = append(t.sessions, randomUUID(t.random))
			t.last = append(t.last, lastCluster{baseGen: 1})
			t.plan(int32(len(t.sessions)-1), remoteCount, idcompressor.DefaultClusterSize)
		}
		return nil
	}), nil
}

// finalizeOwn finalizes ranges of the measuring session.
func finalizeOwn(s *Subject) (Body, error) {
	return finalizing(s, lot, func(t *scratch) error {
		if err := t.finalizeOwn(idcompressor.DefaultClusterSize); err != nil {
			return err
		}
		for range lot {
			for range remoteCount {
				if _, err := t.c.Generate(); err != nil {
					return err
				}
				t.gen++
			}
			r, err := t.c.TakeNextCreationRange()
			if err != nil {
				return err
			}
			t.queue = append(t.queue, queued{r, t.finalize(0, r.IDs.Count, r.IDs.RequestedClusterSize)})
		}
		return nil
	}), nil
}
