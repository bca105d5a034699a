package peer

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// offend makes calls that a compressor must refuse, or nearly.
func (w *network) offend() {
	n := w.node(w.client())
	pick(w.r, (*network).badRange, (*network).badOwnRange, (*network).badNumber, (*network).badUUID, (*network).badMaker,
		(*network).badGhost, (*network).badShard, (*network).badToken, (*network).badToken)(w, n)
	w.do(call{Op: "serialize", On: n.on, WithSession: new(true)})
}

// badRange finalizes a range that is malformed, out of order, or of nobody.
func (w *network) badRange(n *node) {
	session := pick(w.r, w.ids...).String()
	if w.r.IntN(3) == 0 {
		session = w.uuid()
	}
	numbers := [3]any{1, 2, 4}
	odd := []any{0, -1, 1.5, int64(1) << 53, int64(1)<<53 - 1, int64(1)<<53 - 4, `"x"`, "null", int64(1) << 20, int64(1)<<20 + 1, 2, 7, "1e3", 1 << 40}
	for range 1 + w.r.IntN(2) {
		numbers[w.r.IntN(3)] = pick(w.r, odd...)
	}
	text := rangeJSON(session, numbers[0], numbers[1], numbers[2], pick(w.r, "[]", "[]", "[[1,2]]", "[[1,0]]", "[[0,1]]"))
	switch w.r.IntN(12) {
	case 0:
		text = fmt.Appendf(nil, `{"sessionId":%q,"ids":null}`, session)
	case 1:
		text = fmt.Appendf(nil, `{"sessionId":%q}`, session)
	case 2:
		text = json.RawMessage(`{"sessionId":"none"}`)
	case 3:
		text = rangeJSON(pick(w.r, "", "none", session[:35], strings.ReplaceAll(session, "-", "")), 1, 1, 1, "[]")
	}
	w.do(call{Op: "finalize", On: n.on, Range: text})
}

// badOwnRange finalizes a range of the own session that nobody generated, that
// was finalized before, or that is not its turn.
func (w *network) badOwnRange(n *node) {
	c := w.compressor(n.on)
	next := int64(1)
	if last, ok := c.Table().LastCluster(0); ok {
		next = last.BaseGen + last.Count
	}
	first := pick(w.r, next, next, next, next-1, next+1, 1)
	count := pick(w.r, 1, 2, 40, 1000)
	w.do(call{Op: "finalize", On: n.on, Range: rangeJSON(c.LocalSessionID().String(), first, count, pick(w.r, clusterSizes...), "[]")})
}

func (w *network) badNumber(n *node) {
	id := pick(w.r, int64(1_000_000), -1_000_000, impls.MaxID, -impls.MaxID, math.MinInt32, 1<<40)
	session := w.uuid()
	w.do(pick(w.r,
		call{Op: "decompress", On: n.on, ID: &id},
		call{Op: "toOp", On: n.on, ID: &id},
		call{Op: "toSession", On: n.on, ID: &id, Origin: &session},
		call{Op: "toSession", On: n.on, ID: new(int64(-1)), Origin: &session},
		call{Op: "toSessionNoOrigin", On: n.on, ID: &id},
		call{Op: "clusterSize", On: n.on, Size: new(pick(w.r, int64(0), -3, 1<<20+1, 1<<40))},
		call{Op: "generate", On: n.on, N: new(int64(0))},
	))
}

// badUUID asks with UUIDs that are none, or written otherwise.
func (w *network) badUUID(n *node) {
	id := pick(w.r, w.ids...).String()
	spelled := pick(w.r, "", "none", "abc", "{"+id+"}", " "+id, strings.ToUpper(id), strings.ReplaceAll(id, "-", ""),
		id[:14]+"1"+id[15:], id[:19]+"f"+id[20:], id+"0", w.uuid())
	gen := -w.gen(n)
	w.do(pick(w.r,
		call{Op: "recompress", On: n.on, Stable: &spelled},
		call{Op: "toSession", On: n.on, ID: &gen, Origin: &spelled},
		call{Op: "toSession", On: n.on, ID: new(w.final(n)), Origin: &spelled},
	))
}

// badMaker makes compressors with arguments that are refused.
func (w *network) badMaker(n *node) {
	session := w.uuid()
	switch w.r.IntN(3) {
	case 0:
		session = pick(w.r, "abc", "", "none", session[:14]+"1"+session[15:], session[:19]+"c"+session[20:], session[:35])
	case 1:
		w.do(call{Op: "create", On: w.name(), Session: &session, WriteVersion: new(pick(w.r, 0, 1, 4, 99, -1))})
		return
	case 2:
		w.do(call{Op: "create", On: w.name(), Session: &session, WriteVersion: w.version(), ClusterSize: new(pick(w.r, int64(0), -1, 1<<20+1))})
		return
	}
	w.do(call{Op: "create", On: w.name(), Session: &session, WriteVersion: w.version()})
}

func (w *network) badGhost(n *node) {
	c := w.compressor(n.on)
	// Just above or below a session, so that it may collide.
	near := pick(w.r, w.ids...).Add(1 + w.r.Uint64N(5))
	session := pick(w.r, c.LocalSessionID().String(), near.String(), w.uuid())
	if !near.Valid() {
		session = c.LocalSessionID().String()
	}
	w.do(call{Op: "ghost", On: n.on, Session: &session, N: new(w.r.Int64N(3))})
}

