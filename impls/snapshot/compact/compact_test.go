package compact_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/compact"
	"example.com/idlab/impls/snapshot/internal/statetest"
)

// bound is the entropy of such a document in bytes: 122 bits a session, the
// interleavings up to naming the sessions, and 9 bits a session.
func bound(sessions, each int) float64 {
	lg := func(n int) float64 { v, _ := math.Lgamma(float64(n) + 1); return v / math.Ln2 }
	interleavings := lg(sessions*each) - float64(sessions)*lg(each) - lg(sessions)
	return (float64(sessions)*(122+9) + interleavings) / 8
}

func TestNearTheBound(t *testing.T) {
	for _, c := range []struct {
		name           string
		sessions, each int
		bytes          float64 // of the bound, as the lab has it; 0 if it does not
		most           float64
	}{{"sessions", 10_000, 3, 196_075, 1.10}, {"clusters", 100, 3_000, 250_629, 1.04}, {"small", 100, 3, 0, 1.10}} {
		s := statetest.Document(c.sessions, c.each)
		form, err := compact.Append(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		b := bound(c.sessions, c.each)
		t.Logf("%s: %d bytes, %.4f times the bound of %.0f", c.name, len(form), float64(len(form))/b, b)
		if float64(len(form)) > c.most*b {
			t.Errorf("%s: %d bytes are more than %.2f times the bound of %.0f", c.name, len(form), c.most, b)
		}
		if c.bytes != 0 && math.Round(b) != c.bytes {
			t.Errorf("%s: the bound is %.1f, not %.0f", c.name, b, c.bytes)
		}
		if got := compact.Bound(s); math.Abs(got-b) > 0.01 {
			t.Errorf("%s: Bound is %.3f, not %.3f", c.name, got, b)
		}
	}
}

var equateEmpty = cmpopts.EquateEmpty()

func checkRoundTrip(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *snapshot.State) []byte {
	t.Helper()
	form, err := compact.Append(nil, s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	back, err := compact.Parse(form)
	if err != nil {
		t.Fatalf("%v\nof %+v", err, s)
	}
	// cmp takes seconds for a large document.
	same := slices.Equal(s.Clusters, back.Clusters) && slices.Equal(s.Sessions, back.Sessions)
	if small := len(s.Clusters) < 1000; small || !same {
		if diff := cmp.Diff(s, back, equateEmpty); diff != "" {
			t.Fatalf("comes back otherwise:\n%s", diff)
		}
	} else if diff := cmp.Diff(s.Local, back.Local, equateEmpty); diff != "" {
		t.Fatalf("local state comes back otherwise:\n%s", diff)
	}
	return form
}

func TestRoundTripDocuments(t *testing.T) {
	checkRoundTrip(t, &snapshot.State{Version: snapshot.V2})
	checkRoundTrip(t, statetest.Document(100, 3))
	checkRoundTrip(t, statetest.Document(10_000, 3))
	checkRoundTrip(t, statetest.Document(100, 3_000))
}

// Ghost sessions may have many clusters in a row, which cost next to nothing.
func TestAlikeIsFilled(t *testing.T) {
	s := &snapshot.State{Version: snapshot.V3, Sessions: make([]numericuuid.UUID, 1)}
	for range 100_000 {
		s.Clusters = append(s.Clusters, snapshot.Cluster{Capacity: 1, Count: 1})
	}
	form := checkRoundTrip(t, s)
	if n := len(form); n < 100_000/8-100 || n > 100_000/8+100 {
		t.Errorf("%d bytes", n)
	}
	s.Clusters = s.Clusters[:1]
	s.Local = &snapshot.Local{Generated: 200_000, Cursor: 1}
	for i := range int64(20_000) {
		s.Local.Runs = append(s.Local.Runs, snapshot.Run{First: 1 + 3*i, Count: 2})
	}
	checkRoundTrip(t, s)
}

func TestFluidSnapshots(t *testing.T) {
	files, _ := filepath.Glob("../../../../shared/fluid-snapshots/*/*")
	if len(files) == 0 {
		t.Skip("no ../shared here")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := snapshot.ParseText(text)
		if err != nil {
			continue // a README
		}
		form := checkRoundTrip(t, s)
		back, _ := compact.Parse(form)
		if again, _ := back.AppendText(nil); !bytes.Equal(again, text) {
			t.Errorf("%s comes back as %s", filepath.Base(file), again)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, statetest.State().Draw(t, "state")) })
}

func TestCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := statetest.State().Draw(t, "state")
		one, err := compact.Hash(s)
		if err != nil {
			t.Fatal(err)
		}
		// The same document, seen by another session in another order.
		other := &snapshot.State{Version: snapshot.V2, Sessions: make([]numericuuid.UUID, len(s.Sessions)+1)}
		order := rapid.Permutation(indices(len(s.Sessions))).Draw(t, "order")
		for i, at := range order {
			other.Sessions[at+1] = s.Sessions[i]
		}
		for _, c := range s.Clusters {
			c.Session = int32(order[c.Session] + 1)
			other.Clusters = append(other.Clusters, c)
		}
		if two, _ := compact.Hash(other); one != two {
			t.Fatalf("equal documents have two hashes:\n%+v\n%+v", s, other)
		}
		if len(s.Clusters) == 0 {
			return
		}
		at := rapid.IntRange(0, len(s.Clusters)-1).Draw(t, "changed")
		if c := &other.Clusters[at]; c.Count > 0 {
			c.Count--
			if two, _ := compact.Hash(other); one == two {
				t.Fatalf("another count of cluster %d has the same hash", at)
			}
		}
	})
}

func indices(n int) []int {
	is := make([]int, n)
	for i := range is {
		is[i] = i
	}
	return is
}

// The forms of version 1 do not change: others have written some. A change of
// the format is a new version, and these stay readable.
func TestGolden(t *testing.T) {
	for name, want := range map[string]string{
		"empty":           "f14944430101000037a66d85",
		"v3":              "f149444301010203e95ea0997d4107051d94495978fc00fd9a0e4fdfe236425d81a6a57526b004020b94a1cdcda440f4f8de84",
		"v2-with-session": "f149444301020203e95ea0997d4107051d94495978fc00fd9a0e4fdfe236425d81a6a57526b004020b94a1cdcda43fc212ffd98ccb61c0b9a307",
		"v3-shard":        "f1494443010f0203e95ea0997d4107051d94495978fc00fd9a0e4fdfe236425d81a6a57526b0040122222222222222222222222222222202bfa6c3d3b7b88d5057a069699d092c01020b94a1cdcda43fc212ffd98ccb60304c8d368c03",
	} {
		form, err := compact.Append(nil, statetest.Small()[name])
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(form); got != want {
			t.Errorf("%s:\n%s, and not\n%s", name, got, want)
		}
	}
}
