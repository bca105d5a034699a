package trace

import (
	"bytes"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"example.com/idlab/impls/idcompressor"
)

var (
	sessionA = uuid.MustParse("11111111-1111-4111-8111-111111111111")
	sessionB = uuid.MustParse("21111111-1111-4111-8111-111111111111")
)

func rangeOf(session uuid.UUID, first, count, size int64) idcompressor.CreationRange {
	return idcompressor.CreationRange{SessionID: session, IDs: &idcompressor.RangeIDs{FirstGenCount: first, Count: count, RequestedClusterSize: size}}
}

func document(ranges ...idcompressor.CreationRange) iter.Seq[idcompressor.CreationRange] {
	return slices.Values(ranges)
}

func TestWriteDocument(t *testing.T) {
	var out bytes.Buffer
	seed := uint64(7)
	err := WriteDocument(&out, Header{Source: "test", Name: "d", Seed: &seed}, Document{
		Session: sessionA, Generated: 12,
		Ranges: document(rangeOf(sessionB, 1, 4, 6), rangeOf(sessionA, 1, 3, 5), rangeOf(sessionB, 5, 7, 9)),
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Replay(bytes.NewReader(out.Bytes()), "t", idcompressor.DefaultBackend)
	if err != nil || r.Difference != nil {
		t.Fatalf("it does not replay: %v, %v", r.Difference, err)
	}
	var got []string
	for _, line := range lines(t, out.Bytes())[1:] {
		var f fields
		if err := f.split(line); err != nil {
			t.Fatal(err)
		}
		op, _ := get[string](&f, "op")
		got = append(got, strings.TrimSpace(op+" "+string(f.raw("ids"))))
	}
	want := []string{
		"create", "finalize", "clusterSize", "generate [-1,-2,-3]", "takeRange", "finalize", "finalize",
		"clusterSize", "generate [13,14,15,16,17,-9,-10,-11,-12]", "serialize",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	// A call that fails ends the writing.
	err = WriteDocument(&out, Header{}, Document{Session: sessionA, Ranges: document(rangeOf(sessionB, 2, 4, 6))})
	if !errors.Is(err, idcompressor.ErrOutOfOrder) {
		t.Errorf("%v, want out of order", err)
	}
}

type failingWriter struct{ left int }

var errFull = errors.New("disk full")

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteErrors(t *testing.T) {
	for _, left := range []int{0, 10, 5000} {
		err := Import(&failingWriter{left}, strings.NewReader(`{"txns":[`+strings.Repeat(`{"patches":[[0,0,"ab"]]},`, 100)+`{"patches":[[0,0,"ab"]]}]}`), "x", DefaultSettings)
		if !errors.Is(err, errFull) {
			t.Errorf("%d bytes: %v", left, err)
		}
	}
}

func TestProfile(t *testing.T) {
	const text = headLine + createLine + `
{"op":"generate","on":"A","n":3,"ids":[-1,-2,-3]}
{"op":"takeRange","on":"A","range":{}}
{"op":"finalize","on":"A","range":{"sessionId":"11111111-1111-4111-8111-111111111111","ids":{"firstGenCount":1,"count":3,"requestedClusterSize":4,"localIdRanges":[]}}}
{"op":"finalize","on":"A","range":{"sessionId":"21111111-1111-4111-8111-111111111111","ids":{"firstGenCount":1,"count":9,"requestedClusterSize":4,"localIdRanges":[]}}}
{"op":"finalize","on":"A","range":{"sessionId":"21111111-1111-4111-8111-111111111111","ids":{"firstGenCount":10,"count":1,"requestedClusterSize":4,"localIdRanges":[]}}}
{"op":"finalize","on":"A","range":{"sessionId":"21111111-1111-4111-8111-111111111111","ids":{"firstGenCount":1,"count":1,"requestedClusterSize":4,"localIdRanges":[]}},"error":"out-of-order"}
{"op":"documentUnique","on":"A","id":3}
{"op":"decompress","on":"A","id":-1,"stable":""}
{"op":"decompress","on":"A","id":3,"stable":""}
{"op":"decompress","on":"A","id":7,"stable":""}
{"op":"decompress","on":"A","id":8,"stable":""}
{"op":"decompress","on":"A","id":99,"error":"unknown-id"}
{"op":"recompress","on":"A","stable":"11111111-1111-4111-8111-111111111111","result":0}
{"op":"recompress","on":"A","stable":"21111111-1111-4111-8111-111111111111","result":0}
{"op":"recompress","on":"A","stable":"31111111-1111-4111-8111-111111111111","result":0}
{"op":"toOp","on":"A","id":-1,"result":0}
{"op":"toOp","on":"A","id":5,"result":0}
{"op":"toSession","on":"A","id":-1,"origin":"21111111-1111-4111-8111-111111111111","result":0}
{"op":"toSession","on":"A","id":7,"origin":"21111111-1111-4111-8111-111111111111","result":0}
{"op":"toSession","on":"A","id":0,"origin":"21111111-1111-4111-8111-111111111111","result":0}
{"op":"toSessionNoOrigin","on":"A","id":-1,"result":null}
{"op":"serialize","on":"A","withSession":true,"data":""}`
	p, err := Load(strings.NewReader(text), "t", DefaultSettings)
	if err != nil {
		t.Fatal(err)
	}
	got := p.Profile()
	const all = 25.
	want := Profile{
		Calls: 23, Compressors: 1, Sessions: 2, Clusters: 2,
		Ops: []OpProfile{
			{Op: "Decompress", Calls: 5, Count: 5, Share: 5 / all, Errors: 1, Variants: []Count{{"remote", 2}, {"eager", 1}, {"local", 1}, {"miss", 1}}},
			{Op: "FinalizeRange", Calls: 4, Count: 4, Share: 4 / all, Errors: 1, Variants: []Count{{"known", 1}, {"miss", 1}, {"new", 1}, {"own", 1}},
				Batches: []Batch{{1, 1, 1}, {3, 4, 1}, {9, 16, 1}}},
			{Op: "Generate", Calls: 2, Count: 4, Share: 4 / all, Variants: []Count{{"local", 3}, {"eager", 1}}, Batches: []Batch{{3, 4, 1}}},
			{Op: "NormalizeToSessionSpace", Calls: 4, Count: 4, Share: 4 / all, Variants: []Count{{"miss", 1}, {"own", 1}, {"remote", 1}, {"remote-local", 1}}},
			{Op: "Recompress", Calls: 3, Count: 3, Share: 3 / all, Variants: []Count{{"miss", 1}, {"own", 1}, {"remote", 1}}},
			{Op: "NormalizeToOpSpace", Calls: 2, Count: 2, Share: 2 / all, Variants: []Count{{"eager", 1}, {"local", 1}}},
			{Op: "Serialize", Calls: 1, Count: 1, Share: 1 / all},
			{Op: "TakeRange", Calls: 1, Count: 1, Share: 1 / all, Batches: []Batch{{3, 4, 1}}},
			{Op: "create", Calls: 1, Count: 1, Share: 1 / all},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
