package snapshot_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/google/uuid"

	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/internal/statetest"
)

// The slots of statetest.Small's states. Those with session have them all up
// to sharded, the two sharded ones all but shardID or childUUID[1].
const (
	version, local, sessionCount, clusterCount = 0, 1, 2, 3
	uuid0, uuid1                               = 4, 6
	cluster0, cluster1, cluster2               = 8, 11, 14
	documentEnd                                = 17
	generated, cursor, runCount                = 17, 18, 19
	run0, run1                                 = 20, 22
	v2End, sharded                             = 24, 24
	stride, original, childCount               = 25, 26, 27
	child0, child1                             = 28, 30
	rootEnd, shardID, shardEnd                 = 33, 31, 33
)

// An edit changes a serialized form.
type edit func(data []byte) []byte

// put replaces a slot by a number.
func put(slot int, f float64) edit { return putBits(slot, math.Float64bits(f)) }

func putBits(slot int, bits uint64) edit {
	return func(data []byte) []byte {
		binary.LittleEndian.PutUint64(data[8*slot:], bits)
		return data
	}
}

// cut leaves so many bytes.
func cut(n int) edit { return func(data []byte) []byte { return data[:n] } }

// more appends slots.
func more(slots ...float64) edit {
	return func(data []byte) []byte {
		for _, f := range slots {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(f))
		}
		return data
	}
}

func all(edits ...edit) edit {
	return func(data []byte) []byte {
		for _, e := range edits {
			data = e(data)
		}
		return data
	}
}

var (
	nan    = math.NaN()
	inf    = math.Inf(1)
	negAll = math.Copysign(0, -1)
)

