// Package statetest makes states for the tests of package snapshot and of those
// below it: documents of the lab's shape, a small state of every kind, and a
// generator of any state that a form can hold.
package statetest

import (
	"math/rand/v2"

	"pgregory.net/rapid"

	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
)

// Capacity is that of each cluster of a [Document].
const Capacity = 512

// Document returns a document of sessions with as many clusters each, in
// random order: full but for each session's last, whose count is uniform in
// 1..Capacity. It is the same for the same arguments.
func Document(sessions, each int) *snapshot.State {
	r := rand.New(rand.NewPCG(1, uint64(sessions)))
	s := &snapshot.State{Version: snapshot.V3}
	order := make([]int32, 0, sessions*each)
	for i := range sessions {
		s.Sessions = append(s.Sessions, numericuuid.UUID{Hi: r.Uint64() >> 6, Lo: r.Uint64()})
		for range each {
			order = append(order, int32(i))
		}
	}
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	left := make([]int, sessions)
	place := make([]int32, sessions) // in the order of first clusters
	for i := range left {
		left[i], place[i] = each, -1
	}
	seen := int32(0)
	for _, o := range order {
		if place[o] < 0 {
			place[o] = seen
			seen++
		}
		count := int64(Capacity)
		if left[o]--; left[o] == 0 {
			count = 1 + r.Int64N(Capacity)
		}
		s.Clusters = append(s.Clusters, snapshot.Cluster{Session: place[o], Capacity: Capacity, Count: count})
	}
	return s
}

// Small returns a state of every kind, each of a few slots, by name.
func Small() map[string]*snapshot.State {
	a := numericuuid.UUID{Hi: 0x0100fc785949941d, Lo: 0x0507417d99a05ee9}
	b := numericuuid.UUID{Hi: 0x012c099d6969a057, Lo: 0x508db8b7d3c3a6bf}
	c := numericuuid.UUID{Hi: 0x0222222222222222, Lo: 0x2222222222222222}
	clusters := []snapshot.Cluster{
		{Session: 1, Capacity: 10, Count: 10}, {Session: 0, Capacity: 6, Count: 4}, {Session: 1, Capacity: 5, Count: 0},
	}
	state := func(version int, l *snapshot.Local) *snapshot.State {
		return &snapshot.State{Version: version, Sessions: []numericuuid.UUID{a, b}, Clusters: clusters, Local: l}
	}
	local := func(h *snapshot.Sharding) *snapshot.Local {
		return &snapshot.Local{Generated: 9, Cursor: 8, Runs: []snapshot.Run{{First: 1, Count: 1}, {First: 7, Count: 3}}, Sharding: h}
	}
	return map[string]*snapshot.State{
		"empty":           {Version: snapshot.V3},
		"v2":              state(snapshot.V2, nil),
		"v3":              state(snapshot.V3, nil),
		"v2-with-session": state(snapshot.V2, local(nil)),
		"v3-with-session": state(snapshot.V3, local(nil)),
		"v3-sharded-root": state(snapshot.V3, local(&snapshot.Sharding{Stride: 3, Original: 1, Children: []numericuuid.UUID{b, c}})),
		"v3-shard":        state(snapshot.V3, local(&snapshot.Sharding{Stride: 9, Original: 3, Children: []numericuuid.UUID{c}, ShardID: &b})),
	}
}

// State draws any state that a form can hold.
func State() *rapid.Generator[*snapshot.State] {
	return rapid.Custom(func(t *rapid.T) *snapshot.State {
		s := &snapshot.State{Version: rapid.IntRange(snapshot.V2, snapshot.V3).Draw(t, "version")}
		withSession := rapid.Bool().Draw(t, "withSession")
		least := 0
		if withSession {
			least = 1
		}
		s.Sessions = uuids(least, 6).Draw(t, "sessions")
		size := rapid.OneOf(rapid.Int64Range(1, 4), rapid.Just[int64](Capacity), rapid.Int64Range(1, 1<<45))
		if len(s.Sessions) > 0 {
			for range rapid.IntRange(0, 12).Draw(t, "clusters") {
				c := snapshot.Cluster{Session: int32(rapid.IntRange(0, len(s.Sessions)-1).Draw(t, "owner")), Capacity: size.Draw(t, "capacity")}
				c.Count = rapid.OneOf(rapid.Just(c.Capacity), rapid.Int64Range(0, c.Capacity)).Draw(t, "count")
				s.Clusters = append(s.Clusters, c)
			}
		}
		if withSession {
			s.Local = local(s.Version).Draw(t, "local")
		}
		if s.Check() != nil {
			t.Skip("past the last UUID")
		}
		return s
	})
}

func uuids(least, most int) *rapid.Generator[[]numericuuid.UUID] {
	one := rapid.Custom(func(t *rapid.T) numericuuid.UUID {
		return numericuuid.UUID{Hi: rapid.Uint64Range(0, numericuuid.Max.Hi).Draw(t, "hi"), Lo: rapid.Uint64().Draw(t, "lo")}
	})
	return rapid.SliceOfNDistinct(one, least, most, func(id numericuuid.UUID) numericuuid.UUID { return id })
}

// local draws local state that fits any clusters that State draws.
func local(version int) *rapid.Generator[*snapshot.Local] {
	return rapid.Custom(func(t *rapid.T) *snapshot.Local {
		l := &snapshot.Local{Generated: 1 << 50}
		l.Cursor = rapid.Int64Range(1, l.Generated+1).Draw(t, "cursor")
		var last int64
		for range rapid.IntRange(0, 5).Draw(t, "runs") {
			r := snapshot.Run{First: last + rapid.Int64Range(1, 1000).Draw(t, "gap"), Count: rapid.Int64Range(1, 1<<40).Draw(t, "length")}
			l.Runs = append(l.Runs, r)
			last = r.First + r.Count - 1
		}
		if version == snapshot.V3 && rapid.Bool().Draw(t, "sharded") {
			h := &snapshot.Sharding{Original: rapid.Int64Range(1, 1000).Draw(t, "original")}
			h.Stride = h.Original * rapid.Int64Range(1, 1000).Draw(t, "factor")
			h.Children = uuids(0, 3).Draw(t, "children")
			if rapid.Bool().Draw(t, "shard") {
				h.ShardID = &uuids(1, 1).Draw(t, "shardID")[0]
			}
			l.Sharding = h
		}
		return l
	})
}
