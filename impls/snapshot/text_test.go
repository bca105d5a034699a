package snapshot_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/internal/statetest"
)

// emptyText is the text of the empty document, which ends in one =. twoText is
// that of a document that ends in two.
const (
	emptyText = "AAAAAAAACEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	twoText   = "AAAAAAAACEAAAAAAAAAAAAAAAAAAAPA/AAAAAAAAAADpXqCZfUEHBR2USVl4/AABAA=="
)

// TestHostileText is Q62: whatever Node's decoder lets through.
func TestHostileText(t *testing.T) {
	text := emptyText
	n := len(text)
	long := strings.Repeat("A", 100_000) // over several parts
	messages := map[string]string{}
	for _, h := range []struct {
		name, text string
		at         int
		value      string
	}{
		{"no padding", text[:n-1], n - 1, ""},
		{"no padding of two", twoText[:len(twoText)-2], len(twoText) - 2, ""},
		{"half the padding of two", twoText[:len(twoText)-1], len(twoText) - 1, ""},
		{"double padding", text + "=", n - 1, "="},
		{"three paddings", text[:n-2] + "===", n - 2, "="},
		{"a group of padding", text[:n-4] + "====", n - 4, "="},
		{"padding alone", "====", 0, "="},
		{"three of four are padding", "A===", 1, "="},
		{"padding, then text", twoText + "AAAA", len(twoText) - 2, "="},
		{"padding in a group", text[:n-2] + "=A", n - 1, "A"},
		{"padding inside", text[:8] + "AA==" + text[8:], 10, "="},
		{"unused bits of four", text[:n-2] + "B=", n - 2, "B"},
		{"unused bits of two", twoText[:len(twoText)-3] + "P==", len(twoText) - 3, "P"},
		{"one character", "A", 1, ""},
		{"five characters", "AAAAA", 5, ""},
		{"leading space", " " + text, 0, " "},
		{"leading line break", "\n" + text, 0, ""},
		{"trailing space", text[:40] + " ", 40, " "},
		{"space inside", text[:9] + " " + text[9:], 9, " "},
		{"tab inside", text[:9] + "\t" + text[9:], 9, "\t"},
		{"line break inside", text[:20] + "\n" + text[20:], 20, ""},
		{"carriage return inside", text[:24] + "\r\n" + text[24:], 24, ""},
		{"line break in the padding", twoText[:len(twoText)-3] + "\n==", len(twoText) - 3, ""},
		{"space after the line break", text + "\n ", n, ""},
		{"text after the line break", text + "\n\n" + text, n, ""},
		{"byte order mark", "\ufeff" + text, 0, "\u00ef"},
		{"junk", text[:7] + "*" + text[8:], 7, "*"},
		{"junk after others", text[:30] + "!" + text[31:40] + "\n===", 30, "!"},
		{"zero byte", text[:17] + "\x00" + text[18:], 17, "\x00"},
		{"8 bits", text[:11] + "\xff" + text[12:], 11, "ÿ"},
		{"URL alphabet -", text[:5] + "-" + text[6:], 5, "-"},
		{"URL alphabet _", text[:6] + "_" + text[7:], 6, "_"},
		{"quotes", `"` + text + `"`, 0, `"`},
		{"data URL", "data:;base64," + text, 4, ":"},
		{"junk at 50,000", long[:50_000] + "," + long[50_001:], 50_000, ","},
		{"padding at 65,535", long[:65_535] + "=" + long[65_536:], 65_535, "="},
		{"line break at 32,768", long[:32_768] + "\n" + long, 32_768, ""},
		{"line break and nothing else for long", long + strings.Repeat("\n", 70_000) + "A", 100_000, ""},
	} {
		t.Run(h.name, func(t *testing.T) {
			_, err := snapshot.ParseText([]byte(h.text))
			checkError(t, err, fmt.Sprintf("text[%d]", h.at), -1)
			var e *snapshot.Error
			if errors.As(err, &e); !errors.Is(err, snapshot.ErrCorrupt) || h.value != "" && e.Value != fmt.Sprintf("%q", []rune(h.value)[0]) {
				t.Errorf("%v: names %s, not %q", err, e.Value, h.value)
			}
			if before, ok := messages[err.Error()]; ok {
				t.Errorf("%q is said of %q too", err, before)
			}
			messages[err.Error()] = h.name
			if _, loaded := idcompressor.LoadText([]byte(h.text), own); loaded == nil || loaded.Error() != err.Error() {
				t.Errorf("LoadText: %v", loaded)
			}
			for name, r := range readers(h.text) {
				if _, read := snapshot.ReadText(r, 1<<20); read == nil || read.Error() != err.Error() {
					t.Errorf("%s: %v, not %v", name, read, err)
				}
			}
		})
	}
}

// readers returns readers that give text in other ways.
func readers(text string) map[string]io.Reader {
	r := func() io.Reader { return strings.NewReader(text) }
	return map[string]io.Reader{
		"whole": r(), "data with the error": iotest.DataErrReader(r()), "halves": iotest.HalfReader(r()),
		"one byte": iotest.OneByteReader(r()),
	}
}

