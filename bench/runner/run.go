package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/idlab/bench/workload"
)

// Options say how a request is run.
type Options struct {
	// Out receives the samples.
	Out Sink
	// Command is the program that is a worker, with its arguments; nil for
	// this program with [WorkerCommand].
	Command []string
	// Peers measure beside the subjects.
	Peers []Peer
	// Progress is told before and after each unit; it may be nil.
	Progress func(Progress)
}

// Progress is how far a run has come.
type Progress struct {
	Done, Total int           // units
	Elapsed     time.Duration // of this run
	Left        time.Duration // estimated; 0 until something is known
	Now         string        // what is being done
}

// A UnitError says which process failed, and what it said.
type UnitError struct {
	Unit string // block/document/backend
	Msg  string
	Err  error // of the process
}

func (e *UnitError) Error() string {
	msg := e.Msg
	if msg == "" {
		msg = e.Err.Error()
	}
	return fmt.Sprintf("measuring %s: %s", e.Unit, msg)
}

func (e *UnitError) Unwrap() error { return e.Err }

// Run measures what a request asks for and returns the plan it ran. Where Out
// holds a part of an equal plan's samples, it goes on from there. When ctx
// ends, the running process is ended too, the unit it was at is lost, and what
// was finished stays.
func Run(ctx context.Context, r Request, o Options) (*Plan, error) {
	run, err := newRun(r, o)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(run.dir)
	if err := run.open(ctx); err != nil {
		return nil, err
	}
	for block := range run.plan.Blocks {
		if err := run.block(ctx, block); err != nil {
			return run.plan, err
		}
	}
	return run.plan, nil
}

// run is a request on its way.
type run struct {
	Options
	plan     *Plan
	dir      string // for the documents
	files    []string
	done     map[string]bool // units
	start    time.Time
	fresh    int                      // units measured in this run
	took     map[string]time.Duration // the last time of a document and subject
	peerDocs map[int]*peerFiles       // by document
}

func newRun(r Request, o Options) (*run, error) {
	if r.Blocks < 1 || len(r.Documents) == 0 || len(r.Subjects) == 0 || len(r.Benchmarks) == 0 {
		return nil, errors.New("runner: a run needs a block, a document, a backend and a benchmark, or more of each")
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if o.Command == nil {
		o.Command = []string{program, WorkerCommand}
	}
	hash, err := programHash(program)
	if err != nil {
		return nil, err
	}
	for _, p := range o.Peers {
		r.Peers = append(r.Peers, p.Subject())
	}
	plan, err := newPlan(r, Fingerprint(), hash)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "idlab")
	if err != nil {
		return nil, err
	}
	run := &run{Options: o, plan: plan, dir: dir, done: map[string]bool{}, start: time.Now(), took: map[string]time.Duration{}, peerDocs: map[int]*peerFiles{}}
	if err := run.writeDocuments(); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return run, nil
}

