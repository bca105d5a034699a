package peer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"example.com/idlab/bench/trace"
	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
)

// A rule allows a difference that conformance.md decides, by its number there.
type rule struct {
	q    string
	what string // the original does
	ops  []string
	// applies reports whether the difference between our answer and the
	// original's is this one.
	applies func(m *made, r *reply) bool
}

// rules are tried in order. A call that fails may leave something behind in
// the original, which the driver then undoes; that is a difference too.
var rules = []*rule{
	{"Q1", "recompresses what is reserved only, to an ID that does not decompress", ops("recompress"), func(m *made, r *reply) bool {
		p := m.facts.place
		return m.found("null") && p.Found() && p.Session != 0 && !p.Finalized && string(r.fields["result"]) == fmt.Sprint(p.Final)
	}},
	{"Q2", "throws 0x75a for an own UUID that was never generated", ops("recompress"), func(m *made, r *reply) bool {
		p := m.facts.place
		return m.found("null") && r.Upstream == "0x75a" && p.Found() && p.Session == 0 && !p.Finalized
	}},
	{"Q99", "throws 0x75a on a child shard for an ID finalized before it was synchronized", ops("recompress"), func(m *made, r *reply) bool {
		p := m.facts.place
		return m.found("null") && r.Upstream == "0x75a" && p.Found() && p.Session == 0 && p.Finalized && m.facts.child
	}},
	{"Q3", "decompresses what the own session has reserved only", ops("decompress"), func(m *made, r *reply) bool {
		p := m.facts.place
		return m.class == "unknown-id" && p.Found() && p.Session == 0 && !p.Finalized && string(r.fields["stable"]) == quoted(m.facts.stable)
	}},
	{"Q7", "takes any origin for a session's", ops("toSession"), func(m *made, r *reply) bool {
		return m.class == "invalid-uuid" && !isV4(*m.call.Origin)
	}},
	{"Q12", "masks or chokes on a UUID that is none", ops("recompress"), func(m *made, r *reply) bool {
		return m.found("null") && !isV4(*m.call.Stable) && (r.Error == "" || r.Error == "invalid-uuid" || r.Upstream == "0x75a")
	}},
	{"Q20", "leaves an empty session behind", ops("finalize"), func(m *made, r *reply) bool {
		return r.Error == "out-of-order" && m.class == r.Error && r.Changed && !m.facts.known
	}},
	{"Q22", "leaves half of a new cluster behind", ops("finalize", "ghost", "generate"), func(m *made, r *reply) bool {
		return m.class == "collision" && r.Upstream == "0x758" && r.Changed && !m.facts.chained
	}},
	{"Q24", "leaves half of an overflow behind", ops("finalize", "ghost"), func(m *made, r *reply) bool {
		return m.class == "collision" && r.Upstream == "0x758" && r.Changed && m.facts.chained
	}},
	{"Q23", "keeps an expansion that collides", ops("finalize"), func(m *made, r *reply) bool {
		return m.class == "collision" && r.Upstream == "0x756" && r.Changed
	}},
	{"Q25", "takes any cluster size until a range is taken", ops("clusterSize", "create", "deserialize"), func(m *made, r *reply) bool {
		size := m.call.Size
		if size == nil {
			size = m.call.ClusterSize
		}
		return m.class == "invalid-argument" && (r.Error == "" || m.call.Data != nil) && size != nil && (*size < 1 || *size > 1<<20)
	}},
	{"Q29", "finalizes own IDs that were never generated", ops("finalize"), func(m *made, r *reply) bool {
		return m.class == "forked-session" && (r.Error == "" || r.Error == "collision")
	}},
	{"Q21", "adds past 2^53", ops("finalize"), func(m *made, r *reply) bool {
		return m.class == "exhausted" && (r.Error == "" || r.Error == "collision") && m.facts.count > impls.MaxID>>8
	}},
	{"Q31", "wraps after the last UUID", ops("generate", "finalize", "ghost", "documentUnique", "shard", "syncShard", "syncParent"), func(m *made, r *reply) bool {
		return m.class == "exhausted" && (r.Error == "" || r.Error == "collision") && m.facts.nearEnd
	}},
	{"Q61", "goes on after the last generation count", ops("generate", "documentUnique"), func(m *made, r *reply) bool {
		return m.class == "exhausted" && m.facts.generated > impls.MaxID>>1
	}},
	{"Q32", "does not take ids that are null for none", ops("finalize"), func(m *made, r *reply) bool {
		return m.err == nil && strings.HasPrefix(r.Upstream, "TypeError") && bytes.Contains(m.call.Range, []byte(`"ids":null`))
	}},
	{"Q33", "takes numbers that are no integers below 2^53", ops("finalize"), func(m *made, r *reply) bool {
		return m.class == "malformed-range" && !m.facts.integers
	}},
	{"Q41", "tells upper case from lower", ops("toSession"), func(m *made, r *reply) bool {
		return hasUpper(m.call.Origin) && (m.err == nil || m.class == "unknown-id") && r.Error == "unknown-session"
	}},
	{"Q42", "takes any session ID", ops("create", "deserialize", "finalize"), func(m *made, r *reply) bool {
		return m.class == "invalid-uuid" && (m.call.Op == "finalize" && m.facts.badUUID || m.call.Session != nil && !isV4(*m.call.Session))
	}},
	{"Q43", "takes any write version", ops("create", "deserialize"), func(m *made, r *reply) bool {
		return m.class == "invalid-argument" && *m.call.WriteVersion != 2 && *m.call.WriteVersion != 3
	}},
	corrupt("Q52", "takes every number but 1 for false", `^has`),
	corrupt("Q53", "counts up to what is no count", `Count$|^end$`),
	corrupt("Q54", "takes any capacity and count", `^clusters\[\d+\]\.(capacity|count)`),
	corrupt("Q55", "takes -1 for the new session", `^clusters\[\d+\]\.session`),
	corrupt("Q57", "takes bits above the 122nd", `^(sessions\[|children\[|shardID)`),
	corrupt("Q58", "takes any local state", `^(generated|cursor|runs)`),
	corrupt("Q60", "takes any sharding state", `^(stride|original|currentStride|originalStride|children)`),
	corrupt("Q62", "reads base64 leniently", `^(text|length)`),
	{"Q70", "throws where chains differ in length", ops("equal"), func(m *made, r *reply) bool {
		return m.found("false") && strings.HasPrefix(r.Upstream, "TypeError")
	}},
	{"Q56", "counts empty sessions when it compares local state", ops("equal"), func(m *made, r *reply) bool {
		return m.found("true") && string(r.fields["result"]) == "false" && m.facts.empty
	}},
	{"Q72", "throws 0x762 where one has an empty session", ops("equal"), func(m *made, r *reply) bool {
		return m.err == nil && r.Upstream == "0x762" && m.facts.empty
	}},
	{"Q82", "begins a ghost session of the own session", ops("ghost"), func(m *made, r *reply) bool {
		return m.class == "ghost" && (r.Error == "" || r.Error == "collision") && m.facts.own
	}},
	{"Q98", "does not look at a child's token's type, nor always at its generation count", ops("parentToken", "syncShard"), func(m *made, r *reply) bool {
		return m.class == "shard" && r.Error == "" && (m.call.Op == "parentToken" && !isCount(m.call.Child) || hasType(m.call.Token))
	}},
	{"Q97", "moves a child's cursor before it refuses", ops("takeUnfinalized"), func(m *made, r *reply) bool {
		return m.class == "shard" && r.Error == "shard" && r.Changed && m.facts.child
	}},
}