// hostile is what nobody may load: a small state, what is changed about it, and
// the field, by name and slot, that the refusal must name. The decisions are
// those of the conformance list.
var hostile = []struct {
	decision string
	name     string
	of       string
	edit     edit
	field    string
	slot     int
}{
	{"Q50", "nothing", "v3", cut(0), "version", version},
	{"Q50", "half a version", "v3", cut(4), "version", version},
	{"Q50", "no flag", "v3", cut(8), "hasLocalState", local},
	{"Q50", "no session count", "v3", cut(16), "sessionCount", sessionCount},
	{"Q50", "no cluster count", "v3", cut(24), "clusterCount", clusterCount},
	{"Q50", "no UUIDs", "v3", cut(32), "sessionCount", sessionCount},
	{"Q50", "no low word", "v3", cut(48), "sessionCount", sessionCount},
	{"Q50", "half a UUID", "v3", cut(56), "sessionCount", sessionCount},
	{"Q50", "no clusters", "v3", cut(64), "clusterCount", clusterCount},
	{"Q50", "a cluster without count", "v3", cut(128), "clusterCount", clusterCount},
	{"Q50", "length 9", "v3", cut(9), "length", 1},
	{"Q50", "length 135", "v3", cut(135), "length", 16},
	{"Q50", "a slot too many", "v3", more(0), "end", documentEnd},
	{"Q50", "two slots too many", "v3", more(0, 0), "end", documentEnd},
	{"Q50", "V2 without session, with V3's flag", "v2", more(1), "end", documentEnd},
	{"Q50", "V2 with session, with V3's flag", "v2-with-session", more(0), "end", v2End},
	{"Q50", "V3 without the flag", "v3-with-session", cut(8 * sharded), "hasShardingState", sharded},
	{"Q50", "no generated", "v3-with-session", cut(8 * generated), "generated", generated},
	{"Q50", "no cursor", "v3-with-session", cut(8 * cursor), "cursor", cursor},
	{"Q50", "no run count", "v3-with-session", cut(8 * runCount), "runCount", runCount},
	{"Q50", "no runs", "v3-with-session", cut(8 * run0), "runCount", runCount},
	{"Q50", "half a run", "v2-with-session", cut(8*run1 + 8), "runCount", runCount},
	{"Q50", "no strides", "v3-sharded-root", cut(8 * stride), "stride", stride},
	{"Q50", "one stride", "v3-sharded-root", cut(8 * original), "originalStride", original},
	{"Q50", "no child count", "v3-sharded-root", cut(8 * childCount), "childCount", childCount},
	{"Q50", "a child missing", "v3-sharded-root", cut(8 * child1), "childCount", childCount},
	{"Q50", "no shard flag", "v3-sharded-root", cut(8*rootEnd - 8), "hasShardID", rootEnd - 1},
	{"Q50", "no shard ID", "v3-shard", cut(8 * shardID), "hasShardID", shardID - 1},
	{"Q50", "half a shard ID", "v3-shard", cut(8*shardID + 8), "hasShardID", shardID - 1},
	{"Q50", "with session, without sessions", "v3-with-session", all(put(sessionCount, 0), put(clusterCount, 0)), "sessionCount", sessionCount},
	{"Q50", "the same session twice", "v3", put2(uuid1, uuid0), "sessions[1]", uuid1},
	{"Q50", "the own session twice", "v3-with-session", put2(uuid0, uuid1), "sessions[1]", uuid1},
	{"Q50", "cluster of session 2 of 2", "v3", put(cluster1, 2), "clusters[1].session", cluster1},
	{"Q51", "version 1", "v3", put(version, 1), "version", version},
	{"Q51", "version 4", "v3", put(version, 4), "version", version},
	{"Q51", "version -1 and nothing else", "v3", all(put(version, -1), cut(8)), "version", version},
	{"Q51", "version 2.5", "v3", put(version, 2.5), "version", version},
	{"Q51", "version NaN", "v3", put(version, nan), "version", version},
	{"Q51", "version 1 with a bad flag and length", "v3", all(put(version, 0), put(local, 7), cut(21)), "version", version},
	{"Q52", "flag 2", "v3", put(local, 2), "hasLocalState", local},
	{"Q52", "flag 0.5", "v3", put(local, 0.5), "hasLocalState", local},
	{"Q52", "flag NaN", "v3", put(local, nan), "hasLocalState", local},
	{"Q52", "flag -1", "v3", put(local, -1), "hasLocalState", local},
	{"Q52", "flag -0", "v3", put(local, negAll), "hasLocalState", local},
	{"Q52", "sharded 2", "v3-with-session", put(sharded, 2), "hasShardingState", sharded},
	{"Q52", "sharded NaN", "v3-sharded-root", put(sharded, nan), "hasShardingState", sharded},
	{"Q52", "shard -1", "v3-shard", put(shardID-1, -1), "hasShardID", shardID - 1},
	{"Q52", "shard 0.5", "v3-sharded-root", put(rootEnd-1, 0.5), "hasShardID", rootEnd - 1},
	{"Q53", "NaN sessions", "v3", put(sessionCount, nan), "sessionCount", sessionCount},
	{"Q53", "-1 sessions", "v3", put(sessionCount, -1), "sessionCount", sessionCount},
	{"Q53", "-0 sessions", "empty", put(sessionCount, negAll), "sessionCount", sessionCount},
	{"Q53", "1.5 sessions", "v3", put(sessionCount, 1.5), "sessionCount", sessionCount},
	{"Q53", "2^53-1 sessions", "v3", put(sessionCount, snapshot.MaxID), "sessionCount", sessionCount},
	{"Q53", "2^53 sessions", "v3", put(sessionCount, 1<<53), "sessionCount", sessionCount},
	{"Q53", "infinitely many sessions", "v3", put(sessionCount, inf), "sessionCount", sessionCount},
	{"Q53", "denormal sessions", "v3", putBits(sessionCount, 1), "sessionCount", sessionCount},
	{"Q53", "0.5 clusters", "v3", put(clusterCount, 0.5), "clusterCount", clusterCount},
	{"Q53", "4 clusters where 3 are", "v3", put(clusterCount, 4), "clusterCount", clusterCount},
	{"Q53", "2^32 clusters", "v3", put(clusterCount, 1<<32), "clusterCount", clusterCount},
	{"Q53", "2 clusters where 3 are", "v3", put(clusterCount, 2), "end", cluster2},
	{"Q53", "2^45 runs", "v3-with-session", put(runCount, 1<<45), "runCount", runCount},
	{"Q53", "-2 runs", "v3-with-session", put(runCount, -2), "runCount", runCount},
	{"Q53", "2^52 children", "v3-sharded-root", put(childCount, 1<<52), "childCount", childCount},
	{"Q53", "NaN children", "v3-sharded-root", put(childCount, nan), "childCount", childCount},
	{"Q54", "capacity 0", "v3", all(put(cluster2+1, 0)), "clusters[2].capacity", cluster2 + 1},
	{"Q54", "capacity -5", "v3", put(cluster0+1, -5), "clusters[0].capacity", cluster0 + 1},
	{"Q54", "capacity 10.5", "v3", put(cluster0+1, 10.5), "clusters[0].capacity", cluster0 + 1},
	{"Q54", "capacity NaN in the last cluster", "v3", put(cluster2+1, nan), "clusters[2].capacity", cluster2 + 1},
	{"Q54", "capacity +Inf", "v3", put(cluster1+1, inf), "clusters[1].capacity", cluster1 + 1},
	{"Q54", "count above capacity", "v3", put(cluster1+2, 7), "clusters[1].count", cluster1 + 2},
	{"Q54", "count -1", "v3", put(cluster1+2, -1), "clusters[1].count", cluster1 + 2},
	{"Q54", "count NaN", "v3", put(cluster0+2, nan), "clusters[0].count", cluster0 + 2},
	{"Q54", "sum of capacities 2^53", "v3", put(cluster2+1, 1<<53-16), "clusters[2].capacity", cluster2 + 1},
	{"Q55", "session -1 without session", "v3", put(cluster0, -1), "clusters[0].session", cluster0},
	{"Q55", "session -1 with session", "v3-with-session", put(cluster1, -1), "clusters[1].session", cluster1},
	{"Q55", "session 0.5", "v3", put(cluster0, 0.5), "clusters[0].session", cluster0},
	{"Q55", "session NaN, capacity and count too", "v3", all(put(cluster1, nan), put(cluster1+1, nan), put(cluster1+2, nan)), "clusters[1].session", cluster1},
	{"Q55", "session 2^32", "v3", put(cluster0, 1<<32), "clusters[0].session", cluster0},
	{"Q55", "session 9, capacity NaN", "v3", all(put(cluster0, 9), put(cluster0+1, nan)), "clusters[0].session", cluster0},
	{"Q56", "a cluster of no session", "empty", all(put(clusterCount, 1), more(0, 5, 5)), "clusters[0].session", uuid0},
	{"Q57", "bit 122", "v3", putBits(uuid0+1, 1<<58), "sessions[0]", uuid0},
	{"Q57", "bit 127", "v3", putBits(uuid1+1, 1<<63), "sessions[1]", uuid1},
	{"Q57", "a child of 128 bits", "v3-sharded-root", putBits(child1+1, math.MaxUint64), "children[1]", child1},
	{"Q57", "a shard ID of 123 bits", "v3-shard", putBits(shardID+1, 1<<58), "shardID", shardID},
	{"Q57", "clusters past the last UUID", "v3", all(putBits(uuid1, math.MaxUint64-13), putBits(uuid1+1, 1<<58-1)), "clusters[2].capacity", cluster2 + 1},
	{"Q58", "generated NaN", "v3-with-session", put(generated, nan), "generated", generated},
	{"Q58", "generated -1", "v3-with-session", put(generated, -1), "generated", generated},
	{"Q58", "generated 1.5", "v3-with-session", put(generated, 1.5), "generated", generated},
	{"Q58", "generated fewer than finalized", "v3-with-session", all(put(generated, 3), put(cursor, 4), put(runCount, 0), dropRuns), "generated", generated},
	{"Q58", "cursor 0", "v3-with-session", put(cursor, 0), "cursor", cursor},
	{"Q58", "cursor past generated", "v3-with-session", put(cursor, 11), "cursor", cursor},
	{"Q58", "cursor of a shard past generated and finalized", "v3-shard", put(cursor, 12), "cursor", cursor},
	{"Q58", "runs descend", "v3-with-session", put(run0, 8), "runs[1].first", run1},
	{"Q58", "runs overlap", "v3-with-session", put(run0+1, 7), "runs[1].first", run1},
	{"Q58", "runs begin alike", "v2-with-session", put(run1, 1), "runs[1].first", run1},
	{"Q58", "run from 0", "v3-with-session", put(run0, 0), "runs[0].first", run0},
	{"Q58", "run of 0", "v3-with-session", put(run1+1, 0), "runs[1].count", run1 + 1},
	{"Q58", "run of -1", "v3-with-session", put(run1+1, -1), "runs[1].count", run1 + 1},
	{"Q58", "run from NaN", "v3-with-session", put(run0, nan), "runs[0].first", run0},
	{"Q58", "run past generated", "v3-with-session", put(run1+1, 4), "runs[1].count", run1 + 1},
	{"Q58", "run of 2^53-1", "v3-with-session", put(run1+1, snapshot.MaxID), "runs[1].count", run1 + 1},
	{"Q58", "run from past generated", "v3-with-session", put(run1, 10), "runs[1].first", run1},
	{"Q60", "stride 0", "v3-sharded-root", put(stride, 0), "stride", stride},
	{"Q60", "stride NaN", "v3-sharded-root", put(stride, nan), "stride", stride},
	{"Q60", "stride -3", "v3-sharded-root", put(stride, -3), "stride", stride},
	{"Q60", "stride 1.5", "v3-sharded-root", put(stride, 1.5), "stride", stride},
	{"Q60", "stride 1,000,001", "v3-sharded-root", put(stride, 1_000_001), "stride", stride},
	{"Q60", "original stride 0", "v3-sharded-root", put(original, 0), "originalStride", original},
	{"Q60", "original stride above the stride", "v3-shard", put(original, 10), "originalStride", original},
	{"Q60", "one child twice", "v3-sharded-root", put2(child1, child0), "children[1]", child1},
	{"Q61", "generated 2^53", "v3-with-session", put(generated, 1<<53), "generated", generated},
	{"Q61", "generated past the last UUID", "v3-with-session", all(putBits(uuid0, math.MaxUint64-7), putBits(uuid0+1, 1<<58-1)), "generated", generated},
	{"Q61", "generated +Inf", "v3-with-session", put(generated, inf), "generated", generated},
}

