package peer

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"example.com/idlab/bench/runner"
	"example.com/idlab/bench/workload"
)

// Node returns the peers that run on Node, for the runner: the original, what
// a program would do without it, and, if maps are wanted, V8's Map. Its errors
// are those of [Find].
func Node(ctx context.Context, maps bool) ([]runner.Peer, error) {
	s, err := Find(ctx)
	if err != nil {
		return nil, err
	}
	peers := []runner.Peer{
		nodePeer{s, runner.Subject{Backend: "fluid-js", Peer: true}},
		nodePeer{s, runner.Subject{Backend: "uuid-map-js", Peer: true}},
	}
	if maps {
		peers = append(peers, nodePeer{s, runner.Subject{Backend: "v8-map", Peer: true, On: workload.MapDocument}})
	}
	return peers, nil
}

// nodePeer is a backend of bench.mjs.
type nodePeer struct {
	setup   Setup
	subject runner.Subject
}

func (p nodePeer) Subject() runner.Subject { return p.subject }

func (p nodePeer) Command(ctx context.Context, u runner.PeerUnit) (*exec.Cmd, error) {
	args := []string{
		"--backend", p.subject.Backend, "--doc", u.Document, "--op", strings.Join(u.Benchmarks, ","),
		"--benchtime", u.Benchtime.String(), "--seed", strconv.FormatUint(u.Seed, 10),
		"--block", strconv.Itoa(u.Block), "--gomaxprocs", strconv.Itoa(u.Procs),
	}
	for flag, file := range map[string]string{"--document": u.State, "--queries": u.Queries, "--ranges": u.Ranges} {
		if file != "" {
			args = append(args, flag, file)
		}
	}
	if p.subject.On == workload.MapDocument {
		sizes := make([]string, 0, len(workload.MapSizes()))
		for _, n := range workload.MapSizes() {
			sizes = append(sizes, fmt.Sprint(n))
		}
		args = append(args, "--n", strings.Join(sizes, ","))
	}
	return p.setup.script(ctx, "bench.mjs", args...), nil
}