// writeDocuments writes those that are not embedded where workers find them.
func (r *run) writeDocuments() error {
	for i, src := range r.plan.Request.Documents {
		r.files = append(r.files, "")
		if src.own == nil {
			continue
		}
		data, err := src.own.MarshalBinary()
		if err != nil {
			return err
		}
		r.files[i] = filepath.Join(r.dir, fmt.Sprintf("document%d", i))
		if err := os.WriteFile(r.files[i], data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// open finds out what is done already, and else makes the plan fit and writes it.
func (r *run) open(ctx context.Context) error {
	if old, data := r.Out.resume(); old != nil && old.Hash == r.plan.Hash {
		head, err := old.header()
		if err != nil {
			return err
		}
		done, length := readParts(data, head)
		if len(done) < old.total() {
			old.Request = r.plan.Request // with its loaders
			r.plan, r.done = old, done
			return r.Out.cut(int64(length))
		}
	}
	if err := r.fit(ctx); err != nil {
		return err
	}
	head, err := r.plan.header()
	if err != nil {
		return err
	}
	if err := r.Out.cut(0); err != nil {
		return err
	}
	return r.Out.add(head)
}

// header returns what the plan's file begins with.
func (p *Plan) header() ([]byte, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return p.head(text), nil
}

// total is the number of units.
func (p *Plan) total() (n int) {
	for block := range p.Blocks {
		n += len(p.units(block))
	}
	return n
}

// block measures what is not done of a block.
func (r *run) block(ctx context.Context, block int) error {
	noise := -1.0
	for n, u := range r.plan.units(block) {
		id := r.plan.id(u)
		if r.done[id] {
			continue
		}
		if noise < 0 {
			noise = Probe()
		}
		r.tell(block, u)
		stolen, all, _ := cpuTimes()
		start := time.Now()
		results, err := r.measure(ctx, u, n)
		if err != nil {
			return err
		}
		r.took[r.plan.kind(u)] = time.Since(start)
		part := r.plan.part(u, noise, since(stolen, all), results)
		if err := r.Out.add(part); err != nil {
			return err
		}
		r.done[id] = true
		r.fresh++
	}
	if r.Progress != nil && len(r.done) == r.plan.total() {
		r.Progress(Progress{Done: len(r.done), Total: len(r.done), Elapsed: time.Since(r.start), Now: "done"})
	}
	return nil
}

// since says how busy the machine was, for whoever reads the file.
func since(stolen, all float64) string {
	load, _, _ := strings.Cut(firstLine("/proc/loadavg"), " ")
	now, total, ok := cpuTimes()
	if !ok || total <= all {
		return ""
	}
	return fmt.Sprintf("load %s, steal %.4f", load, (now-stolen)/(total-all))
}

// measure runs the process of a unit, the n-th of its block.
func (r *run) measure(ctx context.Context, u unit, n int) ([]byte, error) {
	cmd, err := r.command(ctx, u, n)
	if err != nil {
		return nil, err
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &UnitError{r.plan.id(u), strings.TrimSpace(errs.String()), err}
	}
	results, err := r.plan.check(u, out.Bytes())
	if err == nil {
		err = r.checkAnswers(u, out.Bytes())
	}
	if err != nil {
		return nil, &UnitError{r.plan.id(u), err.Error(), err}
	}
	return results, nil
}

func (r *run) command(ctx context.Context, u unit, n int) (*exec.Cmd, error) {
	if peer := u.subject - len(r.plan.Request.Subjects); peer >= 0 {
		return r.peerCommand(ctx, r.Peers[peer], u)
	}
	text, err := json.Marshal(r.job(u, n))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, r.Command[0], r.Command[1:]...)
	cmd.Stdin = bytes.NewReader(text)
	return cmd, nil
}

// job returns the job of a unit: Build first, which makes what the others run
// on, and then the others in shuffled order.
func (r *run) job(u unit, n int) job {
	p := r.plan
	src, subject := p.Request.Documents[u.document], p.Request.Subjects[u.subject]
	benchmarks := p.benchmarksOf(u)
	rest := benchmarks
	if at := slices.Index(benchmarks, buildKey); at >= 0 {
		benchmarks[0], benchmarks[at] = benchmarks[at], benchmarks[0]
		rest = benchmarks[1:]
	}
	p.random(u.block, n+1).Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return job{
		Document: src, File: r.files[u.document], Seed: p.Request.Seed,
		Subject: subject, Benchmarks: benchmarks, Benchtime: p.Benchtime, Untimed: p.Request.Untimed, Tail: p.Request.Tail,
	}
}

// check returns the results among a process's lines, and an error if they
// belong to something else or have names that the format does not know.
func (p *Plan) check(u unit, out []byte) ([]byte, error) {
	var results []byte
	for line := range bytes.Lines(out) {
		rest, ok := bytes.CutPrefix(line, []byte("Benchmark"))
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(string(rest), "\t")
		name, _, _ = strings.Cut(name, " ")
		if at := strings.LastIndexByte(name, '-'); at >= 0 && strings.Trim(name[at+1:], "0123456789") == "" {
			name = name[:at]
		}
		if err := workload.Lint(name); err != nil {
			return nil, err
		}
		if !strings.Contains(name+"/", "/doc="+p.Request.Documents[u.document].Name+"/backend="+p.subject(u).String()+"/") {
			return nil, fmt.Errorf("%s is a result of something else", name)
		}
		results = append(results, line...)
	}
	if len(results) == 0 && !p.subject(u).Peer {
		return nil, errors.New("there is no result: no benchmark applies")
	}
	return results, nil
}

func (r *run) tell(block int, u unit) {
	if r.Progress == nil {
		return
	}
	r.Progress(Progress{
		Done: len(r.done), Total: r.plan.total(), Elapsed: time.Since(r.start), Left: r.left(),
		Now: fmt.Sprintf("block %d of %d: %s on %s", block+1, r.plan.Blocks, r.plan.Request.Documents[u.document].Name, r.plan.subject(u)),
	})
}

// left estimates the time of all units that are not done, each as its like
// took the last time, or as the average.
func (r *run) left() time.Duration {
	var known time.Duration
	for _, took := range r.took {
		known += took
	}
	if known == 0 {
		return 0
	}
	average := known / time.Duration(len(r.took))
	var left time.Duration
	for block := range r.plan.Blocks {
		for _, u := range r.plan.units(block) {
			if r.done[r.plan.id(u)] {
				continue
			}
			if took, ok := r.took[r.plan.kind(u)]; ok {
				left += took
			} else {
				left += average
			}
		}
	}
	return left
}
