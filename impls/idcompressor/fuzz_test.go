package idcompressor_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/snapshot"
)

// seedForms adds what the original wrote, where it is at hand, and what must
// be refused.
func seedForms(f *testing.F, add func(data []byte)) {
	files, _ := filepath.Glob(filepath.Join(sharedSnapshots, "*", "*"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if data, err := base64.StdEncoding.DecodeString(string(text)); err == nil {
			add(data)
		}
	}
	for _, c := range refusedData {
		add(c.data)
	}
	add(doc(3, 0, 2, 3, s1, s2, 0, 3, 3, 1, 1<<45, 2, 0, 7, 1))
	add(doc(3, 1, 1, 1, s1, 0, 9, 4, 9, 3, 2, 1, 2, 5, 1, 1, 4, 2, 1, s2, 1, s3))
	add(doc(3, 1, 1, 1, s1, 0, 1<<53-1, 4, 1<<53-1, 3, 1, 1, 1<<53-1, 0))
}

func FuzzLoad(f *testing.F) {
	seedForms(f, func(data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) { loadAny(t, data, idcompressor.Load) })
}

func FuzzLoadText(f *testing.F) {
	seedForms(f, func(data []byte) { f.Add([]byte(base64.StdEncoding.EncodeToString(data))) })
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, ok := loadAny(t, text, idcompressor.LoadText); !ok {
			return
		}
		if _, err := snapshot.DecodeText(text); err != nil {
			t.Error("loaded, but no text:", err)
		}
	})
}

// loadAny loads data with and without a session. What loads serializes back to
// the same bytes, but for runs that adjoin, and survives every call.
func loadAny(t *testing.T, data []byte, load func([]byte, ...idcompressor.Option) (*compressor, error)) (*compressor, bool) {
	with, errWith := load(data)
	without, errWithout := load(data, session(s3), idcompressor.WithVersion(idcompressor.V2))
	for _, err := range []error{errWith, errWithout} {
		if err != nil && idcompressor.ErrorClass(err) == "" {
			t.Fatalf("an error of no class: %v", err)
		}
	}
	if with != nil && without != nil {
		t.Fatal("loads with a session and without one")
	}
	c, withSession := with, true
	if c == nil {
		c, withSession = without, false
	}
	if c == nil {
		return nil, false
	}
	if err := c.CheckInvariants(); err != nil {
		t.Fatal(err)
	}
	e := env{t, c.Backend()}
	e.roundTrips(c)
	if binary, err := base64.StdEncoding.Strict().DecodeString(string(bytes.TrimRight(data, "\r\n"))); err == nil && len(binary) > 0 && len(data)%8 != 0 {
		data = binary
	}
	if s, err := snapshot.Parse(data); err == nil && s.Version == c.Version() && !adjoining(s) && !idle(s) {
		e.equal("bytes", e.serialized(c, withSession), data)
	}
	useAll(t, c)
	return c, true
}

// adjoining reports whether runs adjoin, which are merged.
func adjoining(s *snapshot.State) bool {
	if s.Local == nil {
		return false
	}
	for i := 1; i < len(s.Local.Runs); i++ {
		if r := s.Local.Runs[i-1]; r.First+r.Count == s.Local.Runs[i].First {
			return true
		}
	}
	return false
}

// idle reports whether a form without session has sessions without clusters,
// which are dropped.
func idle(s *snapshot.State) bool {
	used := map[int32]bool{}
	for _, c := range s.Clusters {
		used[c.Session] = true
	}
	return s.Local == nil && len(used) < len(s.Sessions)
}

