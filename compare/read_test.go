package compare

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
)

const oneLine = "BenchmarkDecompress/doc=small/backend=paged-2 100 12.5 ns/op 0 B/op 0 allocs/op\n"

func TestReadRefuses(t *testing.T) {
	inUTF16 := func(order string) string {
		var b []byte
		if order == "le" {
			b = append(b, 0xff, 0xfe)
		} else if order == "be" {
			b = append(b, 0xfe, 0xff)
		}
		for _, u := range utf16.Encode([]rune("goos: linux\n" + oneLine)) {
			if order == "be" {
				b = append(b, byte(u>>8), byte(u))
			} else {
				b = append(b, byte(u), byte(u>>8))
			}
		}
		return string(b)
	}
	for name, c := range map[string]struct {
		text  string
		kind  error
		line  int
		words string
	}{
		"empty":          {"", ErrEmpty, 1, "empty"},
		"blank":          {"\n\n\n", ErrEmpty, 1, "no benchmark results"},
		"prose":          {"Dear reader,\nthere are no figures here: none.\n", ErrEmpty, 1, "no benchmark results"},
		"only config":    {"goos: linux\ncpu: x\n", ErrEmpty, 1, "no benchmark results"},
		"UTF-16LE":       {inUTF16("le"), ErrEncoding, 1, "UTF-16"},
		"UTF-16BE":       {inUTF16("be"), ErrEncoding, 1, "UTF-16"},
		"UTF-16 no mark": {inUTF16(""), ErrEncoding, 1, "UTF-16"},
		"zero later":     {oneLine + "goos: li\x00nux\n", ErrEncoding, 2, "zero byte"},
		"iterations":     {oneLine + "BenchmarkA/doc=b/backend=c-2 many 3 ns/op\n", ErrDamaged, 2, "iteration count"},
		"no figures":     {oneLine + "\nBenchmarkA/doc=b/backend=c-2 100\n", ErrUnits, 3, "missing measurements"},
		"no unit":        {oneLine + "BenchmarkA/doc=b/backend=c-2 100 12.5\n", ErrUnits, 2, "missing units"},
		"bad figure":     {oneLine + "BenchmarkA/doc=b/backend=c-2 100 1x2.5 ns/op\n", ErrDamaged, 2, "parsing measurement"},
		"NaN":            {"BenchmarkA/doc=b/backend=c-2 100 NaN ns/op\n", ErrDamaged, 1, "not a measurement"},
		"Inf":            {"BenchmarkA/doc=b/backend=c-2 100 +Inf ns/op\n", ErrDamaged, 1, "not a measurement"},
		"negative":       {"BenchmarkA/doc=b/backend=c-2 100 -1 ns/op\n", ErrDamaged, 1, "not a measurement"},
		"no time":        {"BenchmarkA/doc=b/backend=c-2 100 0 ns/op\n", ErrDamaged, 1, "0 ns"},
		"unit twice":     {"BenchmarkA/doc=b/backend=c-2 100 1 ns/op 2 ns/op\n", ErrDamaged, 1, "twice"},
		"cut off":        {oneLine + "BenchmarkDecompress/doc=sma", ErrDamaged, 2, "no result"},
		"cut off midway": {oneLine + "BenchmarkGen/doc=sma\n" + oneLine, ErrDamaged, 2, "no result"},
		"mid-line":       {oneLine + "some logBenchmarkA/doc=b/backend=c-2 100 1 ns/op\n", ErrDamaged, 2, "middle"},
		"failed":         {oneLine + "--- FAIL: BenchmarkA\nFAIL\n", ErrDamaged, 2, "failed"},
		"failed package": {oneLine + "FAIL\texample.com/x 1s\n", ErrDamaged, 2, "failed"},
		"panicked":       {oneLine + "panic: oh\n", ErrDamaged, 2, "failed"},
		"long line":      {oneLine + "x" + strings.Repeat("y", MaxLine) + "\n", ErrTooLarge, 2, "longer"},
		"noise":          {"goos: linux\nnoise: a lot\n" + oneLine, ErrDamaged, 2, "fraction"},
		"unit line":      {"Unit ns/op better\n" + oneLine, ErrDamaged, 1, "key=value"},
		"two packages":   {"pkg: a\n" + oneLine + "pkg: b\n" + oneLine, ErrMixed, 4, "two benchmarks with one name"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := ReadFrom(Input{"f.txt", strings.NewReader(c.text)})
			if s != nil {
				t.Error("there is a Set beside the error")
			}
			wantInputError(t, err, c.kind, c.line, c.words)
		})
	}
}

func TestReadConfigurationIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 10 * maxConfig {
		b.WriteString("k" + strings.Repeat("a", i%100) + string(rune('a'+i%26)) + strings.Repeat("b", i/100) + ": v\n")
	}
	_, err := ReadFrom(Input{"f.txt", strings.NewReader(b.String() + oneLine)})
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}

func TestReadAccepts(t *testing.T) {
	for name, text := range map[string]string{
		"CRLF":            strings.ReplaceAll("goos: linux\n"+oneLine, "\n", "\r\n"),
		"byte order mark": "\ufeff" + oneLine,
		"no last newline": strings.TrimSuffix(oneLine, "\n"),
		"go test -v":      "=== RUN   BenchmarkDecompress\nBenchmarkDecompress\nBenchmarkDecompress/doc=small/backend=paged\n" + oneLine + "PASS\nok  \texample.com/x\t1.2s\n",
		"a log":           "    bench_test.go:12: nothing: here\n" + oneLine,
	} {
		s := mustRead(t, text)
		if x := s.Sample(ID{Op: "Decompress", Doc: "small"}, Subject{Backend: "paged"}, UnitTime); x == nil || len(x.Values) != 1 {
			t.Errorf("%s: the result is not there", name)
		}
	}
}

func TestReadFiles(t *testing.T) {
	if _, err := Read(filepath.Join(t.TempDir(), "nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := Read(); !errors.Is(err, ErrEmpty) {
		t.Errorf("no file: %v", err)
	}
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte(oneLine), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Read(path)
	if err != nil || s.Files[0] != path {
		t.Errorf("got %v, %v", s, err)
	}
}

func TestParseName(t *testing.T) {
	s := mustRead(t, "BenchmarkDecompress/ids=local/doc=small/backend=paged/batch=8/aa=twin-2 100 12.5 ns/op\n")
	id := ID{"Decompress", "small", "batch=8/ids=local"}
	if x := s.Sample(id, Subject{"paged", true}, UnitTime); x == nil {
		t.Fatalf("have %v, want %v", s.IDs(UnitTime), id)
	}
	if got := id.String(); got != "Decompress batch=8 ids=local small" {
		t.Errorf("String() = %q", got)
	}
	if id.Key("ids") != "local" || id.Key("nothing") != "" {
		t.Error("Key finds the wrong values")
	}
}

func TestUnitsKeepTheirDirection(t *testing.T) {
	s := mustRead(t, "Unit x better=higher\nUnit y assume=exact\nBenchmarkA/doc=b/backend=c 1 1 ns/op 2 x 3 y 4 B/op 5 p99-ns 6 MB/s 7 inuse-bytes\n")
	for unit, want := range map[string]struct {
		better int
		exact  bool
	}{"sec/op": {-1, false}, "x": {1, false}, "y": {0, true}, "B/op": {-1, true}, "p99-sec": {-1, false}, "B/s": {1, false}, "inuse-bytes": {-1, true}} {
		if s.Better(unit) != want.better || s.Exact(unit) != want.exact {
			t.Errorf("%s: better %d, exact %v, want %v", unit, s.Better(unit), s.Exact(unit), want)
		}
	}
	if got := s.Units(); got[0] != UnitTime {
		t.Errorf("units %v do not begin with time", got)
	}
}

// A verdict is refused on what is readable and not comparable.
func TestNoVerdictOnBadInput(t *testing.T) {
	good := defaultFixture().String()
	swap := func(old, now string) string { // in the file's second half only
		half := len(good) / 2
		half += strings.IndexByte(good[half:], '\n') + 1
		return good[:half] + now + "\n" + good[half:]
	}
	lineAfter := func(text, line string) int {
		return strings.Count(text[:strings.Index(text, line)], "\n") + 1
	}
	for name, c := range map[string]struct {
		text  string
		kind  error
		line  func(text string) int
		words string
	}{
		"another tool": {good + "BenchmarkSort/1000-2 100 5 ns/op\n", ErrForeign,
			func(s string) int { return lineAfter(s, "BenchmarkSort") }, "not one of this lab's"},
		"no backend": {"BenchmarkSort/doc=x 100 5 ns/op\n", ErrForeign, func(string) int { return 1 }, "/backend="},
		"no doc":     {"BenchmarkSort/backend=x 100 5 ns/op\n", ErrForeign, func(string) int { return 1 }, "/doc="},
		"Go versions": {swap("", "go: go1.25.0"), ErrMixed,
			func(s string) int { return lineAfter(s, "go: go1.25.0") }, `"go1.25.0"`},
		"CPUs":     {swap("", "cpu: Another"), ErrMixed, func(s string) int { return lineAfter(s, "cpu: Another") }, "cpu"},
		"no times": {"BenchmarkA/doc=x/backend=y 100 5 B/op\n", ErrUnits, func(string) int { return 1 }, "ns/op"},
		"a time missing": {good + "BenchmarkGenerate/doc=small/backend=paged-2 100 5 B/op\n", ErrUnits,
			func(s string) int { return strings.Count(s, "\n") }, "ns/op is missing"},
		"GOMAXPROCS": {oneLine + strings.Replace(oneLine, "paged-2", "paged-4", 1), ErrMixed, func(string) int { return 2 }, "gomaxprocs"},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustRead(t, c.text)
			_, err := Choose(s, DefaultOptions)
			wantInputError(t, err, c.kind, c.line(c.text), c.words)
			if _, err := SelfTest(s, DefaultOptions); !errors.Is(err, c.kind) {
				t.Errorf("SelfTest: %v", err)
			}
			g, err := Gate(s, s, GateOptions{Options: DefaultOptions})
			if err != nil || g.Status != GateCannotTell {
				t.Errorf("Gate: status %d, %v", g.Status, err)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"", oneLine, "\xff\xfeB\x00", "Benchmark", "Benchmark/-2 1 1 x", "BenchmarkA/doc=/backend=b-2 1 1e308 ns/op\n",
		"BenchmarkA/=b/doc=c/backend=d 1 0 x 0 y\n", "block: 1\nnoise: 0.1\n" + oneLine + "block: 2\n" + oneLine, "Unit ns/op assume=exact\n" + oneLine,
		"BenchmarkA/doc=b/backend=c 1 1e-320 ns/op\nBenchmarkA/doc=b/backend=d 1 1e300 ns/op\n"} {
		f.Add(seed)
	}
	small := fixture{seed: 3, blocks: 2, ops: []string{"Build"}, docs: []string{"d"}, backends: []string{"a", "b"}, twin: "a",
		memory: func(string, string) float64 { return 0 }}
	f.Add(small.String())
	o := DefaultOptions
	o.Draws = 100
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		s, err := ReadFrom(Input{"f", strings.NewReader(text)})
		if err != nil {
			return
		}
		// Nothing downstream panics on what was read, and JSON takes all of it.
		if r, err := BuildReport(s, ReportOptions{Options: o, Verdict: true, Sizes: map[string]float64{"b": 1, "d": 2, "small": 3}}); err == nil {
			mustJSON(t, r)
		}
		if g, err := Gate(s, s, GateOptions{Options: o}); err == nil {
			if g.Status == GateRegression {
				t.Fatalf("a file regressed against itself: %s", g.Sentence)
			}
			mustJSON(t, g)
		}
	})
}

