package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// calls imports an editing trace and returns what it does, in short, with the
// numbers of transactions that are behind it worked out by hand in the tests.
func calls(t *testing.T, editing string, s Settings) []string {
	t.Helper()
	var out bytes.Buffer
	if err := Import(&out, strings.NewReader(editing), "dir/file.json.gz", s); err != nil {
		t.Fatal(err)
	}
	r, err := Replay(bytes.NewReader(out.Bytes()), "t", idcompressor.DefaultBackend)
	if err != nil || r.Difference != nil {
		t.Fatalf("the import does not replay: %v, %v", r.Difference, err)
	}
	var short []string
	for _, line := range lines(t, out.Bytes())[1:] {
		var c struct {
			Op, On string
			N      int
			ID     int64
			Result int64
			Range  idcompressor.CreationRange
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		switch c.Op {
		case "create":
		case "generate":
			short = append(short, fmt.Sprintf("%s generates %d", c.On, c.N))
		case "finalize", "takeRange":
			short = append(short, fmt.Sprintf("%s %s %d+%d", c.On, c.Op, c.Range.IDs.FirstGenCount, c.Range.IDs.Count))
		default:
			short = append(short, fmt.Sprintf("%s %s %d = %d", c.On, c.Op, c.ID, c.Result))
		}
	}
	return short
}

var smallSettings = Settings{Seed: 5, Lag: 1, ClusterSize: 2, WriteVersion: 3}

// A sequential trace: the neighbour is the character left of the first patch,
// in code points; a transaction that inserts nothing counts for delivery.
func TestImportSequential(t *testing.T) {
	got := calls(t, `{"startContent":"é","endContent":"é😀bc","txns":[
		{"patches":[[1,0,"😀a"]]},
		{"patches":[[2,1,""]]},
		{"patches":[[2,0,"c"],[2,0,"b"]]}]}`, smallSettings)
	want := []string{
		// é is of the start: no neighbour.
		"writer generates 2", "writer takeRange 1+2", "writer toOp -1 = -1", "writer toOp -2 = -2",
		// The deletion sends nothing. Before the third, all but the last one are delivered: the first.
		"writer finalize 1+2", "writer toSession -1 = -1", "writer toSession -2 = -2",
		"reader finalize 1+2", "reader toSession -1 = 0", "reader toSession -2 = 1",
		// Left of it is 😀, whose ID is -1 to its author and 0 in operations.
		"writer generates 2", "writer takeRange 3+2", "writer toOp 2 = 2", "writer toOp 3 = 3", "writer toOp -1 = 0",
		// In the end everything is delivered.
		"writer finalize 3+2", "writer toSession 2 = 2", "writer toSession 3 = 3", "writer toSession 0 = -1",
		"reader finalize 3+2", "reader toSession 2 = 2", "reader toSession 3 = 3", "reader toSession 0 = 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A concurrent trace: an agent has what its parents say, its own included, and
// the neighbour is the last ID of the newest delivered transaction that has any.
func TestImportConcurrent(t *testing.T) {
	got := calls(t, `{"kind":"concurrent","numAgents":2,"endContent":"","txns":[
		{"parents":[],"agent":0,"patches":[[0,0,"ab"]]},
		{"parents":[],"agent":1,"patches":[[0,0,"x"]]},
		{"parents":[0],"agent":0,"patches":[[0,1,""]]},
		{"parents":[1,2],"agent":1,"patches":[[0,0,"y"]]}]}`, smallSettings)
	want := []string{
		"agent0 generates 2", "agent0 takeRange 1+2", "agent0 toOp -1 = -1", "agent0 toOp -2 = -2",
		"agent1 generates 1", "agent1 takeRange 1+1", "agent1 toOp -1 = -1",
		"agent0 finalize 1+2", "agent0 toSession -1 = -1", "agent0 toSession -2 = -2",
		"agent1 finalize 1+2", "agent1 toSession -1 = 0", "agent1 toSession -2 = 1",
		"agent1 finalize 1+1", "agent1 toSession -1 = -1",
		"agent1 generates 1", "agent1 takeRange 2+1", "agent1 toOp 5 = 5", "agent1 toOp -1 = 4",
		"agent0 finalize 1+1", "agent0 toSession -1 = 4",
		"agent0 finalize 2+1", "agent0 toSession 5 = 5", "agent0 toSession 4 = 4",
		"agent1 finalize 2+1", "agent1 toSession 5 = 5", "agent1 toSession 4 = -1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestImportHeader(t *testing.T) {
	const editing = `{"txns":[{"patches":[[0,0,"a"]]}]}`
	var out, again, other bytes.Buffer
	for w, s := range map[*bytes.Buffer]Settings{&out: smallSettings, &again: smallSettings, &other: DefaultSettings} {
		if err := Import(w, strings.NewReader(editing), "dir/file.json.gz", s); err != nil {
			t.Fatal(err)
		}
	}
	if want := `{"trace":"idtrace/1","source":"idlab trace import","name":"file","seed":5,"lag":1,"clusterSize":2,"writeVersion":3}` + "\n"; !strings.HasPrefix(out.String(), want) {
		t.Errorf("header %q, want %q", strings.SplitAfter(out.String(), "\n")[0], want)
	}
	if !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Error("the same settings give another trace")
	}
	if bytes.Equal(out.Bytes(), other.Bytes()) {
		t.Error("other settings give the same trace")
	}
	for _, s := range []Settings{{Lag: -1, ClusterSize: 1, WriteVersion: 3}, {ClusterSize: 0, WriteVersion: 3}, {ClusterSize: 1, WriteVersion: 4}} {
		if err := Import(&out, strings.NewReader(editing), "x", s); !errors.Is(err, idcompressor.ErrInvalidArgument) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

func TestBadEditingTraces(t *testing.T) {
	concurrent := func(txns string) string { return `{"kind":"concurrent","numAgents":2,"txns":[` + txns + `]}` }
	for text, want := range map[string]string{
		``:                               "cut off",
		`[]`:                             "neither a trace's header",
		`{}`:                             `no "txns"`,
		`{"kind":"new"}`:                 `"new"`,
		`{"txns":{}}`:                    "{ instead of [",
		`{"txns":[]} 1`:                  "something follows",
		`{"txns":[]`:                     "cut off",
		`{"txns":[],"txns":[]}`:          "twice",
		`{"txns":[],"startContent":"a"}`: "before the transactions",
		`{"startContent":"a","endContent":"","txns":[]}`: "leave 1 characters, endContent has 0",
		`{"txns":[{}]}`:                                                           "no patches",
		`{"txns":[{"patches":[[0,0]]}]}`:                                          "2 parts",
		`{"txns":[{"patches":[[0,0,7]]}]}`:                                        "patch",
		`{"txns":[{"patches":[[0.5,0,"a"]]}]}`:                                    "patch",
		`{"txns":[{"patches":[[-1,0,"a"]]}]}`:                                     "-1",
		`{"txns":[{"patches":[[1,0,"a"]]}]}`:                                      "at 1",
		`{"startContent":"ab","txns":[{"patches":[[1,9223372036854775807,""]]}]}`: "transaction 0: patch 0 deletes",
		`{"kind":"concurrent","txns":[]}`:                                         "numAgents",
		`{"kind":"concurrent","numAgents":0,"txns":[]}`:                           "0 is not 1 to",
		`{"kind":"concurrent","numAgents":1e9,"txns":[]}`:                         "numAgents",
		`{"kind":"concurrent","numAgents":1000000000,"txns":[]}`:                  "is not 1 to",
		concurrent(`{"parents":[],"agent":2,"patches":[[0,0,"a"]]}`):              "agent 2",
		concurrent(`{"parents":[0],"agent":0,"patches":[[0,0,"a"]]}`):             "parent 0 does not come before",
		concurrent(`{"parents":[-1],"agent":0,"patches":[[0,0,"a"]]}`):            "parent -1",
	} {
		err := Import(&bytes.Buffer{}, strings.NewReader(text), "FILE", DefaultSettings)
		var e *Error
		if !errors.As(err, &e) || e.File != "FILE" || e.Line != 1 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want line 1 and %q", text, err, want)
		}
	}
	err := Import(&bytes.Buffer{}, strings.NewReader("{\"txns\":[\n{\"patches\":[[0,0,\"a\"]]},\n{\"patches\":[[5,0,\"a\"]]}\n\n]}\n\n"), "FILE", DefaultSettings)
	if err == nil || !strings.HasPrefix(err.Error(), "FILE:3: txns: transaction 1: ") {
		t.Errorf("%v, want line 3", err)
	}
}

// A program made at once does what the imported trace does, and all agents
// agree in the end.
func TestImportOfRealEditing(t *testing.T) {
	for _, name := range []string{"friendsforever", "json-crdt-blog-post"} {
		data, err := os.ReadFile(shared + "/editing-traces/" + name + ".json.gz")
		if err != nil {
			t.Skip("no editing traces here: ", err)
		}
		p, err := Load(bytes.NewReader(data), name, DefaultSettings)
		if err != nil {
			t.Fatal(err)
		}
		want := p.Run(idcompressor.DefaultBackend)
		for _, b := range impls.Backends() {
			if got := p.Run(b); got != want {
				t.Errorf("%s on %s: %+v, want %+v", name, b.Name, got, want)
			}
		}
		in, err := open(bytes.NewReader(data), name)
		if err != nil {
			t.Fatal(err)
		}
		e, err := readEditing(in)
		if err != nil {
			t.Fatal(err)
		}
		rec := newProgramRecorder(name, idcompressor.DefaultBackend)
		e.play(rec, DefaultSettings)
		for _, c := range rec.m.on[1:] {
			if same, err := rec.m.on[0].Equal(c, false); !same || err != nil {
				t.Errorf("%s: the agents have different documents: %v", name, err)
			}
		}
		var final int64
		for c := range rec.m.on[0].Clusters() {
			final += c.Count
		}
		if final != int64(e.inserted) {
			t.Errorf("%s: %d IDs are final, %d characters were inserted", name, final, e.inserted)
		}
	}
}

func TestLoadTellsFormats(t *testing.T) {
	const editing = `{"txns":[{"patches":[[0,0,"ab"]]}]}`
	var imported bytes.Buffer
	if err := Import(&imported, strings.NewReader(editing), "x", DefaultSettings); err != nil {
		t.Fatal(err)
	}
	var want Tally
	for i, text := range []string{editing, "{\n" + editing[1:], string(compressed(t, editing)), imported.String(), string(compressed(t, imported.String()))} {
		p, err := Load(strings.NewReader(text), "x", DefaultSettings)
		if err != nil {
			t.Fatal(err)
		}
		got := p.Run(idcompressor.DefaultBackend)
		if i == 0 {
			want = got
		}
		if got != want || got.Calls != 2+4*1+6 {
			t.Errorf("%.40q: %+v, want %+v", text, got, want)
		}
	}
	if _, err := Load(strings.NewReader("hello"), "x", DefaultSettings); !errors.Is(err, ErrFormat) {
		t.Errorf("prose: %v", err)
	}
}

// A text is a slice, in pieces.
func TestText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var got text
		var want []int32
		next := int32(0)
		for range rapid.IntRange(1, 30).Draw(t, "edits") {
			at := rapid.IntRange(0, len(want)).Draw(t, "at")
			if rapid.Bool().Draw(t, "insert") {
				n := rapid.SampledFrom([]int{0, 1, 2, chunk - 1, chunk, chunk + 1, 3 * chunk}).Draw(t, "n")
				got.insert(at, n, next, 1)
				for i := range n {
					want = slices.Insert(want, at+i, next)
					next++
				}
			} else {
				n := rapid.IntRange(0, len(want)-at).Draw(t, "n")
				got.remove(at, n)
				want = slices.Delete(want, at, at+n)
			}
			if got.len != len(want) {
				t.Fatalf("%d characters, want %d", got.len, len(want))
			}
			for _, p := range got.pieces {
				if len(p) == 0 && len(got.pieces) > 1 || len(p) > chunk {
					t.Fatalf("a piece of %d characters", len(p))
				}
			}
			if all := slices.Concat(got.pieces...); !slices.Equal(all, want) {
				t.Fatalf("%v, want %v", all, want)
			}
			if len(want) > 0 {
				i := rapid.IntRange(0, len(want)-1).Draw(t, "i")
				if got.at(i) != want[i] {
					t.Fatalf("at %d: %d, want %d", i, got.at(i), want[i])
				}
			}
		}
	})
}

func FuzzImport(f *testing.F) {
	f.Add([]byte(`{"startContent":"é","endContent":"éc","txns":[{"patches":[[1,0,"ab"]]},{"patches":[[1,2,""],[1,0,"c"]]}]}`))
	f.Add([]byte(`{"kind":"concurrent","numAgents":2,"txns":[{"parents":[],"agent":0,"patches":[[0,0,"a"]]},{"parents":[0],"agent":1,"patches":[[0,0,"b"]]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var out bytes.Buffer
		if err := Import(&out, bytes.NewReader(data), "fuzz", smallSettings); err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%v: no error of a line", err)
			}
			return
		}
		r, err := Replay(bytes.NewReader(out.Bytes()), "fuzz", idcompressor.DefaultBackend)
		if err != nil || r.Difference != nil {
			t.Fatalf("the import does not replay: %v, %v", r.Difference, err)
		}
	})
}
