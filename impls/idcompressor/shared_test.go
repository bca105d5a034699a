package idcompressor_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/paged"
	"example.com/idlab/impls/sortedslice"
)

type reader interface {
	Decompress(id) (uuid.UUID, error)
	AppendStableID([]byte, id) ([]byte, error)
	Recompress(uuid.UUID) (id, error)
	TryRecompress(uuid.UUID) (id, bool)
	NormalizeToOpSpace(id) (op, error)
	NormalizeToSessionSpace(op, uuid.UUID) (id, error)
	TryNormalizeToSessionSpace(op) (id, bool, error)
	AppendDecompress([]uuid.UUID, []id) ([]uuid.UUID, error)
	AppendRecompress([]id, []bool, []uuid.UUID) ([]id, int)
}

var (
	_ reader = (*idcompressor.Compressor)(nil)
	_ reader = (*idcompressor.Shared)(nil)
)

// answers is everything a reader says of some IDs, errors by their class.
func answers(r reader, ids []int64, origins, stable []uuid.UUID) []any {
	var all []any
	add := func(answer any, err error) { all = append(all, answer, idcompressor.ErrorClass(err)) }
	for _, x := range ids {
		add(r.Decompress(id(x)))
		text, err := r.AppendStableID(nil, id(x))
		add(string(text), err)
		add(r.NormalizeToOpSpace(id(x)))
		for _, origin := range origins {
			add(r.NormalizeToSessionSpace(op(x), origin))
		}
		found, ok, err := r.TryNormalizeToSessionSpace(op(x))
		add([]any{found, ok}, err)
		u, err := r.AppendDecompress(nil, []id{id(ids[0]), id(x)})
		add(u, err)
	}
	for _, u := range stable {
		add(r.Recompress(u))
		found, ok := r.TryRecompress(u)
		all = append(all, ok)
		if ok {
			all = append(all, found)
		}
	}
	ok := make([]bool, len(stable))
	found, known := r.AppendRecompress(nil, ok, stable)
	return append(all, found, known, ok)
}

// A shared compressor answers as an unshared one that saw the same updates,
// however old its frozen copy is.
func TestSharedAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sessions := []uuid.UUID{s1, s2, s3, uuid.MustParse("88888888-8888-4888-b088-88888888888c")}
		options := []idcompressor.Option{idcompressor.WithBackend(paged.Backend), session(s1), idcompressor.WithClusterSize(4)}
		plain, _ := idcompressor.New(options...)
		c, _ := idcompressor.New(options...)
		shared, err := idcompressor.NewShared(c)
		if err != nil {
			t.Fatal(err)
		}
		both := func(f func(c *compressor) error) {
			one := f(plain)
			two := shared.Update(f)
			if idcompressor.ErrorClass(one) != idcompressor.ErrorClass(two) {
				t.Fatalf("%v, shared %v", one, two)
			}
		}
		next := map[uuid.UUID]int64{}
		small := rapid.Int64Range(1, 6)
		t.Repeat(map[string]func(*rapid.T){
			"generate": func(t *rapid.T) {
				n := int(small.Draw(t, "n"))
				both(func(c *compressor) error { _, err := c.AppendGenerate(nil, n); return err })
			},
			"own": func(t *rapid.T) {
				both(func(c *compressor) error {
					r, err := c.TakeNextCreationRange()
					if err != nil {
						return err
					}
					return c.FinalizeCreationRange(r)
				})
			},
			"remote": func(t *rapid.T) {
				s := rapid.SampledFrom(sessions[1:]).Draw(t, "session")
				ids := &idcompressor.RangeIDs{FirstGenCount: next[s] + 1, Count: small.Draw(t, "count"), RequestedClusterSize: small.Draw(t, "size")}
				r := idcompressor.CreationRange{SessionID: s, IDs: ids}
				both(func(c *compressor) error { return c.FinalizeCreationRange(r) })
				if plainOrder(plain, r) {
					next[s] += ids.Count
				}
			},
			"ghost": func(t *rapid.T) {
				n := int(small.Draw(t, "n"))
				ghost := uuidOf(rapid.Uint64().Draw(t, "ghost"))
				both(func(c *compressor) error {
					return c.BeginGhostSession(ghost, func() error { _, err := c.AppendGenerate(nil, n); return err })
				})
			},
			"freeze": func(t *rapid.T) { shared.Freeze() },
			"": func(t *rapid.T) {
				var ids []int64
				for x := int64(-9); x < 24; x++ {
					ids = append(ids, x)
				}
				var stable []uuid.UUID
				for _, s := range sessions {
					for d := range uint64(8) {
						n, _ := numericuuid.FromUUID(s)
						stable = append(stable, n.Add(d).UUID())
					}
				}
				want, got := answers(plain, ids, sessions, stable), answers(shared, ids, sessions, stable)
				if !reflect.DeepEqual(want, got) {
					t.Fatalf("a shared compressor answers otherwise (-unshared +shared):\n%s", cmp.Diff(want, got))
				}
			},
		})
	})
}

func uuidOf(n uint64) uuid.UUID { return numericuuid.UUID{Hi: n % (1 << 58), Lo: n}.UUID() }

// plainOrder reports whether the range was taken in: a second time it is out
// of order, and was not if it is still in order or collides.
func plainOrder(c *compressor, r idcompressor.CreationRange) bool {
	return errors.Is(c.FinalizeCreationRange(r), idcompressor.ErrOutOfOrder)
}

func TestSharedNeedsFreezing(t *testing.T) {
	c, _ := idcompressor.New(idcompressor.WithBackend(sortedslice.Backend))
	if _, err := idcompressor.NewShared(c); !errors.Is(err, idcompressor.ErrNotShareable) {
		t.Errorf("error %v", err)
	}
}

