package trace

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"example.com/idlab/impls"
	_ "example.com/idlab/impls/all"
	_ "example.com/idlab/impls/control"
	"example.com/idlab/impls/idcompressor"
)

// shared is where the traces of the project's makers are, if they are there.
const shared = "../../../shared"

// recorded returns the traces that are there: the project's own always.
func recorded(t testing.TB) map[string][]byte {
	t.Helper()
	traces := map[string][]byte{}
	for _, pattern := range []string{"testdata/recorded/*.jsonl*", shared + "/traces/*.jsonl*"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Logf("no files %s", pattern)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			traces[file] = data
		}
	}
	if len(traces) == 0 {
		t.Fatal("not one recorded trace")
	}
	return traces
}

// lines returns the lines of a trace, header first.
func lines(t testing.TB, data []byte) [][]byte {
	t.Helper()
	in, err := open(bytes.NewReader(data), "trace")
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(all), []byte{'\n'})
}

func isMap(line []byte) bool { return bytes.Contains(line, []byte(FormatMap)) }

func TestRecordedTraces(t *testing.T) {
	for file, data := range recorded(t) {
		all := lines(t, data)
		for _, b := range impls.Backends() {
			r, err := Replay(bytes.NewReader(data), file, b)
			if err != nil {
				t.Errorf("%s on %s: %v", file, b.Name, err)
				continue
			}
			if r.Difference != nil {
				t.Errorf("%s:%d on %s: %v", file, r.Difference.Line, b.Name, r.Difference)
			}
			if want := len(all) - 1; r.Calls != want {
				t.Errorf("%s on %s: %d calls, want %d", file, b.Name, r.Calls, want)
			}
			if isMap(all[0]) {
				if r.Format != FormatMap || r.Backend != "closemap" {
					t.Errorf("%s was replayed as %s on %s", file, r.Format, r.Backend)
				}
				break // it is the same on all
			}
		}
	}
}

// changed returns other JSON of the same kind.
func changed(raw string) string {
	switch {
	case raw == "null", raw == "0":
		return "7"
	case raw == "true":
		return "false"
	case raw == "false":
		return "true"
	case strings.HasPrefix(raw, "[["): // entries, of which any number may be listed
		return "[[-1" + raw[2:]
	case strings.HasPrefix(raw, "[") && raw != "[]":
		return "[]"
	case raw == "[]":
		return "[3]"
	case strings.HasPrefix(raw, `"`):
		return `"x` + raw[1:]
	case strings.HasPrefix(raw, "{"):
		i := strings.LastIndexAny(raw, "0123456789")
		return raw[:i] + string('0'+('9'-raw[i])) + raw[i+1:]
	}
	return raw + "1" // a number
}

// A changed answer is found: of every operation, in every member, and where
// an error is expected and where none is.
func TestChangedAnswersAreFound(t *testing.T) {
	type kind struct {
		op, member string
		failing    bool
	}
	tried := map[kind]int{}
	for file, data := range recorded(t) {
		all := lines(t, data)
		if len(all) > 1500 {
			continue
		}
		for i, line := range all[1:] {
			var f fields
			if err := f.split(line); err != nil {
				t.Fatal(err)
			}
			op, _ := get[string](&f, "op")
			members := []string{"result", "size"}
			if code, ok := codes[op]; ok && !isMap(all[0]) {
				members = ops[code].answers
			}
			failing := f.has("error")
			if failing || len(members) == 0 {
				members = []string{"error"}
			}
			for _, member := range members {
				k := kind{op, member, failing}
				if isMap(all[0]) {
					k.op = "map " + op
					if !f.has(member) {
						continue
					}
				}
				if tried[k]++; tried[k] > 3 {
					continue
				}
				raw := f.raw(member)
				want := changed(string(raw))
				switch {
				case failing:
					want = `"exhausted"`
				case member == "error":
					want = `"ghost"`
				}
				var mutant []byte
				if raw == nil {
					mutant = append(slices.Clone(line[:len(line)-1]), `,"error":`+want+`}`...)
				} else {
					at := bytes.LastIndex(line, append([]byte(`"`+member+`":`), raw...)) + len(member) + 3
					mutant = slices.Concat(line[:at], []byte(want), line[at+len(raw):])
				}
				copied := slices.Clone(all)
				copied[i+1] = mutant
				r, err := Replay(bytes.NewReader(bytes.Join(copied, []byte{'\n'})), file, idcompressor.DefaultBackend)
				if err != nil || r.Difference == nil || r.Difference.Line != i+2 {
					t.Errorf("%s:%d: %s with another %s: %v, %v\n%.300s", file, i+2, op, member, r.Difference, err, mutant)
				} else if d := r.Difference; d.Op != op || d.Expected == "" || d.Got == "" {
					t.Errorf("%s:%d: the difference says too little: %+v", file, i+2, d)
				}
			}
		}
	}
	for _, o := range ops {
		for _, member := range o.answers {
			if tried[kind{o.name, member, false}] == 0 {
				t.Errorf("no %s with a %s was changed", o.name, member)
			}
		}
	}
}

