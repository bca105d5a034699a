package report

import (
	"fmt"
	"image/color"
	"strings"
)

// A theme is light or dark.
type theme int

const (
	light theme = iota
	dark
)

func (t theme) String() string { return [...]string{"light", "dark"}[t] }

// A token is a colour by its purpose. As a color.Color it is a marker that
// svg.go replaces in a finished drawing: by a CSS variable, so that one SVG
// serves both themes in the page, or by a theme's colour in a file.
type token uint8

// The tokens. Series colours follow firstSeries, heat levels firstHeat.
const (
	bg token = iota
	panel
	ink
	muted
	rule
	accent
	good
	bad
	warn
	hatch
	firstHeat
	_
	_
	_
	_
	_
	other // controls and peers
	firstSeries
	_
	_
	_
	_
	_
	_
	lastSeries
	tokens
)

// palette is each token's name in CSS and its colours, light and dark. The
// series are variants of Okabe and Ito's palette, made darker for the light
// theme and lighter for the dark one until each has a contrast of 3:1 with the
// background; the heat runs from blue (best) over grey to orange (worst), which
// the common kinds of colour blindness keep apart (TestContrast).
var palette = [tokens]struct {
	name   string
	colour [2]string
}{
	bg:     {"bg", [2]string{"#ffffff", "#14171c"}},
	panel:  {"panel", [2]string{"#f5f6f8", "#1d2229"}},
	ink:    {"ink", [2]string{"#1b1f24", "#e7eaee"}},
	muted:  {"muted", [2]string{"#57606a", "#a3adb8"}},
	rule:   {"rule", [2]string{"#d5dae0", "#3a424c"}},
	accent: {"accent", [2]string{"#0b5fa5", "#6db8f0"}},
	good:   {"good", [2]string{"#005f9e", "#74bdf2"}},
	bad:    {"bad", [2]string{"#a84300", "#ffa262"}},
	warn:   {"warn", [2]string{"#8a5a00", "#f0c04a"}},
	hatch:  {"hatch", [2]string{"#1b1f2440", "#ffffff40"}},

	firstHeat:     {"h1", [2]string{"#9ccbeb", "#1c5a86"}},
	firstHeat + 1: {"h2", [2]string{"#d3e8f6", "#24455e"}},
	firstHeat + 2: {"h3", [2]string{"#f1f1ee", "#343940"}},
	firstHeat + 3: {"h4", [2]string{"#fce3c8", "#54402d"}},
	firstHeat + 4: {"h5", [2]string{"#f8c290", "#74471f"}},
	firstHeat + 5: {"h6", [2]string{"#f09a5c", "#964813"}},

	other:           {"s0", [2]string{"#737b84", "#98a1ab"}},
	firstSeries:     {"s1", [2]string{"#0072b2", "#56b4e9"}}, // blue
	firstSeries + 1: {"s2", [2]string{"#c84f00", "#ff8f4d"}}, // vermillion
	firstSeries + 2: {"s3", [2]string{"#00805d", "#2fc79c"}}, // bluish green
	firstSeries + 3: {"s4", [2]string{"#a8447f", "#e79cc6"}}, // reddish purple
	firstSeries + 4: {"s5", [2]string{"#94690a", "#f0b429"}}, // orange
	firstSeries + 5: {"s6", [2]string{"#30353b", "#dfe3e8"}}, // black
	firstSeries + 6: {"s7", [2]string{"#6b6f00", "#ece65a"}}, // yellow
	lastSeries:      {"s8", [2]string{"#2b95cf", "#a5d8f6"}}, // sky blue
}

const markerRed, markerGreen = 0xFA, 0xCE

// RGBA is the marker #FACEnn, where nn is the token.
func (t token) RGBA() (r, g, b, a uint32) {
	return color.NRGBA{markerRed, markerGreen, uint8(t), 0xff}.RGBA()
}

// A tint is a token's colour, mostly transparent: its marker is #FACEnn with
// the high bit of nn set.
type tint token

const (
	tintBit     = 0x80
	tintOpacity = "0.35"
)

// RGBA is the marker.
func (t tint) RGBA() (r, g, b, a uint32) {
	return color.NRGBA{markerRed, markerGreen, tintBit | uint8(t), 0xff}.RGBA()
}

// heat is the token of a level, from 1.
func heat(level int) token { return firstHeat + token(level-1) }

// declarations are a theme's colours as CSS variables.
func (t theme) declarations() string {
	var b strings.Builder
	fmt.Fprintf(&b, "color-scheme:%s;", t)
	for _, c := range palette {
		fmt.Fprintf(&b, "--%s:%s;", c.name, c.colour[t])
	}
	return b.String()
}