// put2 copies a UUID.
func put2(to, from int) edit {
	return func(data []byte) []byte {
		copy(data[8*to:8*to+16], data[8*from:])
		return data
	}
}

// dropRuns takes out the two runs.
func dropRuns(data []byte) []byte { return append(data[:8*run0], data[8*v2End:]...) }

func small(t testing.TB, name string) []byte {
	t.Helper()
	s, ok := statetest.Small()[name]
	if !ok {
		t.Fatalf("no small state %q", name)
	}
	data, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// load reads data into a compressor, which needs a session if the data has none.
func load(data []byte) (*idcompressor.Compressor, error) {
	if h, err := snapshot.ParseHeader(data); err == nil && h.HasLocal {
		return idcompressor.Load(data)
	}
	return idcompressor.Load(data, own)
}

func TestHostile(t *testing.T) {
	messages := map[string]string{}
	decisions := map[string]bool{}
	for _, h := range hostile {
		t.Run(h.decision+" "+h.name, func(t *testing.T) {
			base := small(t, h.of)
			if _, err := load(base); err != nil {
				t.Fatalf("unchanged: %v", err)
			}
			c, err := load(h.edit(base))
			if c != nil || err == nil {
				t.Fatalf("loads: %v", err)
			}
			want, other := idcompressor.ErrCorrupt, idcompressor.ErrUnsupportedVersion
			if h.decision == "Q51" && h.field == "version" {
				want, other = other, want
			}
			if !errors.Is(err, want) || errors.Is(err, other) {
				t.Errorf("%v is of class %q", err, idcompressor.ErrorClass(err))
			}
			checkError(t, err, h.field, int64(8*h.slot))
			if before, ok := messages[err.Error()]; ok {
				t.Errorf("%q is said of %q too", err, before)
			}
			messages[err.Error()] = h.decision + " " + h.name
			decisions[h.decision] = true
		})
	}
	// Q59 is to load, and Q62 is of the text: see TestHostileText.
	for _, d := range []string{"Q50", "Q51", "Q52", "Q53", "Q54", "Q55", "Q56", "Q57", "Q58", "Q60", "Q61"} {
		if !decisions[d] {
			t.Errorf("nothing is hostile as of %s", d)
		}
	}
}

func checkError(t *testing.T, err error, field string, offset int64) {
	t.Helper()
	var e *snapshot.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is of type %T", err, err)
	}
	if e.Field != field || e.Offset != offset {
		t.Errorf("%v: names %s at %d, not %s at %d", err, e.Field, e.Offset, field, offset)
	}
}

