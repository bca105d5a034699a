package live

import (
	"fmt"
	"time"
)

// Report is what a run comes to.
type Report struct {
	Options   Options  `json:"options"`
	Converged bool     `json:"converged"` // no problems
	Problems  []string `json:"problems"`  // what is not as it must be: what, and whose doing
	Notes     []string `json:"notes,omitempty"`
	Hash      string   `json:"hash"` // of the canonical document

	Elapsed       time.Duration     `json:"elapsed-ns"`
	IDs           int64             `json:"ids"` // created by messages that count
	IDsPerSecond  float64           `json:"idsPerSecond"`
	Ack           Quantiles         `json:"ack"`     // from an operation's end to its coming back
	Publish       Quantiles         `json:"publish"` // from publishing to the acknowledgement
	EagerShare    float64           `json:"eagerShare"`
	UnusedShare   float64           `json:"unusedShare"` // of the final IDs reserved
	Messages      map[Verdict]int64 `json:"messages"`    // in the stream
	Bytes         int64             `json:"bytes"`       // of all messages
	Handled       map[Verdict]int64 `json:"handled"`     // by the nodes' last processes
	Clusters      int               `json:"clusters"`
	Sessions      int               `json:"sessions"` // in the document
	Findings      []Finding         `json:"findings,omitempty"`
	Happened      map[string]int    `json:"happened"` // faults and newcomers
	Resumed       int               `json:"resumed"`
	Resent        int64             `json:"resent"` // IDs sent again by sessions that were resumed
	Unsent        int64             `json:"unsent"` // the most IDs that a session came back with from being cut off
	Forked        int               `json:"forked"`
	FromSummary   int               `json:"fromSummary"` // sessions that joined with a summary
	LostWithDisks int64             `json:"lostWithDisks"`
	NodeCPU       time.Duration     `json:"nodeCPU-ns"` // of all nodes together
	ServerCPU     time.Duration     `json:"serverCPU-ns"`
}

func newReport(o Options) *Report {
	return &Report{
		Options: o, Problems: []string{}, Happened: map[string]int{},
		Messages: map[Verdict]int64{}, Handled: map[Verdict]int64{},
	}
}

// mostTexts bounds problems and notes.
const mostTexts = 50

func (r *Report) problem(format string, args ...any) {
	if len(r.Problems) < mostTexts {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}

func (r *Report) note(format string, args ...any) {
	if len(r.Notes) < mostTexts {
		r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
	}
}

// finished completes the report when all processes have ended.
func (r *run) finished() *Report {
	report := r.report
	for _, n := range r.nodes {
		report.NodeCPU += n.cpu
	}
	if r.fleet != nil {
		report.ServerCPU = r.fleet.spent
	}
	report.Converged = len(report.Problems) == 0
	return report
}