func TestReadGzip(t *testing.T) {
	zip := func(text string, times int) string {
		var b strings.Builder
		w := gzip.NewWriter(&b)
		for range times {
			if _, err := io.WriteString(w, text); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := defaultFixture().String()
	plain, err := ReadFrom(Input{"plain", strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	zipped := zip(text, 1)
	s, err := ReadFrom(Input{"zipped", strings.NewReader(zipped)})
	if err != nil {
		t.Fatal(err)
	}
	if s.nValues != plain.nValues || len(s.results) != len(plain.results) {
		t.Errorf("%d values in %d results, uncompressed %d in %d", s.nValues, len(s.results), plain.nValues, len(plain.results))
	}
	flipped := []byte(zipped)
	flipped[len(flipped)-6] ^= 1 // of the checksum
	for name, c := range map[string]struct {
		text string
		kind error
	}{
		"two bytes": {zipped[:2], ErrDamaged},
		"cut off":   {zipped[:len(zipped)/2], ErrDamaged},
		"no end":    {zipped[:len(zipped)-8], ErrDamaged},
		"flipped":   {string(flipped), ErrDamaged},
		"empty":     {zip("", 1), ErrEmpty},
		"bomb":      {zip(strings.Repeat(" ", 1023)+"\n", MaxText>>10+1), ErrTooLarge},
		"twice":     {zip(zipped, 1), ErrEncoding},
	} {
		s, err := ReadFrom(Input{"f", strings.NewReader(c.text)})
		var in *InputError
		if s != nil || !errors.Is(err, c.kind) || !errors.As(err, &in) || in.File != "f" || in.Line < 1 {
			t.Errorf("%s: %v, want %v", name, err, c.kind)
		}
	}
}