// An error that changed something is a difference, whatever its class.
func TestErrorsMustChangeNothing(t *testing.T) {
	defer func(run func(*machine, *Program, *call)) { ops[opDecompress].run = run }(ops[opDecompress].run)
	var spoil func(c *idcompressor.Compressor) error
	ops[opDecompress].run = func(m *machine, _ *Program, c *call) {
		if err := spoil(m.on[c.on]); err != nil {
			t.Error(err)
		}
		m.out.err = idcompressor.ErrUnknownID
	}
	trace := `{"trace":"idtrace/1"}
{"op":"create","on":"A","session":"11111111-1111-4111-8111-111111111111","writeVersion":3}
{"op":"decompress","on":"A","id":5,"error":"unknown-id"}`
	for name, f := range map[string]func(c *idcompressor.Compressor) error{
		"cluster size": func(c *idcompressor.Compressor) error { return c.SetClusterSize(7) },
		"state":        func(c *idcompressor.Compressor) error { _, err := c.Generate(); return err },
		"":             func(*idcompressor.Compressor) error { return nil },
	} {
		spoil = f
		r, err := Replay(strings.NewReader(trace), "t", idcompressor.DefaultBackend)
		if err != nil || (r.Difference != nil) != (name != "") {
			t.Errorf("changing %q: %v, %v", name, r.Difference, err)
		}
	}
}

// What is written is what was read: of every operation, to the byte.
func TestLinesAreWrittenAsRead(t *testing.T) {
	for file, data := range recorded(t) {
		all := lines(t, data)
		if isMap(all[0]) {
			continue
		}
		b, m := newBuilder("", false), machine{backend: idcompressor.DefaultBackend}
		var names []string
		for i, line := range all[1:] {
			var f fields
			if err := f.split(line); err != nil {
				t.Fatal(err)
			}
			b.reset()
			c, err := b.parse(&f)
			if err != nil {
				t.Fatal(err)
			}
			m.do(b.Program, &c)
			for range b.slots - len(names) {
				names = append(names, "")
			}
			for name, slot := range b.names {
				names[slot] = name
			}
			if f.has("error") || f.has("upstream") {
				continue
			}
			got := append(m.out.append(b.appendCall([]byte{'{'}, names, &c), &c), '}')
			if !bytes.Equal(got, line) {
				t.Errorf("%s:%d: written as %.300s, was %.300s", file, i+2, got, line)
			}
		}
	}
}

