package backendtest

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"example.com/idlab/impls"
	"example.com/idlab/impls/model"
	"example.com/idlab/impls/numericuuid"
)

// The mutants are models with one fault each, of the kinds that real backends
// have. The suite must find every one of them.
type (
	addsTwice       struct{ model.Table }
	addedAgain      struct{ model.Table }
	looksNear       struct{ model.Table }
	strictlyBelow   struct{ model.Table }
	lowBitsOnly     struct{ model.Table }
	keepsCapacity   struct{ model.Table }
	resizesOther    struct{ model.Table }
	losesLast       struct{ model.Table }
	ignoresStop     struct{ model.Table }
	countsReserved  struct{ model.Table }
	losesCarry      struct{ model.Table }
	offAtPageEdge   struct{ model.Table }
	hidesReserved   struct{ model.Table }
	allFinalized    struct{ model.Table }
	takesNegative   struct{ model.Table }
	narrowOffset    struct{ model.Table }
	looksFarther    struct{ model.Table }
	anySession      struct{ model.Table }
	blindBehind     struct{ model.Table }
	growsWithWidth  struct{ model.Table }
	sizedByWidth    struct{ model.Table }
	exceedsBound    struct{ model.Table }
	linearBound     struct{ model.Table }
	badInvariant    struct{ model.Table }
	loadsTwice      struct{ model.Table }
	loadsLess       struct{ model.Table }
	batchPastStop   struct{ model.Table }
	batchWritesMore struct{ model.Table }
	batchOf32       struct{ model.Table }
)

func (t *addsTwice) LookupSession(id numericuuid.UUID) (impls.Session, bool) {
	for s := range t.SessionCount() { // the last of several
		if s := impls.Session(t.SessionCount() - 1 - s); t.SessionID(s) == id {
			return s, true
		}
	}
	return 0, false
}

func (t *addsTwice) AddSession(id numericuuid.UUID) (impls.Session, bool) {
	if s, ok := t.Table.LookupSession(id); ok && id.Hi != 9 {
		return s, false
	}
	other := id
	other.Lo ^= 1 << 40
	s, _ := t.Table.AddSession(other)
	return s, true
}

func (t *addedAgain) AddSession(id numericuuid.UUID) (impls.Session, bool) {
	s, _ := t.Table.AddSession(id)
	return s, true
}

func (t *looksNear) LookupSession(id numericuuid.UUID) (impls.Session, bool) {
	return t.NearestSession(id)
}

func (t *strictlyBelow) NearestSession(id numericuuid.UUID) (impls.Session, bool) {
	prev, ok := id.Prev()
	if !ok {
		return 0, false
	}
	return t.Table.NearestSession(prev)
}

func (t *lowBitsOnly) NearestSession(id numericuuid.UUID) (impls.Session, bool) {
	s, ok := t.Table.NearestSession(id)
	return s, ok && t.SessionID(s).Lo <= id.Lo
}

func (t *keepsCapacity) ResizeLast(s impls.Session, _, count int64) {
	last, _ := t.LastCluster(s)
	t.Table.ResizeLast(s, last.Capacity, min(count, last.Capacity))
}

func (t *resizesOther) ResizeLast(_ impls.Session, capacity, count int64) {
	var last impls.Cluster
	for c := range t.Clusters() {
		last = c
	}
	t.Table.ResizeLast(last.Session, capacity, count)
}

func (t *losesLast) Clusters() iter.Seq[impls.Cluster] {
	all := slices.Collect(t.Table.Clusters())
	return slices.Values(all[:max(len(all)-1, 0)])
}

func (t *ignoresStop) Clusters() iter.Seq[impls.Cluster] {
	return func(yield func(impls.Cluster) bool) {
		for c := range t.Table.Clusters() {
			yield(c)
		}
	}
}

func (t *countsReserved) StableID(final int64) (numericuuid.UUID, bool) {
	p := t.ByFinal(final)
	if !p.Found() {
		return numericuuid.UUID{}, false
	}
	return t.SessionID(p.Session).Add(uint64(p.Gen - 1)), true
}

