package idcompressor_test

import (
	"testing"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

type event = idcompressor.Event

func status(eager, local int64) event {
	return idcompressor.StatusEvent{SessionID: s1, EagerFinalIDCount: eager, LocalIDCount: local}
}

func finalized(r idcompressor.CreationRange) event { return idcompressor.RangeFinalizedEvent{Range: r} }

// telemetry filters what the reference logs from what it emits.
func telemetry(events []event) []event {
	var logged []event
	for _, ev := range events {
		if _, emitted := ev.(idcompressor.RangeFinalizedEvent); !emitted {
			logged = append(logged, ev)
		}
	}
	return logged
}

func TestTelemetry(t *testing.T) {
	run(t, "R99", func(e env) {
		var events []event
		c := e.new(hook(&events))
		e.gen1(c)
		r := e.take(c)
		e.finalize(r, c)
		e.equal("events", events, []event{idcompressor.FirstClusterEvent{SessionID: s1}, status(0, 1), finalized(r)})
	})
	run(t, "R66 R100", func(e env) {
		var events []event
		c := e.with(1, hook(&events))
		e.finalize(ranged(s2, 1, 1, 1), c)
		e.gen(c, 6)
		events = nil
		e.sync(c)
		e.equal("events", telemetry(events), []event{idcompressor.NewClusterEvent{SessionID: s1}, status(5, 1)})
	})
	run(t, "R101", func(e env) {
		var events []event
		c := e.with(1, hook(&events))
		e.gen(c, 2)
		events = nil
		e.sync(c)
		e.equal("events", telemetry(events), []event{status(2, 0)})
	})
	run(t, "R102", func(e env) {
		var events []event
		c := e.with(1, hook(&events))
		ids, err := c.AppendGenerate(nil, 5)
		e.must(err)
		allFinal(e, "IDs", ids, true)
		events = nil
		e.sync(c)
		e.equal("events", telemetry(events), []event{status(5, 0)})
	})
	run(t, "R65 R103", func(e env) {
		var events []event
		c := e.with(1, hook(&events))
		e.gen(c, 7)
		events = nil
		e.sync(c)
		e.equal("events", telemetry(events), []event{
			idcompressor.ClusterExpansionEvent{SessionID: s1, PreviousCapacity: 6, NewCapacity: 13, Overflow: 2}, status(5, 2),
		})
		e.equal("clusters", clusters(c), []impls.Cluster{{BaseGen: 1, Capacity: 13, Count: 8}})
	})
	run(t, "R104", func(e env) {
		var events []event
		c := e.with(1, hook(&events))
		events = nil
		e.serialized(c, false)
		want := []event{idcompressor.SerializedSizeEvent{Size: 72, ClusterCount: 1, SessionCount: 1}}
		e.equal("events", events, want)
		events = nil
		if _, err := c.AppendSerializedText(nil, false); err != nil {
			e.Fatal(err)
		}
		e.equal("of text, the bytes before base64", events, want)
	})
	run(t, "R105-R108", func(e env) { // the hook of a compressor that is loaded
		with, without := e.serialized(e.with(1), true), e.serialized(e.with(1), false)
		var events []event
		for _, c := range []*compressor{
			e.load(with, hook(&events)),
			e.load(without, session(s2), hook(&events)),
		} {
			events = nil
			e.serialized(c, false)
			e.equal("events", events, []event{idcompressor.SerializedSizeEvent{Size: 72, ClusterCount: 1, SessionCount: 1}})
		}
	})
	run(t, "Q112", func(e env) { // a remote range logs nothing
		var events []event
		c := e.new(hook(&events))
		e.finalize(ranged(s2, 1, 1, 1), c)
		e.finalize(ranged(s2, 2, 9, 1), c)
		e.equal("events", len(telemetry(events)), 0)
		e.equal("ranges", len(events), 2)
	})
	run(t, "Q104", func(e env) {
		var events []event
		c := e.new(hook(&events))
		shards, err := c.Shard(2)
		e.must(err)
		e.equal("events", len(events), 1)
		if _, ok := events[0].(idcompressor.SerializedSizeEvent); !ok {
			e.Fatalf("%T", events[0])
		}
		e.equal("shards", len(shards), 2)
		e.gen(c, 2) // each counts as one, though it takes a stride
		events = nil
		e.sync(c)
		e.equal("events", telemetry(events), []event{idcompressor.FirstClusterEvent{SessionID: s1}, status(0, 2)})
	})
	t.Run("names", func(t *testing.T) {
		for ev, name := range map[event]string{
			idcompressor.FirstClusterEvent{}: "FirstCluster", idcompressor.NewClusterEvent{}: "NewCluster",
			idcompressor.ClusterExpansionEvent{}: "ClusterExpansion", idcompressor.StatusEvent{}: "IdCompressorStatus",
			idcompressor.SerializedSizeEvent{}: "SerializedIdCompressorSize", idcompressor.RangeFinalizedEvent{}: "rangeFinalized",
		} {
			if ev.EventName() != name {
				t.Errorf("%T is named %s", ev, ev.EventName())
			}
		}
	})
}

func TestRangeFinalized(t *testing.T) {
	run(t, "R109 R110", func(e env) {
		var events []event
		c := e.new(hook(&events))
		e.gen(c, 2)
		own, remote := e.take(c), ranged(s2, 1, 3, 7, impls.Run{First: 1, Count: 2})
		e.finalize(own, c)
		e.finalize(remote, c)
		var ranges []event
		for _, ev := range events {
			if r, ok := ev.(idcompressor.RangeFinalizedEvent); ok {
				ranges = append(ranges, r)
			}
		}
		e.equal("ranges", ranges, []event{finalized(own), finalized(remote)})
	})
	run(t, "R111", func(e env) {
		var events []event
		c := e.with(1, hook(&events))
		events = nil
		e.refuseFinalize(c, idcompressor.ErrOutOfOrder, ranged(s1, 1, 1, 1))
		e.equal("events", len(events), 0)
	})
	// R112: there is no subscribing in Go. The hook is an option, and whoever
	// wants to unsubscribe does so inside it.
	//
	// Q110: the hook returns nothing, so that it cannot fail; it is called
	// after the change and may call the compressor.
	run(t, "Q110", func(e env) {
		var c *compressor
		var seen []int64
		more := []idcompressor.CreationRange{ranged(s2, 2, 1, 1), ranged(s2, 3, 4, 1)}
		c = e.new(idcompressor.WithEventHook(func(ev event) {
			r := ev.(idcompressor.RangeFinalizedEvent).Range
			seen = append(seen, r.IDs.FirstGenCount)
			e.known(c, id(r.IDs.FirstGenCount-1), add(s2, r.IDs.FirstGenCount-1))
			if len(more) > 0 {
				next := more[0]
				more = more[1:]
				e.finalize(next, c)
			}
		}))
		e.finalize(ranged(s2, 1, 1, 1), c)
		e.equal("ranges", seen, []int64{1, 2, 3})
	})
	run(t, "empty", func(e env) {
		var events []event
		c := e.new(hook(&events))
		e.finalize(e.take(c), c)
		e.equal("events", len(events), 0)
	})
}