func TestSharedDisposed(t *testing.T) {
	root, _ := idcompressor.New(idcompressor.WithBackend(paged.Backend))
	shards, err := root.Shard(1)
	if err != nil {
		t.Fatal(err)
	}
	child, err := idcompressor.Load(shards[0].Data, idcompressor.WithBackend(paged.Backend))
	if err != nil {
		t.Fatal(err)
	}
	shared, err := idcompressor.NewShared(child)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := shared.Decompress(-1); err != nil {
		t.Error(err)
	}
	shared.Update(func(c *compressor) error { _, err := c.DisposeShard(); return err })
	if _, err := shared.Decompress(-1); !errors.Is(err, idcompressor.ErrDisposed) {
		t.Errorf("a disposed shard: %v", err)
	}
	if _, err := shared.AppendDecompress(nil, []id{-1}); !errors.Is(err, idcompressor.ErrDisposed) {
		t.Errorf("a disposed shard, a batch: %v", err)
	}
}

// Readers see every finalize that returned before their read began, while the
// frozen copy is made anew many times. Run it with -race.
func TestSharedReaders(t *testing.T) {
	const rounds, width, readers = 3_000, 7, 4
	c, _ := idcompressor.New(idcompressor.WithBackend(paged.Backend), session(s1))
	shared, err := idcompressor.NewShared(c)
	if err != nil {
		t.Fatal(err)
	}
	remotes := make([]numericuuid.UUID, rounds)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range remotes {
		remotes[i] = numericuuid.UUID{Hi: r.Uint64() >> 6, Lo: r.Uint64()}
	}
	var finalized atomic.Int64 // rounds
	stop := make(chan struct{})
	var group sync.WaitGroup
	for seed := range uint64(readers) {
		group.Go(func() {
			r := rand.New(rand.NewPCG(seed, 3))
			for {
				select {
				case <-stop:
					return
				default:
				}
				n := finalized.Load()
				if n == 0 {
					continue
				}
				i := r.Int64N(n)
				if r.IntN(2) == 0 {
					i = n - 1 // the newest
				}
				u := remotes[i].Add(uint64(r.IntN(width))).UUID()
				found, err := shared.Recompress(u)
				if err != nil {
					t.Errorf("round %d of %d: %v", i, n, err)
					return
				}
				if back, err := shared.Decompress(found); err != nil || back != u {
					t.Errorf("round %d of %d: %v comes back as %v, %v", i, n, u, back, err)
					return
				}
				if got, err := shared.NormalizeToSessionSpace(op(found), s2); err != nil || got != found {
					t.Errorf("round %d of %d: %d is %d in session space, %v", i, n, found, got, err)
					return
				}
			}
		})
	}
	for i, remote := range remotes {
		err := shared.FinalizeCreationRange(idcompressor.CreationRange{
			SessionID: remote.UUID(),
			IDs:       &idcompressor.RangeIDs{FirstGenCount: 1, Count: width, RequestedClusterSize: 3},
		})
		if err != nil {
			t.Fatal(err)
		}
		finalized.Store(int64(i + 1))
	}
	close(stop)
	group.Wait()
}

// What a reader pays, one goroutine after the other and all processors at once.
func BenchmarkSharedRead(b *testing.B) {
	const sessions, each = 10_000, 3
	c, err := idcompressor.New(idcompressor.WithBackend(paged.Backend), session(s1))
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	ranges := make([]idcompressor.CreationRange, 0, sessions*each)
	for i := range sessions * each {
		ranges = append(ranges, idcompressor.CreationRange{SessionID: uuidOf(uint64(i%sessions+1) * 0x9e3779b97f4a7c15), IDs: &idcompressor.RangeIDs{
			FirstGenCount: int64(i/sessions)*400 + 1, Count: 400, RequestedClusterSize: 512,
		}})
	}
	for _, r := range ranges {
		if err := c.FinalizeCreationRange(r); err != nil {
			b.Fatal(err)
		}
	}
	var ids []id
	for cluster := range c.Clusters() {
		for range 100 {
			ids = append(ids, id(cluster.BaseFinal+r.Int64N(cluster.Count)))
		}
	}
	r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	stable, err := c.AppendDecompress(nil, ids)
	if err != nil {
		b.Fatal(err)
	}
	data, err := c.MarshalBinary()
	if err != nil {
		b.Fatal(err)
	}
	other, err := idcompressor.Load(data, idcompressor.WithBackend(paged.Backend))
	if err != nil {
		b.Fatal(err)
	}
	shared, err := idcompressor.NewShared(other)
	if err != nil {
		b.Fatal(err)
	}
	decompress := func(b *testing.B, r reader, next func() bool) {
		for i := 0; next(); i++ {
			if u, err := r.Decompress(ids[i%len(ids)]); err != nil || u != stable[i%len(ids)] {
				b.Error("wrong", u, err)
				return
			}
		}
	}
	recompress := func(b *testing.B, r reader, next func() bool) {
		for i := 0; next(); i++ {
			if found, ok := r.TryRecompress(stable[i%len(ids)]); !ok || found != ids[i%len(ids)] {
				b.Error("wrong", found, ok)
				return
			}
		}
	}
	for name, read := range map[string]func(*testing.B, reader, func() bool){"Decompress": decompress, "Recompress": recompress} {
		b.Run("op="+name+"/form=unshared", func(b *testing.B) { n := b.N; read(b, c, func() bool { n--; return n >= 0 }) })
		b.Run("op="+name+"/form=shared", func(b *testing.B) { n := b.N; read(b, shared, func() bool { n--; return n >= 0 }) })
		b.Run("op="+name+"/form=parallel", func(b *testing.B) {
			b.RunParallel(func(p *testing.PB) { read(b, shared, p.Next) })
		})
	}
}