func (t *losesCarry) StableID(final int64) (numericuuid.UUID, bool) {
	id, ok := t.Table.StableID(final)
	if ok {
		id.Hi = t.SessionID(t.ByFinal(final).Session).Hi
	}
	return id, ok
}

func (t *offAtPageEdge) StableID(final int64) (numericuuid.UUID, bool) {
	id, ok := t.Table.StableID(final)
	if ok && final%4096 == 4095 {
		id = id.Add(1)
	}
	return id, ok
}

func (t *hidesReserved) ByGen(s impls.Session, gen int64) impls.Place {
	if p := t.Table.ByGen(s, gen); p.Finalized {
		return p
	}
	return impls.Place{}
}

func (t *allFinalized) ByFinal(final int64) impls.Place {
	p := t.Table.ByFinal(final)
	p.Finalized = p.Found()
	return p
}

func (t *takesNegative) ByFinal(final int64) impls.Place {
	_ = make([]struct{}, max(final, -2))
	return t.Table.ByFinal(final)
}

func (t *narrowOffset) ByStableID(id numericuuid.UUID) impls.Place {
	if s, ok := t.NearestSession(id); ok {
		if offset, _ := id.Sub(t.SessionID(s)); offset >= 1<<32 {
			return impls.Place{}
		}
	}
	return t.Table.ByStableID(id)
}

func (t *looksFarther) ByStableID(id numericuuid.UUID) impls.Place {
	for c := range t.Clusters() {
		first := t.SessionID(c.Session).Add(uint64(c.BaseGen - 1))
		if offset, ok := id.Sub(first); ok && offset < uint64(c.Capacity) {
			return c.PlaceOf(c.BaseFinal + int64(offset))
		}
	}
	return impls.Place{}
}

func (t *anySession) GenInSession(_ impls.Session, final int64) int64 { return t.ByFinal(final).Gen }

func (t *blindBehind) StableID(final int64) (numericuuid.UUID, bool) {
	if final > 1<<52 {
		return numericuuid.UUID{}, false
	}
	return t.Table.StableID(final)
}

func (t *growsWithWidth) Clusters() iter.Seq[impls.Cluster] { return t.Table.Clusters() }
func (t *growsWithWidth) Bytes() int64 {
	n := int64(40)
	for c := range t.Clusters() {
		n += 40 + c.Capacity/64
	}
	return n
}

func (t *sizedByWidth) Bytes() int64 { return 1 }

func (t *exceedsBound) ProbeFinal(final int64) int {
	if final == 64 {
		return 5
	}
	return 1
}
func (t *exceedsBound) ProbeStableID(numericuuid.UUID) int { return 1 }
func (t *exceedsBound) ProbeBound() int                    { return 4 }

func (t *linearBound) ProbeFinal(int64) int               { return 1 }
func (t *linearBound) ProbeStableID(numericuuid.UUID) int { return 1 }
func (t *linearBound) ProbeBound() int                    { return 1 + t.SessionCount() }

func (t *badInvariant) CheckInvariants() error {
	if t.ClusterCount() > 2 {
		return impls.ErrRun
	}
	return nil
}

func (t *loadsTwice) Load(ids []numericuuid.UUID, _ int, clusters iter.Seq[impls.Cluster]) (int, bool) {
	for _, id := range ids {
		t.AddSession(id)
	}
	for c := range clusters {
		t.AppendCluster(c)
	}
	return 0, true
}

func (t *loadsLess) Load(ids []numericuuid.UUID, n int, clusters iter.Seq[impls.Cluster]) (int, bool) {
	for i, id := range ids {
		if _, added := t.AddSession(id); !added {
			return i, false
		}
	}
	for c := range clusters {
		if t.ClusterCount() < max(n-1, 1) {
			t.AppendCluster(c)
		}
	}
	return 0, true
}

func stableIDs(t *model.Table, dst []numericuuid.UUID, final func(int) int64, n int) int {
	for i := range n {
		id, ok := t.StableID(final(i))
		if !ok {
			return i
		}
		dst[i] = id
	}
	return n
}