// Line breaks at the end are as a file has them.
func TestLineBreaksAtTheEnd(t *testing.T) {
	for _, end := range []string{"", "\n", "\r\n", "\n\n", strings.Repeat("\r\n", 40_000)} {
		if _, err := snapshot.ParseText([]byte(emptyText + end)); err != nil {
			t.Errorf("%d characters: %v", len(end), err)
		}
		for name, r := range readers(emptyText + end) {
			if _, err := snapshot.ReadText(r, 1<<20); err != nil {
				t.Errorf("%s, %d characters: %v", name, len(end), err)
			}
		}
	}
	for _, text := range []string{"", "\n"} {
		_, err := snapshot.ParseText([]byte(text))
		checkError(t, err, "version", 0)
	}
}

// ReadText agrees with ParseText for all lengths around those of its parts.
func TestReadTextSizes(t *testing.T) {
	s := statetest.Document(40, 60)
	for clusters := range s.Clusters {
		text, _ := (&snapshot.State{Version: snapshot.V3, Sessions: s.Sessions, Clusters: s.Clusters[:clusters]}).AppendText(nil)
		if off := len(text) % (32 << 10); len(text) < 32<<10-200 || off > 200 && off < 32<<10-200 {
			continue
		}
		for name, r := range readers(string(text)) {
			got, err := snapshot.ReadText(r, len(text))
			if err != nil {
				t.Errorf("%s of %d characters: %v", name, len(text), err)
			} else if back, _ := got.AppendText(nil); !bytes.Equal(back, text) {
				t.Errorf("%s of %d characters: comes back otherwise", name, len(text))
			}
		}
		_, err := snapshot.ReadText(bytes.NewReader(text), len(text)/4*3-50)
		checkError(t, err, "length", int64(len(text)/4*3-50))
	}
}

// An error of the reader is not taken for the end.
func TestReadTextErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, want := range []error{broken, io.ErrUnexpectedEOF} {
		for _, n := range []int{0, 1, 44, 32 << 10, 50_000} {
			text := strings.NewReader((emptyText + strings.Repeat("\n", 60_000))[:n])
			if _, err := snapshot.ReadText(io.MultiReader(text, iotest.ErrReader(want)), 1<<20); err != want {
				t.Errorf("%v after %d: %v", want, n, err)
			}
		}
	}
	if _, err := snapshot.ReadText(stuck{}, 1<<20); err != io.ErrNoProgress {
		t.Errorf("a reader that gives nothing: %v", err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// The streaming forms write what the others append, in parts.
func TestWrite(t *testing.T) {
	states := statetest.Small()
	states["sessions"] = statetest.Document(4000, 1)
	states["clusters"] = statetest.Document(3, 3000)
	runs := statetest.Small()["v3-shard"]
	runs.Local.Runs, runs.Local.Generated = nil, 1<<20
	for i := range int64(5000) {
		runs.Local.Runs = append(runs.Local.Runs, snapshot.Run{First: 2*i + 1, Count: 1})
	}
	states["runs"] = runs
	for name, s := range states {
		for _, form := range []struct {
			name   string
			write  func(*snapshot.State, io.Writer) error
			append func(*snapshot.State, []byte) ([]byte, error)
			most   int
		}{
			{"text", (*snapshot.State).WriteText, (*snapshot.State).AppendText, 32 << 10},
			{"binary", (*snapshot.State).WriteBinary, (*snapshot.State).AppendBinary, 24 << 10},
		} {
			want, err := form.append(s, nil)
			if err != nil {
				t.Fatal(err)
			}
			w := &parts{most: len(want)}
			if err := form.write(s, w); err != nil || !bytes.Equal(w.Bytes(), want) {
				t.Errorf("%s, %s: %d bytes, not %d: %v", name, form.name, w.Len(), len(want), err)
			}
			if w.longest > form.most {
				t.Errorf("%s, %s: a part of %d bytes", name, form.name, w.longest)
			}
			// The writer fails after each part.
			for fail := 0; fail < len(want); fail += form.most {
				w := &parts{most: fail}
				if err := form.write(s, w); err != errFull {
					t.Errorf("%s, %s: after %d bytes %v", name, form.name, fail, err)
				}
				if w.after > 0 {
					t.Errorf("%s, %s: %d calls after the error", name, form.name, w.after)
				}
			}
		}
	}
}

var errFull = errors.New("full")

// parts is a writer that fails past most bytes.
type parts struct {
	bytes.Buffer
	most, longest, after int
	failed               bool
}

func (p *parts) Write(b []byte) (int, error) {
	if p.failed {
		p.after++
	}
	if p.Len()+len(b) > p.most {
		p.failed = true
		return 0, errFull
	}
	p.longest = max(p.longest, len(b))
	return p.Buffer.Write(b)
}
