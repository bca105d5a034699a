package backendtest

import (
	"math"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
	"pgregory.net/rapid"
)

// Short forms for the cases: calls, and answers as they are worked out by hand.

func add(id numericuuid.UUID) call { return call{method: addSession, id: id} }

func app(s impls.Session, final, gen, capacity, count int64) call {
	return call{method: appendCluster, c: impls.Cluster{Session: s, BaseFinal: final, BaseGen: gen, Capacity: capacity, Count: count}}
}

func resize(s impls.Session, capacity, count int64) call {
	return call{method: resizeLast, s: s, c: impls.Cluster{Capacity: capacity, Count: count}}
}

func isNumber(m method, n int) expectation {
	return expectation{call{method: m}, answer{n: int64(n)}}
}

func isSession(m method, id numericuuid.UUID, s int) expectation {
	return expectation{call{method: m, id: id}, answer{ok: true, n: int64(s)}}
}

func noSession(m method, id numericuuid.UUID) expectation {
	return expectation{call{method: m, id: id}, answer{}}
}

func isID(final int64, id numericuuid.UUID) expectation {
	return expectation{call{method: stableID, n: final}, answer{ok: true, id: id}}
}

func noID(final int64) expectation { return expectation{call{method: stableID, n: final}, answer{}} }

// The four lookups that lead to a place, and what they say of the same ID.
func isPlace(id numericuuid.UUID, p impls.Place) []expectation {
	at := answer{place: p}
	return []expectation{
		{call{method: byFinal, n: p.Final}, at},
		{call{method: byGen, s: p.Session, n: p.Gen}, at},
		{call{method: byStableID, id: id}, at},
		{call{method: genInSession, s: p.Session, n: p.Final}, answer{n: p.Gen}},
	}
}

func noFinal(final int64) []expectation {
	return []expectation{
		noID(final),
		{call{method: byFinal, n: final}, answer{}},
		{call{method: genInSession, n: final}, answer{}},
	}
}

func noGen(s impls.Session, gen int64) expectation {
	return expectation{call{method: byGen, s: s, n: gen}, answer{}}
}

func noPlace(id numericuuid.UUID) expectation {
	return expectation{call{method: byStableID, id: id}, answer{}}
}

func isLast(s impls.Session, final, gen, capacity, count int64) expectation {
	return expectation{call{method: lastCluster, s: s}, answer{ok: true, c: app(s, final, gen, capacity, count).c}}
}

func noLast(s impls.Session) expectation {
	return expectation{call{method: lastCluster, s: s}, answer{}}
}

func all(groups ...[]expectation) (es []expectation) {
	for _, g := range groups {
		es = append(es, g...)
	}
	return es
}

func these(es ...expectation) []expectation { return es }