// useAll calls everything with numbers at all edges.
func useAll(t *testing.T, c *compressor) {
	e := env{t, c.Backend()}
	numbers := []int64{0, 1, -1, 2, -2, math.MaxInt64, math.MinInt64, impls.MaxID, -impls.MaxID, 1 << 45, -1 << 45}
	for cl := range c.Clusters() {
		numbers = append(numbers, cl.BaseFinal, cl.BaseFinal+cl.Count-1, cl.BaseFinal+cl.Count, cl.FinalLimit()-1, cl.FinalLimit())
		if len(numbers) > 60 {
			break
		}
	}
	sessions := []uuid.UUID{s1, s3, nines, {}}
	for s := range c.Sessions() {
		sessions = append(sessions, s)
		if len(sessions) > 12 {
			break
		}
	}
	before := c.Fingerprint()
	for _, n := range numbers {
		if u, err := c.Decompress(id(n)); err == nil {
			// Another session may be nearer, and only have reserved the UUID.
			if _, ok := c.TryRecompress(u); !ok && n < 0 && c.Table().ByStableID(numeric(u)).Session == 0 {
				t.Fatalf("%d is %s, which is unknown", n, u)
			}
		}
		_, _ = c.NormalizeToOpSpace(id(n))
		_, _, _ = c.TryNormalizeToSessionSpace(op(n))
		for _, s := range sessions {
			_, _ = c.NormalizeToSessionSpace(op(n), s)
			if s != (uuid.UUID{}) {
				_, _ = c.TryRecompress(add(s, n&(1<<53-1)))
			}
		}
		_, _ = c.AppendDecompressRange(nil, id(n), 3)
	}
	e.equal("state", c.Fingerprint(), before)
	var failed []error
	note := func(err error) { failed = append(failed, err) }
	for _, s := range sessions {
		for _, n := range numbers {
			note(c.FinalizeCreationRange(ranged(s, n, 2, 3)))
			note(c.FinalizeCreationRange(ranged(s, 1, n, 3)))
		}
		note(c.BeginGhostSession(s, func() error {
			_, err := c.AppendGenerate(nil, 2)
			return err
		}))
	}
	_, err := c.AppendGenerate(nil, 3)
	note(err)
	_, err = c.TakeNextCreationRange()
	note(err)
	_, err = c.TakeUnfinalizedCreationRange()
	note(err)
	note(c.ResetUnfinalizedCreationRange())
	shards, err := c.Shard(2)
	note(err)
	for _, s := range shards {
		child := e.load(s.Data)
		_, err := child.Generate()
		note(err)
		note(c.SynchronizeWithShard(e.token(child)))
		if down, err := c.ChildShardSyncToken(s.Token); err == nil {
			note(child.SynchronizeWithParent(down))
		}
		token := e.dispose(child)
		note(c.SynchronizeWithShard(token))
	}
	_, err = c.Generate()
	note(err)
	for _, err := range failed {
		if err != nil && idcompressor.ErrorClass(err) == "" {
			t.Fatalf("an error of no class: %v", err)
		}
	}
	if err := c.CheckInvariants(); err != nil {
		t.Fatal(err)
	}
	e.roundTrips(c)
}

func FuzzRangeJSON(f *testing.F) {
	for _, text := range []string{
		`{"sessionId":"88888888-8888-4888-b088-888888888888"}`, `{"ids":null}`, `[]`, `{"sessionId":"88888888-8888-4888-b088-888888888888","ids":[]}`,
		ids(`"firstGenCount":1,"count":2,"requestedClusterSize":512,"localIdRanges":[[1,2]]`),
		ids(`"firstGenCount":1.5,"count":2e300,"requestedClusterSize":-0,"localIdRanges":[[1],[],[null,"1"]]`),
		ids(`"firstGenCount":9007199254740991,"count":9007199254740991,"requestedClusterSize":1048576`),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var r idcompressor.CreationRange
		if err := r.UnmarshalJSON(text); err != nil {
			if idcompressor.ErrorClass(err) == "" || !reflect.DeepEqual(r, idcompressor.CreationRange{}) {
				t.Fatalf("%v, %+v", err, r)
			}
			return
		}
		again, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var back idcompressor.CreationRange
		if err := json.Unmarshal(again, &back); err != nil || !reflect.DeepEqual(back, r) {
			t.Fatalf("%s comes back as %+v, %v", again, back, err)
		}
		c, err := idcompressor.New(session(s2))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.FinalizeCreationRange(r); err != nil && idcompressor.ErrorClass(err) == "" {
			t.Fatal(err)
		}
	})
}

func FuzzTokenJSON(f *testing.F) {
	for _, text := range []string{
		`{"localGenCount":5,"shardId":"88888888-8888-4888-b188-888888888888","disposed":true}`,
		`{"type":"parentIdSpaceShardSyncToken","shardId":"88888888-8888-4888-b188-888888888888","localGenCount":7}`,
		`{"localGenCount":-0.0,"shardId":"","type":null}`, `{}`, `7`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var up idcompressor.ShardSyncToken
		var down idcompressor.ParentShardSyncToken
		errUp, errDown := up.UnmarshalJSON(text), down.UnmarshalJSON(text)
		if errUp == nil && errDown == nil {
			t.Fatal("a token for both directions")
		}
		for err, token := range map[error]any{errUp: up, errDown: down} {
			if err != nil && (idcompressor.ErrorClass(err) == "" || !reflect.ValueOf(token).IsZero()) {
				t.Fatalf("%v, %+v", err, token)
			}
			if err == nil {
				again, err := json.Marshal(token)
				back := reflect.New(reflect.TypeOf(token))
				if err := errors.Join(err, json.Unmarshal(again, back.Interface())); err != nil || back.Elem().Interface() != token {
					t.Fatalf("%s comes back as %+v, %v", again, back.Elem(), err)
				}
			}
		}
	})
}
