package all

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"example.com/idlab/impls"
	"example.com/idlab/impls/backendtest"
)

// Every registered backend passes the suite: in its own tests, or else here.
// Twice would take half a minute.
func TestBackends(t *testing.T) {
	for _, b := range impls.Backends() {
		t.Run(b.Name, func(t *testing.T) {
			if !testsItself(t, b.Name) {
				backendtest.Test(t, b)
				return
			}
			for _, v := range backendtest.Violations(b, "Cases", "NormalizerCases") {
				t.Errorf("%s: %s", v.Part, v.Log)
			}
		})
	}
}

// testsItself reports whether the tests in a backend's folder run the suite.
func testsItself(t *testing.T, folder string) bool {
	dir := os.DirFS("../" + folder)
	names, err := fs.Glob(dir, "*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		text, err := fs.ReadFile(dir, name)
		return err == nil && bytes.Contains(text, []byte("backendtest.Test(t, "))
	})
}

// The same history gives the same answers on every backend.
func TestBackendsAgree(t *testing.T) { backendtest.Agree(t, impls.Backends()) }

// A folder that registers a backend has to be imported here, and its backend
// to be named as the folder is.
func TestNoneIsMissing(t *testing.T) {
	have := map[string]bool{}
	for _, b := range impls.Backends() {
		have[b.Name] = true
	}
	folders, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	registering := 0
	for _, f := range folders {
		if !f.IsDir() || f.Name() == "control" || !registers(t, f.Name()) {
			continue
		}
		registering++
		if !have[f.Name()] {
			t.Errorf("impls/%s registers a backend: import it in package all, and name the backend %q", f.Name(), f.Name())
		}
	}
	if registering != len(have) {
		t.Errorf("%d folders register a backend, %d are registered", registering, len(have))
	}
	for _, b := range impls.Backends() {
		if b.Structure == "" || b.Guarantees == "" || b.Control {
			t.Errorf("%s does not say what it is: %+v", b.Name, b)
		}
	}
}

// registers reports whether a folder's package calls impls.Register.
func registers(t *testing.T, folder string) (found bool) {
	fset := token.NewFileSet()
	names, err := fs.Glob(os.DirFS("../"+folder), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, path.Join("..", folder, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Register" {
					if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "impls" {
						found = true
					}
				}
			}
			return !found
		})
	}
	return found
}

func TestBackendsAreSorted(t *testing.T) {
	byName := func(a, b impls.Backend) int { return strings.Compare(a.Name, b.Name) }
	if bs := impls.Backends(); !slices.IsSortedFunc(bs, byName) || len(bs) < 3 {
		t.Errorf("%d backends, not by name", len(bs))
	}
}