// cases are a table's answers worked out by hand.
func cases() []struct {
	name string
	history
	want []expectation
} {
	a := numericuuid.UUID{Hi: 7, Lo: math.MaxUint64 - 1} // 2 below a carry
	b := numericuuid.UUID{Hi: 9, Lo: 100}
	zero, top := numericuuid.UUID{}, numericuuid.Max
	belowTop, _ := top.Prev()
	two := history{add(a), add(b), app(0, 0, 1, 10, 10), app(1, 10, 1, 5, 5), app(0, 15, 11, 4, 2)}
	return []struct {
		name string
		history
		want []expectation
	}{
		{"an empty table", nil, all(
			these(isNumber(sessionCount, 0), isNumber(clusterCount, 0)),
			these(noID(0), noID(-1), noID(math.MinInt64), noID(math.MaxInt64), noID(impls.MaxID)),
			these(noSession(lookupSession, zero), noSession(nearestSession, top), noPlace(zero), noPlace(top)),
		)},
		{"a session without clusters", history{add(a)}, all(
			these(isNumber(sessionCount, 1), isNumber(clusterCount, 0), noLast(0)),
			these(isSession(lookupSession, a, 0), isSession(nearestSession, a, 0), isSession(nearestSession, top, 0)),
			these(noGen(0, 1), noGen(0, impls.MaxID), noPlace(a), noPlace(a.Add(1))),
			noFinal(0), noFinal(-1),
		)},
		{"a session added twice", history{add(a), add(b)}, these(
			isSession(lookupSession, a, 0), isSession(lookupSession, b, 1),
			expectation{add(a), answer{n: 0}}, expectation{add(b), answer{n: 1}}, expectation{add(a), answer{n: 0}},
			isNumber(sessionCount, 2),
			expectation{call{method: sessionID, s: 0}, answer{id: a}}, expectation{call{method: sessionID, s: 1}, answer{id: b}},
		)},
		{"the nearest session is at or below", history{add(b), add(a)}, these(
			isSession(nearestSession, b, 0), isSession(nearestSession, b.Add(1), 0), isSession(nearestSession, top, 0),
			isSession(nearestSession, numericuuid.UUID{Hi: 9, Lo: 99}, 1), isSession(nearestSession, a, 1),
			noSession(nearestSession, numericuuid.UUID{Hi: 7, Lo: math.MaxUint64 - 2}), noSession(nearestSession, zero),
			noSession(lookupSession, b.Add(1)), noSession(lookupSession, zero), noSession(lookupSession, top),
		)},
		{"a cluster, full", history{add(a), app(0, 0, 1, 3, 3)}, all(
			these(isID(0, a), isID(1, a.Add(1)), isID(2, numericuuid.UUID{Hi: 8})),
			isPlace(a, impls.Place{Gen: 1, Final: 0, Finalized: true}),
			isPlace(numericuuid.UUID{Hi: 8}, impls.Place{Gen: 3, Final: 2, Finalized: true}),
			noFinal(3), noFinal(-1), noFinal(math.MinInt64), noFinal(math.MaxInt64), noFinal(impls.MaxID),
			these(noGen(0, 0), noGen(0, 4), noGen(0, -1), noPlace(a.Add(3)), isLast(0, 0, 1, 3, 3)),
		)},
		{"a cluster, a part of it reserved", history{add(a), app(0, 0, 1, 3, 1)}, all(
			these(isID(0, a), noID(1), noID(2), noID(3)),
			isPlace(a.Add(1), impls.Place{Gen: 2, Final: 1}),
			isPlace(a.Add(2), impls.Place{Gen: 3, Final: 2}),
			noFinal(3),
		)},
		{"a cluster of which nothing is finalized", history{add(a), app(0, 0, 1, 2, 0)}, all(
			these(noID(0), noID(1), isLast(0, 0, 1, 2, 0)),
			isPlace(a, impls.Place{Gen: 1, Final: 0}),
		)},
		{"two sessions, a chain of two clusters", two, all(
			these(isID(9, a.Add(9)), isID(10, b), isID(14, b.Add(4)), isID(15, a.Add(10)), isID(16, a.Add(11)), noID(17)),
			isPlace(a.Add(9), impls.Place{Gen: 10, Final: 9, Finalized: true}),
			isPlace(a.Add(10), impls.Place{Gen: 11, Final: 15, Finalized: true}),
			isPlace(a.Add(13), impls.Place{Gen: 14, Final: 18}),
			isPlace(b.Add(4), impls.Place{Session: 1, Gen: 5, Final: 14, Finalized: true}),
			noFinal(19),
			these(noGen(0, 15), noGen(1, 6), noPlace(a.Add(14)), noPlace(b.Add(5)), noPlace(zero), noPlace(top)),
			these(isLast(0, 15, 11, 4, 2), isLast(1, 10, 1, 5, 5), isNumber(clusterCount, 3)),
			these(expectation{call{method: genInSession, s: 1, n: 9}, answer{}},
				expectation{call{method: genInSession, s: 0, n: 10}, answer{}},
				expectation{call{method: genInSession, s: 0, n: 14}, answer{}},
				expectation{call{method: genInSession, s: 1, n: 15}, answer{}}),
		)},
		{"a ghost's chain: an earlier cluster is not full", history{add(a), app(0, 0, 1, 10, 4), app(0, 10, 11, 5, 5)}, all(
			these(isID(3, a.Add(3)), noID(4), noID(9), isID(10, a.Add(10)), isID(14, a.Add(14)), noID(15)),
			isPlace(a.Add(9), impls.Place{Gen: 10, Final: 9}),
			isPlace(a.Add(10), impls.Place{Gen: 11, Final: 10, Finalized: true}),
		)},
		{"a last cluster grows", append(two[:5:5], resize(0, 700, 699)), all(
			these(isLast(0, 15, 11, 700, 699), isID(713, a.Add(708)), noID(714), noID(715), isNumber(clusterCount, 3)),
			isPlace(a.Add(709), impls.Place{Gen: 710, Final: 714}),
			noFinal(715),
			these(isLast(1, 10, 1, 5, 5)),
		)},
		{"another count for the last cluster of a session only", append(two[:5:5], resize(1, 5, 2)), all(
			these(isLast(1, 10, 1, 5, 2), isID(11, b.Add(1)), noID(12), isID(15, a.Add(10))),
			isPlace(b.Add(2), impls.Place{Session: 1, Gen: 3, Final: 12}),
		)},
		{"a cluster after growth", append(two[:5:5], resize(0, 5, 5), app(1, 20, 6, 1, 1)), all(
			these(isID(19, a.Add(14)), isID(20, b.Add(5)), noID(21)),
			isPlace(b.Add(5), impls.Place{Session: 1, Gen: 6, Final: 20, Finalized: true}),
		)},
		{"the last final ID there is", history{add(b), app(0, 0, 1, impls.MaxID, impls.MaxID)}, all(
			these(isID(impls.MaxID-1, b.Add(impls.MaxID-1)), noID(impls.MaxID)),
			isPlace(b.Add(impls.MaxID-1), impls.Place{Gen: impls.MaxID, Final: impls.MaxID - 1, Finalized: true}),
			noFinal(impls.MaxID), noFinal(math.MaxInt64),
			these(noGen(0, impls.MaxID+1), noGen(0, math.MaxInt64), noPlace(b.Add(impls.MaxID)), noPlace(b.Add(1<<63)), noPlace(top)),
		)},
		{"the nearest session hides a farther one", history{add(b), app(0, 0, 1, 100, 100), add(b.Add(10)), app(1, 100, 1, 3, 3)}, all(
			isPlace(b.Add(9), impls.Place{Gen: 10, Final: 9, Finalized: true}),
			isPlace(b.Add(10), impls.Place{Session: 1, Gen: 1, Final: 100, Finalized: true}),
			these(noPlace(b.Add(13)), noPlace(b.Add(50)), isID(50, b.Add(50))),
			these(expectation{call{method: byGen, n: 51}, answer{place: impls.Place{Gen: 51, Final: 50, Finalized: true}}}),
		)},
		{"a session without clusters hides one that has some", history{add(b), app(0, 0, 1, 100, 100), add(b.Add(10))}, all(
			isPlace(b.Add(9), impls.Place{Gen: 10, Final: 9, Finalized: true}),
			these(noPlace(b.Add(10)), noPlace(b.Add(11))),
		)},
		{"a UUID right at the base of the next session", history{add(b), add(b.Add(5)), app(0, 0, 1, 5, 5), app(1, 5, 1, 5, 5)}, all(
			isPlace(b.Add(4), impls.Place{Gen: 5, Final: 4, Finalized: true}),
			isPlace(b.Add(5), impls.Place{Session: 1, Gen: 1, Final: 5, Finalized: true}),
		)},
		{"sessions at both ends", history{add(top), add(zero), add(belowTop), app(0, 0, 1, 1, 1), app(1, 1, 1, 3, 3), app(2, 4, 1, 2, 2)}, all(
			isPlace(top, impls.Place{Gen: 1, Final: 0, Finalized: true}),
			isPlace(zero, impls.Place{Session: 1, Gen: 1, Final: 1, Finalized: true}),
			isPlace(belowTop, impls.Place{Session: 2, Gen: 1, Final: 4, Finalized: true}),
			these(isID(5, top), noPlace(zero.Add(3)), isSession(nearestSession, zero.Add(3), 1)),
		)},
		{"a chain across a carry out of the low 64 bits, and a session behind it", history{
			add(numericuuid.UUID{Hi: 3, Lo: math.MaxUint64 - 1}), add(numericuuid.UUID{Hi: 4, Lo: 2}), app(0, 0, 1, 4, 4), app(1, 4, 1, 1, 1)}, all(
			isPlace(numericuuid.UUID{Hi: 4}, impls.Place{Gen: 3, Final: 2, Finalized: true}),
			isPlace(numericuuid.UUID{Hi: 4, Lo: 1}, impls.Place{Gen: 4, Final: 3, Finalized: true}),
			isPlace(numericuuid.UUID{Hi: 4, Lo: 2}, impls.Place{Session: 1, Gen: 1, Final: 4, Finalized: true}),
			these(noPlace(numericuuid.UUID{Hi: 4, Lo: 3}), noPlace(numericuuid.UUID{Hi: 5, Lo: math.MaxUint64 - 1})),
		)},
	}
}

// testCases runs the cases.
func testCases(t rapid.TB, b impls.Backend) {
	for _, c := range cases() {
		table := b.NewTable()
		for _, step := range c.history {
			step.do(table)
		}
		for _, e := range c.want {
			if got, err := e.call.try(table); err != nil {
				t.Errorf("%s: %v\nafter\n%v", c.name, err, c.history)
			} else if got != e.want {
				t.Errorf("%s: %v = %s, want %s\nafter\n%v", c.name, &e.call, e.call.format(got), e.call.format(e.want), c.history)
			}
		}
	}
}
