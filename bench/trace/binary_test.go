package trace

import (
	"os"
	"path/filepath"
	"testing"

	"example.com/idlab/impls/idcompressor"
)

// A program must come out of its binary form as it went in, whatever calls it has.
func TestProgramBinary(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/traces/*.jsonl*")
	if len(files) == 0 {
		t.Skip("no ../shared/traces")
	}
	portable := 0
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		p, err := Load(f, file, DefaultSettings)
		if err != nil {
			continue // a maptrace
		}
		data, err := p.MarshalBinary()
		if err == ErrNotPortable {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var q Program
		if err := q.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if want, got := p.Run(idcompressor.DefaultBackend), q.Run(idcompressor.DefaultBackend); got != want {
			t.Errorf("%s: %+v, want %+v", file, got, want)
		}
		portable++
	}
	if portable == 0 {
		t.Error("no program is portable")
	}
}
