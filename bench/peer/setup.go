package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// original is the name of the npm package.
const original = "@fluidframework/id-compressor"

// leastNode is the oldest Node that will do.
const leastNode = 20

// ErrSetup is the error of a machine that Node's side cannot run on. What to
// install is in the message.
var ErrSetup = errors.New("the peers on Node cannot run")

func missing(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrSetup, fmt.Sprintf(format, args...))
}

// Setup is a machine that Node's side runs on.
type Setup struct {
	Node    string // the program
	Version string // of Node
	Dir     string // of the scripts
}

// Find looks for Node on the PATH, and for the scripts and the npm package in
// the clone that the working directory lies in. All its errors match [ErrSetup]
// and say what to install. It runs node once.
func Find(ctx context.Context) (Setup, error) {
	dir, err := findScripts()
	if err != nil {
		return Setup{}, err
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return Setup{}, missing("there is no node on the PATH: install Node %d or newer", leastNode)
	}
	out, err := exec.CommandContext(ctx, node, "--version").Output()
	if err != nil {
		return Setup{}, missing("%s --version: %v: install Node %d or newer", node, err, leastNode)
	}
	version := strings.TrimPrefix(strings.TrimSpace(string(out)), "v")
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < leastNode {
		return Setup{}, missing("%s is Node %.20s, which is too old: install Node %d or newer", node, version, leastNode)
	}
	return Setup{node, version, dir}, checkPackage(dir)
}

// findScripts goes up from the working directory.
func findScripts() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		scripts := filepath.Join(dir, "bench", "peer")
		if _, err := os.Stat(filepath.Join(scripts, "driver.mjs")); err == nil {
			return scripts, nil
		}
		if dir == filepath.Dir(dir) {
			return "", missing("%s lies in no clone of the repository, which holds the scripts", start)
		}
	}
}

// checkPackage compares the installed version of the original with the one
// that package.json asks for.
func checkPackage(dir string) error {
	var wanted struct{ Dependencies map[string]string }
	if err := readJSON(filepath.Join(dir, "package.json"), &wanted); err != nil {
		return err
	}
	var installed struct{ Version string }
	err := readJSON(filepath.Join(dir, "node_modules", original, "package.json"), &installed)
	want := wanted.Dependencies[original]
	switch {
	case errors.Is(err, os.ErrNotExist):
		return missing("%s %s is not installed: run `npm ci` in %s", original, want, dir)
	case err != nil:
		return err
	case installed.Version != want:
		return missing("%s is installed as %s, not %s: run `npm ci` in %s", original, installed.Version, want, dir)
	}
	return nil
}

func readJSON(name string, to any) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%s:1: %w", name, err)
	}
	return nil
}

// script returns the command that runs one of the scripts.
func (s Setup) script(ctx context.Context, name string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, s.Node, append([]string{"--expose-gc", filepath.Join(s.Dir, name)}, args...)...)
}
