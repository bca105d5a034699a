package paged

import (
	"testing"
	"unsafe"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// The layouts that the package comment and the bytes a cluster rest on.
func TestSizes(t *testing.T) {
	for _, s := range []struct {
		what      string
		got, want uintptr
	}{
		{"slot", unsafe.Sizeof(slot{}), 24},
		{"session", unsafe.Sizeof(session{}), 64},
		{"bucket", unsafe.Sizeof(bucket{}), 64},
		{"region", unsafe.Sizeof(region{}), 16},
	} {
		if s.got != s.want {
			t.Errorf("a %s has %d bytes, want %d", s.what, s.got, s.want)
		}
	}
}

// builder appends clusters where the last ones ended and checks the table, by
// itself and against the clusters it was given.
type builder struct {
	*Table
	t        *testing.T
	clusters []impls.Cluster
	limit    int64
	gens     map[impls.Session]int64
}

func newBuilder(t *testing.T, sessions int) *builder {
	b := &builder{Table: New(), t: t, gens: map[impls.Session]int64{}}
	for i := range sessions {
		b.AddSession(numericuuid.UUID{Hi: uint64(i) << 40, Lo: 1<<64 - 100})
	}
	return b
}

func (b *builder) add(s impls.Session, capacity, count int64) {
	c := impls.Cluster{Session: s, BaseFinal: b.limit, BaseGen: b.gens[s] + 1, Capacity: capacity, Count: count}
	b.AppendCluster(c)
	b.clusters = append(b.clusters, c)
	b.limit += capacity
	b.gens[s] += capacity
}

func (b *builder) growLast(capacity, count int64) {
	c := &b.clusters[len(b.clusters)-1]
	b.ResizeLast(c.Session, capacity, count)
	b.limit += capacity - c.Capacity
	b.gens[c.Session] += capacity - c.Capacity
	c.Capacity, c.Count = capacity, count
}

func (b *builder) check() {
	b.t.Helper()
	if err := b.CheckInvariants(); err != nil {
		b.t.Fatal(err)
	}
	i := 0
	for c := range b.Clusters() {
		if i >= len(b.clusters) || c != b.clusters[i] {
			b.t.Fatalf("cluster %d is %+v, want %+v", i, c, b.clusters[i])
		}
		i++
	}
	for _, c := range b.clusters {
		for _, at := range []int64{0, 1, c.Count - 1, c.Count, c.Capacity - 1, 511 - c.BaseFinal&511, 512 - c.BaseFinal&511} {
			if at < 0 || at >= c.Capacity {
				continue
			}
			final := c.BaseFinal + at
			want := c.PlaceOf(final)
			if got := b.ByFinal(final); got != want {
				b.t.Fatalf("ByFinal(%d) = %+v, want %+v", final, got, want)
			}
			if got := b.ByGen(c.Session, want.Gen); got != want {
				b.t.Fatalf("ByGen(%d, %d) = %+v, want %+v", c.Session, want.Gen, got, want)
			}
			id, ok := b.StableID(final)
			if ok != want.Finalized || ok && id != b.SessionID(c.Session).Add(uint64(want.Gen-1)) {
				b.t.Fatalf("StableID(%d) = %v, %t", final, id, ok)
			}
			if gen := b.GenInSession(c.Session, final); gen != want.Gen {
				b.t.Fatalf("GenInSession(%d, %d) = %d, want %d", c.Session, final, gen, want.Gen)
			}
		}
	}
}

// Clusters that end and begin on, before and after the edges of slots.
func TestSlotEdges(t *testing.T) {
	for _, first := range []int64{511, 512, 513, 1023, 1024, 1025} {
		for _, second := range []int64{1, 2, 510, 511, 512, 513, 514} {
			b := newBuilder(t, 3)
			b.add(0, first, first)
			b.add(1, second, second/2)
			b.add(2, 600, 300)
			b.add(0, 1, 0)
			b.add(2, 1025, 1024)
			b.check()
			for i := len(b.clusters) - 1; i > 0; i-- { // bounds move up to the end
				if c := &b.clusters[i]; i != 2 {
					b.ResizeLast(c.Session, c.Capacity, c.Capacity)
					c.Count = c.Capacity
				}
				b.check()
				if i == 4 {
					i = 2 // 0 and 2 have their last clusters at 3 and 4
				}
			}
		}
	}
}

// A slot spills, is crowded, and gives way to a region with narrower slots;
// wide clusters get regions of their own; the larger region becomes the main.
func TestRegions(t *testing.T) {
	b := newBuilder(t, 40)
	b.add(0, 700, 700)
	for i := range 3 * crowded {
		b.add(impls.Session(i%40), 1, int64(i%2))
	}
	b.check()
	if n := len(b.space.regions); n < 2 || b.space.regions[1].shift != 0 {
		t.Errorf("regions after %d clusters of one ID: %+v", 3*crowded, b.space.regions)
	}
	b.add(1, 1<<40, 5)
	b.add(2, 33, 33)
	b.add(3, most<<maxShift+511, 1000)
	b.growLast(most<<maxShift+512, 40)
	b.check()
	if r := b.space.regions[len(b.space.regions)-1]; r.shift != wide {
		t.Errorf("a cluster that grew past %d slots is in region %+v", most, r)
	}
	for range 100 {
		b.add(4, 600, 600)
		b.add(5, 600, 600)
	}
	b.check()
	if r := b.space.main.region; r != len(b.space.regions)-1 {
		t.Errorf("the main region is %d of %+v", r, b.space.regions)
	}
}

// A session goes from its line to a chain, and a chain from pages to a list,
// for each of the reasons there are.
func TestChains(t *testing.T) {
	for _, c := range []struct {
		name   string
		build  func(b *builder)
		listed bool
	}{
		{"fifth cluster", func(b *builder) {}, false},
		{"first is wide", func(b *builder) { b.add(0, 1<<41, 1<<41) }, false},
		{"offset of 33 bits", func(b *builder) { b.add(0, 1<<33, 1<<33); b.growLast(1<<34, 1<<34) }, false},
		{"a page's second cluster ends in it", func(b *builder) {
			b.add(0, 700, 700)
			b.add(1, 9, 9)
			b.add(0, 600, 600)
			b.add(1, 9, 9)
			b.add(0, 3, 3)
		}, true},
		{"wide one later", func(b *builder) { b.add(0, 700, 700); b.add(1, 9, 9); b.add(0, 1<<34, 1<<34) }, true},
		{"hole", func(b *builder) { b.add(0, 700, 699); b.add(1, 9, 9) }, true},
		{"last grows wide", func(b *builder) {
			for range 5 {
				b.add(0, 600, 600)
				b.add(1, 600, 600)
			}
			b.add(0, 600, 600)
			b.growLast(1<<20, 1<<20)
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBuilder(t, 2)
			c.build(b)
			b.check()
			for range 8 {
				b.add(0, 513, 513)
				b.add(1, 700, 700)
				b.check()
			}
			l := b.sessions[0]
			if l.chain >= 0 || b.chains[^l.chain].listed != c.listed {
				t.Errorf("session has chain %d; chains %+v", l.chain, b.chains)
			}
		})
	}
}

// Buckets fill, crowd and are split with and without their crowds, with tags
// that keep and that change.
func TestRadix(t *testing.T) {
	table := New()
	add := func(id numericuuid.UUID) {
		if _, added := table.AddSession(id); !added {
			t.Fatalf("%v is there already", id)
		}
	}
	for i := range uint64(200) { // one crowd that stays together
		add(numericuuid.UUID{Hi: 1<<57 + 3, Lo: 7919 * i % 200})
		if err := table.checkRadix(); err != nil {
			t.Fatal(err)
		}
	}
	if len(table.radix.crowds.nodes) < 2 {
		t.Fatal("200 UUIDs one apart are no crowd")
	}
	for i := range uint64(16) { // one that doublings take apart
		add(numericuuid.UUID{Hi: 1<<52 + i<<46})
	}
	for i := range uint64(3000) {
		add(numericuuid.UUID{Hi: i * 0x9e3779b97f4a7c15 >> 6, Lo: i})
		if i%50 == 0 {
			if err := table.checkRadix(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for s := range table.sessions {
		id := table.sessions[s].id
		if got, ok := table.LookupSession(id); !ok || int(got) != s {
			t.Fatalf("LookupSession(%v) = %d, %t, want %d", id, got, ok, s)
		}
	}
}

func TestBitmap(t *testing.T) {
	m := newBitmap(1 << 18)
	members := []int{0, 63, 64, 4096, 5000, 1<<18 - 1}
	for _, i := range members {
		m.set(i)
	}
	for k, i := range members {
		for _, at := range []int{i + 1, i + 2, 1 << 18} {
			if at >= 1<<18 || k+1 < len(members) && at > members[k+1] {
				continue
			}
			if got, ok := m.before(at); !ok || got != i {
				t.Errorf("before(%d) = %d, %t, want %d", at, got, ok, i)
			}
		}
	}
	if got, ok := m.before(0); ok {
		t.Errorf("before(0) = %d", got)
	}
}

// A run that grows past a stretch's width leaves the bits.
func TestNormalizerCut(t *testing.T) {
	n := NewNormalizer()
	for _, r := range []impls.Run{{First: 1, Count: 3}, {First: 10, Count: span - 1}, {First: span + 9, Count: 5}, {First: 2 * span, Count: 2}} {
		if err := n.Append(r); err != nil {
			t.Fatal(err)
		}
		if err := n.CheckInvariants(); err != nil {
			t.Fatal(err)
		}
	}
	if len(n.stretches) != 3 || n.stretches[1].word >= 0 || n.RunCount() != 3 {
		t.Errorf("%d runs in stretches %+v", n.RunCount(), n.stretches)
	}
	for gen, want := range map[int64]bool{0: false, 3: true, 4: false, 9: false, 10: true, span + 13: true, span + 14: false, 2*span + 1: true, 2*span + 2: false} {
		if n.Contains(gen) != want {
			t.Errorf("Contains(%d) = %t", gen, !want)
		}
	}
}