func compressed(t testing.TB, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

const (
	headLine   = `{"trace":"idtrace/1","source":"test","name":"t"}` + "\n"
	createLine = `{"op":"create","on":"A","session":"11111111-1111-4111-8111-111111111111","writeVersion":3,"clusterSize":4}` + "\n"
)

// Bad input is an error that names the line.
func TestBadInput(t *testing.T) {
	long := strings.Repeat(" ", MaxLine)
	good := compressed(t, headLine+createLine+strings.Repeat(`{"op":"resetUnfinalized","on":"A"}`+"\n", 10_000))
	cut := string(good[:len(good)-12])
	wrong := bytes.Clone(good)
	wrong[len(wrong)-7] ^= 1 // of the checksum
	for _, test := range []struct {
		name, text string
		line       int
		want       string
	}{
		{"empty", "", 1, "no line"},
		{"blank", "\n\n", 2, "no line"},
		{"prose", "Once upon a time\n", 1, "invalid character"},
		{"UTF-16", "\xff\xfe{\x00", 1, "invalid character"},
		{"no header", createLine, 1, `"trace" is missing`},
		{"unknown format", `{"trace":"idtrace/2"}`, 1, `"idtrace/2"`},
		{"format of another type", `{"trace":1}`, 1, `"trace"`},
		{"array", headLine + "[1]", 2, "no JSON object"},
		{"null", headLine + "null", 2, "no JSON object"},
		{"truncated", headLine + createLine + `{"op":"generate","on":"A","n":1,"ids":[-1`, 3, "unexpected end"},
		{"two on a line", headLine + `{"op":"clear"}{"op":"clear"}`, 2, "invalid character"},
		{"no op", headLine + `{"on":"A"}`, 2, `"op" is missing`},
		{"unknown op", headLine + createLine + `{"op":"Generate","on":"A"}`, 3, `unknown op "Generate"`},
		{"op of another type", headLine + `{"op":7}`, 2, `"op"`},
		{"unknown compressor", headLine + createLine + `{"op":"takeRange","on":"B"}`, 3, `no compressor "B"`},
		{"name used twice", headLine + createLine + createLine, 3, `"A" is there already`},
		{"field of another case", headLine + createLine + `{"op":"takeRange","On":"A"}`, 3, `"on" is missing`},
		{"no n", headLine + createLine + `{"op":"generate","on":"A","ids":[]}`, 3, `"n" is missing`},
		{"n is a string", headLine + createLine + `{"op":"generate","on":"A","n":"1","ids":[]}`, 3, `"n"`},
		{"n is a fraction", headLine + createLine + `{"op":"generate","on":"A","n":0.5,"ids":[]}`, 3, `"n"`},
		{"n is huge", headLine + createLine + `{"op":"generate","on":"A","n":99999999999999999999,"ids":[]}`, 3, `"n"`},
		{"n asks for memory", headLine + createLine + `{"op":"generate","on":"A","n":4294967296,"error":"exhausted"}`, 3, "may ask for"},
		{"ghost asks for memory", headLine + createLine + `{"op":"ghost","on":"A","session":"21111111-1111-4111-8111-111111111111","n":9007199254740993,"error":"ghost"}`, 3, "may ask for"},
		{"no answer", headLine + createLine + `{"op":"takeRange","on":"A"}`, 3, `"range" is missing`},
		{"no range", headLine + createLine + `{"op":"finalize","on":"A"}`, 3, `"range" is missing`},
		{"error is no string", headLine + createLine + `{"op":"takeRange","on":"A","error":1}`, 3, `"error"`},
		{"null for a flag", headLine + createLine + `{"op":"serialize","on":"A","withSession":null,"data":""}`, 3, `"withSession" is null`},
		{"shards without names", headLine + createLine + `{"op":"shard","on":"A","n":2,"into":["B"],"shardIds":[],"tokens":[],"serialized":[]}`, 3, "2 shards"},
		{"long line", headLine + createLine + long + `{"op":"takeRange","on":"A"}`, 3, "longer than"},
		{"gzip cut off", cut, 0, "cut off"},
		{"gzip damaged", string(wrong), 0, "checksum"},
		{"gzip of nothing", "\x1f\x8b", 1, ""},
		{"map without key", `{"trace":"maptrace/1"}` + "\n" + `{"op":"get","result":null}`, 2, `"k" is missing`},
		{"map op", `{"trace":"maptrace/1"}` + "\n" + `{"op":"pop"}`, 2, `unknown op "pop"`},
		{"map key", `{"trace":"maptrace/1"}` + "\n" + `{"op":"set","k":"a","v":1}`, 2, `"k"`},
		{"map iterator", `{"trace":"maptrace/1"}` + "\n" + `{"op":"next","name":"i","result":null}`, 2, `no iterator "i"`},
		{"map iterator twice", `{"trace":"maptrace/1"}` + "\n" + strings.Repeat(`{"op":"iter","name":"i"}`+"\n", 2), 3, "open already"},
	} {
		r, err := Replay(strings.NewReader(test.text), "FILE", idcompressor.DefaultBackend)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v, %+v", test.name, err, r)
			continue
		}
		if e.File != "FILE" || e.Line != test.line && test.line > 0 || e.Line < 1 || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want line %d and %q", test.name, err, test.line, test.want)
		}
	}
}

// Few lines can ask for many copies of a large compressor.
func TestShardsAreLimited(t *testing.T) {
	b := newBuilder("", false)
	m := machine{backend: idcompressor.DefaultBackend, shardBytes: MaxShards - 100}
	text := createLine + `{"op":"shard","on":"A","n":9,"into":["B","C","D","E","F","G","H","I","J"],"shardIds":[` +
		strings.Repeat(`"21111111-1111-4111-8111-111111111111",`, 8) + `"21111111-1111-4111-8111-111111111111"]}`
	for i, line := range strings.Split(text, "\n") {
		var f fields
		if err := f.split([]byte(line)); err != nil {
			t.Fatal(err)
		}
		c, err := b.parse(&f)
		if err != nil {
			t.Fatal(err)
		}
		m.do(b.Program, &c)
		if got := m.out.err == errShards; got != (i == 1) {
			t.Errorf("line %d: %v", i, m.out.err)
		}
	}
	b.slots = MaxCompressors
	if _, err := b.define("last"); err == nil {
		t.Error("any number of compressors")
	}
}

