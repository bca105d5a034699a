package runner

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"example.com/idlab/bench/trace"
	"example.com/idlab/bench/workload"
)

// A Peer measures the same operations on something else than a backend, in
// another language: the original, a Map. It is a program that prints Go
// benchmark format. Peers in Go are subjects like any other, see
// [Request.AddPeers].
type Peer interface {
	// Subject names it, as the backend of its results.
	Subject() Subject
	// Command returns the process that measures a unit. It is ended with ctx.
	Command(ctx context.Context, u PeerUnit) (*exec.Cmd, error)
}

// PeerUnit is what a peer's process is to measure.
type PeerUnit struct {
	Document   string   // as in doc=
	Benchmarks []string // keys of the table; a peer leaves out those that it has not
	// State, Queries and Ranges are files, empty for a document that is the
	// peer's own: the document in Fluid's text form, with the measuring
	// session; final IDs of other sessions, as float64 in little-endian order;
	// and, if they are asked for, the ranges that build it, as an idtrace.
	State, Queries, Ranges string
	Seed                   uint64
	Block                  int
	Benchtime              time.Duration
	Procs                  int // what Go puts after a name
}

// AddPeers adds the peers that are written in Go, those that are maps only if
// asked to, with a document of their own.
func (r *Request) AddPeers(maps bool) {
	for _, p := range workload.Peers() {
		if p.Document == "" || maps {
			r.Subjects = append(r.Subjects, Subject{Backend: p.Name, Peer: true, On: p.Document})
		}
	}
	if maps {
		r.Documents = append(r.Documents, Source{Name: workload.MapDocument, Only: workload.MapKeys(), Peers: true})
	}
}

// peerQueries is how many queries a peer gets.
const peerQueries = 1 << 18

// mostPeerClusters is how many clusters a document has at the most whose ranges
// a peer gets: Node cannot hold the text of more.
const mostPeerClusters = 1 << 20

// fromRanges is the benchmark that needs ranges.
const fromRanges = "Build/from=ranges"

// peerCommand writes the files of the unit's document, if they are not there
// yet, and asks the peer for its process.
func (r *run) peerCommand(ctx context.Context, p Peer, u unit) (*exec.Cmd, error) {
	src := r.plan.Request.Documents[u.document]
	unit := PeerUnit{
		Document: src.Name, Benchmarks: r.plan.benchmarksOf(u), Seed: r.plan.Request.Seed,
		Block: u.block, Benchtime: r.plan.Benchtime, Procs: r.plan.Environment.GOMAXPROCS,
	}
	if !src.Peers {
		files, err := r.peerFiles(u.document)
		if err != nil {
			return nil, err
		}
		unit.State, unit.Queries, unit.Ranges = files.state, files.queries, files.ranges
	}
	return p.Command(ctx, unit)
}

// peerFiles are the files of a document, and what peers must answer on it.
type peerFiles struct {
	state, queries, ranges string
	answers                map[string]string
}

func (r *run) peerFiles(document int) (*peerFiles, error) {
	if files, ok := r.peerDocs[document]; ok {
		return files, nil
	}
	j := job{Document: r.plan.Request.Documents[document], File: r.files[document], Seed: r.plan.Request.Seed}
	d, err := j.document()
	if err != nil {
		return nil, err
	}
	base := filepath.Join(r.dir, fmt.Sprintf("peer%d.", document))
	files := &peerFiles{state: base + "state", queries: base + "queries"}
	text, err := d.State().AppendText(nil)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(files.state, text, 0o600); err != nil {
		return nil, err
	}
	var data []byte
	for final := range d.Finals(peerQueries) {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(float64(final)))
	}
	if err := os.WriteFile(files.queries, data, 0o600); err != nil {
		return nil, err
	}
	ranges := strings.Contains(strings.Join(r.plan.Benchmarks, " ")+" ", fromRanges+" ") && d.Buildable() == nil && len(d.Clusters) <= mostPeerClusters
	if ranges {
		files.ranges = base + "ranges"
		if err := writeRanges(files.ranges, d); err != nil {
			return nil, err
		}
	}
	if files.answers, err = peerAnswers(d, ranges); err != nil {
		return nil, err
	}
	r.peerDocs[document] = files
	return files, nil
}

// writeRanges writes the finalize lines of an idtrace, which is all of it that
// a peer reads.
func writeRanges(file string, d *workload.Document) error {
	header, err := json.Marshal(trace.Header{Trace: trace.FormatID, Source: pkg, Name: d.Name})
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	text := append(header, '\n')
	for r := range d.Ranges() {
		text = append(text, `{"op":"finalize","on":"document","range":`...)
		text, _ = r.AppendText(text) // it has no error
		text = append(text, "}\n"...)
		if len(text) > 1<<20 {
			if _, err := f.Write(text); err != nil {
				return err
			}
			text = text[:0]
		}
	}
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Close()
}
