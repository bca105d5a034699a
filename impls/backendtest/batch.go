package backendtest

import (
	"fmt"
	"slices"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
	"pgregory.net/rapid"
)

// batchLengths are those around which a batch of lookups may be cut up.
var batchLengths = []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025}

// untouched marks what a batch must not write.
var untouched = numericuuid.UUID{Hi: 0xdead, Lo: 0xbeef}

// verifyBatches compares the batches of t with single calls on the model, at
// every edge.
func (l *lockstep) verifyBatches(t impls.BatchTable) error {
	finals, ids := edgeFinals(l.want), edgeIDs(l.want)
	for at := 0; at < len(finals); {
		n, err := l.stableIDs(t, finals[at:])
		if err != nil {
			return err
		}
		at += n + 1
	}
	for _, first := range finals {
		if err := l.stableIDRange(t, first, 4); err != nil {
			return err
		}
	}
	return l.byStableIDs(t, ids)
}

// stableIDs checks one batch and returns how many finals it answered.
func (l *lockstep) stableIDs(t impls.BatchTable, finals []int64) (int, error) {
	const spare = 3
	dst := slices.Repeat([]numericuuid.UUID{untouched}, len(finals)+spare)
	n := t.StableIDs(dst, finals)
	want := slices.IndexFunc(finals, func(final int64) bool { return !l.want.ByFinal(final).Finalized })
	if want < 0 {
		want = len(finals)
	}
	return n, l.checkBatch(fmt.Sprintf("StableIDs(dst, %s)", formatFinals(finals)), dst, n, want, len(finals),
		func(i int) int64 { return finals[i] })
}

func (l *lockstep) stableIDRange(t impls.BatchTable, first int64, length int) error {
	const spare = 3
	dst := slices.Repeat([]numericuuid.UUID{untouched}, length+spare)
	n := t.StableIDRange(dst[:length], first)
	want := 0
	for want < length && l.want.ByFinal(first+int64(want)).Finalized {
		want++
	}
	return l.checkBatch(fmt.Sprintf("StableIDRange(dst of %d, %d)", length, first), dst, n, want, length,
		func(i int) int64 { return first + int64(i) })
}

func (l *lockstep) checkBatch(what string, dst []numericuuid.UUID, n, want, length int, final func(int) int64) error {
	if n != want {
		return l.violated(what, fmt.Sprint(n), fmt.Sprint(want))
	}
	for i := range n {
		if id, _ := l.want.StableID(final(i)); dst[i] != id {
			return l.violated(fmt.Sprintf("dst[%d], final %d, of %s", i, final(i), what), dst[i].String(), id.String())
		}
	}
	for i := length; i < len(dst); i++ {
		if dst[i] != untouched {
			return l.violated(fmt.Sprintf("dst[%d] of %s", i, what), dst[i].String(), "what it was: it is past the batch")
		}
	}
	return nil
}

func (l *lockstep) byStableIDs(t impls.BatchTable, ids []numericuuid.UUID) error {
	dst := slices.Repeat([]impls.Place{{Session: -1, Gen: -1}}, len(ids)+1)
	t.ByStableIDs(dst, ids)
	for i, id := range ids {
		if want := l.want.ByStableID(id); dst[i] != want {
			return l.violated(fmt.Sprintf("dst[%d], %v, of ByStableIDs of %d UUIDs", i, id, len(ids)),
				formatPlace(dst[i]), formatPlace(want))
		}
	}
	if dst[len(ids)].Gen != -1 {
		return l.violated(fmt.Sprintf("ByStableIDs of %d UUIDs", len(ids)), "one more place written", "none past the batch")
	}
	return nil
}

func formatFinals(finals []int64) string {
	const most = 20
	if len(finals) > most {
		return fmt.Sprintf("%v and %d more", finals[:most], len(finals)-most)
	}
	return fmt.Sprint(finals)
}

// testBatches runs batches of all lengths, and such as have to stop at every
// position that matters.
func testBatches(t rapid.TB, b impls.Backend) {
	if _, ok := b.NewTable().(impls.BatchTable); !ok {
		t.Skipf("%s has no batches", b.Name)
	}
	l := newLockstep(b)
	must(t, l.doAll(smallDocument.history()))
	batch := l.got.(impls.BatchTable)

	var good []int64
	ids := []numericuuid.UUID{{}, numericuuid.Max}
	for c := range l.want.Clusters() {
		for n := range min(c.Count, 5) {
			final := c.BaseFinal + c.Count - 1 - n
			good = append(good, final)
			id, _ := l.want.StableID(final)
			ids = append(ids, id, id.Add(1<<40))
		}
	}
	limit := end(l.want)
	for _, length := range batchLengths {
		finals := make([]int64, length)
		some := make([]numericuuid.UUID, length)
		for i := range finals {
			finals[i] = good[spread(uint64(i))%uint64(len(good))]
			some[i] = ids[spread(uint64(i))%uint64(len(ids))]
		}
		_, err := l.stableIDs(batch, finals)
		must(t, err)
		must(t, l.byStableIDs(batch, some))
		for _, bad := range []int64{-1, limit, impls.MaxID} {
			for _, at := range append(batchLengths, length-1) {
				if at < 0 || at >= length {
					continue
				}
				kept := finals[at]
				finals[at] = bad
				_, err := l.stableIDs(batch, finals)
				must(t, err)
				finals[at] = kept
			}
		}
		for _, first := range []int64{-1, 0, 1, 63, 1023, limit - int64(length), limit - 1, limit, good[len(good)/2]} {
			must(t, l.stableIDRange(batch, first, length))
		}
	}
}
