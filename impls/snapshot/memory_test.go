package snapshot_test

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/internal/statetest"
)

// greedy returns forms that make a reader take the most memory for their
// length: of each kind of row as many as there can be, right and wrong ones,
// narrow and wide.
func greedy(t testing.TB) map[string][]byte {
	const n = 20_000
	ids := statetest.Document(n, 1).Sessions
	forms := map[string]*snapshot.State{
		"sessions": {Version: 3, Sessions: ids},
		"narrow":   {Version: 3, Sessions: ids[:1]},
		"wide":     {Version: 3, Sessions: ids[:n/10]},
		"paged":    {Version: 3, Sessions: ids[:n/10]},
		"runs":     {Version: 2, Sessions: ids[:1], Local: &snapshot.Local{Generated: snapshot.MaxID, Cursor: 1}},
		"children": {Version: 3, Sessions: ids[:1], Local: &snapshot.Local{Cursor: 1, Sharding: &snapshot.Sharding{Stride: 1, Original: 1, Children: ids}}},
		// All children in one place of a hash table.
		"collisions": {Version: 3, Sessions: ids[:1], Local: &snapshot.Local{Cursor: 1, Sharding: &snapshot.Sharding{Stride: 1, Original: 1}}},
	}
	for i := range n {
		forms["narrow"].Clusters = append(forms["narrow"].Clusters, snapshot.Cluster{Capacity: 1})
		forms["wide"].Clusters = append(forms["wide"].Clusters, snapshot.Cluster{Session: int32(i % (n / 10)), Capacity: 1 << 38, Count: 1 << 38})
		// The most IDs for which the default backend has a page table.
		forms["paged"].Clusters = append(forms["paged"].Clusters, snapshot.Cluster{Session: int32(i % (n / 10)), Capacity: 5<<9 - 1, Count: 1})
		forms["runs"].Local.Runs = append(forms["runs"].Local.Runs, snapshot.Run{First: 1 + int64(i)<<38, Count: 1 << 37})
		h := forms["collisions"].Local.Sharding
		h.Children = append(h.Children, numericuuid.UUID{Hi: uint64(i), Lo: uint64(i) << 32})
	}
	data := map[string][]byte{}
	for name, s := range forms {
		if err := s.Check(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		form, _ := s.AppendBinary(nil)
		data[name] = form
		data[name+" cut off"] = form[:len(form)-8]
	}
	for name, slot := range map[string]int{"sessions": sessionCount, "clusters": clusterCount} {
		for _, claim := range []float64{1 << 20, 1 << 31, 1 << 45, snapshot.MaxID} {
			data[fmt.Sprintf("%.0f %s claimed", claim, name)] = put(slot, claim)(slices.Clone(data["narrow"]))
		}
	}
	return data
}

// allocated returns how many bytes f allocates, given back or not.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// Reading takes at most 16 times the input, whatever that claims. What is
// measured is more than what is in use at a time.
func TestMemory(t *testing.T) {
	for name, data := range greedy(t) {
		text := snapshot.AppendEncode(nil, data)
		for _, r := range []struct {
			name  string
			input int
			read  func()
		}{
			{"Parse", len(data), func() { snapshot.Parse(data) }},
			{"ParseText", len(text), func() { snapshot.ParseText(text) }},
			{"ReadText", len(text), func() { snapshot.ReadText(bytes.NewReader(text), len(data)) }},
			{"Load", len(data), func() { load(data) }},
			{"LoadText", len(text), func() {
				if _, err := idcompressor.LoadText(text); err != nil {
					idcompressor.LoadText(text, own)
				}
			}},
		} {
			got := allocated(r.read)
			t.Logf("%s: %s takes %.1f times the input", name, r.name, float64(got)/float64(r.input))
			if got > 16*r.input {
				t.Errorf("%s: %s takes %d bytes for %d", name, r.name, got, r.input)
			}
		}
	}
}
