package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/uuid"

	"example.com/idlab/impls/numericuuid"
)

// examine holds all that there is against each other at the end: the stream, as
// an observer reads it; what every node has; what a newcomer gets; and what the
// applications were given.
func (r *run) examine(ctx context.Context) error {
	report := r.report
	last := r.last
	var err error
	if last == 0 { // abandoned
		if last, err = r.order.Last(ctx); err != nil {
			return err
		}
	}
	x, err := Examine(ctx, r.order, last)
	if err != nil {
		return err
	}
	report.Hash, report.IDs, report.Messages, report.Findings = x.Hash, x.IDs, x.Messages, x.Findings
	report.Bytes = x.Bytes
	report.Clusters, report.Sessions = x.Clusters, x.Sessions
	if x.Reserved > 0 {
		report.UnusedShare = float64(x.Reserved-x.Finalized) / float64(x.Reserved)
	}
	if s := report.Elapsed.Seconds(); s > 0 {
		report.IDsPerSecond = float64(x.IDs) / s
	}
	for _, n := range r.nodes {
		r.latencies.merge(n.Latencies)
		n.Latencies = nil
	}
	report.Ack, report.Publish = quantiles(r.latencies.Ack), quantiles(r.latencies.Publish)

	for _, f := range x.Findings {
		r.mine(f)
	}
	if len(x.Twice) > 0 {
		report.problem("%d UUIDs were given twice, the first is %s", len(x.Twice), x.Twice[0])
	}
	if x.Finalized != x.IDs {
		report.problem("the document has %d IDs finalized, its messages created %d", x.Finalized, x.IDs)
	}
	if n := x.Messages[Damaged]; n != int64(r.bad) {
		report.problem("the stream has %d messages that cannot be read, and %d were put there", n, r.bad)
	}
	if stale := report.Happened["stale"]; r.last > 0 && report.Forked != stale {
		report.problem("%d disks were replaced by older ones, and %d sessions found that they were forked", stale, report.Forked)
	}
	if err := r.examineLedgers(x, len(report.Problems) == 0); err != nil {
		return err
	}
	if r.last == 0 {
		return nil // the nodes were stopped before their ends
	}
	r.examineNodes(x)
	return r.examineNewcomer(ctx, x)
}

func (r *run) examineNodes(x *Examination) {
	for _, n := range r.nodes {
		switch f := n.final; {
		case f == nil:
			r.report.problem("node %d did not say what it has", n.i+1)
		case f.Hash != x.Hash:
			r.report.problem("node %d, session %s, has document %s, the stream gives %s", n.i+1, f.Session, f.Hash, x.Hash)
		case f.Pending > 0:
			r.report.problem("node %d, session %s, has %d IDs that are not finalized", n.i+1, f.Session, f.Pending)
		}
	}
}

// examineNewcomer joins with the newest summary.
func (r *run) examineNewcomer(ctx context.Context, x *Examination) error {
	data, err := r.order.Summary(ctx)
	if err != nil {
		return err
	}
	var summary *Summary
	if data != nil {
		if summary, err = ParseSummary(data); err != nil {
			r.report.problem("newcomer: %v", err)
			return nil
		}
	}
	s, err := JoinSession(uuid.New(), summary, SessionOptions{})
	if err != nil {
		return err
	}
	if err := readTo(ctx, r.order, s, r.last, func(Outcome) {}); err != nil {
		return err
	}
	hash, err := s.Hash()
	if err == nil && hash != x.Hash {
		r.report.problem("a newcomer gets document %s from the summary as of message %d and the tail, the stream gives %s", hash, summary.Seq, x.Hash)
	}
	return err
}

// given is what an application has, with where it was written.
type given struct {
	Issued
	node        int
	first, last numericuuid.UUID
}

// examineLedgers checks that what the applications were given is theirs alone,
// and, if the run went to its end, known to the document.
func (r *run) examineLedgers(x *Examination, complete bool) error {
	var all []given
	issued, eager := int64(0), int64(0)
	for _, n := range r.nodes {
		name := filepath.Join(r.nodeDir(n), ledgerName)
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		entries, _, err := readLedger(f)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, i := range entries {
			g := given{Issued: i, node: n.i}
			g.first, _ = numericuuid.FromUUID(i.UUID)
			g.last = g.first.Add(uint64(i.Count - 1))
			all = append(all, g)
			issued += i.Count
			eager += i.Eager
		}
	}
	if issued > 0 {
		r.report.EagerShare = float64(eager) / float64(issued)
	}
	slices.SortFunc(all, func(a, b given) int { return cmp.Or(a.first.Compare(b.first), a.last.Compare(b.last)) })
	for i := 1; i < len(all); i++ {
		if a, b := all[i-1], all[i]; !a.last.Less(b.first) {
			r.report.problem("the UUIDs from %s are given twice: by session %s on node %d and by session %s on node %d",
				b.UUID, a.Session, a.node+1, b.Session, b.node+1)
		}
	}
	if !complete {
		return nil
	}
	lost := int64(0)
	for _, g := range all {
		for k := range g.Count {
			id := g.first.Add(uint64(k)).UUID()
			switch {
			case x.Knows(id):
			case r.excused[g.Session]:
				lost++
			default:
				r.report.problem("ID %s, which session %s on node %d gave out, is unknown to the document", id, g.Session, g.node+1)
			}
		}
	}
	r.report.LostWithDisks = lost
	if issued-lost != x.IDs {
		r.report.problem("the applications were given %d IDs, %d were lost with disks, and the document has %d", issued, lost, x.IDs)
	}
	return nil
}
