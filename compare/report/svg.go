package report

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"regexp"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A figure is a plot that is drawn when a rendering wants it.
type figure struct {
	ID    string
	Title string
	Desc  string // what it shows, for who cannot see it
	w, h  vg.Length
	draw  func(draw.Canvas)
}

var (
	marker   = regexp.MustCompile(fmt.Sprintf(`(fill|stroke):#%02X%02X([0-9A-F]{2})`, markerRed, markerGreen))
	fontWord = regexp.MustCompile(`font-family:[^;"]*;font-variant:[^;"]*;font-weight:normal;font-style:normal;`)
	header   = regexp.MustCompile(`(?s)^.*?<svg[^>]*>`)
)

// fontFamily has the plots' own face first: its metrics placed the text, and
// Arial, Helvetica and Arimo have the same.
const fontFamily = "'Liberation Sans',Arial,Helvetica,Arimo,sans-serif"

// inline is the figure for the page: colours are CSS variables, so that it
// follows the theme, and nothing in it is an address.
func (f figure) inline() string {
	f.Title = cmp.Or(f.Title, "plot")
	head := fmt.Sprintf(`<svg class="plot" viewBox="0 0 %.5g %.5g" style="max-width:%.5gpx" role="img" aria-labelledby="%[4]s-t %[4]s-d">`,
		f.w, f.h, 1.2*f.w, html.EscapeString(f.ID))
	return f.svg(head, func(t token) string { return "var(--" + palette[t].name + ")" })
}

// file is the figure as a file of its own in a theme.
func (f figure) file(t theme) string {
	f.Title = cmp.Or(f.Title, "plot")
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%.5g" height="%.5g" viewBox="0 0 %[1]g %[2]g" font-family="%[3]s" role="img" aria-labelledby="%[4]s-t %[4]s-d">`,
		f.w, f.h, fontFamily, html.EscapeString(f.ID))
	return f.svg(head, func(k token) string { return palette[k].colour[t] })
}

func (f figure) svg(head string, colour func(token) string) string {
	canvas := vgsvg.New(f.w, f.h)
	f.draw(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		panic(err) // a bytes.Buffer does not fail
	}
	id := html.EscapeString(f.ID)
	if f.Title != "" {
		head += fmt.Sprintf("<title id=\"%s-t\">%s</title><desc id=\"%s-d\">%s</desc>", id, html.EscapeString(f.Title), id, html.EscapeString(f.Desc))
	}
	s := header.ReplaceAllLiteralString(b.String(), head)
	s = fontWord.ReplaceAllString(s, "")
	return marker.ReplaceAllStringFunc(s, func(m string) string {
		part := marker.FindStringSubmatch(m)
		n, err := strconv.ParseUint(part[2], 16, 8)
		if err != nil || n&^tintBit >= uint64(tokens) {
			return m
		}
		out := part[1] + ":" + colour(token(n&^tintBit))
		if n&tintBit != 0 {
			out += ";" + part[1] + "-opacity:" + tintOpacity
		}
		return out
	})
}

// legend is a style's mark for the page's own legend.
func (x style) legend() string {
	const w, h = 34, 12
	f := figure{ID: "l", w: w, h: h, draw: func(c draw.Canvas) {
		c.StrokeLine2(x.line(), 1, h/2, w-1, h/2)
		c.DrawGlyph(x.point(), vg.Point{X: w / 2, Y: h / 2})
	}}
	return f.svg(fmt.Sprintf(`<svg class="key" viewBox="0 0 %d %d" aria-hidden="true">`, w, h), func(t token) string { return "var(--" + palette[t].name + ")" })
}
