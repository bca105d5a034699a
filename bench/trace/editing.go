package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"unicode/utf8"
)

// maxAgents is the greatest number of agents of an editing trace: the work is
// their number times that of the transactions.
const maxAgents = 4096

// editing is an editing trace, as far as it is a workload of IDs.
type editing struct {
	concurrent bool
	agents     int
	txns       []txn
	inserted   int // characters
}

// txn is a transaction.
type txn struct {
	agent    int32
	inserted int32 // characters
	parent   int32 // concurrent: the newest transaction it knows, -1 if none
	left     int32 // sequential: the inserted character left of it, by number; -1 if none
}

// readEditing reads an editing trace of github.com/josephg/editing-traces,
// sequential or concurrent.
func readEditing(in *input) (*editing, error) {
	r := &editingReader{lines: newlines{r: io.LimitReader(in.Reader, MaxEditing+1)}, end: -1}
	r.json = json.NewDecoder(&r.lines)
	if err := r.read(); err != nil {
		in.line = r.line()
		if r.lines.read > MaxEditing {
			err = fmt.Errorf("an editing trace is longer than %d bytes", MaxEditing)
		}
		return nil, in.fail(unexpected(err))
	}
	return &r.editing, nil
}

type editingReader struct {
	editing
	lines newlines
	json  *json.Decoder
	text  text
	begun bool // the transactions are being read: what comes before them is known
	end   int  // characters of endContent, -1 if it is not there
}

// newlines counts what is read through it.
type newlines struct {
	r          io.Reader
	read, seen int // bytes, line feeds
}

func (n *newlines) Read(p []byte) (int, error) {
	k, err := n.r.Read(p)
	n.read += k
	n.seen += bytes.Count(p[:k], []byte{'\n'})
	return k, err
}

// line returns the line that the decoder has come to.
func (r *editingReader) line() int {
	ahead, _ := io.ReadAll(r.json.Buffered())
	return 1 + r.lines.seen - bytes.Count(ahead, []byte{'\n'})
}

func (r *editingReader) read() error {
	if err := r.delim('{'); err != nil {
		return fmt.Errorf("%w: neither a trace's header nor an editing trace: %w", ErrFormat, err)
	}
	for r.json.More() {
		key, err := r.json.Token()
		if err != nil {
			return err
		}
		if err := r.member(key.(string)); err != nil { // the decoder sees to it
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	if err := r.delim('}'); err != nil {
		return err
	}
	if _, err := r.json.Token(); err != io.EOF {
		return fmt.Errorf("something follows the editing trace")
	}
	switch {
	case !r.begun:
		return fmt.Errorf("%w: neither a trace's header nor an editing trace: there are no \"txns\"", ErrFormat)
	case !r.concurrent && r.end >= 0 && r.end != r.text.len:
		return fmt.Errorf("the transactions leave %d characters, endContent has %d", r.text.len, r.end)
	}
	return nil
}

func (r *editingReader) delim(want json.Delim) error {
	got, err := r.json.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && got != want {
		err = fmt.Errorf("%v instead of %v", got, want)
	}
	return err
}

func (r *editingReader) member(key string) error {
	switch key {
	case "kind":
		var kind string
		if err := r.before(&kind); err != nil {
			return err
		}
		if kind != "concurrent" && kind != "sequential" {
			return fmt.Errorf("%s is neither \"concurrent\" nor \"sequential\"", quote(kind))
		}
		r.concurrent = kind == "concurrent"
	case "numAgents":
		if err := r.before(&r.agents); err != nil {
			return err
		}
		if r.agents < 1 || r.agents > maxAgents {
			return fmt.Errorf("%d is not 1 to %d", r.agents, maxAgents)
		}
	case "startContent":
		var content string
		if err := r.before(&content); err != nil {
			return err
		}
		r.text.insert(0, utf8.RuneCountInString(content), -1, 0)
	case "endContent":
		var content string
		if err := r.json.Decode(&content); err != nil {
			return err
		}
		r.end = utf8.RuneCountInString(content)
	case "txns":
		return r.readTxns()
	default:
		var ignored json.RawMessage
		return r.json.Decode(&ignored)
	}
	return nil
}

// before decodes a member that must come before the transactions.
func (r *editingReader) before(v any) error {
	if r.begun {
		return fmt.Errorf("must come before the transactions")
	}
	return r.json.Decode(v)
}

func (r *editingReader) readTxns() error {
	switch {
	case r.begun:
		return fmt.Errorf("are there twice")
	case r.concurrent && r.agents == 0:
		return fmt.Errorf("numAgents must come before the transactions of a concurrent trace")
	case !r.concurrent:
		r.agents = 2 // one writes, one reads
	}
	r.begun = true
	if err := r.delim('['); err != nil {
		return err
	}
	for r.json.More() {
		var wire wireTxn
		err := r.json.Decode(&wire)
		if err == nil {
			err = r.add(&wire)
		}
		if err != nil {
			return fmt.Errorf("transaction %d: %w", len(r.txns), err)
		}
	}
	return r.delim(']')
}

type wireTxn struct {
	Parents []int64   `json:"parents"`
	Agent   int64     `json:"agent"`
	Patches []wireTxt `json:"patches"`
}

// wireTxt is a patch: [position, characters to delete, text to insert].
type wireTxt struct {
	at, deleted int64
	inserted    int // characters
}

func (p *wireTxt) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	if len(parts) != 3 {
		return fmt.Errorf("patch of %d parts instead of position, deletion and insertion", len(parts))
	}
	var content string
	for i, to := range []any{&p.at, &p.deleted, &content} {
		if err := json.Unmarshal(parts[i], to); err != nil {
			return fmt.Errorf("patch: %w", err)
		}
	}
	if p.at < 0 || p.deleted < 0 {
		return fmt.Errorf("patch at %d deletes %d characters", p.at, p.deleted)
	}
	p.inserted = utf8.RuneCountInString(content)
	return nil
}

// add checks a transaction and applies it.
func (r *editingReader) add(wire *wireTxn) error {
	if len(wire.Patches) == 0 || len(r.txns) == math.MaxInt32 {
		return fmt.Errorf("it has no patches")
	}
	t := txn{parent: -1, left: -1}
	if r.concurrent {
		if wire.Agent < 0 || wire.Agent >= int64(r.agents) {
			return fmt.Errorf("agent %d is none of %d", wire.Agent, r.agents)
		}
		t.agent = int32(wire.Agent)
		for _, parent := range wire.Parents {
			if parent < 0 || parent >= int64(len(r.txns)) {
				return fmt.Errorf("parent %d does not come before it", parent)
			}
			t.parent = max(t.parent, int32(parent))
		}
	} else if at := int(min(wire.Patches[0].at, int64(r.text.len))); at > 0 {
		t.left = r.text.at(at - 1)
	}
	for i, p := range wire.Patches {
		if !r.concurrent {
			if p.at > int64(r.text.len) || p.deleted > int64(r.text.len)-p.at {
				return fmt.Errorf("patch %d deletes %d characters at %d, and the text has %d", i, p.deleted, p.at, r.text.len)
			}
			r.text.remove(int(p.at), int(p.deleted))
			r.text.insert(int(p.at), p.inserted, int32(r.inserted), 1)
		}
		r.inserted += p.inserted
		t.inserted += int32(p.inserted)
	}
	r.txns = append(r.txns, t)
	return nil
}
