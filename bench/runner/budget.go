package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/idlab/bench/workload"
)

// leastBenchtime is what a budget shortens benchmarks to, at the most.
const leastBenchtime = 5 * time.Millisecond

// wholeFactor is how much longer a benchmark takes than it times: preparing,
// checking, and the lot that is one too many.
const wholeFactor = 1.4

// fit makes the plan fit its budget. It runs every document and subject once,
// with hardly any time for the benchmarks, to see what that costs.
func (r *run) fit(ctx context.Context) error {
	p := r.plan
	budget := p.Request.Budget
	if budget == 0 {
		return nil
	}
	benchtime := p.Benchtime
	p.Benchtime = time.Millisecond
	var fixed time.Duration
	for i, u := range p.units(0) {
		if r.Progress != nil {
			r.Progress(Progress{Total: p.total(), Elapsed: time.Since(r.start), Now: "finding out what takes how long: " + p.id(u)})
		}
		start := time.Now()
		if _, err := r.measure(ctx, u, i); err != nil {
			return err
		}
		fixed += time.Since(start)
	}
	p.Benchtime = benchtime
	p.fit(budget-time.Since(r.start), fixed)
	return nil
}

// fit shortens the plan until it takes no longer than budget, if that is
// possible: benchmarks, then blocks, then operations. fixed is what a block
// takes beside the timing.
func (p *Plan) fit(budget, fixed time.Duration) {
	count := func() (n int) {
		for d := range p.Request.Documents {
			for s := range p.Request.Subjects {
				n += len(p.benchmarksOf(unit{0, d, s}))
			}
		}
		return n
	}
	all := float64(count())
	takes := func() time.Duration {
		n := float64(count())
		block := fixed.Seconds()*n/all + wholeFactor*p.Benchtime.Seconds()*n
		return time.Duration(block * float64(p.Blocks) * float64(time.Second))
	}
	for takes() > budget && p.Benchtime > leastBenchtime {
		p.Benchtime = max(p.Benchtime*4/5, leastBenchtime)
	}
	for takes() > budget && p.Blocks > MinBlocks {
		p.Blocks--
	}
	p.Benchmarks = slices.Clone(p.Benchmarks)
	var dropped []string
	for takes() > budget {
		at := p.expendable()
		if at < 0 {
			break
		}
		dropped = append(dropped, p.Benchmarks[at])
		p.Benchmarks = slices.Delete(p.Benchmarks, at, at+1)
	}
	if p.Benchtime < p.Request.Benchtime {
		p.leaveOut("benchmarks are timed for %v instead of %v", p.Benchtime, p.Request.Benchtime)
	}
	if p.Blocks < p.Request.Blocks {
		p.leaveOut("%d blocks instead of %d", p.Blocks, p.Request.Blocks)
	}
	if len(dropped) > 0 {
		p.leaveOut("left out: %s", strings.Join(dropped, ", "))
	}
	if t := takes(); t > budget {
		p.leaveOut("it will still take about %v, longer than the budget: measure fewer documents or backends", t.Round(time.Second))
	}
}

func (p *Plan) leaveOut(format string, args ...any) {
	p.LeftOut = append(p.LeftOut, fmt.Sprintf(format, args...))
}

// expendable returns the position of the benchmark to leave out next: the last
// of the highest level; -1 when only one is left beside Build, which need not be
// timed, and Replay, which decides on a trace and applies to nothing else.
func (p *Plan) expendable() int {
	at, level, left := -1, workload.Quick, 0
	for i, key := range p.Benchmarks {
		b, ok := workload.Lookup(key)
		if !ok || b.Op == "Build" || b.Op == "Replay" {
			continue
		}
		left++
		if b.Level >= level {
			at, level = i, b.Level
		}
	}
	if left <= 1 {
		return -1
	}
	return at
}
