package idcompressor_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/model"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/sortedslice"
)

// singly is a table without optional interfaces, and batched one that has
// batches in the plainest form, so that both paths are tested whatever
// backends there are.
type (
	singly  struct{ impls.ClusterTable }
	batched struct{ impls.ClusterTable }
)

func (t batched) StableIDs(dst []numericuuid.UUID, finals []int64) int {
	for i, final := range finals {
		u, ok := t.StableID(final)
		if !ok {
			return i
		}
		dst[i] = u
	}
	return len(finals)
}

func (t batched) StableIDRange(dst []numericuuid.UUID, first int64) int {
	for i := range dst {
		u, ok := t.StableID(first + int64(i))
		if !ok {
			return i
		}
		dst[i] = u
	}
	return len(dst)
}

func (t batched) ByStableIDs(dst []impls.Place, ids []numericuuid.UUID) {
	for i, u := range ids {
		dst[i] = t.ByStableID(u)
	}
}

func batchBackends() []impls.Backend {
	with := func(name string, table func(impls.ClusterTable) impls.ClusterTable) impls.Backend {
		b := sortedslice.Backend
		b.Name, b.NewTable = name, func() impls.ClusterTable { return table(sortedslice.New()) }
		return b
	}
	return append(impls.Backends(), model.Backend,
		with("singly", func(t impls.ClusterTable) impls.ClusterTable { return singly{t} }),
		with("batched", func(t impls.ClusterTable) impls.ClusterTable { return batched{t} }))
}

// mixture returns a compressor with IDs of all kinds, and all it can decompress.
func (e env) mixture() (*compressor, []id) {
	e.Helper()
	c := e.new(size(40))
	var ids []id
	for n := int64(1); n <= 12; n++ {
		e.finalize(ranged(add(s2, n*10_000), 1, 60*n, 3), c)
		ids = append(ids, e.gen(c, 50)...)
		e.sync(c)
	}
	ids = append(ids, e.gen(c, 80)...) // eager, then local, not finalized
	for final := range id(len(ids)) * 10 {
		if _, err := c.Decompress(final); err == nil {
			ids = append(ids, final)
		}
	}
	return c, ids
}

func TestBatches(t *testing.T) {
	for _, b := range batchBackends() {
		t.Run(b.Name, func(t *testing.T) {
			e := env{t, b}
			c, ids := e.mixture()
			if len(ids) < 1000 {
				t.Fatal("too few IDs for several chunks:", len(ids))
			}
			want := e.stables(c, ids)
			for _, n := range []int{0, 1, 255, 256, 257, 511, 512, 513, len(ids)} {
				got, err := c.AppendDecompress([]uuid.UUID{s3}, ids[:n])
				e.must(err)
				e.equal("AppendDecompress", got, append([]uuid.UUID{s3}, want[:n]...))
				e.recompressed(c, want[:n])
			}
			// Unknown ones, at the edges of chunks and inside.
			for _, at := range []int{0, 1, 255, 256, 257, len(ids) - 1} {
				for _, bad := range []id{-1 << 40, 1 << 40} {
					broken := append(append(append([]id(nil), ids[:at]...), bad), ids[at+1:]...)
					err := e.refused(c, idcompressor.ErrUnknownID, func() error {
						dst := []uuid.UUID{s3}
						got, err := c.AppendDecompress(dst, broken)
						e.equal("dst", got, dst)
						return err
					})
					if want := "ids[" + strconv.Itoa(at) + "]:"; !strings.Contains(err.Error(), want) {
						t.Errorf("%v does not say %s", err, want)
					}
				}
				broken := append([]uuid.UUID(nil), want...)
				broken[at] = uuid.Nil
				e.recompressed(c, broken)
				broken[at] = nines
				e.recompressed(c, broken)
			}
		})
	}
}

// recompressed fails unless a batch answers as the calls one by one do.
func (e env) recompressed(c *compressor, us []uuid.UUID) {
	e.Helper()
	want, oks, known := []id{77}, make([]bool, len(us)), 0
	for i, u := range us {
		x, ok := c.TryRecompress(u)
		want, oks[i] = append(want, x), ok
		if ok {
			known++
		}
	}
	got := make([]bool, len(us))
	ids, n := c.AppendRecompress([]id{77}, got, us)
	e.equal("IDs", ids, want)
	e.equal("ok", got, oks)
	e.equal("known", n, known)
	ids, n = c.AppendRecompress([]id{77}, nil, us)
	e.equal("IDs", ids, want)
	e.equal("known", n, known)
}

func TestBatchRange(t *testing.T) {
	for _, b := range batchBackends() {
		t.Run(b.Name, func(t *testing.T) {
			e := env{t, b}
			c := e.new()
			e.finalize(ranged(s2, 1, 700, 1), c)
			e.gen(c, 2)
			e.sync(c)
			e.gen(c, 3) // eager
			limit := 701 + 5
			for _, first := range []int{0, 1, 444, 445, 699, 701, 703} {
				for _, n := range []int{0, 1, 255, 256, 257, 512, limit - first} {
					want, failed := []uuid.UUID{s3}, false
					for x := first; x < first+n; x++ {
						u, err := c.Decompress(id(x))
						failed = failed || err != nil
						want = append(want, u)
					}
					got, err := c.AppendDecompressRange([]uuid.UUID{s3}, id(first), n)
					if failed {
						if !errors.Is(err, idcompressor.ErrUnknownID) || len(got) != 1 {
							t.Fatalf("%d from %d: %d, %v", n, first, len(got), err)
						}
						continue
					}
					e.must(err)
					e.equal("range", got, want)
				}
			}
			for _, bad := range []struct {
				first id
				n     int
				class error
			}{
				{-1, 1, idcompressor.ErrInvalidArgument}, {0, -1, idcompressor.ErrInvalidArgument},
				{0, 1 << 62, idcompressor.ErrUnknownID}, {1 << 62, 1 << 62, idcompressor.ErrUnknownID}, {700, 1, idcompressor.ErrUnknownID},
			} {
				e.refused(c, bad.class, func() error { _, err := c.AppendDecompressRange(nil, bad.first, bad.n); return err })
			}
			// A wide cluster, hardly finalized, also with more behind it: no
			// memory is taken for what it claims.
			wide := e.load(doc(3, 0, 2, 2, s2, s3, 0, 1<<45, 2, 1, 1, 1), session(s1))
			for _, n := range []int{1 << 44, 1<<45 + 1} {
				e.refused(wide, idcompressor.ErrUnknownID, func() error {
					_, err := wide.AppendDecompressRange(nil, 0, n)
					return err
				})
			}
		})
	}
}

// Tables without BulkLoader are filled by single calls, to the same effect.
func TestLoadSingly(t *testing.T) {
	for _, b := range batchBackends() {
		t.Run(b.Name, func(t *testing.T) {
			e := env{t, b}
			c, _ := e.mixture()
			e.roundTrips(c)
			if _, sized := c.Table().(impls.Sizer); !sized {
				if n, ok := c.BytesInUse(); ok || n != 0 {
					t.Errorf("%d bytes are counted of a table that does not count", n)
				}
			}
			_, err := idcompressor.Load(doc(3, 0, 2, 0, s2, s2), session(s1), idcompressor.WithBackend(b))
			if !errors.Is(err, idcompressor.ErrCorrupt) {
				t.Error(err)
			}
			_, err = idcompressor.Load(doc(3, 0, 2, 0, s2, s1), session(s1), idcompressor.WithBackend(b))
			if !errors.Is(err, idcompressor.ErrSessionExists) {
				t.Error(err)
			}
		})
	}
}
