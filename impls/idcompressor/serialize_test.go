package idcompressor_test

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/snapshot"
)

func TestRoundTrip(t *testing.T) {
	run(t, "R113", func(e env) {
		c := e.new()
		e.roundTrips(c)
		e.gen1(c)
		e.roundTrips(c)
	})
	run(t, "R114", func(e env) {
		a, b := e.new(), e.new(session(s2))
		e.gen1(a)
		e.sync(a, b)
		resumed := e.resume(a)
		x := e.gen1(resumed)
		e.sync(resumed, b)
		e.equal("UUID", e.stable(b, e.session(b, e.op(resumed, x), s1)), e.stable(resumed, x))
		e.same(e.load(e.serialized(resumed, false), session(s3)), e.load(e.serialized(b, false), session(uuid.New())), false, true)
	})
	run(t, "R117 R118 R119 R120 Q65", func(e env) {
		for _, c := range []struct {
			wrote, asked int
			withSession  bool
		}{{2, 3, false}, {3, 2, false}, {3, 3, false}, {3, 2, true}, {2, 3, true}} {
			data := e.serialized(e.with(1, idcompressor.WithVersion(c.wrote)), c.withSession)
			options := []idcompressor.Option{idcompressor.WithVersion(c.asked)}
			if !c.withSession {
				options = append(options, session(s2))
			}
			d := e.load(data, options...)
			e.equal("version", d.Version(), 3)
			again := e.serialized(d, c.withSession)
			e.equal("version slot", math.Float64frombits(binary.LittleEndian.Uint64(again)), 3.0)
			if c.withSession && c.wrote == 2 {
				e.equal("bytes", len(again), len(data)+8)
			}
			_, err := d.Shard(1) // Q65: so it can be sharded
			e.must(err)
		}
	})
	run(t, "Q63", func(e env) {
		// The session table is in the order each client saw the sessions, its
		// own first, so that converged clients' bytes differ; a third that saw
		// them like the first writes what it does.
		a, b, third := e.new(), e.new(session(s2)), e.new(session(s3))
		e.gen1(a)
		e.gen1(b)
		e.sync(a, b, third)
		e.sync(b, a, third)
		e.same(a, b, false, true)
		if string(e.serialized(a, false)) == string(e.serialized(b, false)) {
			e.Fatal("bytes are equal")
		}
		e.equal("third", e.serialized(third, false), e.serialized(a, false))
		e.roundTrips(b)
	})
	run(t, "Q64", func(e env) { // the own session, empty, is written only with session
		c := e.new()
		e.equal("with", len(e.serialized(c, true)), 80)
		e.equal("without", len(e.serialized(c, false)), 32)
	})
	run(t, "settings", func(e env) { // the cluster size is not serialized
		c := e.load(e.serialized(e.new(size(7)), true))
		e.equal("size", c.ClusterSize(), int64(512))
	})
	run(t, "state is a copy", func(e env) {
		c := e.new()
		shards, err := c.Shard(2)
		e.must(err)
		child := e.load(shards[0].Data)
		e.gen(child, 2)
		before := child.Fingerprint()
		s, err := child.State(true)
		e.must(err)
		back, err := idcompressor.FromState(s, idcompressor.WithBackend(e.backend))
		e.must(err)
		s.Sessions[0] = numeric(s3)
		*s.Local.Sharding.ShardID = numeric(s3)
		s.Local.Runs[0].Count = 1
		e.equal("state", child.Fingerprint(), before)
		e.same(child, back, true, true)
	})
	run(t, "iterators", func(e env) {
		c := e.with(1)
		e.finalize(ranged(s2, 1, 1, 1), c)
		for s := range c.Sessions() {
			e.equal("first", s, s1)
			break
		}
		var all []uuid.UUID
		for s := range c.Sessions() {
			all = append(all, s)
		}
		e.equal("sessions", all, []uuid.UUID{s1, s2})
		e.equal("table", c.Table().ClusterCount(), 2)
		_, sized := c.Table().(impls.Sizer)
		if n, ok := c.BytesInUse(); ok != sized || ok && n < 2*16 {
			e.Errorf("%d bytes, %v", n, ok)
		}
	})
}

// doc builds a serialized form: a number is a float64, a UUID two words.
func doc(slots ...any) []byte {
	var data []byte
	for _, s := range slots {
		switch s := s.(type) {
		case int:
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(float64(s)))
		case float64:
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(s))
		case uuid.UUID:
			n := numeric(s)
			data = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(data, n.Lo), n.Hi)
		case uint64:
			data = binary.LittleEndian.AppendUint64(data, s)
		default:
			panic(s)
		}
	}
	return data
}