func byStableIDs(t *model.Table, dst []impls.Place, ids []numericuuid.UUID) {
	for i, id := range ids {
		dst[i] = t.ByStableID(id)
	}
}

func rangeOf(first int64) func(int) int64   { return func(i int) int64 { return first + int64(i) } }
func listed(finals []int64) func(int) int64 { return func(i int) int64 { return finals[i] } }

func (t *batchPastStop) StableIDs(dst []numericuuid.UUID, finals []int64) int {
	n := 0
	for i, final := range finals {
		if id, ok := t.StableID(final); ok {
			dst[i] = id
			n++
		}
	}
	return n
}
func (t *batchPastStop) StableIDRange(dst []numericuuid.UUID, first int64) int {
	return stableIDs(&t.Table, dst, rangeOf(first), len(dst))
}
func (t *batchPastStop) ByStableIDs(dst []impls.Place, ids []numericuuid.UUID) {
	byStableIDs(&t.Table, dst, ids)
}

func (t *batchWritesMore) StableIDs(dst []numericuuid.UUID, finals []int64) int {
	clear(dst)
	return stableIDs(&t.Table, dst, listed(finals), len(finals))
}
func (t *batchWritesMore) StableIDRange(dst []numericuuid.UUID, first int64) int {
	return stableIDs(&t.Table, dst, rangeOf(first), len(dst))
}
func (t *batchWritesMore) ByStableIDs(dst []impls.Place, ids []numericuuid.UUID) {
	byStableIDs(&t.Table, dst, ids)
}

func (t *batchOf32) StableIDs(dst []numericuuid.UUID, finals []int64) int {
	return stableIDs(&t.Table, dst, listed(finals), len(finals))
}
func (t *batchOf32) StableIDRange(dst []numericuuid.UUID, first int64) int {
	return stableIDs(&t.Table, dst, rangeOf(first), len(dst))
}
func (t *batchOf32) ByStableIDs(dst []impls.Place, ids []numericuuid.UUID) {
	whole := len(ids) / 32 * 32
	byStableIDs(&t.Table, dst, ids[:whole])
}

// The same of normalizers.
type (
	neverMerges  struct{ model.Normalizer }
	takesOverlap struct{ model.Normalizer }
	halfRefuses  struct{ model.Normalizer }
	openEnd      struct{ model.Normalizer }
	neverClips   struct{ model.Normalizer }
	bitset       struct {
		model.Normalizer
		bits []uint64
	}
)

func (n *neverMerges) RunCount() int {
	return n.Normalizer.RunCount() + len(slices.Collect(n.Runs(15, 17)))
}

func (n *takesOverlap) Append(r impls.Run) error {
	if n.Contains(r.First) && r.Count > 0 && r.First > 0 {
		return nil
	}
	return n.Normalizer.Append(r)
}

func (n *halfRefuses) Append(r impls.Run) error {
	err := n.Normalizer.Append(r)
	if err != nil && r.First == 10 {
		_ = n.Normalizer.Append(impls.Run{First: 10, Count: 1})
	}
	return err
}

func (n *openEnd) Contains(gen int64) bool { return n.Normalizer.Contains(gen) && gen < impls.MaxID }

func (n *neverClips) Runs(first, last int64) iter.Seq[impls.Run] {
	return func(yield func(impls.Run) bool) {
		for r := range n.Normalizer.Runs(1, impls.MaxID) {
			if _, ok := r.Clip(first, last); ok && !yield(r) {
				return
			}
		}
	}
}

func (n *bitset) Append(r impls.Run) error {
	err := n.Normalizer.Append(r)
	if err == nil && r.Last() < 1<<30 {
		n.bits = append(n.bits, make([]uint64, r.Last()/64+1-int64(len(n.bits)))...)
	}
	return err
}

