package live

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

var someone = uuid.MustParse("88888888-8888-4888-b088-888888888888")

// drawMessage draws a message that is well formed.
func drawMessage(t *rapid.T) *Message {
	first := rapid.Int64Range(1, 1<<40).Draw(t, "first")
	m := &Message{Session: someone, Seq: rapid.Int64Range(1, impls.MaxID).Draw(t, "seq")}
	gen := first
	finals := rapid.Int64Range(0, impls.MaxID)
	for range rapid.IntRange(1, 4).Draw(t, "ops") {
		var op Op
		for range rapid.IntRange(1, 9).Draw(t, "new") {
			id := idcompressor.OpSpaceID(-gen)
			if rapid.Bool().Draw(t, "final") {
				id = idcompressor.OpSpaceID(finals.Draw(t, "id"))
			}
			op.New = append(op.New, id)
			gen++
		}
		for range rapid.IntRange(0, 3).Draw(t, "refs") {
			op.Refs = append(op.Refs, idcompressor.OpSpaceID(rapid.Int64Range(-impls.MaxID, impls.MaxID).Draw(t, "ref")))
		}
		for range rapid.IntRange(0, 3).Draw(t, "checks") {
			op.Checks = append(op.Checks, Check{rapid.IntRange(0, len(op.New)+len(op.Refs)-1).Draw(t, "at"), uuid.New()})
		}
		m.Ops = append(m.Ops, op)
	}
	m.Range = idcompressor.CreationRange{SessionID: someone, IDs: &idcompressor.RangeIDs{
		FirstGenCount: first, Count: gen - first, RequestedClusterSize: rapid.Int64Range(1, 1<<20).Draw(t, "size"),
		LocalIDRanges: []impls.Run{{First: first, Count: 1}},
	}}
	return m
}

func TestMessageRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMessage(t)
		data, err := m.AppendText(nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseMessage(data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if diff := cmp.Diff(m, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

const sample = `{"v":1,"session":"88888888-8888-4888-b088-888888888888","seq":3,"range":{"sessionId":"88888888-8888-4888-b088-888888888888",` +
	`"ids":{"firstGenCount":7,"count":2,"requestedClusterSize":5,"localIdRanges":[[7,1]]}},"ops":[{"new":[-7,12],"refs":[3],"check":[{"at":2,"uuid":"88888888-8888-4888-b088-888888888888"}]}]}`

func TestDamagedMessages(t *testing.T) {
	if _, err := ParseMessage([]byte(sample)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, says string }{
		{`"v":1`, `"v":2`, "v is 2"},
		{`"v":1,`, ``, "v is 0"},
		{`"seq":3`, `"seq":0`, "seq is 0"},
		{`"seq":3`, `"seq":9007199254740993`, "seq is"},
		{`"session":"8`, `"session":"9`, "range is of session"},
		{`"session":"8`, `"session":"x`, "session: "},
		{`"ids":{`, `"was":{`, "range has no IDs"},
		{`"count":2`, `"count":3`, "the operations create 2"},
		{`"count":2`, `"count":9007199254740991`, "the operations create 2"},
		{`"count":2`, `"count":0`, "ids.count is 0"},
		{`"firstGenCount":7`, `"firstGenCount":8`, "expected a final ID or -8"},
		{`[-7,12]`, `[-7,9007199254740993]`, "expected a final ID or -8"},
		{`"refs":[3]`, `"refs":[-9007199254740993]`, "refs[0]"},
		{`"at":2`, `"at":3`, "of 3 IDs"},
		{`"at":2`, `"at":-1`, "of 3 IDs"},
		{`"ops":[{`, `"ops":[7,{`, "cannot unmarshal"},
		{`]}`, `]`, ""},
		{`{"v"`, strings.Repeat(" ", MaxMessage) + `{"v"`, "bytes are more"},
	} {
		data := strings.Replace(sample, c.old, c.new, 1)
		if data == sample {
			t.Fatalf("%q is not in the sample", c.old)
		}
		_, err := ParseMessage([]byte(data))
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s instead of %s: %v, expected %q", c.new[:min(len(c.new), 50)], c.old, err, c.says)
		}
	}
}

func TestGarbageIsDamaged(t *testing.T) {
	var order Memory
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 500 {
		data := garbage(rng, &order)
		if _, err := ParseMessage(data); err == nil {
			t.Fatalf("%s can be read", data)
		}
		if i == 250 {
			order.Publish(t.Context(), "", []byte(sample))
		}
	}
}

func FuzzParseMessage(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(`{"v":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseMessage(data)
		if err != nil {
			return
		}
		text, err := m.AppendText(nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseMessage(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		twice, _ := again.AppendText(nil)
		if !bytes.Equal(text, twice) {
			t.Fatalf("%s\n%s", text, twice)
		}
		// Whatever it says, a session takes it or leaves it.
		s, err := NewSession(uuid.New(), SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Apply(Delivery{1, data}); err != nil {
			t.Fatal(err)
		}
	})
}
