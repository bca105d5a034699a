package workload

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"example.com/idlab/impls/idcompressor"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
)

// capacity of every cluster of the embedded documents.
const capacity = 512

// shapes are the embedded documents but for one-writer, as sessions x clusters.
var shapes = []struct{ name, shape string }{
	{"small", "100x3"},
	{"sessions", "10000x3"},
	{"clusters", "100x3000"},
	{"large", "1000x3000"},
	{"large-sessions", "1000000x3"},
}

const oneWriterName = "one-writer"

// Huge is how many clusters a document has at least that takes seconds to
// build: little of what is per document is measured on it, and that once a process.
const Huge = 1 << 20

// Names returns the names of the embedded documents.
func Names() []string {
	names := []string{oneWriterName}
	for _, s := range shapes {
		names = append(names, s.name)
	}
	return names
}

// Sweep returns the documents of the size sweep: three clusters a session,
// sizes about a sixth of an octave to an octave apart, none a power of two.
func Sweep() []string {
	return []string{"30x3", "300x3", "1000x3", "3000x3", "5000x3", "5900x3", "7100x3", "8400x3", "30000x3", "100000x3", "300000x3"}
}

// InSweep reports whether an embedded document differs from those of the sweep
// in size alone.
func InSweep(name string) bool {
	_, clusters, err := shapeOf(name)
	return err == nil && clusters == 3
}

// ErrUnknownDocument is the error of a name that no document has.
var ErrUnknownDocument = errors.New("unknown document")

const maxClusters = 1 << 26 // of a document made here

var shapeName = regexp.MustCompile(`^([1-9][0-9]{0,8})x([1-9][0-9]{0,8})$`)

// Embedded returns the document of that name: one of [Names], or SxC for S
// sessions, 2 or more, of C clusters each. The same name and seed always give
// the same document. It takes about 100 ns a cluster.
func Embedded(name string, seed uint64) (*Document, error) {
	if name == oneWriterName {
		return oneWriter(seed), nil
	}
	sessions, clusters, err := shapeOf(name)
	if err != nil {
		return nil, err
	}
	return interleaved(name, seed, sessions, clusters), nil
}

// Clusters returns how many clusters an embedded document has, without making it.
func Clusters(name string) (int, error) {
	if name == oneWriterName {
		return 2, nil
	}
	sessions, clusters, err := shapeOf(name)
	return ownClusters + sessions*clusters, err
}

// shapeOf returns the sessions of a document and the clusters of each.
func shapeOf(name string) (sessions, clusters int, err error) {
	shape := name
	for _, s := range shapes {
		if s.name == name {
			shape = s.shape
		}
	}
	m := shapeName.FindStringSubmatch(shape)
	if m == nil {
		return 0, 0, fmt.Errorf("%w %q: there are %s, and SxC for S sessions of C clusters, such as 500x3", ErrUnknownDocument, name, strings.Join(Names(), ", "))
	}
	sessions, _ = strconv.Atoi(m[1]) // nine digits
	clusters, _ = strconv.Atoi(m[2])
	if sessions < 2 || clusters > maxClusters/sessions {
		return 0, 0, fmt.Errorf("%w %q: 2 sessions or more, and %d clusters at the most", ErrUnknownDocument, name, maxClusters)
	}
	return sessions, clusters, nil
}

// interleaved returns a document of sessions that took turns at random: every
// cluster is full but for each session's last, whose count is uniform.
func interleaved(name string, seed uint64, sessions, clusters int) *Document {
	r := random(seed, name)
	d := &Document{Name: name, Seed: seed, Own: ownState()}
	d.Sessions = randomSessions(r, sessions+1)
	left := make([]int, sessions+1) // clusters to come
	left[0] = ownClusters
	order := make([]int32, 0, ownClusters+sessions*clusters)
	for range ownClusters {
		order = append(order, 0)
	}
	for s := 1; s <= sessions; s++ {
		left[s] = clusters
		for range clusters {
			order = append(order, int32(s))
		}
	}
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	separate(r, order)
	d.Clusters = make([]snapshot.Cluster, len(order))
	for i, s := range order {
		c := snapshot.Cluster{Session: s, Capacity: capacity, Count: capacity}
		if left[s]--; left[s] == 0 {
			c.Count = 1 + r.Int64N(capacity)
			if s == 0 {
				c.Count = ownAcknowledged - (ownClusters-1)*capacity
			}
		}
		d.Clusters[i] = c
	}
	return newDocument(d)
}

// separate moves clusters so that no two of a session touch: in a document
// they would be one cluster that was expanded.
func separate(r *rand.Rand, order []int32) {
	differ := func(i, j int) bool {
		return i < 0 || j >= len(order) || order[i] != order[j]
	}
	for i := 1; i < len(order); i++ {
		// With very few sessions it may be impossible: give up then.
		for tries := 0; order[i] == order[i-1] && tries < 100; tries++ {
			j := r.IntN(len(order))
			order[i], order[j] = order[j], order[i]
			if !(differ(i-1, i) && differ(i, i+1) && differ(j-1, j) && differ(j, j+1)) {
				order[i], order[j] = order[j], order[i]
			}
		}
	}
}

// randomSessions draws n different UUIDs.
func randomSessions(r *rand.Rand, n int) []numericuuid.UUID {
	ids := make([]numericuuid.UUID, n)
	for i := range ids {
		ids[i] = randomUUID(r) // equal ones are one in 2^80, and loading would tell
	}
	return ids
}

// oneWriterIDs is how many IDs the one writer has.
const oneWriterIDs = 1_000_000

// oneWriter returns the document of a million IDs in ranges of 1 to 64, all in
// one cluster, which grew. The measuring session came after it.
func oneWriter(seed uint64) *Document {
	r := random(seed, oneWriterName)
	d := &Document{Name: oneWriterName, Seed: seed, Own: ownState()}
	d.Sessions = randomSessions(r, 2)
	grown := snapshot.Cluster{Session: 1}
	for grown.Count < oneWriterIDs {
		count := min(1+r.Int64N(64), oneWriterIDs-grown.Count)
		d.writes = append(d.writes, count)
		if grown.Count += count; grown.Count > grown.Capacity {
			grown.Capacity = grown.Count + idcompressor.DefaultClusterSize
		}
	}
	d.Clusters = []snapshot.Cluster{grown, ownCluster()}
	return newDocument(d)
}
