package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"example.com/idlab/bench/workload"
)

// MinBlocks is the fewest blocks a run has: with fewer there is no interval of
// the median.
const MinBlocks = 6

// A Request says what is to be measured.
type Request struct {
	Seed       uint64        `json:"seed"`
	Blocks     int           `json:"blocks"`
	Benchtime  time.Duration `json:"benchtime"` // for each benchmark, in nanoseconds
	Documents  []Source      `json:"documents"`
	Subjects   []Subject     `json:"subjects"`
	Peers      []Subject     `json:"peers,omitempty"`   // filled in by [Run]
	Benchmarks []string      `json:"benchmarks"`        // keys of the table, Build among them
	Untimed    bool          `json:"untimed,omitempty"` // Build is there for its memory alone
	Tail       bool          `json:"tail,omitempty"`
	Standard   string        `json:"standard,omitempty"`   // the backend for those that cost the same on all
	OnStandard []string      `json:"onStandard,omitempty"` // which these are: of the benchmarks
	Budget     time.Duration `json:"budget,omitempty"`     // 0: none
}

// Compares reports whether the request times a benchmark, and on every backend.
func (r *Request) Compares(key string) bool {
	return slices.Contains(r.Benchmarks, key) && !slices.Contains(r.OnStandard, key) && !(r.Untimed && key == buildKey)
}

// A Subject is a backend, the twin of one, or a peer.
type Subject struct {
	Backend string `json:"backend"`
	Twin    bool   `json:"twin,omitempty"`
	Peer    bool   `json:"peer,omitempty"` // it need not have every operation
	On      string `json:"on,omitempty"`   // the only document it is measured on; "" for those of backends
}

func (s Subject) String() string {
	if s.Twin {
		return s.Backend + "/aa=twin"
	}
	return s.Backend
}

// A Source is where a document comes from.
type Source struct {
	Name   string             `json:"name"`             // as in doc=
	Hash   string             `json:"hash,omitempty"`   // of the content, if it is not an embedded one
	Only   []string           `json:"only,omitempty"`   // of the benchmarks; nil for all
	Peers  bool               `json:"peers,omitempty"`  // it is for peers of its own, and so is Only
	Blocks int                `json:"blocks,omitempty"` // the most it is measured in; 0 for all
	own    *workload.Document // if it is not an embedded one
}

// Own returns the source of a document that comes from data.
func Own(d *workload.Document, data []byte) Source {
	sum := sha256.Sum256(data)
	return Source{Name: d.Name, Hash: hex.EncodeToString(sum[:]), own: d}
}

// clusters returns how many clusters the document has.
func (s *Source) clusters() int {
	if s.own != nil {
		return len(s.own.Clusters)
	}
	n, _ := workload.Clusters(s.Name) // a name that does not exist fails in the workers
	return n
}

// A Plan is a request fitted into its budget.
type Plan struct {
	Hash       string        `json:"hash"` // of the request, the program and the environment
	Request    Request       `json:"request"`
	Blocks     int           `json:"blocks"`
	Benchtime  time.Duration `json:"benchtime"`
	Benchmarks []string      `json:"benchmarks"`
	LeftOut    []string      `json:"leftOut,omitempty"` // what the budget cost, in words

	Environment Environment `json:"environment"`
}

// newPlan returns the plan of a request without any budget.
func newPlan(r Request, env Environment, program string) (*Plan, error) {
	settled, err := json.Marshal(struct {
		Request Request
		Env     Environment
		Program string
	}{r, env.settled(), program})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(settled)
	return &Plan{
		Hash: hex.EncodeToString(sum[:6]), Request: r, Environment: env,
		Blocks: r.Blocks, Benchtime: r.Benchtime, Benchmarks: r.Benchmarks,
	}, nil
}

// programHash returns the hash of a program, so that results of two versions
// are never mixed.
func programHash(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// A unit is what one process measures.
type unit struct {
	block    int
	document int // position in the request
	subject  int
}

// units returns the units of a block in shuffled order, always the same for a plan.
func (p *Plan) units(block int) []unit {
	var units []unit
	for d, src := range p.Request.Documents {
		if src.Blocks > 0 && block >= src.Blocks {
			continue
		}
		for s := range len(p.Request.Subjects) + len(p.Request.Peers) {
			u := unit{block, d, s}
			if on := p.subject(u).On; on == src.Name || on == "" && !src.Peers {
				units = append(units, u)
			}
		}
	}
	p.random(block, 0).Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
	return units
}

// random returns the source of an order: of the units of a block, or of the
// benchmarks of its n-th one.
func (p *Plan) random(block, n int) *rand.Rand {
	return rand.New(rand.NewPCG(p.Request.Seed, uint64(block)<<32|uint64(n)))
}

// subject returns the subject or peer of a unit.
func (p *Plan) subject(u unit) Subject {
	if peer := u.subject - len(p.Request.Subjects); peer >= 0 {
		return p.Request.Peers[peer]
	}
	return p.Request.Subjects[u.subject]
}

// kind names the document and subject of a unit.
func (p *Plan) kind(u unit) string {
	return p.Request.Documents[u.document].Name + "/" + p.subject(u).String()
}

// id names a unit in a file.
func (p *Plan) id(u unit) string { return fmt.Sprintf("%d/%s", u.block, p.kind(u)) }

// Sizes returns the clusters of those documents that differ in size alone, for
// curves and crossovers: three clusters a session.
func (p *Plan) Sizes() map[string]float64 {
	sizes := map[string]float64{}
	for _, d := range p.Request.Documents {
		if workload.InSweep(d.Name) && d.own == nil {
			sizes[d.Name] = float64(d.clusters())
		}
	}
	return sizes
}

// benchmarksOf returns what a unit of a subject runs.
func (p *Plan) benchmarksOf(u unit) []string {
	src, subject := p.Request.Documents[u.document], p.subject(u)
	if src.Peers {
		return slices.Clone(src.Only)
	}
	only := src.Only
	standard := subject.Peer || subject == Subject{Backend: p.Request.Standard}
	var keys []string
	for _, key := range p.Benchmarks {
		if (standard || !slices.Contains(p.Request.OnStandard, key)) && (only == nil || slices.Contains(only, key)) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Bounds returns the entropy bound of each document's stored form in bytes, but
// for those so large that working it out takes long.
func (p *Plan) Bounds() map[string]float64 {
	bounds := map[string]float64{}
	for _, src := range p.Request.Documents {
		d := src.own
		if src.clusters() > mostForBounds {
			continue
		}
		if d == nil {
			var err error
			if d, err = workload.Embedded(src.Name, p.Request.Seed); err != nil {
				continue // of an older version
			}
		}
		bounds[src.Name] = d.Bound()
	}
	return bounds
}

const mostForBounds = 1 << 20
