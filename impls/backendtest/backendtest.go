// Package backendtest is the conformance suite of cluster tables and
// normalizers, in the way of testing/fstest: a backend is right when [Test]
// says so.
//
// A backend's own test file is
//
//	func TestBackend(t *testing.T) { backendtest.Test(t, Backend) }
//	func FuzzBackend(f *testing.F) { backendtest.Fuzz(f, Backend) }
//
// # How it is built
//
// A call is a value ([impls.ClusterTable]'s method and its arguments), a
// history a sequence of calls. Cases written out by hand say what single calls
// answer. Random histories run on the backend and on package model in
// lockstep: after every step, every lookup is made around every edge there is
// (first and last of a cluster, of what is finalized, of a page of a power of
// two, of the number line), and the backend checks its own invariants. Rapid
// shrinks what fails. Large documents, with keys chosen by an adversary, answer
// by construction. The optional interfaces are compared with the plain calls
// wherever a backend has them.
//
// The rule of widths is a test of its own: clusters of up to 2^53-1 IDs may add
// neither bytes nor steps. No test looks at a clock. Speed shows as steps: a
// backend that counts them ([impls.Prober]) is held to the bound it states, and
// the bound to a logarithm.
//
// The suite runs on one goroutine. Under the race detector, which slows it by
// ten, it uses smaller documents and histories.
//
// What fails is reported as the call, what it answered, what it should have,
// and the history that led there.
package backendtest

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"example.com/idlab/impls"
	"pgregory.net/rapid"
)

// part is a part of the suite. It runs on *testing.T or on a recorder.
type part struct {
	name string
	run  func(rapid.TB, impls.Backend)
}

var parts = []part{
	{"Cases", testCases},
	{"Steps", testSteps},
	{"Documents", testDocuments},
	{"Widths", testWidths},
	{"Bulk", testBulk},
	{"Batches", testBatches},
	{"Probes", testProbes},
	{"Sizes", testSizes},
	{"NormalizerCases", testNormalizerCases},
	{"NormalizerSteps", testNormalizerSteps},
	{"NormalizerLarge", testNormalizerLarge},
	{"NormalizerWidths", testNormalizerWidths},
	{"NormalizerSizes", testNormalizerSizes},
}

// Test runs the whole suite on b, each part as a subtest. Parts about an
// optional interface that b does not have are skipped.
func Test(t *testing.T, b impls.Backend) {
	for _, p := range parts {
		t.Run(p.name, func(t *testing.T) { p.run(t, b) })
	}
}

// Violation is a part of the suite that a backend does not pass.
type Violation struct {
	Part string
	Log  string // what the part reports
}

// Violations runs the suite on b, or only the named parts of it, and returns
// those that fail. A panic is a failure. It is for tests of what has to fail.
func Violations(b impls.Backend, only ...string) []Violation {
	var vs []Violation
	for _, p := range parts {
		if len(only) > 0 && !slices.Contains(only, p.name) {
			continue
		}
		r := &recorder{name: b.Name + "/" + p.name}
		if r.run(func() { p.run(r, b) }); r.failed {
			vs = append(vs, Violation{p.name, r.log.String()})
		}
	}
	return vs
}

// recorder stands in for *testing.T and keeps what it is told.
type recorder struct {
	name   string
	failed bool
	log    strings.Builder
}

// run runs f on a goroutine of its own, which FailNow and SkipNow can end.
func (r *recorder) run(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil { // not Goexit
				r.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		f()
	}()
	<-done
}

func (r *recorder) Helper()                   {}
func (r *recorder) Name() string              { return r.name }
func (r *recorder) Log(args ...any)           { fmt.Fprintln(&r.log, args...) }
func (r *recorder) Logf(f string, a ...any)   { fmt.Fprintf(&r.log, f+"\n", a...) }
func (r *recorder) Error(args ...any)         { r.Log(args...); r.Fail() }
func (r *recorder) Errorf(f string, a ...any) { r.Logf(f, a...); r.Fail() }
func (r *recorder) Fatal(args ...any)         { r.Log(args...); r.FailNow() }
func (r *recorder) Fatalf(f string, a ...any) { r.Logf(f, a...); r.FailNow() }
func (r *recorder) Skip(args ...any)          { r.Log(args...); r.SkipNow() }
func (r *recorder) Skipf(f string, a ...any)  { r.Logf(f, a...); r.SkipNow() }
func (r *recorder) FailNow()                  { r.Fail(); runtime.Goexit() }
func (r *recorder) SkipNow()                  { runtime.Goexit() }
func (r *recorder) Fail()                     { r.failed = true }
func (r *recorder) Failed() bool              { return r.failed }

// must ends the test at an error.
func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}
