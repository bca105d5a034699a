package closemap

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the model's own trace to testdata")

const ownTrace = "testdata/model.jsonl"

// A call is a line of a maptrace/1 file.
type call struct {
	Trace   string          `json:"trace,omitempty"`
	Source  string          `json:"source,omitempty"`
	Op      string          `json:"op,omitempty"`
	K       *int            `json:"k,omitempty"`
	V       *int            `json:"v,omitempty"`
	Name    string          `json:"name,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Entries *int            `json:"size,omitempty"`
}

func TestTraces(t *testing.T) {
	shared, _ := filepath.Glob("../../../shared/traces/map-*")
	if len(shared) == 0 {
		t.Log("no shared traces here: only the model's own is replayed")
	}
	for _, file := range append(shared, ownTrace) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			calls, err := replay(file)
			if err != nil {
				t.Errorf("%s:%v", file, err)
			}
			if calls < 500 {
				t.Errorf("%s has %d calls only", file, calls)
			}
		})
	}
}

// replay replays a trace and returns how many calls it has.
func replay(file string) (calls int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := io.Reader(f)
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return 0, err
		}
	}
	m := New[int, int]()
	cursors := map[string]*Cursor[int, int]{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var c call
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return calls, err
		}
		if c.Trace != "" {
			continue
		}
		calls++
		got, err := c.on(m, cursors)
		if err != nil {
			return calls, fmt.Errorf("%d: %w", calls+1, err)
		}
		if answer, _ := json.Marshal(got); got != nil && string(answer) != string(c.Result) {
			return calls, fmt.Errorf("%d: %s = %s, want %s", calls+1, lines.Text(), answer, c.Result)
		}
	}
	return calls, lines.Err()
}

// on makes the call and returns its answer, as far as it has one.
func (c *call) on(m *Map[int, int], cursors map[string]*Cursor[int, int]) (any, error) {
	switch c.Op {
	case "set":
		m.Set(*c.K, *c.V)
	case "get":
		if v, ok := m.Get(*c.K); ok {
			return v, nil
		}
		return json.RawMessage("null"), nil
	case "delete":
		return m.Delete(*c.K), nil
	case "clear":
		m.Clear()
	case "iter":
		cursors[c.Name] = m.Cursor()
	case "next":
		if k, v, ok := cursors[c.Name].Next(); ok {
			return [2]int{k, v}, nil
		}
		return json.RawMessage("null"), nil
	case "entries":
		if m.Len() != *c.Entries {
			return nil, fmt.Errorf("%d entries, want %d", m.Len(), *c.Entries)
		}
		var listed [][2]int
		if err := json.Unmarshal(c.Result, &listed); err != nil {
			return nil, err
		}
		got := [][2]int{}
		for k, v := range m.All() {
			if len(got) == len(listed) {
				break
			}
			got = append(got, [2]int{k, v})
		}
		return got, nil
	default:
		return nil, fmt.Errorf("unknown op %q", c.Op)
	}
	return nil, nil
}

// TestOwnTrace holds the committed trace against the model, which wrote it.
func TestOwnTrace(t *testing.T) {
	want := modelTrace()
	if *update {
		if err := os.WriteFile(ownTrace, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(ownTrace)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the model does: go test -run TestOwnTrace -update", ownTrace)
	}
}

// modelTrace records 600 random calls on the naive model.
func modelTrace() string {
	r := rand.New(rand.NewPCG(5, 6))
	var m model
	var open []int
	var out strings.Builder
	write := func(c call, result any) {
		if result != nil {
			c.Result, _ = json.Marshal(result)
		}
		line, _ := json.Marshal(c)
		out.Write(append(line, '\n'))
	}
	write(call{Trace: "maptrace/1", Source: "the model of closemap's tests"}, nil)
	null := json.RawMessage("null")
	for i := range 600 {
		k := r.IntN(40)
		switch n := r.IntN(100); {
		case n < 40:
			m.set(k, i)
			write(call{Op: "set", K: &k, V: &i}, nil)
		case n < 60:
			write(call{Op: "delete", K: &k}, m.delete(k))
		case n < 70:
			if at := m.find(k); at >= 0 {
				write(call{Op: "get", K: &k}, m.entries[at].V)
			} else {
				write(call{Op: "get", K: &k}, null)
			}
		case n < 72:
			m.clear()
			write(call{Op: "clear"}, nil)
		case n < 75 || len(open) == 0:
			open = append(open, len(m.cursors))
			write(call{Op: "iter", Name: fmt.Sprint("c", len(m.cursors))}, nil)
			m.cursors = append(m.cursors, 0)
		case n < 95:
			c := open[r.IntN(len(open))]
			next := call{Op: "next", Name: fmt.Sprint("c", c)}
			if k, v, ok := m.next(c); ok {
				write(next, [2]int{k, v})
			} else {
				write(next, null)
				open = slices.DeleteFunc(open, func(o int) bool { return o == c })
			}
		default:
			entries := [][2]int{}
			for _, e := range m.live() {
				entries = append(entries, [2]int{e.K, e.V})
			}
			size := len(entries)
			write(call{Op: "entries", Entries: &size}, entries)
		}
	}
	return out.String()
}
