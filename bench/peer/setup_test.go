package peer

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// clone makes a clone with the scripts, and a PATH with a node of that
// version, "" for none.
func clone(t *testing.T, node, installed string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("bench/peer/driver.mjs", "", 0o666)
	write("bench/peer/package.json", `{"dependencies":{"`+original+`":"3.7.0"}}`, 0o666)
	if installed != "" {
		write("bench/peer/node_modules/"+original+"/package.json", `{"version":"`+installed+`"}`, 0o666)
	}
	if node != "" {
		write("bin/node", "#!/bin/sh\necho "+node+"\n", 0o777)
	}
	write("some/folder/file", "", 0o666)
	t.Setenv("PATH", filepath.Join(dir, "bin"))
	t.Chdir(filepath.Join(dir, "some", "folder"))
}

func TestFind(t *testing.T) {
	for _, c := range []struct{ name, node, installed, says string }{
		{"no node", "", "3.7.0", "install Node 20 or newer"},
		{"an old node", "v18.19.1", "3.7.0", "is Node 18.19.1, which is too old: install Node 20 or newer"},
		{"something else", "hello", "3.7.0", "too old"},
		{"no package", "v20.0.0", "", original + " 3.7.0 is not installed: run `npm ci` in "},
		{"another package", "v20.0.0", "3.6.0", "is installed as 3.6.0, not 3.7.0: run `npm ci` in "},
	} {
		t.Run(c.name, func(t *testing.T) {
			clone(t, c.node, c.installed)
			if _, err := Find(t.Context()); !errors.Is(err, ErrSetup) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
			if _, err := Node(t.Context(), true); !errors.Is(err, ErrSetup) {
				t.Errorf("Node: %v", err)
			}
		})
	}
	t.Run("all there", func(t *testing.T) {
		clone(t, "v22.3.0", "3.7.0")
		s, err := Find(t.Context())
		if err != nil || s.Version != "22.3.0" {
			t.Errorf("%+v, %v", s, err)
		}
		peers, err := Node(t.Context(), true)
		if err != nil || len(peers) != 3 {
			t.Errorf("%d peers, %v", len(peers), err)
		}
	})
	t.Run("no clone", func(t *testing.T) {
		t.Chdir(t.TempDir())
		if _, err := Find(t.Context()); !errors.Is(err, ErrSetup) || !strings.Contains(err.Error(), "no clone") {
			t.Errorf("error %v", err)
		}
	})
}
