package snapshot_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"example.com/idlab/impls/snapshot"
)

// Every file of the reference's own snapshots loads and is written back to itself.
func TestFluidSnapshots(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/fluid-snapshots/v*/*")
	more, _ := filepath.Glob("../../../shared/fluid-snapshots/with-session/*")
	if files = append(files, more...); len(files) == 0 {
		t.Skip("no ../shared here")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := snapshot.ParseText(text)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
			continue
		}
		if back, _ := s.AppendText(nil); !bytes.Equal(back, text) {
			t.Errorf("%s comes back as %s", filepath.Base(file), back)
		}
	}
}
