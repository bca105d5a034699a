package idcompressor_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

func TestConstruction(t *testing.T) {
	run(t, "R1", func(e env) {
		e.equal("local session", e.new(session(s2)).LocalSessionID(), s2)
	})
	run(t, "R2", func(e env) {
		// The telemetry logger is the hook in Go.
		var events []idcompressor.Event
		c, err := idcompressor.New(idcompressor.WithBackend(e.backend), hook(&events))
		e.must(err)
		e.equal("version of the random session", c.LocalSessionID().Version(), uuid.Version(4))
		e.gen1(c)
		e.sync(c)
		e.equal("first event", events[0], idcompressor.Event(idcompressor.FirstClusterEvent{SessionID: c.LocalSessionID()}))
		d, err := idcompressor.New()
		e.must(err)
		if c.LocalSessionID() == d.LocalSessionID() {
			e.Fatal("two random sessions are the same")
		}
	})
	// serializeIdCompressor(c, flag) is one method with a flag; its spellings
	// by the interfaces of package encoding agree with it.
	run(t, "R3", func(e env) {
		c := e.new()
		e.gen1(c)
		want := e.serialized(c, true)
		for name, marshal := range map[string]func() ([]byte, error){
			"MarshalBinary": c.MarshalBinary, "AppendBinary": func() ([]byte, error) { return c.AppendBinary(nil) },
		} {
			got, err := marshal()
			e.must(err)
			e.equal(name, got, want)
		}
		text, err := c.MarshalText()
		e.must(err)
		appended, err := c.AppendText([]byte("x"))
		e.must(err)
		e.equal("AppendText", appended, append([]byte("x"), text...))
		back, err := idcompressor.LoadText(text, idcompressor.WithBackend(e.backend))
		e.must(err)
		e.same(c, back, true, true)
	})
	run(t, "R4", func(e env) {
		c := e.with(1)
		text, err := c.AppendSerializedText(nil, false)
		e.must(err)
		back, err := idcompressor.LoadText(text, session(s2), idcompressor.WithBackend(e.backend))
		e.must(err)
		e.same(c, back, false, true)
		e.equal("bytes", e.serialized(back, false), e.serialized(c, false))
	})
	run(t, "R5", func(e env) {
		c := e.new(idcompressor.WithVersion(idcompressor.V2))
		e.next(c, -1, -2)
		data := e.serialized(c, true)
		e.next(e.load(data, idcompressor.WithVersion(idcompressor.V2)), -3)
		e.equal("version", c.Version(), idcompressor.V2)
	})
}

func TestRefusedOptions(t *testing.T) {
	for name, c := range map[string]struct {
		option idcompressor.Option
		class  error
		says   string
	}{
		// Q25: a cluster size is refused when it is set, so that no range is lost.
		"Q25 zero":     {size(0), idcompressor.ErrInvalidArgument, "cluster size 0"},
		"Q25 negative": {size(-3), idcompressor.ErrInvalidArgument, "cluster size -3"},
		"Q25 above":    {size(1<<20 + 1), idcompressor.ErrInvalidArgument, "1048577 is outside 1 to 1048576"},
		// Q43: write versions 2 and 3 only.
		"Q43 one":  {idcompressor.WithVersion(1), idcompressor.ErrInvalidArgument, "version 1"},
		"Q43 four": {idcompressor.WithVersion(4), idcompressor.ErrInvalidArgument, "version 4"},
		// Q42: v4 sessions only.
		"Q42 version 1": {session(uuid.MustParse("88888888-8888-1888-b088-888888888888")), idcompressor.ErrInvalidUUID, "88888888-8888-1888"},
		"Q42 variant":   {session(uuid.MustParse("88888888-8888-4888-f088-888888888888")), idcompressor.ErrInvalidUUID, ""},
		"Q42 nil":       {session(uuid.Nil), idcompressor.ErrInvalidUUID, ""},
		"backend":       {idcompressor.WithBackend(impls.Backend{Name: "none"}), idcompressor.ErrInvalidArgument, "none"},
	} {
		t.Run(name, func(t *testing.T) {
			check := func(err error) {
				t.Helper()
				if !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("error %v, want %v with %q", err, c.class, c.says)
				}
			}
			_, err := idcompressor.New(c.option)
			check(err)
			// Arguments are judged before data.
			_, err = idcompressor.Load([]byte("no data"), c.option)
			check(err)
			_, err = idcompressor.LoadText([]byte("no base64"), c.option)
			check(err)
		})
	}
}

func TestClusterSize(t *testing.T) {
	run(t, "Q25", func(e env) {
		c := e.new()
		e.gen(c, 3)
		for _, bad := range []int64{0, -1, 1<<20 + 1, impls.MaxID} {
			e.refused(c, idcompressor.ErrInvalidArgument, func() error { return c.SetClusterSize(bad) })
		}
		e.equal("range", e.take(c), ranged(s1, 1, 3, fixtureSize, impls.Run{First: 1, Count: 3}))
		for _, good := range []int64{1, 1 << 20} {
			e.must(c.SetClusterSize(good))
			e.equal("size", c.ClusterSize(), good)
			e.gen1(c)
			e.equal("requested", e.take(c).IDs.RequestedClusterSize, good)
		}
	})
	run(t, "default", func(e env) {
		c, err := idcompressor.New(idcompressor.WithBackend(e.backend))
		e.must(err)
		e.equal("size", c.ClusterSize(), int64(512))
		e.equal("version", c.Version(), 3)
		e.equal("backend", c.Backend().Name, e.backend.Name)
	})
}

// A UUID is no string in Go, so that the case of its digits is lost at every
// boundary.
func TestSessionCase(t *testing.T) {
	run(t, "Q40 Q41", func(e env) {
		c := e.new(session(uuid.MustParse(strings.ToUpper(s1.String()))))
		x := e.gen1(c)
		e.equal("session", c.LocalSessionID(), s1)
		data, err := e.take(c).MarshalJSON()
		e.must(err)
		upper := strings.Replace(string(data), s1.String(), strings.ToUpper(s1.String()), 1)
		var r idcompressor.CreationRange
		e.must(json.Unmarshal([]byte(upper), &r))
		e.finalize(r, c)
		e.known(c, x, s1)
		e.known(c, e.gen1(c), add(s1, 1))
		e.roundTrips(c)
	})
}