var nan = math.NaN()

// refusedData is what no compressor wrote, and what is said of it.
var refusedData = []struct {
	name    string
	data    []byte
	session bool // whether one is given
	class   error
	says    string
}{
	{"R115", doc(1, 0, 0, 0), true, idcompressor.ErrUnsupportedVersion, "version = 1"},
	{"R116", doc(-1), true, idcompressor.ErrUnsupportedVersion, "version = -1"},
	{"R116 Q51 version first", doc(4, nan), false, idcompressor.ErrUnsupportedVersion, "version = 4"},
	{"R121 Q50", doc(3, 0, 1, 1, s3, 0, 3, 1), true, idcompressor.ErrSessionExists, s3.String()},
	{"Q50 empty", nil, true, idcompressor.ErrCorrupt, "version at byte 0"},
	{"Q50 version alone", doc(3), true, idcompressor.ErrCorrupt, "hasLocalState at byte 8"},
	{"Q50 no counts", doc(3, 0), true, idcompressor.ErrCorrupt, "sessionCount at byte 16"},
	{"Q50 truncated number", doc(3, 0, 0), true, idcompressor.ErrCorrupt, "clusterCount at byte 24"},
	{"Q50 truncated UUID", doc(3, 0, 1, 0, 7), true, idcompressor.ErrCorrupt, "only 8 bytes follow"},
	{"Q50 length", append(doc(3, 0, 0, 0), 0), true, idcompressor.ErrCorrupt, "multiple of 8"},
	{"Q50 trailing", doc(3, 0, 0, 0, 0), true, idcompressor.ErrCorrupt, "8 bytes too many"},
	{"Q50 V2 with a V3 flag", doc(2, 1, 1, 0, s1, 0, 1, 0, 0), false, idcompressor.ErrCorrupt, "8 bytes too many"},
	{"Q50 V3 without it", doc(3, 1, 1, 0, s1, 0, 1, 0), false, idcompressor.ErrCorrupt, "hasShardingState"},
	{"Q50 with session, and one given", doc(3, 1, 1, 0, s1, 0, 1, 0, 0), true, idcompressor.ErrSessionMismatch, s3.String()},
	{"Q50 without, and none given", doc(3, 0, 0, 0), false, idcompressor.ErrSessionMismatch, "none"},
	{"Q50 no session in a form with", doc(3, 1, 0, 0, 0, 1, 0, 0), false, idcompressor.ErrCorrupt, "sessionCount = 0"},
	{"Q50 duplicate session", doc(3, 0, 2, 0, s1, s1), true, idcompressor.ErrCorrupt, "sessions[1] = " + s1.String() + " at byte 48"},
	{"Q50 duplicate of the own", doc(3, 1, 2, 0, s1, s1, 0, 1, 0, 0), false, idcompressor.ErrCorrupt, "sessions[1]"},
	{"Q50 cluster index", doc(3, 0, 1, 1, s1, 1, 3, 1), true, idcompressor.ErrCorrupt, "clusters[0].session = 1 at byte 48"},
	{"Q51 fields in order", doc(3, 0, 1, 1, s1, 5, 0, 9), true, idcompressor.ErrCorrupt, "clusters[0].session"},
	{"Q52 flag 2", doc(3, 2, 0, 0), true, idcompressor.ErrCorrupt, "hasLocalState = 2"},
	{"Q52 flag NaN", doc(3, nan, 0, 0), true, idcompressor.ErrCorrupt, "hasLocalState = NaN"},
	{"Q52 sharding flag", doc(3, 1, 1, 0, s1, 0, 1, 0, 0.5), false, idcompressor.ErrCorrupt, "hasShardingState = 0.5"},
	{"Q52 shard ID flag", doc(3, 1, 1, 0, s1, 0, 1, 0, 1, 2, 1, 0, -1), false, idcompressor.ErrCorrupt, "hasShardID = -1"},
	{"Q53 NaN", doc(3, 0, nan, 0), true, idcompressor.ErrCorrupt, "sessionCount = NaN at byte 16"},
	{"Q53 negative", doc(3, 0, 0, -1), true, idcompressor.ErrCorrupt, "clusterCount = -1"},
	{"Q53 fraction", doc(3, 0, 0.5, 0), true, idcompressor.ErrCorrupt, "sessionCount = 0.5"},
	{"Q53 too many", doc(3, 0, 1e15, 0), true, idcompressor.ErrCorrupt, "only 0 bytes follow"},
	{"Q53 too many clusters", doc(3, 0, 0, 1e15), true, idcompressor.ErrCorrupt, "clusterCount"},
	{"Q53 too many runs", doc(3, 1, 1, 0, s1, 9, 1, 1e15), false, idcompressor.ErrCorrupt, "runCount"},
	{"Q53 too many children", doc(3, 1, 1, 0, s1, 0, 1, 0, 1, 2, 1, 1e15), false, idcompressor.ErrCorrupt, "childCount"},
	{"Q53 infinity", doc(3, 0, math.Inf(1), 0), true, idcompressor.ErrCorrupt, "sessionCount = +Inf"},
	{"Q54 capacity 0", doc(3, 0, 1, 1, s1, 0, 0, 0), true, idcompressor.ErrCorrupt, "clusters[0].capacity = 0 at byte 56"},
	{"Q54 capacity negative", doc(3, 0, 1, 1, s1, 0, -3, 0), true, idcompressor.ErrCorrupt, "clusters[0].capacity = -3 at byte 56"},
	{"Q54 capacity NaN", doc(3, 0, 1, 1, s1, 0, nan, 0), true, idcompressor.ErrCorrupt, "clusters[0].capacity = NaN"},
	{"Q54 count above", doc(3, 0, 1, 1, s1, 0, 3, 5), true, idcompressor.ErrCorrupt, "clusters[0].count = 5 at byte 64"},
	{"Q54 count negative", doc(3, 0, 1, 1, s1, 0, 3, -1), true, idcompressor.ErrCorrupt, "clusters[0].count = -1"},
	{"Q54 count fraction", doc(3, 0, 1, 1, s1, 0, 3, 1.5), true, idcompressor.ErrCorrupt, "clusters[0].count = 1.5"},
	{"Q54 sum", doc(3, 0, 1, 2, s1, 0, impls.MaxID, 0, 0, 1, 0), true, idcompressor.ErrCorrupt, "clusters[1].capacity"},
	{"Q55", doc(3, 0, 1, 1, s1, -1, 3, 1), true, idcompressor.ErrCorrupt, "clusters[0].session = -1"},
	{"Q57", doc(3, 0, 1, 0, uint64(0), uint64(1<<58)), true, idcompressor.ErrCorrupt, "122 bits"},
	{"Q57 UUIDs past the last", doc(3, 0, 1, 1, uuid.MustParse("ffffffff-ffff-4fff-bfff-ffffffffffff"), 0, 2, 1), true, idcompressor.ErrCorrupt, "past the last UUID"},
	{"Q58 generated NaN", doc(3, 1, 1, 0, s1, nan, 1, 0, 0), false, idcompressor.ErrCorrupt, "generated = NaN"},
	{"Q58 generated negative", doc(3, 1, 1, 0, s1, -1, 1, 0, 0), false, idcompressor.ErrCorrupt, "generated = -1"},
	{"Q58 descending runs", doc(3, 1, 1, 0, s1, 9, 1, 2, 5, 1, 1, 1, 0), false, idcompressor.ErrCorrupt, "runs[1].first = 1"},
	{"Q58 overlapping runs", doc(3, 1, 1, 0, s1, 9, 1, 2, 1, 3, 3, 1, 0), false, idcompressor.ErrCorrupt, "runs[1].first = 3"},
	{"Q58 empty run", doc(3, 1, 1, 0, s1, 9, 1, 1, 1, 0, 0), false, idcompressor.ErrCorrupt, "runs[0].count = 0"},
	{"Q58 negative run", doc(3, 1, 1, 0, s1, 9, 1, 1, 1, -2, 0), false, idcompressor.ErrCorrupt, "runs[0].count = -2"},
	{"Q58 run at 0", doc(3, 1, 1, 0, s1, 9, 1, 1, 0, 2, 0), false, idcompressor.ErrCorrupt, "runs[0].first = 0"},
	{"Q58 run beyond", doc(3, 1, 1, 0, s1, 9, 1, 1, 5, 6, 0), false, idcompressor.ErrCorrupt, "runs[0].count = 6"},
	{"Q58 cursor beyond", doc(3, 1, 1, 0, s1, 3, 5, 0, 0), false, idcompressor.ErrCorrupt, "cursor = 5"},
	{"Q58 cursor 0", doc(3, 1, 1, 0, s1, 3, 0, 0, 0), false, idcompressor.ErrCorrupt, "cursor = 0"},
	{"Q58 finalized beyond", doc(3, 1, 1, 1, s1, 0, 9, 4, 3, 1, 0, 0), false, idcompressor.ErrCorrupt, "generated = 3"},
	{"Q58 of a root", doc(3, 1, 1, 1, s1, 0, 9, 4, 3, 1, 0, 1, 2, 1, 0, 0), false, idcompressor.ErrCorrupt, "generated = 3"},
	{"Q58 cursor of a shard", doc(3, 1, 1, 1, s1, 0, 9, 4, 3, 6, 0, 1, 2, 2, 0, 1, s2), false, idcompressor.ErrCorrupt, "cursor = 6"},
	{"Q58 UUIDs past the last", doc(3, 1, 1, 0, uuid.MustParse("ffffffff-ffff-4fff-bfff-ffffffffffff"), 2, 1, 0, 0), false, idcompressor.ErrCorrupt, "generated = 2"},
	{"Q60 stride 0", doc(3, 1, 1, 0, s1, 0, 1, 0, 1, 0, 0, 0, 0), false, idcompressor.ErrCorrupt, "stride = 0"},
	{"Q60 stride NaN", doc(3, 1, 1, 0, s1, 0, 1, 0, 1, nan, 1, 0, 0), false, idcompressor.ErrCorrupt, "stride = NaN"},
	{"Q60 stride above", doc(3, 1, 1, 0, s1, 0, 1, 0, 1, 1000001, 1, 0, 0), false, idcompressor.ErrCorrupt, "stride = 1000001"},
	{"Q60 original above", doc(3, 1, 1, 0, s1, 0, 1, 0, 1, 2, 3, 0, 0), false, idcompressor.ErrCorrupt, "originalStride = 3"},
	{"Q60 original 0", doc(3, 1, 1, 0, s1, 0, 1, 0, 1, 2, 0, 0, 0), false, idcompressor.ErrCorrupt, "originalStride = 0"},
	{"Q60 duplicate children", doc(3, 1, 1, 0, s1, 0, 1, 0, 1, 3, 1, 2, s2, s2, 0), false, idcompressor.ErrCorrupt, "children[1]"},
	{"Q60 shard ID", doc(3, 1, 1, 0, s1, 0, 1, 0, 1, 3, 1, 0, 1, uint64(0), uint64(1<<63)), false, idcompressor.ErrCorrupt, "shardID"},
}

