package control

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/idlab/impls"
	"example.com/idlab/impls/backendtest"
	"example.com/idlab/impls/model"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/sortedslice"
)

func TestMain(m *testing.M) {
	flag.Parse()
	// The controls have to fail: no file is to be kept of it, nor time spent on it.
	for name, value := range map[string]string{"rapid.nofailfile": "true", "rapid.shrinktime": "300ms"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// caught returns which of some parts of the suite b fails, and the log of one.
func caught(b impls.Backend, part string, among ...string) (parts []string, log string) {
	for _, v := range backendtest.Violations(b, among...) {
		parts = append(parts, v.Part)
		if v.Part == part {
			log = v.Log
		}
	}
	return parts, log
}

func TestWrongIsCaughtByItsAnswers(t *testing.T) {
	parts, log := caught(Wrong, "Documents", "Steps", "Documents", "Bulk")
	if want := []string{"Steps", "Documents", "Bulk"}; !containsAll(parts, want) {
		t.Fatalf("caught by %v, want %v", parts, want)
	}
	if !strings.Contains(log, "StableID(") || !strings.Contains(log, ", want ") {
		t.Errorf("the suite does not say which answer is wrong:\n%s", log)
	}
}

func TestSlowIsCaughtByItsCounters(t *testing.T) {
	parts, log := caught(Slow, "Probes", "Cases", "Steps", "Documents", "Probes", "NormalizerCases", "NormalizerLarge")
	for _, part := range parts { // its answers are right
		if !slices.Contains([]string{"Steps", "Probes"}, part) {
			t.Errorf("also caught by %s", part)
		}
	}
	if !strings.Contains(log, "steps, want at most ProbeBound()") {
		t.Fatalf("caught by %v and not by its counters:\n%s", parts, log)
	}
}

func containsAll(have, want []string) bool {
	return !slices.ContainsFunc(want, func(s string) bool { return !slices.Contains(have, s) })
}

// Null keeps what a compressor builds on and answers lookups with something
// well formed.
func TestNull(t *testing.T) {
	null, want := Null.NewTable(), model.Backend.NewTable()
	if id, ok := null.StableID(0); ok || null.ByFinal(0).Found() || null.ByGen(0, 1).Found() ||
		null.ByStableID(numericuuid.Max).Found() {
		t.Errorf("an empty table finds %v", id)
	}
	const sessions = 30
	final := int64(0)
	for i := range 300 {
		s := impls.Session(i * i % sessions)
		for _, table := range []impls.ClusterTable{null, want} {
			table.AddSession(numericuuid.UUID{Hi: uint64(i % sessions), Lo: 5})
		}
		if int(s) >= want.SessionCount() {
			continue
		}
		c := impls.Cluster{Session: s, BaseFinal: final, BaseGen: 1, Capacity: int64(1 + i), Count: int64(i)}
		if last, ok := want.LastCluster(s); ok {
			c.BaseGen = last.GenLimit()
		}
		for _, table := range []impls.ClusterTable{null, want} {
			table.AppendCluster(c)
			table.ResizeLast(s, c.Capacity+3, c.Count+2)
		}
		final += c.Capacity + 3
		if got, _ := null.LastCluster(s); got.Capacity != c.Capacity+3 || got.BaseFinal != c.BaseFinal {
			t.Fatalf("LastCluster(%d) = %+v after %+v", s, got, c)
		}
	}
	if !slices.Equal(slices.Collect(null.Clusters()), slices.Collect(want.Clusters())) ||
		null.ClusterCount() != want.ClusterCount() || null.SessionCount() != want.SessionCount() {
		t.Error("the clusters are not those added")
	}
	for s := range impls.Session(sessions) {
		id := want.SessionID(s)
		if got, ok := null.LookupSession(id); !ok || got != s || null.SessionID(s) != id {
			t.Errorf("session %d is found as %d", s, got)
		}
	}
	for n := range final {
		id, ok := null.StableID(n)
		if p := want.ByStableID(id); !ok || !p.Found() {
			t.Fatalf("StableID(%d) = %v, which is no ID of the table", n, id)
		}
		if p := null.ByFinal(n); want.ByFinal(p.Final).Gen != p.Gen {
			t.Fatalf("ByFinal(%d) = %+v, which is no place of the table", n, p)
		}
	}
	for _, n := range []int64{-1, final, impls.MaxID} {
		if _, ok := null.StableID(n); ok || null.ByFinal(n).Found() || null.GenInSession(0, n) != 0 {
			t.Errorf("final %d is found", n)
		}
	}
}

// What null's normalizer answers to Runs goes into serialized data.
func TestNullNormalizerRuns(t *testing.T) {
	for _, v := range backendtest.Violations(Null, "NormalizerLarge", "NormalizerWidths") {
		if !strings.Contains(v.Log, "Contains(") {
			t.Errorf("%s: %s", v.Part, v.Log)
		}
	}
	n := Null.NewNormalizer()
	for _, r := range []impls.Run{{First: 2, Count: 1}, {First: 4, Count: 2}, {First: 6, Count: 1}, {First: 9, Count: 1}} {
		if err := n.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	want := []impls.Run{{First: 5, Count: 2}, {First: 9, Count: 1}}
	if got := slices.Collect(n.Runs(5, 20)); !slices.Equal(got, want) || n.RunCount() != 3 {
		t.Errorf("Runs(5, 20) = %+v of %d runs, want %+v of 3", got, n.RunCount(), want)
	}
	if n.Append(impls.Run{First: 9, Count: 2}) == nil {
		t.Error("an overlapping run is taken")
	}
}

func TestControlsAreNotListed(t *testing.T) {
	for _, b := range impls.Backends() {
		if b.Control {
			t.Errorf("%s is listed", b.Name)
		}
	}
	if got := len(impls.Controls()); got != 3 {
		t.Errorf("%d controls, want 3", got)
	}
}

// The price of the controls beside what they are made of.
func BenchmarkStableID(b *testing.B) {
	for _, backend := range []impls.Backend{sortedslice.Backend, Null, Slow, Wrong} {
		b.Run("backend="+backend.Name, func(b *testing.B) {
			const sessions, clusters, capacity = 10_000, 30_000, 512
			table := backend.NewTable()
			for i := range uint64(sessions) {
				table.AddSession(numericuuid.UUID{Hi: i << 30, Lo: i})
			}
			for i := range int64(clusters) {
				table.AppendCluster(impls.Cluster{Session: impls.Session(i % sessions), BaseFinal: i * capacity,
					BaseGen: i/sessions*capacity + 1, Capacity: capacity, Count: capacity})
			}
			const mask = 1<<20 - 1
			finals := make([]int64, mask+1)
			for i := range finals {
				finals[i] = decoy(uint64(i), 7, clusters*capacity)
			}
			for i := 0; b.Loop(); i++ {
				table.StableID(finals[i&mask])
			}
		})
	}
}
