package idcompressor_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// Q113: Fluid's keys in Fluid's order.
func TestRangeJSON(t *testing.T) {
	for _, c := range []struct {
		r    idcompressor.CreationRange
		want string
	}{
		{idcompressor.CreationRange{SessionID: s1}, `{"sessionId":"88888888-8888-4888-b088-888888888888"}`},
		{ranged(s1, 1, 2, 512), `{"sessionId":"88888888-8888-4888-b088-888888888888","ids":{"firstGenCount":1,"count":2,"requestedClusterSize":512,"localIdRanges":[]}}`},
		{
			ranged(s2, 6, 7, 1, impls.Run{First: 6, Count: 2}, impls.Run{First: 10, Count: 3}),
			`{"sessionId":"88888888-8888-4888-b188-888888888888","ids":{"firstGenCount":6,"count":7,"requestedClusterSize":1,"localIdRanges":[[6,2],[10,3]]}}`,
		},
	} {
		got, err := json.Marshal(c.r)
		if err != nil || string(got) != c.want {
			t.Errorf("%s, %v, want %s", got, err, c.want)
		}
		var back idcompressor.CreationRange
		if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, c.r) {
			t.Errorf("comes back as %+v, %v", back, err)
		}
	}
}

// ids is the JSON of a range with these fields.
func ids(fields string) string {
	return `{"sessionId":"88888888-8888-4888-b088-888888888888","ids":{` + fields + `}}`
}