func TestMutants(t *testing.T) {
	table := func(name, where string, make func() impls.ClusterTable) {
		b := model.Backend
		b.Name, b.NewTable = name, make
		mustFail(t, b, where)
	}
	table("addsTwice", "Cases", func() impls.ClusterTable { return &addsTwice{} })
	table("addedAgain", "Cases", func() impls.ClusterTable { return &addedAgain{} })
	table("looksNear", "Cases", func() impls.ClusterTable { return &looksNear{} })
	table("strictlyBelow", "Cases", func() impls.ClusterTable { return &strictlyBelow{} })
	table("lowBitsOnly", "Cases", func() impls.ClusterTable { return &lowBitsOnly{} })
	table("keepsCapacity", "Cases", func() impls.ClusterTable { return &keepsCapacity{} })
	table("resizesOther", "Cases", func() impls.ClusterTable { return &resizesOther{} })
	table("losesLast", "Steps", func() impls.ClusterTable { return &losesLast{} })
	table("ignoresStop", "Steps", func() impls.ClusterTable { return &ignoresStop{} })
	table("countsReserved", "Cases", func() impls.ClusterTable { return &countsReserved{} })
	table("losesCarry", "Cases", func() impls.ClusterTable { return &losesCarry{} })
	table("offAtPageEdge", "Steps", func() impls.ClusterTable { return &offAtPageEdge{} })
	table("hidesReserved", "Cases", func() impls.ClusterTable { return &hidesReserved{} })
	table("allFinalized", "Cases", func() impls.ClusterTable { return &allFinalized{} })
	table("takesNegative", "Cases", func() impls.ClusterTable { return &takesNegative{} })
	table("narrowOffset", "Cases", func() impls.ClusterTable { return &narrowOffset{} })
	table("looksFarther", "Cases", func() impls.ClusterTable { return &looksFarther{} })
	table("anySession", "Cases", func() impls.ClusterTable { return &anySession{} })
	table("blindBehind", "Cases", func() impls.ClusterTable { return &blindBehind{} })
	table("growsWithWidth", "Widths", func() impls.ClusterTable { return &growsWithWidth{} })
	table("sizedByWidth", "Sizes", func() impls.ClusterTable { return &sizedByWidth{} })
	table("exceedsBound", "Steps", func() impls.ClusterTable { return &exceedsBound{} })
	table("linearBound", "Probes", func() impls.ClusterTable { return &linearBound{} })
	table("badInvariant", "Steps", func() impls.ClusterTable { return &badInvariant{} })
	table("loadsTwice", "Bulk", func() impls.ClusterTable { return &loadsTwice{} })
	table("loadsLess", "Steps", func() impls.ClusterTable { return &loadsLess{} })
	table("batchPastStop", "Batches", func() impls.ClusterTable { return &batchPastStop{} })
	table("batchWritesMore", "Steps", func() impls.ClusterTable { return &batchWritesMore{} })
	table("batchOf32", "Steps", func() impls.ClusterTable { return &batchOf32{} })

	normalizer := func(name, where string, make func() impls.Normalizer) {
		b := model.Backend
		b.Name, b.NewNormalizer = name, make
		mustFail(t, b, where)
	}
	normalizer("neverMerges", "NormalizerCases", func() impls.Normalizer { return &neverMerges{} })
	normalizer("takesOverlap", "NormalizerCases", func() impls.Normalizer { return &takesOverlap{} })
	normalizer("halfRefuses", "NormalizerCases", func() impls.Normalizer { return &halfRefuses{} })
	normalizer("openEnd", "NormalizerCases", func() impls.Normalizer { return &openEnd{} })
	normalizer("neverClips", "NormalizerCases", func() impls.Normalizer { return &neverClips{} })
	normalizer("bitset", "NormalizerWidths", func() impls.Normalizer { return &bitset{} })
}

// mustFail asserts that one part of the suite finds the fault of b and says
// what it is.
func mustFail(t *testing.T, b impls.Backend, where string) {
	t.Run(b.Name, func(t *testing.T) {
		vs := Violations(b, where)
		if len(vs) != 1 {
			t.Fatalf("%s does not find the fault", where)
		}
		for _, word := range []string{"want", "panics", "CheckInvariants"} {
			if strings.Contains(vs[0].Log, word) {
				return
			}
		}
		t.Errorf("%s does not say what the fault is:\n%s", where, vs[0].Log)
	})
}
