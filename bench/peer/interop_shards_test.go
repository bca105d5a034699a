package peer

import "slices"

// mostShards is how many compressors a client has at once.
const mostShards = 7

// shard splits a compressor of a client.
func (w *network) shard() {
	c := w.client()
	n := w.node(c)
	if len(c.nodes()) > mostShards {
		return
	}
	count := 1 + w.r.Int64N(3)
	into, ids := make([]string, count), make([]string, count)
	for i := range into {
		into[i], ids[i] = w.name(), w.uuid()
	}
	a := w.do(call{Op: "shard", On: n.on, N: &count, Into: into, ShardIDs: ids})
	for i, token := range a.Tokens {
		n.children = append(n.children, &node{on: into[i], seen: n.seen, parent: n, token: token})
	}
}

// uuid draws a UUID that is no session.
func (w *network) uuid() string {
	id := w.session()
	w.ids = w.ids[:len(w.ids)-1]
	return id.String()
}

// up tells a parent of a child's progress.
func (w *network) up() {
	n := w.child()
	if n == nil {
		w.do(call{Op: "shardToken", On: w.client().root.on})
		return
	}
	if a := w.do(call{Op: "shardToken", On: n.on}); a.ok() {
		n.token = a.Token
		w.do(call{Op: "syncShard", On: n.parent.on, Token: n.token})
	}
}

// down tells a child of its parent's progress.
func (w *network) down() {
	n := w.child()
	if n == nil {
		return
	}
	if a := w.do(call{Op: "parentToken", On: n.parent.on, Child: n.token}); a.ok() {
		w.do(call{Op: "syncParent", On: n.on, Token: a.Token})
	}
}

// dispose ends a shard, which must have no children of its own, and tries to
// use it once more.
func (w *network) dispose() {
	n := w.child()
	if n == nil {
		w.do(call{Op: "disposeShard", On: w.client().root.on})
		return
	}
	a := w.do(call{Op: "disposeShard", On: n.on})
	if !a.ok() {
		return
	}
	w.useDisposed(n)
	w.do(call{Op: "syncShard", On: n.parent.on, Token: a.Token})
	n.parent.children = slices.DeleteFunc(n.parent.children, func(other *node) bool { return other == n })
}

func (w *network) useDisposed(n *node) {
	one := new(int64(1))
	w.do(pick(w.r,
		call{Op: "generate", On: n.on, N: one},
		call{Op: "decompress", On: n.on, ID: new(int64(-1))},
		call{Op: "recompress", On: n.on, Stable: new(w.ids[0].String())},
		call{Op: "serialize", On: n.on, WithSession: new(true)},
		call{Op: "takeRange", On: n.on},
		call{Op: "takeUnfinalized", On: n.on},
		call{Op: "resetUnfinalized", On: n.on},
		call{Op: "finalize", On: n.on, Range: rangeJSON(w.ids[0].String(), 1, 1, 1, "[]")},
		call{Op: "toOp", On: n.on, ID: one},
		call{Op: "toSession", On: n.on, ID: one, Origin: new(w.ids[0].String())},
		call{Op: "toSessionNoOrigin", On: n.on, ID: one},
		call{Op: "ghost", On: n.on, Session: new(w.ids[0].String()), N: one},
		call{Op: "shard", On: n.on, N: one},
		call{Op: "shardToken", On: n.on},
		call{Op: "disposeShard", On: n.on},
		call{Op: "syncShard", On: n.on, Token: n.token},
		call{Op: "parentToken", On: n.on, Child: n.token},
		call{Op: "equal", On: n.on, With: n.parent.on, IncludeLocal: new(true)},
		call{Op: "equal", On: n.parent.on, With: n.on, IncludeLocal: new(true)},
	))
}