func TestRefusedData(t *testing.T) {
	for _, c := range refusedData {
		run(t, c.name, func(e env) {
			options := []idcompressor.Option{idcompressor.WithBackend(e.backend)}
			if c.session {
				options = append(options, session(s3))
			}
			text := []byte(base64.StdEncoding.EncodeToString(c.data))
			for _, load := range []func() (*compressor, error){
				func() (*compressor, error) { return idcompressor.Load(c.data, options...) },
				func() (*compressor, error) { return idcompressor.LoadText(text, options...) },
			} {
				d, err := load()
				if d != nil || !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.says) {
					e.Errorf("error %v, want %v with %q", err, c.class, c.says)
				}
				if _, ok := errors.AsType[*snapshot.Error](err); c.class == idcompressor.ErrCorrupt && !ok {
					e.Errorf("%v is no snapshot.Error", err)
				}
			}
		})
	}
}

func TestAcceptedData(t *testing.T) {
	run(t, "Q58 adjacent runs merge", func(e env) {
		c := e.load(doc(3, 1, 1, 0, s1, 9, 1, 3, 1, 2, 3, 1, 5, 1, 0))
		e.equal("bytes", e.serialized(c, true), doc(3, 1, 1, 0, s1, 9, 1, 2, 1, 3, 5, 1, 0))
	})
	run(t, "Q58 shard behind its finalized IDs", func(e env) {
		data := doc(3, 1, 1, 1, s1, 0, 9, 4, 3, 5, 0, 1, 2, 2, 0, 1, s2)
		c := e.load(data)
		e.equal("bytes", e.serialized(c, true), data)
		e.equal("UUID", e.stable(c, 3), add(s1, 3))
		e.notFound(c, add(s1, 3))
	})
	run(t, "Q60 root without children", func(e env) { // stays in sharding mode
		c := e.load(doc(3, 1, 1, 0, s1, 0, 1, 0, 1, 2, 1, 0, 0))
		e.next(c, -2)
		e.refused(c, idcompressor.ErrShard, func() error { _, err := c.DisposeShard(); return err })
		e.roundTrips(c)
	})
	run(t, "Q54 an earlier cluster with room", func(e env) { // a ghost session leaves such
		c := e.load(doc(3, 0, 1, 2, s1, 0, 3, 1, 0, 2, 2), session(s2))
		e.unknown(c, 1, add(s1, 1))
		e.known(c, 3, add(s1, 3))
		e.roundTrips(c)
	})
	run(t, "Q61 full", func(e env) {
		c := e.load(doc(3, 0, 1, 1, s1, 0, impls.MaxID, impls.MaxID), session(s2))
		e.known(c, impls.MaxID-1, add(s1, impls.MaxID-1))
		e.refuseFinalize(c, idcompressor.ErrExhausted, ranged(s3, 1, 1, 1))
		e.refused(c, idcompressor.ErrExhausted, func() error {
			return c.BeginGhostSession(s3, func() error { _, err := c.Generate(); return err })
		})
	})
	// Q66 has no meaning in Go: options are typed, and there is one interface.
}

