package inspect_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/compact"
	"example.com/idlab/impls/snapshot/inspect"
	"example.com/idlab/impls/snapshot/internal/statetest"
)

var update = flag.Bool("update", false, "write testdata anew")

func text(t testing.TB, s *snapshot.State) []byte {
	t.Helper()
	data, err := s.AppendText(nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func describe(t testing.TB, s *snapshot.State) inspect.Report {
	t.Helper()
	r, err := inspect.Describe(text(t, s))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// odd is a shard about which everything is odd that may be.
func odd() *snapshot.State {
	s := statetest.Small()["v3-shard"]
	a := s.Sessions[0]
	s.Sessions = append(s.Sessions, a.Add(40), numericuuid.UUID{Lo: 1}, numericuuid.UUID{Lo: 2})
	s.Clusters = append(slices.Clone(s.Clusters),
		snapshot.Cluster{Session: 0, Capacity: 60, Count: 58},
		snapshot.Cluster{Session: 2, Capacity: 1<<20 + 5, Count: 1},
		snapshot.Cluster{Session: 2, Capacity: 2_000_000, Count: 100_000},
	)
	s.Local.Runs = append(s.Local.Runs[:1], snapshot.Run{First: 2, Count: 2}, snapshot.Run{First: 7, Count: 1})
	return s
}

func TestGolden(t *testing.T) {
	for name, s := range map[string]*snapshot.State{"odd": odd(), "small": statetest.Document(100, 3), "empty": statetest.Small()["empty"]} {
		if err := s.Check(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := describe(t, s)
		var got bytes.Buffer
		if err := inspect.WriteText(&got, r); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s: not as in %s (-update writes it):\n%s", name, file, diff)
		}
	}
}

// The keys that scripts read are numbers and flags, and no list is null.
func TestJSON(t *testing.T) {
	for name, s := range statetest.Small() {
		data, err := json.Marshal(describe(t, s))
		if err != nil {
			t.Fatal(err)
		}
		var keys map[string]any
		if err := json.Unmarshal(data, &keys); err != nil {
			t.Fatal(err)
		}
		var finalized, reserved float64
		for _, c := range s.Clusters {
			finalized += float64(c.Count)
			reserved += float64(c.Capacity - c.Count)
		}
		for key, want := range map[string]any{
			"version": float64(s.Version), "hasLocalState": s.Local != nil, "form": "base64",
			"sessions": float64(len(s.Sessions)), "clusters": float64(len(s.Clusters)),
			"finalized": finalized, "reserved": reserved,
		} {
			if keys[key] != want {
				t.Errorf("%s: %s is %v, not %v", name, key, keys[key], want)
			}
		}
		if bytes.Contains(data, []byte("null")) {
			t.Errorf("%s: %s", name, data)
		}
	}
}

// The parts of a form add up to it, and a form is as long as it says.
func TestSizes(t *testing.T) {
	states := statetest.Small()
	states["document"] = statetest.Document(100, 3)
	for name, s := range states {
		lengths := map[string]int{}
		v3, err := s.InVersion(snapshot.V3)
		if err != nil {
			t.Fatal(err)
		}
		lengths["v3 base64"] = len(text(t, v3))
		lengths["v3 binary"] = v3.Size()
		form, _ := compact.Append(nil, s)
		lengths["compact"] = len(form)
		for _, size := range describe(t, s).Sizes {
			if want := lengths[size.Form]; want != 0 && size.Bytes != want {
				t.Errorf("%s: %s has %d bytes, not %d", name, size.Form, size.Bytes, want)
			}
			sum := 0
			for _, p := range size.Parts {
				sum += p.Bytes
			}
			if size.Parts != nil && sum != size.Bytes {
				t.Errorf("%s: the parts of %s add up to %d, not %d", name, size.Form, sum, size.Bytes)
			}
		}
	}
}

func TestFindings(t *testing.T) {
	for want, s := range map[string]*snapshot.State{
		"": statetest.Document(10, 1),
		"version 2: it cannot be sharded until it is loaded and written as version 3": {Version: snapshot.V2},
		"a root in sharding mode without children: it cannot leave that mode": {
			Version: snapshot.V3, Sessions: make([]numericuuid.UUID, 1),
			Local: &snapshot.Local{Cursor: 1, Sharding: &snapshot.Sharding{Stride: 1, Original: 1}},
		},
		"sessions without clusters, which are dropped when it is loaded: 1 (00000000-0000-4000-8000-000000000000)": {
			Version: snapshot.V3, Sessions: make([]numericuuid.UUID, 1),
		},
	} {
		got := describe(t, s).Findings
		if want == "" && len(got) == 0 || len(got) == 1 && got[0] == want {
			continue
		}
		t.Errorf("%q, not %q", got, want)
	}
}

// Whatever the state, describing it takes its sums right and fails at nothing.
func TestDescribe(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := statetest.State().Draw(rt, "state")
		r := describe(t, s)
		n := 0
		for _, b := range r.Fill {
			n += b.Count
		}
		if n != len(s.Clusters) {
			rt.Fatalf("%d clusters, by how full they are %d", len(s.Clusters), n)
		}
		if err := inspect.WriteText(&bytes.Buffer{}, r); err != nil {
			rt.Fatal(err)
		}
	})
}

// Through all forms, and back to the same bytes.
func TestConvert(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := statetest.State().Draw(rt, "state")
		binary, _ := s.AppendBinary(nil)
		base64 := text(t, s)
		form, _ := compact.Append(nil, s)
		sharded := s.Local != nil && s.Local.Sharding != nil
		for _, input := range [][]byte{binary, base64, form, append(slices.Clone(base64), '\n')} {
			read, _, err := inspect.Read(input)
			if err != nil || !cmp.Equal(read, s, cmpopts.EquateEmpty()) {
				rt.Fatalf("%q: %v", input, err)
			}
			for to, version := range map[string]int{"v2": 2, "v3": 3, "compact": s.Version} {
				got, err := inspect.Convert(input, to)
				if sharded && to == "v2" {
					if !errors.Is(err, snapshot.ErrSharded) {
						rt.Fatalf("sharded to %s: %v", to, err)
					}
					continue
				}
				if err != nil {
					rt.Fatalf("to %s: %v", to, err)
				}
				want, _ := s.InVersion(version)
				back, _, err := inspect.Read(got)
				if err != nil || !cmp.Equal(back, want, cmpopts.EquateEmpty()) {
					rt.Fatalf("to %s and back: %v", to, err)
				}
				if same := version == s.Version && to != "compact"; same && !bytes.Equal(got, base64) {
					rt.Fatalf("to %s: %s, not %s", to, got, base64)
				}
			}
		}
	})
}

