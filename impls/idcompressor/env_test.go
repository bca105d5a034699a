package idcompressor_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"example.com/idlab/impls"
	_ "example.com/idlab/impls/all" // every test runs on all backends
	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
)

type (
	compressor = idcompressor.Compressor
	id         = idcompressor.SessionSpaceID
	op         = idcompressor.OpSpaceID
)

// The fixture of the reference's tests.
var (
	s1 = uuid.MustParse("88888888-8888-4888-b088-888888888888")
	s2 = uuid.MustParse("88888888-8888-4888-b188-888888888888")
	s3 = uuid.MustParse("88888888-8888-4888-b288-888888888888")
)

const fixtureSize = 5

// env is a test on one backend.
type env struct {
	rapid.TB
	backend impls.Backend
}

// run runs a test on every backend.
func run(t *testing.T, name string, f func(e env)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		for _, b := range impls.Backends() {
			t.Run(b.Name, func(t *testing.T) { f(env{t, b}) })
		}
	})
}

func (e env) must(err error) {
	if err != nil {
		e.Helper()
		e.Fatal(err)
	}
}

// equal fails unless got is want.
func (e env) equal(what string, got, want any) {
	if reflect.DeepEqual(got, want) {
		return // cmp takes its time
	}
	e.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		e.Fatalf("%s (-want +got):\n%s", what, d)
	}
}

// new returns a compressor as the reference's tests make it, session 1 unless told.
func (e env) new(options ...idcompressor.Option) *compressor {
	e.Helper()
	c, err := idcompressor.New(append([]idcompressor.Option{
		idcompressor.WithBackend(e.backend), idcompressor.WithSession(s1), idcompressor.WithClusterSize(fixtureSize),
	}, options...)...)
	e.must(err)
	return c
}

func session(s uuid.UUID) idcompressor.Option { return idcompressor.WithSession(s) }
func size(n int64) idcompressor.Option        { return idcompressor.WithClusterSize(n) }
func hook(events *[]idcompressor.Event) idcompressor.Option {
	return idcompressor.WithEventHook(func(ev idcompressor.Event) { *events = append(*events, ev) })
}

// gen generates n IDs one by one.
func (e env) gen(c *compressor, n int) []id {
	e.Helper()
	ids := make([]id, n)
	for i := range ids {
		var err error
		ids[i], err = c.Generate()
		e.must(err)
	}
	return ids
}

func (e env) gen1(c *compressor) id {
	e.Helper()
	return e.gen(c, 1)[0]
}

// next fails unless the next IDs are want.
func (e env) next(c *compressor, want ...id) {
	e.Helper()
	e.equal("next IDs", e.gen(c, len(want)), want)
}

func (e env) take(c *compressor) idcompressor.CreationRange {
	e.Helper()
	r, err := c.TakeNextCreationRange()
	e.must(err)
	return r
}

func (e env) takeUnfinalized(c *compressor) idcompressor.CreationRange {
	e.Helper()
	r, err := c.TakeUnfinalizedCreationRange()
	e.must(err)
	return r
}

// finalize finalizes a range on all compressors.
func (e env) finalize(r idcompressor.CreationRange, cs ...*compressor) {
	e.Helper()
	for _, c := range cs {
		e.must(c.FinalizeCreationRange(r))
		e.must(c.CheckInvariants())
	}
}

// sync takes the next range of c and finalizes it there and on the others.
func (e env) sync(c *compressor, others ...*compressor) {
	e.Helper()
	e.finalize(e.take(c), append([]*compressor{c}, others...)...)
}

// with returns a compressor that has made n IDs and finalized them.
func (e env) with(n int, options ...idcompressor.Option) *compressor {
	e.Helper()
	c := e.new(options...)
	e.gen(c, n)
	e.sync(c)
	return c
}

func (e env) op(c *compressor, x id) op {
	o, err := c.NormalizeToOpSpace(x)
	e.must(err)
	return o
}

func (e env) ops(c *compressor, xs []id) []op {
	e.Helper()
	out := make([]op, len(xs))
	for i, x := range xs {
		out[i] = e.op(c, x)
	}
	return out
}

func (e env) session(c *compressor, o op, origin uuid.UUID) id {
	e.Helper()
	x, err := c.NormalizeToSessionSpace(o, origin)
	e.must(err)
	return x
}

func (e env) stable(c *compressor, x id) uuid.UUID {
	u, err := c.Decompress(x)
	e.must(err)
	return u
}

func (e env) recompress(c *compressor, u uuid.UUID) id {
	e.Helper()
	x, err := c.Recompress(u)
	e.must(err)
	if found, ok := c.TryRecompress(u); !ok || found != x {
		e.Fatalf("TryRecompress says %d, %v, and Recompress %d", found, ok, x)
	}
	return x
}

// known fails unless c maps x to u and back.
func (e env) known(c *compressor, x id, u uuid.UUID) {
	e.Helper()
	e.equal("decompress", e.stable(c, x), u)
	e.equal("recompress", e.recompress(c, u), x)
}

// unknown fails unless c knows neither x nor, if given, u.
func (e env) unknown(c *compressor, x id, u ...uuid.UUID) {
	e.Helper()
	e.refused(c, idcompressor.ErrUnknownID, func() error { _, err := c.Decompress(x); return err })
	for _, u := range u {
		e.notFound(c, u)
	}
}

