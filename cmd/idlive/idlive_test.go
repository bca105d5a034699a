package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"example.com/idlab/bench/live"
)

// TestMain lets the test's binary be what a command starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == live.NodeCommand || os.Args[1] == live.ServerCommand) {
		os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func command(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(args, strings.NewReader(""), &out, &err)
	return status, out.String(), err.String()
}

func TestUsage(t *testing.T) {
	for _, args := range []string{
		"walk", "run --sessions 0", "run --kill=fire:1", "run --store tape", "run --format xml", "run --seeds 0",
		"run --plant nothing", "run --store memory --kill=server:1", "run extra", "sweep --sizes x", "sweep --latencies 5",
		"sweep --sizes 0 --live 0", "scale --sessions 2 --messages 1", "scale --sessions x", "node", "server",
	} {
		if status, _, stderr := command(strings.Fields(args)...); status != statusCannot || stderr == "" {
			t.Errorf("%s: status %d, %q", args, status, stderr)
		}
	}
	if status, stdout, _ := command(); status != statusDone || !strings.Contains(stdout, "idlive run --kill") {
		t.Errorf("status %d, %s", status, stdout)
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	status, stdout, stderr := command("sweep", "--sizes", "16,64", "--latencies", "50ms", "--rates", "100", "--ids", "300", "--sessions", "3", "--live", "0", "--out", dir)
	if status != statusDone || !strings.Contains(stdout, "Take (*)") {
		t.Fatalf("status %d, %s%s", status, stdout, stderr)
	}
	for _, name := range []string{"sweep.txt", "sweep.csv", "sweep.svg"} {
		if info, err := os.Stat(dir + "/" + name); err != nil || info.Size() < 100 {
			t.Error(name, err)
		}
	}
}

func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	status, stdout, stderr := command("run", "--sessions", "2", "--ids", "200", "--format", "json", "--store", "memory", "--plant", "skip-range", "--range", "10")
	var reports []live.Report
	if err := json.Unmarshal([]byte(stdout), &reports); err != nil || status != statusNo || len(reports) != 1 || reports[0].Converged ||
		!strings.Contains(reports[0].Problems[0], "a range was skipped") {
		t.Fatalf("status %d, %v, %s%s", status, err, stdout, stderr)
	}
}

// Neither the library nor idlab links NATS.
func TestImports(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	list := exec.Command("go", "list", "-deps", "../../impls/...", "../../compare/...", "../idlab")
	list.Stderr = os.Stderr
	deps, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(deps), "example.com/idlab/impls/idcompressor\n") {
		t.Fatal("the list has no library")
	}
	for dep := range strings.SplitSeq(string(deps), "\n") {
		if strings.Contains(dep, "nats-io") || strings.HasSuffix(dep, "bench/live") {
			t.Errorf("%s is linked", dep)
		}
	}
}