func TestFluidSnapshots(t *testing.T) {
	files, _ := filepath.Glob("../../../../shared/fluid-snapshots/*/*")
	if len(files) == 0 {
		t.Skip("no ../shared here")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		form, err := inspect.Convert(data, "compact")
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
			continue
		}
		version := filepath.Base(file)[:2]
		if folder := filepath.Base(filepath.Dir(file)); folder == "v2" || folder == "v3" {
			version = folder
		}
		if back, err := inspect.Convert(form, version); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%s: comes back as %s: %v", filepath.Base(file), back, err)
		}
		if _, err := inspect.Describe(data); err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
	}
}

func TestRefused(t *testing.T) {
	twice := statetest.Small()["v3"]
	twice.Sessions[1] = twice.Sessions[0]
	binary, _ := twice.AppendBinary(nil)
	damaged, _ := compact.Append(nil, statetest.Small()["v3"])
	damaged[20] ^= 1
	for name, data := range map[string][]byte{
		"nothing": nil, "words": []byte("hello, world"), "one session twice": binary, "a damaged compact form": damaged,
		"zeros": make([]byte, 40), "a picture": []byte("\x89PNG\r\n\x1a\n\x00\x00"), "line break before": []byte("\n" + string(text(t, statetest.Small()["v3"]))),
	} {
		var e *snapshot.Error
		if _, err := inspect.Describe(data); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
		if out, err := inspect.Convert(data, "v3"); out != nil || !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, to := range []string{"", "v1", "V3", "json"} {
		if _, err := inspect.Convert(text(t, statetest.Small()["v3"]), to); !errors.Is(err, inspect.ErrUnknownTarget) || !strings.Contains(err.Error(), `"`+to+`"`) {
			t.Errorf("to %q: %v", to, err)
		}
	}
}
