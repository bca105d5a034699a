package idcompressor_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
)

// ghost makes n IDs in a ghost session.
func (e env) ghost(c *compressor, s uuid.UUID, n int) []id {
	e.Helper()
	var ids []id
	e.must(c.BeginGhostSession(s, func() error { ids = e.gen(c, n); return nil }))
	e.must(c.CheckInvariants())
	return ids
}

func TestGhostSession(t *testing.T) {
	run(t, "R24 R25 R26 R33 Q83", func(e env) {
		var events []idcompressor.Event
		c := e.with(2, hook(&events))
		events = nil
		e.must(c.BeginGhostSession(s2, func() error {
			e.gen1(c)
			for name, call := range map[string]func() error{
				"R24 take":        func() error { _, err := c.TakeNextCreationRange(); return err },
				"takeUnfinalized": func() error { _, err := c.TakeUnfinalizedCreationRange(); return err },
				"reset":           c.ResetUnfinalizedCreationRange,
				"R25 finalize":    func() error { return c.FinalizeCreationRange(ranged(s3, 1, 1, 1)) },
				// Q32: also for a range without IDs
				"R25 Q32 empty":  func() error { return c.FinalizeCreationRange(idcompressor.CreationRange{SessionID: s1}) },
				"R26 serialize":  func() error { _, err := c.AppendSerialized(nil, false); return err },
				"serialize with": func() error { _, err := c.MarshalText(); return err },
				"state":          func() error { _, err := c.State(true); return err },
				"R33 shard":      func() error { _, err := c.Shard(1); return err },
				"nested":         func() error { return c.BeginGhostSession(s3, func() error { panic("called") }) },
			} {
				if e.refused(c, idcompressor.ErrGhost, call) == nil {
					e.Fatal(name)
				}
			}
			// Q83: what stays allowed.
			e.same(c, e.with(2), false, false)
			e.known(c, -1, s1)
			token, err := c.ShardSyncToken()
			if token != nil || err != nil {
				e.Fatal(token, err)
			}
			e.next(c, 8) // the outer one goes on
			return nil
		}))
		e.equal("events of a ghost session", len(events), 0)
		e.next(c, 2)
	})
	run(t, "R27 R28", func(e env) {
		c := e.new()
		ids := e.ghost(c, s2, 10)
		for i, x := range ids {
			allFinal(e, "ghost ID", []id{x}, true)
			e.known(c, x, add(s2, int64(i)))
		}
		distinct(e, "ghost ID", ids)
	})
	run(t, "R29 R30 R31", func(e env) {
		var events []idcompressor.Event
		c := e.new(hook(&events))
		size := func() idcompressor.Event {
			e.serialized(c, false)
			return events[len(events)-1]
		}
		e.equal("R29", size(), idcompressor.Event(idcompressor.SerializedSizeEvent{Size: 32}))
		e.ghost(c, s2, 0)
		e.equal("R30", size(), idcompressor.Event(idcompressor.SerializedSizeEvent{Size: 32}))
		e.ghost(c, s2, 1)
		e.equal("R31", size(), idcompressor.Event(idcompressor.SerializedSizeEvent{Size: 72, ClusterCount: 1, SessionCount: 1}))
	})
	run(t, "R32", func(e env) {
		c := e.new()
		_, err := c.Shard(1)
		e.must(err)
		e.refused(c, idcompressor.ErrGhost, func() error {
			return c.BeginGhostSession(s2, func() error { panic("called") })
		})
	})
	run(t, "R33", func(e env) { // the error comes out of BeginGhostSession
		c := e.new()
		e.refused(c, idcompressor.ErrGhost, func() error {
			return c.BeginGhostSession(s2, func() error { _, err := c.Shard(1); return err })
		})
	})
	run(t, "Q80", func(e env) {
		// Only the first ID is checked for a collision; later ones may grow
		// into another session.
		c := e.new()
		e.finalize(ranged(add(s2, 3), 1, 1, 1), c)
		e.equal("IDs", e.ghost(c, s2, 5), []id{2, 3, 4, 5, 6})
		e.equal("UUID", e.stable(c, 5), add(s2, 3))
		e.equal("nearest session answers", e.recompress(c, add(s2, 3)), id(0))
		var inside error
		e.refused(c, idcompressor.ErrCollision, func() error {
			return c.BeginGhostSession(add(s2, 4), func() error { _, inside = c.Generate(); return inside })
		})
		e.refused(c, idcompressor.ErrCollision, func() error {
			return c.BeginGhostSession(add(s2, 4), func() error { _, err := c.AppendGenerate(nil, 3); return err })
		})
		e.equal("returned as it is", errors.Is(inside, idcompressor.ErrCollision), true)
	})
	run(t, "Q81", func(e env) {
		c := e.new()
		e.ghost(c, s2, 6)
		e.equal("second ghost session", e.ghost(c, s2, 1), []id{6})
		e.equal("clusters", len(clusters(c)), 2)
		e.equal("UUID", e.stable(c, 6), add(s2, 6))
		err := e.refuseFinalize(c, idcompressor.ErrOutOfOrder, ranged(s2, 1, 1, 1))
		order, _ := errors.AsType[*idcompressor.OrderError](err)
		e.equal("expected", *order, idcompressor.OrderError{ExpectedStart: -8, ActualStart: -1})
		e.finalize(ranged(s2, 8, 1, 1), c)
	})
	run(t, "Q81 room", func(e env) {
		// A new cluster also where the session's last one has room.
		c := e.new()
		e.finalize(ranged(s2, 1, 2, 3), c)
		e.equal("IDs", e.ghost(c, s2, 2), []id{5, 6})
		e.equal("UUID", e.stable(c, 5), add(s2, 5))
		e.unknown(c, 3, add(s2, 3))
		e.roundTrips(c)
	})
	run(t, "Q82", func(e env) {
		c := e.with(1)
		e.refused(c, idcompressor.ErrGhost, func() error {
			return c.BeginGhostSession(s1, func() error { panic("called") })
		})
		e.next(c, 1)
	})
	run(t, "Q83 failing", func(e env) {
		c := e.new()
		boom := errors.New("boom")
		if err := c.BeginGhostSession(s2, func() error { e.gen(c, 2); return boom }); err != boom {
			e.Fatal(err)
		}
		e.known(c, 1, add(s2, 1))
		func() {
			defer func() { _ = recover() }()
			_ = c.BeginGhostSession(s3, func() error { e.gen1(c); panic(boom) })
		}()
		e.known(c, 2, s3)
		e.next(c, -1) // ended
		e.sync(c)
		e.roundTrips(c)
	})
	run(t, "Q84", func(e env) {
		c := e.with(6) // 6 of 11
		e.ghost(c, s2, 1)
		e.gen(c, 6)
		e.sync(c)
		e.equal("clusters", len(clusters(c)), 3)
		e.equal("own last", clusters(c)[2].Capacity, int64(6))
		e.next(c, 13)
	})
	run(t, "Q31 ghost", func(e env) {
		c := e.new()
		top := numericuuid.Max.UUID()
		e.must(c.BeginGhostSession(add(top, -2), func() error {
			e.refused(c, idcompressor.ErrExhausted, func() error { _, err := c.AppendGenerate(nil, 4); return err })
			e.next(c, 0)
			e.refused(c, idcompressor.ErrExhausted, func() error { _, err := c.AppendGenerate(nil, 3); return err })
			e.next(c, 1, 2)
			e.refused(c, idcompressor.ErrExhausted, func() error { _, err := c.Generate(); return err })
			return nil
		}))
		e.known(c, 2, top)
		e.refused(c, idcompressor.ErrExhausted, func() error {
			return c.BeginGhostSession(add(top, -2), func() error { _, err := c.Generate(); return err })
		})
		e.roundTrips(c)
	})
	run(t, "invalid", func(e env) {
		c := e.new()
		e.refused(c, idcompressor.ErrInvalidUUID, func() error {
			return c.BeginGhostSession(uuid.Nil, func() error { panic("called") })
		})
	})
}