func ops(names ...string) []string { return names }

// corrupt is the rule of a field of serialized data that the original does not
// check: whatever it does with it then.
func corrupt(q, what, field string) *rule {
	pattern := regexp.MustCompile(field)
	return &rule{q, what, ops("deserialize"), func(m *made, _ *reply) bool {
		var e *snapshot.Error
		return errors.As(m.err, &e) && errors.Is(e, snapshot.ErrCorrupt) && pattern.MatchString(e.Field)
	}}
}

// facts are what the state before a call tells of it.
type facts struct {
	place    impls.Place // of the ID or UUID, in the table
	stable   string      // the UUID of that place
	child    bool        // the compressor is a child shard
	known    bool        // the range's or ghost's session is known,
	chained  bool        // and has a cluster,
	own      bool        // and is the own one
	empty    bool        // a session beside the own one has no clusters, here or in the other compressor
	count    int64       // of a range
	integers bool        // a range's numbers are all integers below 2^53
	badUUID  bool        // a range's session is none
	nearEnd  bool        // the session will have no UUIDs left soon
	// generated is the generation count, where it is exhausted.
	generated int64
}

func factsOf(live *trace.Live, c *call) (f facts) {
	comp := live.Compressor(c.On)
	if comp == nil {
		return f
	}
	table := comp.Table()
	token, err := comp.ShardSyncToken()
	f.child = err == nil && token != nil
	session := table.SessionID(0)
	switch c.Op {
	case "recompress":
		if id, err := numericuuid.Parse(*c.Stable); err == nil {
			f.place = table.ByStableID(id)
		}
	case "decompress":
		f.place = table.ByFinal(*c.ID)
	case "finalize":
		session = f.ofRange(c.Range)
	case "equal":
		f.empty = hasEmpty(comp) || hasEmpty(live.Compressor(c.With))
	case "ghost":
		session, _ = numericuuid.Parse(*c.Session)
	}
	if f.place.Found() {
		f.stable = table.SessionID(f.place.Session).Add(uint64(f.place.Gen - 1)).String()
	}
	if s, ok := table.LookupSession(session); ok {
		f.known, f.own = true, s == 0
		_, f.chained = table.LastCluster(s)
	}
	left, ok := numericuuid.Max.Sub(session)
	f.nearEnd = ok && left < impls.MaxID
	return f
}