func TestRangeJSONAccepted(t *testing.T) {
	want := ranged(s1, 1, 2, 3)
	for name, text := range map[string]string{
		"unknown fields":  `{"x":[{}],` + ids(`"firstGenCount":1,"y":null,"count":2,"requestedClusterSize":3,"localIdRanges":[]`)[1:],
		"other spellings": ids(`"firstGenCount":1.0,"count":2e0,"requestedClusterSize":0.3e1`),
		"null runs":       ids(`"firstGenCount":1,"count":2,"requestedClusterSize":3,"localIdRanges":null`),
	} {
		var r idcompressor.CreationRange
		if err := json.Unmarshal([]byte(text), &r); err != nil || !reflect.DeepEqual(r, want) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	// Q32: absent or null IDs are an empty range, whatever its session.
	for _, text := range []string{`{}`, `{"ids":null}`, `{"sessionId":"abc"}`, `{"sessionId":"abc","ids":null}`, `{"sessionId":null}`} {
		r := ranged(s1, 1, 1, 1)
		if err := json.Unmarshal([]byte(text), &r); err != nil || !reflect.DeepEqual(r, idcompressor.CreationRange{}) {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
}

func TestRangeJSONRefused(t *testing.T) {
	malformed, order, invalid := idcompressor.ErrMalformedRange, idcompressor.ErrOutOfOrder, idcompressor.ErrInvalidUUID
	for _, c := range []struct {
		name, text string
		class      error
		says       string
	}{
		{"no object", `[]`, malformed, "range"},
		{"session missing", `{"ids":{"firstGenCount":1,"count":1,"requestedClusterSize":1}}`, invalid, "sessionId"},
		{"session no UUID", `{"sessionId":"abc","ids":{}}`, invalid, "sessionId"},
		{"session version 1", `{"sessionId":"88888888-8888-1888-b088-888888888888","ids":{}}`, invalid, "sessionId"},
		{"session a number", `{"sessionId":7,"ids":{}}`, malformed, "sessionId"},
		{"ids an array", `{"sessionId":"88888888-8888-4888-b088-888888888888","ids":[]}`, malformed, "ids"},
		{"ids empty", ids(``), malformed, "ids.count: is missing"},
		{"count null", ids(`"firstGenCount":1,"count":null,"requestedClusterSize":1`), malformed, "ids.count"},
		{"count 0", ids(`"firstGenCount":1,"count":0,"requestedClusterSize":1`), malformed, "ids.count is 0"},
		{"count negative", ids(`"firstGenCount":1,"count":-1,"requestedClusterSize":1`), malformed, "ids.count is -1"},
		{"Q33 count fraction", ids(`"firstGenCount":1,"count":1.5,"requestedClusterSize":1`), malformed, "ids.count: 1.5"},
		{"count NaN", ids(`"firstGenCount":1,"count":NaN,"requestedClusterSize":1`), nil, "invalid character"},
		{"count text", ids(`"firstGenCount":1,"count":"1","requestedClusterSize":1`), malformed, `ids.count: "1"`},
		{"count object", ids(`"firstGenCount":1,"count":{"a":1},"requestedClusterSize":1`), malformed, `ids.count`},
		{"count 2^53", ids(`"firstGenCount":1,"count":9007199254740992,"requestedClusterSize":1`), malformed, "ids.count: 9007199254740992"},
		{"count 2^53+1", ids(`"firstGenCount":1,"count":9007199254740993,"requestedClusterSize":1`), malformed, "ids.count"},
		{"count huge", ids(`"firstGenCount":1,"count":1e999,"requestedClusterSize":1`), malformed, "ids.count"},
		{"count long", ids(`"firstGenCount":1,"count":` + strings.Repeat("1", 1<<16) + `,"requestedClusterSize":1`), malformed, "ids.count"},
		{"Q33 size fraction", ids(`"firstGenCount":1,"count":1,"requestedClusterSize":0.5`), malformed, "ids.requestedClusterSize"},
		{"size 0", ids(`"firstGenCount":1,"count":1,"requestedClusterSize":0`), malformed, "ids.requestedClusterSize 0"},
		{"size above", ids(`"firstGenCount":1,"count":1,"requestedClusterSize":1048577`), malformed, "ids.requestedClusterSize 1048577"},
		{"first 0", ids(`"firstGenCount":0,"count":1,"requestedClusterSize":1`), order, "ids.firstGenCount is 0"},
		{"first negative", ids(`"firstGenCount":-3,"count":1,"requestedClusterSize":1`), order, "ids.firstGenCount is -3"},
		{"first fraction", ids(`"firstGenCount":1.25,"count":1,"requestedClusterSize":1`), malformed, "ids.firstGenCount"},
		{"runs no array", ids(`"firstGenCount":1,"count":1,"requestedClusterSize":1,"localIdRanges":{}`), malformed, "localIdRanges"},
		{"run of one", ids(`"firstGenCount":1,"count":1,"requestedClusterSize":1,"localIdRanges":[[1]]`), malformed, "ids.localIdRanges[0]: 1 numbers"},
		{"run of three", ids(`"firstGenCount":1,"count":1,"requestedClusterSize":1,"localIdRanges":[[1,1],[2,1,1]]`), malformed, "ids.localIdRanges[1]: 3 numbers"},
		{"run with null", ids(`"firstGenCount":1,"count":1,"requestedClusterSize":1,"localIdRanges":[[1,null]]`), malformed, "ids.localIdRanges[0]"},
		{"run with text", ids(`"firstGenCount":1,"count":1,"requestedClusterSize":1,"localIdRanges":[["1",1]]`), malformed, "ids.localIdRanges[0]"},
		{"run empty", ids(`"firstGenCount":1,"count":1,"requestedClusterSize":1,"localIdRanges":[[1,0]]`), malformed, "ids.localIdRanges[0]: [1,0]"},
		{"run too long", ids(`"firstGenCount":1,"count":1,"requestedClusterSize":1,"localIdRanges":[[2,9007199254740991]]`), malformed, "ids.localIdRanges[0]"},
		{"run before order", ids(`"firstGenCount":0,"count":1,"requestedClusterSize":1,"localIdRanges":[[0,1]]`), malformed, "ids.localIdRanges[0]"},
		{"nesting", strings.Repeat(`{"ids":`, 100_000), nil, ""},
		{"closed nesting", strings.Repeat(`{"ids":`, 20_000) + strings.Repeat(`}`, 20_000), nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := ranged(s2, 7, 7, 7)
			r := before
			err := json.Unmarshal([]byte(c.text), &r)
			refusedJSON(t, err, c.class, c.says)
			if !reflect.DeepEqual(r, before) {
				t.Errorf("the range is %+v", r)
			}
			// Called directly, it sees what package json would not let through.
			if err := r.UnmarshalJSON([]byte(c.text)); err == nil || idcompressor.ErrorClass(err) == "" {
				t.Errorf("directly: %v", err)
			}
		})
	}
}

func refusedJSON(t *testing.T, err, class error, says string) {
	t.Helper()
	if err == nil || class != nil && !errors.Is(err, class) || !strings.Contains(err.Error(), says) {
		t.Errorf("error %.200v, want %v with %q", err, class, says)
	} else if len(err.Error()) > 1000 {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
}

func TestTokenJSON(t *testing.T) {
	up := idcompressor.ShardSyncToken{LocalGenCount: 5, ShardID: s2, Disposed: true}
	down := idcompressor.ParentShardSyncToken{ShardID: s2, LocalGenCount: 7}
	for want, token := range map[string]any{
		`{"localGenCount":5,"shardId":"88888888-8888-4888-b188-888888888888","disposed":true}`:                      up,
		`{"localGenCount":0,"shardId":"88888888-8888-4888-b188-888888888888","disposed":false}`:                     idcompressor.ShardSyncToken{ShardID: s2},
		`{"type":"parentIdSpaceShardSyncToken","shardId":"88888888-8888-4888-b188-888888888888","localGenCount":7}`: down,
	} {
		got, err := json.Marshal(token)
		if err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
		back := reflect.New(reflect.TypeOf(token))
		text := strings.Replace(want, "{", `{"more":{},`, 1) // unknown fields are ignored
		if err := json.Unmarshal([]byte(text), back.Interface()); err != nil || back.Elem().Interface() != token {
			t.Errorf("comes back as %+v, %v", back.Elem(), err)
		}
	}
}

// R192-R194: what is no generation count is refused where it is read.
func TestTokenJSONRefused(t *testing.T) {
	const id = `"shardId":"88888888-8888-4888-b188-888888888888"`
	shard, invalid := idcompressor.ErrShard, idcompressor.ErrInvalidUUID
	for _, c := range []struct {
		name, text string
		class      error
		says       string
	}{
		{"array", `[]`, shard, "token"},
		{"no gen", `{` + id + `}`, shard, "localGenCount is missing"},
		{"null gen", `{` + id + `,"localGenCount":null}`, shard, "localGenCount is missing"},
		{"R193 negative", `{` + id + `,"localGenCount":-1}`, shard, "localGenCount is negative: -1"},
		{"R192 R193 fraction", `{` + id + `,"localGenCount":0.5}`, shard, "localGenCount 0.5"},
		{"R193 2^53", `{` + id + `,"localGenCount":9007199254740992}`, shard, "localGenCount 9007199254740992"},
		{"R193 infinity", `{` + id + `,"localGenCount":1e999}`, shard, "localGenCount"},
		{"text", `{` + id + `,"localGenCount":"5"}`, shard, "localGenCount"},
		{"no shard", `{"localGenCount":1}`, invalid, "shardId"},
		{"shard no UUID", `{"localGenCount":1,"shardId":"x"}`, invalid, "shardId"},
		{"shard a number", `{"localGenCount":1,"shardId":1}`, shard, "shardId"},
		{"disposed a number", `{"localGenCount":1,` + id + `,"disposed":1}`, shard, "disposed"},
		{"R192 other type", `{"type":"other","localGenCount":1,` + id + `}`, shard, "type"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := idcompressor.ShardSyncToken{LocalGenCount: 9}
			token := before
			refusedJSON(t, json.Unmarshal([]byte(c.text), &token), c.class, c.says)
			if token != before {
				t.Errorf("the token is %+v", token)
			}
			var down idcompressor.ParentShardSyncToken
			text := c.text
			if !strings.Contains(text, "type") && strings.HasPrefix(text, "{") {
				text = `{"type":"parentIdSpaceShardSyncToken",` + text[1:]
			}
			if err := json.Unmarshal([]byte(text), &down); err == nil || down != (idcompressor.ParentShardSyncToken{}) {
				t.Errorf("as a parent's: %+v, %v", down, err)
			}
		})
	}
	var up idcompressor.ShardSyncToken
	var down idcompressor.ParentShardSyncToken
	refusedJSON(t, json.Unmarshal([]byte(`{"type":"parentIdSpaceShardSyncToken","localGenCount":1,`+id+`}`), &up), shard, "type")
	refusedJSON(t, json.Unmarshal([]byte(`{"localGenCount":1,`+id+`}`), &down), shard, "type")
	refusedJSON(t, json.Unmarshal([]byte(`{"localGenCount":1,"type":"`+strings.Repeat("x", 1<<16)+`",`+id+`}`), &up), shard, "type")
	refusedJSON(t, json.Unmarshal([]byte(`{"localGenCount":1,"shardId":`+strings.Repeat("7", 1<<16)+`}`), &up), shard, "shardId")
}
