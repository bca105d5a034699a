package report

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/idlab/compare"
)

// checkPage checks that a page is well-formed (as XML, which asks for more
// than HTML does), that anchors lead somewhere, headings are in order and
// tables regular, and that it refers to nothing outside.
func checkPage(t *testing.T, s string) {
	t.Helper()
	var stack, anchors []string
	ids, labels := make(map[string]bool), []string{}
	level, cells := 0, -1
	d := xml.NewDecoder(strings.NewReader(s))
	d.Entity = xml.HTMLEntity
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			name := tok.Name.Local
			stack = append(stack, name)
			for _, a := range tok.Attr {
				switch v := a.Value; a.Name.Local {
				case "id":
					if ids[v] {
						t.Errorf("the id %q is there twice", v)
					}
					ids[v] = true
				case "href":
					anchors = append(anchors, v)
				case "aria-labelledby":
					labels = append(labels, strings.Fields(v)...)
				case "src", "srcset", "action", "data", "poster", "background":
					t.Errorf("<%s %s=%q> asks for something", name, a.Name.Local, v)
				}
				if strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("<%s> has a handler, %s", name, a.Name.Local)
				}
			}
			switch {
			case slices.Contains([]string{"script", "link", "iframe", "object", "embed", "img", "base", "image", "use"}, name):
				t.Errorf("there is a <%s>", name)
			case len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6':
				if next := int(name[1] - '0'); next > level+1 {
					t.Errorf("<%s> follows a heading of level %d", name, level)
				} else {
					level = next
				}
			case name == "table":
				cells = -1
			case name == "tr":
				n := 0
				for _, cell := range []string{"<th", "<td"} {
					rest := s[d.InputOffset():]
					n += strings.Count(rest[:strings.Index(rest, "</tr>")], cell)
				}
				if cells >= 0 && n != cells {
					t.Errorf("a row has %d cells, the first %d", n, cells)
				}
				cells = n
			}
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		}
	}
	for _, a := range anchors {
		if !strings.HasPrefix(a, "#") || !ids[a[1:]] {
			t.Errorf("a link leads to %q", a)
		}
	}
	for _, l := range labels {
		if !ids[l] {
			t.Errorf("nothing is labelled %q", l)
		}
	}
	for _, bad := range []string{"http:", "https:", "//", "url(", "@import", "javascript:", "ZgotmplZ", "#FACE"} {
		if i := strings.Index(s, bad); i >= 0 {
			t.Errorf("the page holds %q: …%s…", bad, s[max(0, i-40):min(len(s), i+60)])
		}
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	s := render(t, "html", built(t), Options{Bounds: bounds})
	checkPage(t, s)
	for _, want := range []string{"Run paged", "entropy bound", "<title id=", "<desc id=", "prefers-color-scheme", `id="tails"`, "p99.9", "Make this run again", "idlab compare --format html samples.txt", "sortedslice would lead if the weight of memory"} {
		if !strings.Contains(s, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	if i, j := strings.Index(s, "Run paged"), strings.Index(s, "<nav"); i > j {
		t.Error("the verdict is not first")
	}
}

// Names come from files that anybody may have written.
func TestHostileNames(t *testing.T) {
	hostile := "<script>alert(1)</script>\"'&]]>`|\x1b[2J\u202e\x00\xff$(rm)"
	r := small()
	walkStrings(r, func(s string) string { return hostile + s })
	s := render(t, "html", r, Options{Bounds: map[string]float64{hostile: 3}})
	checkPage(t, s)
	if !strings.Contains(s, "&lt;script&gt;alert(1)") {
		t.Error("the names are not there")
	}
	for _, f := range []string{"text", "markdown"} {
		s := render(t, f, r, Options{Width: 100})
		for _, bad := range []string{"\x1b", "\x00", "\u202e", "\xff"} {
			if strings.Contains(s, bad) {
				t.Errorf("%s holds %q", f, bad)
			}
		}
	}
	if s := render(t, "markdown", r, Options{}); regexp.MustCompile(`(?m)^[^\n]*<script>`).MatchString(outsideFences(s)) {
		t.Error("Markdown holds HTML")
	}
	dir := t.TempDir()
	names, err := WriteSVGs(dir, r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		b, err := os.ReadFile(filepath.Join(dir, n))
		if err != nil {
			t.Fatal(err)
		}
		checkXML(t, n, string(b))
	}
}

// outsideFences is Markdown without its code blocks, which need no escapes.
func outsideFences(s string) string {
	return regexp.MustCompile("(?ms)^(`{3,})sh\n.*?\n`{3,}$").ReplaceAllString(s, "")
}

func checkXML(t *testing.T, name, s string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(s))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s is not well-formed: %v", name, err)
		}
		if e, ok := tok.(xml.StartElement); ok && (e.Name.Local == "script" || e.Name.Local == "image") {
			t.Errorf("%s holds <%s>", name, e.Name.Local)
		}
	}
}

func TestWriteSVGs(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	names, err := WriteSVGs(dir, built(t), Options{Bounds: bounds})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, id := range []string{"heatmap", "scaling", "pareto", "map", "evidence"} {
		want = append(want, id+"-light.svg", id+"-dark.svg")
	}
	if !slices.Equal(names, want) {
		t.Errorf("wrote %v, want %v", names, want)
	}
	for _, n := range names {
		b, err := os.ReadFile(filepath.Join(dir, n))
		if err != nil {
			t.Fatal(err)
		}
		s := string(b)
		checkXML(t, n, s)
		own, foreign := palette[ink].colour[light], palette[ink].colour[dark]
		if strings.Contains(n, "dark") {
			own, foreign = foreign, own
		}
		if !strings.Contains(s, own) || strings.Contains(s, foreign) || strings.Contains(s, "var(--") || strings.Contains(s, "#FACE") {
			t.Errorf("%s is not in its theme's colours", n)
		}
		if !strings.Contains(s, "sans-serif") || !strings.Contains(s, "<title") || strings.Contains(s, "<rect") {
			t.Errorf("%s: no sans-serif face, no title, or a background", n)
		}
	}
	if names, err := WriteSVGs(dir, &compare.Report{}, Options{}); err != nil || len(names) > 0 {
		t.Errorf("an empty report's figures: %v, %v", names, err)
	}
	if _, err := WriteSVGs(filepath.Join(dir, "map-dark.svg"), built(t), Options{}); err == nil {
		t.Error("a folder that is a file")
	}
}
