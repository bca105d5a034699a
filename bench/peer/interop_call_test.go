package peer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/idlab/bench/trace"
	"example.com/idlab/impls/idcompressor"
)

// call is a line of idtrace/1 without its answer.
type call struct {
	Op           string          `json:"op"`
	On           string          `json:"on,omitempty"`
	With         string          `json:"with,omitempty"`
	Into         any             `json:"into,omitempty"` // a name, or names
	Session      *string         `json:"session,omitempty"`
	WriteVersion *int            `json:"writeVersion,omitempty"`
	ClusterSize  *int64          `json:"clusterSize,omitempty"`
	Size         *int64          `json:"size,omitempty"`
	N            *int64          `json:"n,omitempty"`
	ID           *int64          `json:"id,omitempty"`
	Origin       *string         `json:"origin,omitempty"`
	Stable       *string         `json:"stable,omitempty"`
	Range        json.RawMessage `json:"range,omitempty"`
	Token        json.RawMessage `json:"token,omitempty"`
	Child        json.RawMessage `json:"child,omitempty"`
	ShardIDs     []string        `json:"shardIds,omitempty"`
	WithSession  *bool           `json:"withSession,omitempty"`
	IncludeLocal *bool           `json:"includeLocal,omitempty"`
	Data         *string         `json:"data,omitempty"`
}

// answer is what completes a line, in whatever its op answers.
type answer struct {
	Error      string            `json:"error"`
	IDs        []int64           `json:"ids"`
	Range      json.RawMessage   `json:"range"`
	Result     json.RawMessage   `json:"result"`
	Stable     string            `json:"stable"`
	Token      json.RawMessage   `json:"token"`
	Tokens     []json.RawMessage `json:"tokens"`
	Serialized []string          `json:"serialized"`
	Data       string            `json:"data"`
}

func (a *answer) ok() bool { return a.Error == "" }

// exchange is a row of calls, made on the original and, to know what to call
// next, on compressors of one backend at the same time.
type exchange struct {
	name string
	node *driver
	live *trace.Live
	made []made
	err  error // of the process or of the test itself; nothing is called any more
}

// made is a call that was made, and all there is to know to judge what the
// original answers to it.
type made struct {
	call   call
	line   []byte // the call's JSON
	answer []byte // our answer, as members of the line
	class  string // of our error
	err    error
	facts  facts // of the state before the call
}

func newExchange(node *driver, name string) *exchange {
	x := &exchange{name: name, node: node, live: trace.NewLive(idcompressor.DefaultBackend)}
	x.err = node.send([]byte(`{"op":"reset"}`))
	return x
}

// do makes a call on both sides and returns our answer. Whatever is refused
// here is undone there.
func (x *exchange) do(c call) (a answer) {
	line, err := json.Marshal(c)
	if err != nil {
		x.fail(err)
	}
	members, err := x.send(c, line)
	if err != nil {
		x.fail(err)
		return answer{Error: err.Error()}
	}
	if err := json.Unmarshal(fmt.Appendf(nil, "{%s}", members), &a); err != nil {
		x.fail(err)
	}
	return a
}

func (x *exchange) fail(err error) {
	if x.err == nil {
		x.err = err
	}
}

// errSenseless is the error of a line that is no call here.
var errSenseless = errors.New("a line makes no sense")

// send makes the call of a line.
func (x *exchange) send(c call, line []byte) ([]byte, error) {
	if x.err != nil {
		return nil, x.err
	}
	m := made{call: c, line: line, facts: factsOf(x.live, &c)}
	asked := line
	if c.Op == "shard" && c.Into == nil {
		asked = with(line, `"error":""`) // it cannot succeed
	}
	members, failure, err := x.live.Do(asked)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errSenseless, line, err)
	}
	m.answer = bytes.Clone(members)
	m.err = failure
	m.class = idcompressor.ErrorClass(failure)
	if errors.Is(failure, idcompressor.ErrExhausted) {
		if s, err := x.live.Compressor(c.On).State(true); err == nil {
			m.facts.generated = s.Local.Generated
		}
	}
	sent := line
	if failure != nil {
		sent = with(line, `"undo":true`)
	}
	if err := x.node.send(sent); err != nil {
		return nil, err
	}
	x.made = append(x.made, m)
	return m.answer, nil
}

// theirs returns the original's answer to the newest call.
func (x *exchange) theirs() (a answer) {
	if x.err != nil {
		return answer{Error: "the exchange has failed"}
	}
	line, err := x.node.await(len(x.made)) // the first one is to the reset
	if err == nil {
		err = json.Unmarshal(line, &a)
	}
	if err != nil {
		x.fail(err)
	}
	return a
}

// with returns a JSON object with one more member.
func with(object []byte, member string) []byte {
	dst := append([]byte{}, object[:len(object)-1]...)
	if len(dst) > 1 && member != "" {
		dst = append(dst, ',')
	}
	return append(append(dst, member...), '}')
}

// finish returns the trace of the exchange: with each line the answer that the
// original gave, or ours where a rule allows it to be another. It counts
// calls and the rules that were used.
func (x *exchange) finish(used *tally) ([]byte, error) {
	if x.err != nil {
		return nil, x.err
	}
	replies, err := x.node.take()
	if err != nil {
		return nil, err
	}
	if len(replies) != len(x.made)+1 {
		return nil, errors.New("the driver has skipped a line")
	}
	text := fmt.Appendf(nil, "{\"trace\":%q,\"source\":\"bench/peer interop\",\"name\":%q}\n", trace.FormatID, x.name)
	for i := range x.made {
		m := &x.made[i]
		reply, err := parseReply(replies[i+1])
		if err != nil {
			return nil, err
		}
		text = append(append(text, m.judge(reply, used)...), '\n')
		used.count(m)
	}
	return text, nil
}

// reply is a line of the driver.
type reply struct {
	Fault    string  `json:"fault"`
	Error    string  `json:"error"`
	Upstream string  `json:"upstreamError"`
	Changed  bool    `json:"changed"`
	Expected float64 `json:"expectedStart"`
	Actual   float64 `json:"actualStart"`
	fields   map[string]json.RawMessage
}

func parseReply(line []byte) (*reply, error) {
	r := &reply{}
	err := json.Unmarshal(line, r)
	if err == nil {
		err = json.Unmarshal(line, &r.fields)
	}
	if err != nil {
		return nil, fmt.Errorf("the driver says %.200q: %w", line, err)
	}
	return r, nil
}
