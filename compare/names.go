package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// An ID names what was measured, without by whom. Comparing backends is
// comparing samples of one ID.
type ID struct {
	Op      string // "Decompress"
	Doc     string // "sessions"
	Variant string // further keys, sorted: "batch=1024/ids=local"; "" for none
}

// String gives the ID as tables show it: "Decompress sessions ids=local".
func (id ID) String() string {
	return strings.TrimSpace(id.Series() + " " + id.Doc)
}

// Series names the ID without its document: the curve that the documents of
// different sizes are points of.
func (id ID) Series() string {
	if id.Variant == "" {
		return id.Op
	}
	return id.Op + " " + strings.ReplaceAll(id.Variant, "/", " ")
}

// Key returns the value of a variant's key, "" without it.
func (id ID) Key(key string) string {
	for part := range strings.SplitSeq(id.Variant, "/") {
		if k, v, _ := strings.Cut(part, "="); k == key {
			return v
		}
	}
	return ""
}

func compareIDs(a, b ID) int {
	if c := strings.Compare(a.Op, b.Op); c != 0 {
		return c
	}
	if c := strings.Compare(a.Variant, b.Variant); c != 0 {
		return c
	}
	return strings.Compare(a.Doc, b.Doc)
}

// A Subject is who was measured.
type Subject struct {
	Backend string
	Twin    bool // the A/A control: the same backend registered again
}

func (s Subject) String() string {
	if s.Twin {
		return s.Backend + " (twin)"
	}
	return s.Backend
}

func compareSubjects(a, b Subject) int { return strings.Compare(a.String(), b.String()) }

// A name is a benchmark's full name, split once however often it comes.
type name struct {
	full    string
	id      ID
	who     Subject
	procs   string // the -GOMAXPROCS
	foreign error  // why it is not of our form
	noted   bool   // its procs are in the environment
}

// parseName splits Op/doc=…/backend=…[/key=value…][-GOMAXPROCS].
func parseName(full benchfmt.Name) *name {
	n := &name{full: string(full)}
	base, parts := full.Parts()
	n.id.Op = string(base)
	var variant []string
	for _, part := range parts {
		if part[0] == '-' {
			n.procs = string(part[1:])
			continue
		}
		key, value, ok := strings.Cut(string(part[1:]), "=")
		if !ok || key == "" || value == "" {
			n.foreign = fmt.Errorf("%q is not /key=value", part)
			return n
		}
		switch key {
		case "doc":
			n.id.Doc = value
		case "backend":
			n.who.Backend = value
		case "aa":
			n.who.Twin = true
		default:
			variant = append(variant, key+"="+value)
		}
	}
	slices.Sort(variant)
	n.id.Variant = strings.Join(variant, "/")
	switch {
	case n.id.Op == "":
		n.foreign = errors.New("it names no operation")
	case n.who.Backend == "":
		n.foreign = errors.New("it has no /backend=")
	case n.id.Doc == "":
		n.foreign = errors.New("it has no /doc=")
	}
	return n
}

// controls and peers are shown, never recommended, never gated. This is the
// one place that knows their names.
var (
	controls = []string{"null", "slow", "wrong"}
	peers    = []string{"fluid-js", "v8-map", "uuid-map-js", "uuid-map", "uuid-slice", "closemap", "wk8", "elliotchance", "gomap", "swissmap"}
)

// RoleOf says whether a backend of that name may be recommended.
func RoleOf(backend string) Role {
	switch {
	case slices.Contains(controls, backend):
		return Control
	case slices.Contains(peers, backend):
		return Peer
	}
	return Candidate
}

// Role says whether s may be recommended.
func (s Subject) Role() Role {
	if s.Twin {
		return Twin
	}
	return RoleOf(s.Backend)
}