// What stands on the safe side of each check loads.
func TestHarmless(t *testing.T) {
	for _, h := range []struct {
		name, of string
		edit     edit
	}{
		{"Q54 sum of capacities 2^53-1", "v3", put(cluster2+1, 1<<53-17)},
		{"Q54 count is the capacity", "v3", put(cluster1+2, 6)},
		{"Q56 a session without clusters", "v3", all(put(cluster0, 0), put(cluster2, 0))},
		{"Q57 all 122 bits", "v3", all(putBits(uuid0, math.MaxUint64-5), putBits(uuid0+1, 1<<58-1))},
		{"Q58 cursor after the last ID", "v3-with-session", put(cursor, 10)},
		{"Q58 the run ends at the last ID", "v3-with-session", put(run1, 7)},
		{"Q58 adjacent runs", "v3-with-session", all(put(run0+1, 6), put(run1, 7))},
		{"Q58 a shard that was finalized beyond what it generated", "v3-shard", all(put(cluster1+1, 20), put(cluster1+2, 20), put(cursor, 21))},
		{"Q59 sessions overlap", "v3", all(put2(uuid1, uuid0), putBits(uuid1, 0x0507417d99a05ee9+2))},
		{"Q60 the greatest stride", "v3-shard", all(put(stride, snapshot.MaxStride), put(original, snapshot.MaxStride))},
		{"Q60 a root without children", "v3-sharded-root", all(put(childCount, 0), func(d []byte) []byte { return append(d[:8*child0], d[8*rootEnd-8:]...) })},
		{"Q61 2^53-1 generated", "v3-with-session", put(generated, snapshot.MaxID)},
	} {
		if _, err := load(h.edit(small(t, h.of))); err != nil {
			t.Errorf("%s: %v", h.name, err)
		}
	}
}

// A session is given or not as the data needs it; the version is judged before.
func TestSessionOfTheData(t *testing.T) {
	taken := idcompressor.WithSession(statetest.Small()["v3"].Sessions[1].UUID())
	for _, c := range []struct {
		name    string
		data    []byte
		options []idcompressor.Option
		want    error
	}{
		{"none given", small(t, "v3"), nil, idcompressor.ErrSessionMismatch},
		{"one too many", small(t, "v3-with-session"), []idcompressor.Option{own}, idcompressor.ErrSessionMismatch},
		{"taken", small(t, "v3"), []idcompressor.Option{taken}, idcompressor.ErrSessionExists},
		{"version first", put(version, 9)(small(t, "v3")), nil, idcompressor.ErrUnsupportedVersion},
		{"session before the fields", put(sessionCount, nan)(small(t, "v3")), nil, idcompressor.ErrSessionMismatch},
		{"version alone", small(t, "v3")[:8], nil, idcompressor.ErrCorrupt},
	} {
		if _, err := idcompressor.Load(c.data, c.options...); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := idcompressor.Load(small(t, "v3"), idcompressor.WithSession(uuid.New())); err != nil {
		t.Error(err)
	}
}
