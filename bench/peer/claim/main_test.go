package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// samples writes six blocks in which the peer takes a hundred times as long
// and four times the memory.
func samples(t *testing.T) string {
	var b strings.Builder
	for block := range 6 {
		fmt.Fprintf(&b, "plan: x\nblock: %d\n", block)
		ns := 10 + float64(block)
		fmt.Fprintf(&b, "BenchmarkDecompress/doc=small/backend=paged/ids=random 1 %v ns/op\n", ns)
		fmt.Fprintf(&b, "BenchmarkDecompress/doc=small/backend=fluid-js/ids=random 1 %v ns/op\n", ns*100)
		fmt.Fprintf(&b, "BenchmarkBuild/doc=small/backend=paged 1 1000 heap-bytes\n")
		fmt.Fprintf(&b, "BenchmarkBuild/doc=small/backend=fluid-js 1 %d heap-bytes\n", 4000)
		fmt.Fprintf(&b, "BenchmarkRecompress/doc=small/backend=paged/ids=random 1 5 ns/op\n")
	}
	file := filepath.Join(t.TempDir(), "samples.txt")
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestClaim(t *testing.T) {
	in, out := samples(t), filepath.Join(t.TempDir(), "README.md")
	const around = "# Title\n\n" + begin + "%s" + end + "\n\nMore.\n"
	if err := os.WriteFile(out, fmt.Appendf(nil, around, "old\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run("paged", out, []string{in}); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(out)
	want := fmt.Sprintf(around, `| time | document | paged | fluid-js, times as fast |
|---|---|--:|--:|
| Decompress ids=random | small | 12.50ns | **100** (100–100) |

| memory | document | paged | fluid-js, times fewer |
|---|---|--:|--:|
| Build | small | 1000.0B | **4** (4–4) |
`)
	if string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestClaimRefuses(t *testing.T) {
	in := samples(t)
	plain := filepath.Join(t.TempDir(), "plain.md")
	if err := os.WriteFile(plain, []byte("nothing\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"no mark":    run("paged", plain, []string{in}),
		"no backend": run("zork", "", []string{in}),
		"no file":    run("paged", "", []string{in + "x"}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if text, _ := os.ReadFile(plain); string(text) != "nothing\n" {
		t.Errorf("the file is %q", text)
	}
}