func TestRefusedText(t *testing.T) {
	good := base64.StdEncoding.EncodeToString(doc(3, 0, 0, 0)) // ends in =
	for name, c := range map[string]struct{ text, says string }{
		"Q62 padding missing":  {strings.TrimRight(good, "="), "text["},
		"Q62 padding doubled":  {good + "=", "text["},
		"Q62 blank":            {good[:8] + " " + good[8:], "text[8] = ' '"},
		"Q62 newline inside":   {good[:8] + "\n" + good[8:], "text[8]"},
		"Q62 newline in front": {"\n" + good, "text[0]"},
		"Q62 byte order mark":  {"\ufeff" + good, "text[0]"},
		"Q62 URL alphabet":     {strings.Replace(good, "A", "-", 1), "text[0] = '-'"},
		"Q62 after padding":    {good + "AAAA", "text["},
		"Q62 unused bits":      {strings.Replace(good, "A=", "B=", 1), "text["},
		"Q62 empty":            {"", "version at byte 0"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := idcompressor.LoadText([]byte(c.text), session(s1))
			if !errors.Is(err, idcompressor.ErrCorrupt) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
	for _, end := range []string{"", "\n", "\r\n", "\n\n"} {
		if _, err := idcompressor.LoadText([]byte(good+end), session(s1)); err != nil {
			t.Errorf("%q at the end: %v", end, err)
		}
	}
}

func TestFromState(t *testing.T) {
	run(t, "refused", func(e env) {
		good := func() *snapshot.State {
			s, err := e.with(2).State(true)
			e.must(err)
			return s
		}
		for name, c := range map[string]struct {
			change func(s *snapshot.State)
			option idcompressor.Option
			class  error
		}{
			"option":    {func(*snapshot.State) {}, size(0), idcompressor.ErrInvalidArgument},
			"session":   {func(*snapshot.State) {}, session(s2), idcompressor.ErrSessionMismatch},
			"none":      {func(s *snapshot.State) { s.Local = nil }, size(5), idcompressor.ErrSessionMismatch},
			"exists":    {func(s *snapshot.State) { s.Local = nil }, session(s1), idcompressor.ErrSessionExists},
			"cluster":   {func(s *snapshot.State) { s.Clusters[0].Session = 7 }, size(5), idcompressor.ErrCorrupt},
			"negative":  {func(s *snapshot.State) { s.Clusters[0].Session = -1 }, size(5), idcompressor.ErrCorrupt},
			"duplicate": {func(s *snapshot.State) { s.Sessions = append(s.Sessions, s.Sessions[0]) }, size(5), idcompressor.ErrCorrupt},
			"nobody":    {func(s *snapshot.State) { s.Sessions, s.Clusters = nil, nil }, size(5), idcompressor.ErrCorrupt},
			"run":       {func(s *snapshot.State) { s.Local.Runs[0].Count = 0 }, size(5), idcompressor.ErrCorrupt},
		} {
			s := good()
			c.change(s)
			d, err := idcompressor.FromState(s, idcompressor.WithBackend(e.backend), c.option)
			if d != nil || !errors.Is(err, c.class) {
				e.Errorf("%s: error %v, want %v", name, err, c.class)
			}
		}
		s := good()
		s.Version = 4
		if _, err := idcompressor.FromState(s); idcompressor.ErrorClass(err) == "" {
			e.Errorf("version 4: %v", err)
		}
	})
}
