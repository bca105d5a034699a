package report

import (
	"math"
	"strconv"
	"testing"
)

// contrast is WCAG's, of two colours as #rrggbb.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(s string) float64 {
		var sum float64
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			n, err := strconv.ParseUint(s[1+2*i:3+2*i], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			v := float64(n) / 255
			if v <= 0.04045 {
				v /= 12.92
			} else {
				v = math.Pow((v+0.055)/1.055, 2.4)
			}
			sum += weight * v
		}
		return sum
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Text has WCAG's 4.5:1, what is drawn 3:1, in both themes.
func TestContrast(t *testing.T) {
	for _, th := range []theme{light, dark} {
		check := func(front, back token, least float64) {
			t.Helper()
			if c := contrast(t, palette[front].colour[th], palette[back].colour[th]); c < least {
				t.Errorf("%v: %s on %s has %.2f:1, wants %.1f", th, palette[front].name, palette[back].name, c, least)
			}
		}
		for _, k := range []token{ink, muted, accent, good, bad, warn} {
			check(k, bg, 4.5)
			check(k, panel, 4.5)
		}
		for k := firstHeat; k < other; k++ {
			check(ink, k, 4.5)
		}
		for k := other; k < tokens; k++ {
			check(k, bg, 3)
		}
	}
	for k := token(0); k < tokens; k++ {
		if palette[k].name == "" {
			t.Errorf("token %d has no colour", k)
		}
	}
}