func (e env) notFound(c *compressor, u uuid.UUID) {
	e.Helper()
	if x, ok := c.TryRecompress(u); ok || x != 0 {
		e.Fatalf("%s was recompressed to %d, %v", u, x, ok)
	}
	e.refused(c, idcompressor.ErrUnknownStableID, func() error { _, err := c.Recompress(u); return err })
}

// refused fails unless the call returns an error of that class and leaves the
// compressor as it was. Every failing call of these tests goes through it.
func (e env) refused(c *compressor, class error, call func() error) error {
	e.Helper()
	before := c.Fingerprint()
	err := call()
	if !errors.Is(err, class) {
		e.Fatalf("error is %v, want %v", err, class)
	}
	if after := c.Fingerprint(); after != before {
		e.Fatalf("%v has changed the compressor:\n%s\n%s", err, before, after)
	}
	e.must(c.CheckInvariants())
	return err
}

func (e env) refuseFinalize(c *compressor, class error, r idcompressor.CreationRange) error {
	e.Helper()
	return e.refused(c, class, func() error { return c.FinalizeCreationRange(r) })
}

// serialized returns the binary form.
func (e env) serialized(c *compressor, withSession bool) []byte {
	e.Helper()
	data, err := c.AppendSerialized(nil, withSession)
	e.must(err)
	return data
}

func (e env) load(data []byte, options ...idcompressor.Option) *compressor {
	e.Helper()
	c, err := idcompressor.Load(data, append([]idcompressor.Option{idcompressor.WithBackend(e.backend)}, options...)...)
	e.must(err)
	e.must(c.CheckInvariants())
	return c
}

// resume returns c after a trip through its form with session.
func (e env) resume(c *compressor, options ...idcompressor.Option) *compressor {
	e.Helper()
	return e.load(e.serialized(c, true), append([]idcompressor.Option{size(c.ClusterSize()), idcompressor.WithVersion(c.Version())}, options...)...)
}

// same fails unless a and b are equal, in both directions, and the same again
// with other arguments.
func (e env) same(a, b *compressor, withLocal, want bool) {
	e.Helper()
	for _, pair := range [][2]*compressor{{a, b}, {b, a}} {
		got, err := pair[0].Equal(pair[1], withLocal)
		e.must(err)
		if got != want {
			e.Fatalf("equal, with local state %v, is %v", withLocal, got)
		}
	}
}

// roundTrips fails unless c comes back from both forms equal, and to the byte.
func (e env) roundTrips(c *compressor) {
	e.Helper()
	with := e.resume(c)
	e.same(c, with, true, true)
	e.same(c, with, false, true)
	e.equal("bytes with session", e.serialized(with, true), e.serialized(c, true))
	without := e.load(e.serialized(c, false), session(uuid.New()), idcompressor.WithVersion(c.Version()))
	e.same(c, without, false, true)
	e.equal("bytes without session", e.serialized(without, false), e.serialized(c, false))
}

// add returns the UUID n above u.
func add(u uuid.UUID, n int64) uuid.UUID {
	m, ok := numericuuid.FromUUID(u)
	if !ok {
		panic(u)
	}
	if n < 0 {
		return m.AddDiff(-1, uint64(n)).UUID()
	}
	return m.Add(uint64(n)).UUID()
}

// ranged is a range as it comes from outside.
func ranged(s uuid.UUID, first, count, size int64, locals ...impls.Run) idcompressor.CreationRange {
	return idcompressor.CreationRange{SessionID: s, IDs: &idcompressor.RangeIDs{
		FirstGenCount: first, Count: count, RequestedClusterSize: size, LocalIDRanges: locals,
	}}
}

func distinct[T comparable](e env, what string, xs []T) {
	e.Helper()
	seen := map[T]int{}
	for i, x := range xs {
		if j, ok := seen[x]; ok {
			e.Fatalf("%s %d and %d are both %v", what, j, i, x)
		}
		seen[x] = i
	}
}

func allFinal[T interface{ IsFinal() bool }](e env, what string, xs []T, want bool) {
	e.Helper()
	if i := slices.IndexFunc(xs, func(x T) bool { return x.IsFinal() != want }); i >= 0 {
		e.Fatalf("%s: %v, final %v is wanted of all", what, xs, want)
	}
}

func (e env) stables(c *compressor, xs []id) []uuid.UUID {
	e.Helper()
	us := make([]uuid.UUID, len(xs))
	for i, x := range xs {
		us[i] = e.stable(c, x)
	}
	return us
}

// clusters returns what c has, for comparisons.
func clusters(c *compressor) []impls.Cluster { return slices.Collect(c.Clusters()) }

func wholeRun(gen int64) snapshot.Run { return snapshot.Run{First: 1, Count: gen} }

func numeric(u uuid.UUID) numericuuid.UUID {
	n, _ := numericuuid.FromUUID(u)
	return n
}

func cluster(session int32, capacity, count int64) snapshot.Cluster {
	return snapshot.Cluster{Session: session, Capacity: capacity, Count: count}
}

// weighted is a seeded source of choices.
type weighted struct{ *rand.Rand }

func newWeighted(seed uint64) weighted { return weighted{rand.New(rand.NewPCG(seed, seed))} }

// pick returns i with a probability in proportion to weights[i].
func (w weighted) pick(weights ...int) int {
	total := 0
	for _, n := range weights {
		total += n
	}
	at := w.IntN(total)
	for i, n := range weights {
		if at -= n; at < 0 {
			return i
		}
	}
	panic("unreachable")
}
