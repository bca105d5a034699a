package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Without Node, --peers says what to install, and nothing else minds.
func TestNoNode(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	out := filepath.Join(t.TempDir(), "samples.txt")
	var stdout, stderr bytes.Buffer
	if status := run([]string{"bench", "--quick", "--peers", "--out", out}, nil, &stdout, &stderr); status != 2 {
		t.Errorf("status %d, want 2", status)
	}
	if !strings.Contains(stderr.String(), "install Node 20 or newer") || stdout.Len() > 0 {
		t.Errorf("it says %q, and on standard output %q", &stderr, &stdout)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("the file for the samples is there")
	}
	stderr.Reset()
	if status := run([]string{"backends"}, nil, &stdout, &stderr); status != 0 || stderr.Len() > 0 {
		t.Errorf("backends: status %d: %s", status, &stderr)
	}
}
