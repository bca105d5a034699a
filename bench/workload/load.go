package workload

import (
	"bytes"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.com/idlab/impls"
	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/inspect"
)

// Load returns the document that a serialized compressor holds, in any form of
// [Forms] or Fluid's binary one, recognized by its content. What only the
// writer's session knew is left out: the measuring session takes its place, as
// one that joined and generated its IDs after all others.
func Load(name string, data []byte, seed uint64) (*Document, error) {
	state, err := ParseState(data)
	if err != nil {
		return nil, err
	}
	return FromState(name, state, seed)
}

// ParseState reads a state in whatever form it is: one that [inspect.Read]
// knows, or that packed as one of [Forms] is. An error is that of the form that
// the data looks like.
func ParseState(data []byte) (*snapshot.State, error) {
	for _, f := range Forms() {
		if f.packing != nil && bytes.HasPrefix(data, []byte(f.packing.magic)) {
			var err error
			if data, err = f.packing.unpack(data); err != nil {
				return nil, err
			}
			break
		}
	}
	s, _, err := inspect.Read(data)
	return s, err
}

// FromState returns the document that a state holds, see [Load].
func FromState(name string, state *snapshot.State, seed uint64) (*Document, error) {
	if err := state.CheckDistinct(); err != nil {
		return nil, err
	}
	var limit int64
	for _, c := range state.Clusters {
		limit += c.Capacity
	}
	own := ownCluster()
	if limit > impls.MaxID-own.Capacity {
		return nil, errors.New("workload: the document has no final IDs left for a measuring session")
	}
	d := &Document{Name: CleanName(name), Seed: seed, Own: ownState()}
	d.Sessions = slices.Concat(randomSessions(random(seed, d.Name), 1), state.Sessions)
	d.Clusters = make([]snapshot.Cluster, 0, len(state.Clusters)+1)
	for _, c := range state.Clusters {
		c.Session++
		d.Clusters = append(d.Clusters, c)
	}
	d.Clusters = append(d.Clusters, own)
	return newDocument(d), nil
}

var (
	unclean    = regexp.MustCompile(`[^a-z0-9._]+`)
	endsInDash = regexp.MustCompile(`-([0-9]+)$`)
)

// CleanName makes a name that a benchmark may have of a file's: its base in
// lower case without extensions, and what is not a letter or digit a dash.
func CleanName(file string) string {
	name := strings.ToLower(filepath.Base(file))
	for _, ext := range []string{".gz", ".zst", ".json", ".jsonl", ".txt", ".b64", ".base64", ".bin"} {
		name = strings.TrimSuffix(name, ext)
	}
	name = strings.Trim(unclean.ReplaceAllString(name, "-"), "-.")
	name = endsInDash.ReplaceAllString(name, "_$1")
	if name == "" {
		return "document"
	}
	return name
}