// Unknown members, blanks, another order and blank lines do not count.
func TestLenience(t *testing.T) {
	text := "\n" + `{"name":"t", "trace":"idtrace/1", "more":{"a":[1,"}"]}}` + "\r\n" +
		`{ "clusterSize" : 4 , "x\u0022":"\"}", "writeVersion":3, "session":"11111111-1111-4111-8111-111111111111", "on":"A", "op":"create"}` + "\n\n" +
		`{"op":"generate","on":"\u0041","n":2,"ids":[ -1, -2 ],"upstream":[0]}` + "\n" +
		`{"op":"takeRange","on":"A","range":{"ids":{"localIdRanges":[[1,2]],"count":2,"firstGenCount":1,"requestedClusterSize":4},"sessionId":"11111111-1111-4111-8111-111111111111"}}`
	r, err := Replay(bytes.NewReader(compressed(t, text)), "t", idcompressor.DefaultBackend)
	if err != nil || r.Difference != nil || r.Calls != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}

// The rows that a program keeps hide nothing: the answers of its run are those
// of a replay, one call at a time, on every backend.
func TestRun(t *testing.T) {
	for file, data := range recorded(t) {
		all := lines(t, data)
		if isMap(all[0]) {
			if _, err := Load(bytes.NewReader(data), file, DefaultSettings); !errors.Is(err, ErrFormat) {
				t.Errorf("%s is loaded: %v", file, err)
			}
			continue
		}
		p, err := Load(bytes.NewReader(data), file, DefaultSettings)
		if err != nil {
			t.Fatal(err)
		}
		var want Tally
		var s sum
		b, m := newBuilder("", false), machine{backend: idcompressor.DefaultBackend}
		for _, line := range all[1:] {
			var f fields
			if err := f.split(line); err != nil {
				t.Fatal(err)
			}
			b.reset()
			c, err := b.parse(&f)
			if err != nil {
				t.Fatal(err)
			}
			m.do(b.Program, &c)
			m.out.fold(&s)
			want.IDs += m.out.count()
			want.Calls++
		}
		want.Checksum = uint64(s)
		if n := p.Calls(); n != want.Calls {
			t.Errorf("%s: %d calls, want %d", file, n, want.Calls)
		}
		for _, backend := range impls.Backends() {
			if got := p.Run(backend); got != want {
				t.Errorf("%s on %s: %+v, want %+v", file, backend.Name, got, want)
			}
		}
	}
}

// A program survives a backend whose answers are wrong.
func TestRunOnControls(t *testing.T) {
	if len(impls.Controls()) == 0 {
		t.Fatal("no controls")
	}
	for file, data := range recorded(t) {
		p, err := Load(bytes.NewReader(data), file, DefaultSettings)
		if err != nil {
			continue // a maptrace
		}
		for _, b := range impls.Controls() {
			p.Run(b)
		}
	}
}

func FuzzReplay(f *testing.F) {
	for _, data := range recorded(f) {
		all := lines(f, data)
		f.Add(append(bytes.Join(all[:min(len(all), 40)], []byte{'\n'}), '\n'))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := Replay(bytes.NewReader(data), "fuzz", idcompressor.DefaultBackend)
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Line < 1 || e.Line > 1+bytes.Count(data, []byte{'\n'}) && data[0] != 0x1f) {
			t.Fatalf("%v: no error of a line", err)
		}
		p, err := Load(bytes.NewReader(data), "fuzz", DefaultSettings)
		if err != nil {
			if !errors.As(err, &e) {
				t.Fatalf("%v: no error of a line", err)
			}
			return
		}
		tally := p.Run(idcompressor.DefaultBackend)
		if profile := p.Profile(); profile.Calls != tally.Calls {
			t.Fatalf("%d calls were made, %d counted", tally.Calls, profile.Calls)
		}
		if again := p.Run(idcompressor.DefaultBackend); again != tally {
			t.Fatalf("%+v and then %+v", tally, again)
		}
	})
}