func (w *network) badShard(n *node) {
	if w.r.IntN(2) == 0 {
		w.do(call{Op: "disposeShard", On: w.client().root.on})
		return
	}
	w.do(call{Op: "shard", On: n.on, N: new(pick(w.r, int64(0), -1, 1<<53, 1<<53-1, 1_000_000))})
}

// badToken synchronizes with tokens of others, or with counts that cannot be.
func (w *network) badToken(n *node) {
	shard := w.uuid()
	if child := w.child(); child != nil {
		var token struct{ ShardID string }
		json.Unmarshal(child.token, &token) // it is ours
		shard = token.ShardID
		if w.r.IntN(2) == 0 {
			n = pick(w.r, child, child.parent)
		}
	}
	count := pick[any](w.r, -1, 0, 1, 0.5, 5, int64(1)<<53, int64(1)<<53-1, int64(1)<<53-3, "null", `"1"`, 1<<40)
	child := fmt.Appendf(nil, `{"localGenCount":%v,"shardId":%q,"disposed":%t}`, count, shard, w.r.IntN(2) == 0)
	parent := fmt.Appendf(nil, `{"type":%q,"shardId":%q,"localGenCount":%v}`, pick(w.r, "parentIdSpaceShardSyncToken", "parentIdSpaceShardSyncToken", "other"), shard, count)
	w.do(pick(w.r,
		call{Op: "syncShard", On: n.on, Token: child},
		call{Op: "syncShard", On: n.on, Token: parent},
		call{Op: "parentToken", On: n.on, Child: child},
		call{Op: "syncParent", On: n.on, Token: parent},
		call{Op: "syncParent", On: n.on, Token: child},
		call{Op: "takeUnfinalized", On: n.on},
		call{Op: "takeRange", On: n.on},
	))
}

// spoil loads data with something changed in it. If that is as good as before,
// the compressor is looked at.
func (w *network) spoil() {
	c := w.client()
	n := w.node(c)
	whole := w.r.IntN(2) == 0
	data, ok := w.handOver(n, whole)
	if !ok {
		return
	}
	load := call{Into: w.name(), Data: new(w.spoiled(data)), WriteVersion: w.version()}
	if !whole {
		load.Session = new(pick(w.r, w.uuid(), w.uuid(), w.uuid(), pick(w.r, w.ids...).String()))
	}
	switch w.r.IntN(20) {
	case 0:
		load.Session = new(w.uuid())
	case 1:
		load.Session = nil
	case 2:
		load.Session = new("none")
	case 3:
		load.WriteVersion = new(pick(w.r, 1, 4))
	case 4:
		load.ClusterSize = new(int64(0))
	}
	if !w.load(load) {
		return
	}
	copied := &node{on: load.Into.(string)}
	w.do(call{Op: "serialize", On: copied.on, WithSession: new(true)})
	w.do(call{Op: "equal", On: copied.on, With: n.on, IncludeLocal: new(whole)})
	for range 4 {
		final := w.final(copied)
		w.do(call{Op: "decompress", On: copied.on, ID: &final})
		w.do(call{Op: "toSessionNoOrigin", On: copied.on, ID: &final})
	}
	w.do(call{Op: "takeUnfinalized", On: copied.on})
	w.do(call{Op: "generate", On: copied.on, N: new(int64(3))})
	w.do(call{Op: "takeRange", On: copied.on})
}

// spoiled changes serialized data: a slot, the length, or the text itself.
func (w *network) spoiled(data string) string {
	bytes, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		w.fail(err)
		return data
	}
	slots := len(bytes) / 8
	at := w.r.IntN(slots)
	if w.r.IntN(3) == 0 {
		at = w.r.IntN(4)
	}
	old := math.Float64frombits(binary.LittleEndian.Uint64(bytes[at*8:]))
	switch k := w.r.IntN(18); {
	case k < 11:
		value := pick(w.r, 0, 1, -1, 2, 0.5, old+1, old-1, old*2, math.NaN(), math.Inf(1), 1<<53, 1<<40, 1e6, old+0.5, math.Copysign(0, -1))
		binary.LittleEndian.PutUint64(bytes[at*8:], math.Float64bits(value))
	case k == 11:
		binary.LittleEndian.PutUint64(bytes[at*8:], w.r.Uint64())
	case k == 12:
		bytes = bytes[:w.r.IntN(len(bytes))]
	case k == 13:
		bytes = append(bytes, make([]byte, 8*(1+w.r.IntN(3)))...)
	case k > 15:
		bytes = w.addSession(bytes)
	default:
		cut := w.r.IntN(len(data))
		return pick(w.r, strings.TrimRight(data, "="), data+"=", data+"\n", " "+data, data[:cut]+"\n"+data[cut:],
			data[:cut]+"*"+data[cut:], strings.NewReplacer("+", "-", "/", "_").Replace(data), data+"AAAA", "")
	}
	return base64.StdEncoding.EncodeToString(bytes)
}

// addSession adds a session without clusters behind the others.
func (w *network) addSession(bytes []byte) []byte {
	n := math.Float64frombits(binary.LittleEndian.Uint64(bytes[16:]))
	binary.LittleEndian.PutUint64(bytes[16:], math.Float64bits(n+1))
	id, _ := numericuuid.Parse(w.uuid())
	added := binary.LittleEndian.AppendUint64(nil, id.Lo)
	added = binary.LittleEndian.AppendUint64(added, id.Hi)
	return slices.Insert(bytes, 32+16*int(n), added...)
}
