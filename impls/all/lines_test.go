package all

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.com/idlab/impls"
)

// TestLines counts what backends say of their lines: of their package, and of
// those of this module it imports beyond the seam.
func TestLines(t *testing.T) {
	for _, b := range impls.Backends() {
		seen := map[string]bool{"impls": true, "impls/numericuuid": true} // the seam
		n := linesOf(t, "impls/"+b.Name, seen)
		if off := b.Lines - n; off < -n/20 || off > n/20 {
			t.Errorf("%s says that it has %d lines, and has %d: mend Lines of its Backend", b.Name, b.Lines, n)
		}
	}
}

// linesOf returns the lines with code of a package and of the packages it
// imports that are not seen yet.
func linesOf(t *testing.T, folder string, seen map[string]bool) (n int) {
	if seen[folder] {
		return 0
	}
	seen[folder] = true
	files, err := filepath.Glob(filepath.Join("../..", folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no files (%v)", folder, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n += codeLines(text)
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if ours, ok := strings.CutPrefix(path, "example.com/idlab/"); ok {
				n += linesOf(t, ours, seen)
			}
		}
	}
	return n
}

// codeLines returns the lines on which a token begins.
func codeLines(text []byte) int {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok != token.SEMICOLON || lit == ";" { // not one that the scanner puts in
			lines[file.Line(pos)] = true
		}
	}
}
