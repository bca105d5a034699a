package report

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const chromium = "/usr/bin/chromium"

var screenshots = flag.String("screenshots", "", "a folder that the browser's screenshot and page are kept in")

// views are the widths of a phone and of a desktop, in both themes.
var views = []struct {
	width int
	theme theme
}{{390, light}, {390, dark}, {1280, light}, {1280, dark}}

const viewHeight = 1400

// probe tells the frame's parent how wide the page is, and what went wrong.
const probe = `<script>
var errors = [];
addEventListener("error", function (e) { errors.push(e.message); });
addEventListener("load", function () {
	parent.postMessage(JSON.stringify({view: location.hash.slice(1), page: document.documentElement.scrollWidth, window: innerWidth,
		requests: performance.getEntriesByType("resource").length, errors: errors.length,
		sections: document.querySelectorAll("section").length, plots: document.querySelectorAll("svg.plot").length}), "*");
});
</script></body>`

// TestBrowser opens the page in frames of each view: nothing scrolls sideways,
// nothing is requested, nothing is logged, and dark is dark.
func TestBrowser(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(chromium); err != nil {
		t.Skip("chromium is not installed")
	}
	dir := t.TempDir()
	if *screenshots != "" {
		dir = *screenshots
	}
	r := built(t)
	r.Warnings = append(r.Warnings, "a word that is too long: "+strings.Repeat("Supercalifragilistic", 8))
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	page := render(t, "html", r, Options{Bounds: bounds})
	write("page.html", strings.Replace(page, "</body>", probe, 1))
	var frames strings.Builder
	width := 0
	for i, v := range views {
		fmt.Fprintf(&frames, `<iframe src="page.html#%d" style="color-scheme:%v;position:absolute;left:%dpx;top:0;width:%dpx;height:%dpx;border:0"></iframe>`, i, v.theme, width, v.width, viewHeight)
		width += v.width
	}
	wrapper := write("frames.html", `<!DOCTYPE html><html><body style="margin:0"><script>
addEventListener("message", function (e) { console.log("seen " + e.data); });
</script>`+frames.String()+`</body></html>`)

	shot := filepath.Join(dir, "page.png")
	log := browse(t, fmt.Sprintf("--window-size=%d,%d", width, viewHeight), "--hide-scrollbars", "--screenshot="+shot, "file://"+wrapper)
	got := regexp.MustCompile(`seen (\{[^}]*\})`).FindAllStringSubmatch(log, -1)
	if len(got) != len(views) {
		t.Fatalf("%d of %d views were loaded: %s", len(got), len(views), log)
	}
	for _, m := range got {
		var seen struct {
			View                                            string
			Page, Window, Requests, Errors, Sections, Plots int
		}
		if err := json.Unmarshal([]byte(m[1]), &seen); err != nil {
			t.Fatal(err)
		}
		if seen.Page > seen.Window || seen.Requests > 0 || seen.Errors > 0 || seen.Sections < 10 || seen.Plots < 10 {
			t.Errorf("%+v", seen)
		}
	}

	f, err := os.Open(shot)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, v := range views {
		if b := brightness(img, left, v.width); (b > 0.5) != (v.theme == light) {
			t.Errorf("%d px, %v: brightness %.2f", v.width, v.theme, b)
		}
		left += v.width
	}
}

// browse runs chromium headless and returns its log, in which only our own
// lines may be from the console.
func browse(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium, append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--allow-file-access-from-files", "--enable-logging=stderr", "--user-data-dir=" + t.TempDir(),
	}, args...)...)
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, log.String())
	}
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, ":CONSOLE") && !strings.Contains(line, `"seen {`) {
			t.Errorf("the console says: %s", line)
		}
	}
	return log.String()
}

// brightness is the mean of a column of an image, 0 to 1.
func brightness(img image.Image, left, width int) float64 {
	var sum, n float64
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y += 7 {
		for x := left; x < min(left+width, b.Max.X); x += 7 {
			r, g, bl, _ := img.At(x, y).RGBA()
			sum += float64(r+g+bl) / (3 * 0xffff)
			n++
		}
	}
	return sum / n
}