// hasEmpty reports whether a session but the own one has no clusters.
func hasEmpty(c *idcompressor.Compressor) bool {
	if c == nil {
		return false
	}
	for s := range impls.Session(c.Table().SessionCount()) {
		if _, ok := c.Table().LastCluster(s); !ok && s != 0 {
			return true
		}
	}
	return false
}

func (f *facts) ofRange(text []byte) numericuuid.UUID {
	var r struct {
		SessionID string
		IDs       map[string]json.RawMessage
	}
	json.Unmarshal(text, &r) // whatever of it can be read
	f.integers = true
	for _, name := range []string{"firstGenCount", "count", "requestedClusterSize"} {
		var n *int64
		f.integers = f.integers && json.Unmarshal(r.IDs[name], &n) == nil && n != nil && *n >= -impls.MaxID && *n <= impls.MaxID
		if name == "count" && n != nil {
			f.count = *n
		}
	}
	f.integers = f.integers && !badRuns(r.IDs["localIdRanges"])
	id, err := numericuuid.Parse(r.SessionID)
	f.badUUID = err != nil
	return id
}

func badRuns(text []byte) bool {
	var runs [][2]int64
	return len(text) > 0 && json.Unmarshal(text, &runs) != nil ||
		slices.ContainsFunc(runs, func(run [2]int64) bool { return run[0] < 1 || run[1] < 1 })
}

func hasType(token []byte) bool { return bytes.Contains(token, []byte(`"type"`)) }

// isCount reports whether a token's generation count can be one.
func isCount(token []byte) bool {
	var t struct{ LocalGenCount *int64 }
	return json.Unmarshal(token, &t) == nil && t.LocalGenCount != nil && *t.LocalGenCount >= 0 && *t.LocalGenCount <= impls.MaxID
}

// found reports whether our answer is that result.
func (m *made) found(result string) bool { return string(m.answer) == `"result":`+result }

func isV4(s string) bool { _, err := numericuuid.Parse(s); return err == nil }

func hasUpper(s *string) bool { return s != nil && *s != strings.ToLower(*s) }

func quoted(s string) string { return `"` + s + `"` }

// judge returns the line with the answer that it must have on every backend:
// ours if the original's is the same or a rule allows it to be another, else
// the original's.
func (m *made) judge(r *reply, used *tally) []byte {
	same := m.agrees(r)
	if same && !r.Changed {
		return with(m.line, string(m.answer))
	}
	for _, rule := range rules {
		if slices.Contains(rule.ops, m.call.Op) && rule.applies(m, r) {
			used.rules[rule]++
			return with(with(m.line, string(m.answer)), `"upstream":`+quoted(rule.q))
		}
	}
	if same {
		return with(m.line, fmt.Sprintf(`"error":%q`, r.Error+", with the original changed by it"))
	}
	members := r.members(m.line)
	if m.err == nil && sameValue(fmt.Appendf(nil, "{%s}", m.answer), []byte("{"+members+"}")) {
		// A replay would not mind, but a peer may.
		members = fmt.Sprintf(`"error":%q`, "the same in other words: "+members)
	}
	return with(m.line, members)
}

// sameValue reports whether two texts are the same JSON value.
func sameValue(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// agrees reports whether the original's answer is ours, to the byte.
func (m *made) agrees(r *reply) bool {
	if m.err != nil || r.Error != "" || r.Fault != "" {
		var order *idcompressor.OrderError
		if errors.As(m.err, &order) && (float64(order.ExpectedStart) != r.Expected || float64(order.ActualStart) != r.Actual) {
			return false
		}
		return m.err != nil && m.class == r.Error
	}
	var ours map[string]json.RawMessage
	if err := json.Unmarshal(fmt.Appendf(nil, "{%s}", m.answer), &ours); err != nil {
		return false
	}
	for key, value := range ours {
		if !bytes.Equal(value, r.fields[key]) {
			return false
		}
	}
	return true
}

// members returns the original's answer as members of the line.
func (r *reply) members(line []byte) string {
	switch {
	case r.Fault != "":
		return fmt.Sprintf(`"error":%q`, "fault: "+r.Fault)
	case r.Error == "out-of-order":
		return fmt.Sprintf(`"error":%q,"expectedStart":%v,"actualStart":%v`, r.Error, r.Expected, r.Actual)
	case r.Error != "":
		return fmt.Sprintf(`"error":%q,"upstream":%q`, r.Error, r.Upstream)
	}
	var asked map[string]json.RawMessage
	json.Unmarshal(line, &asked) // it is ours
	var members []string
	for key, value := range r.fields {
		if _, ok := asked[key]; !ok && key != "undo" {
			members = append(members, fmt.Sprintf("%q:%s", key, value))
		}
	}
	slices.Sort(members)
	return strings.Join(members, ",")
}
