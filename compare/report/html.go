package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"example.com/idlab/compare"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageCSS string
)

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"css":     styleSheet,
	"svg":     func(f figure) template.HTML { return template.HTML(f.inline()) },
	"key":     func(s style) template.HTML { return template.HTML(s.legend()) },
	"outcome": func(o compare.Outcome) string { return strings.TrimSpace(outcomes[o].symbol + " " + outcomes[o].word) },
	"mark":    func(m compare.Mark) string { return symbolOf(m) },
	"class":   cellClass,
	"bar":     barWidthCSS,
	"sign":    func(tone string) string { return strings.TrimSpace(toneSign(tone)) },
}).Parse(pageText))

// barWidthCSS is the width of a bar for a share of 1.
func barWidthCSS(v compare.Float) template.CSS {
	if !v.Known() {
		v = 0
	}
	return template.CSS(fmt.Sprintf("width:%.1f%%", 100*min(max(v, 0), 1)))
}

// styleSheet is the page's, with the colours of both themes.
func styleSheet() template.CSS {
	return template.CSS(fmt.Sprintf(`:root{%[1]s}
@media (prefers-color-scheme:dark){:root{%[2]s}}
:root:has(#theme-light:checked){%[1]s}
:root:has(#theme-dark:checked){%[2]s}
@media print{:root:not(#a#b){%[1]s}}
svg{font-family:%[3]s}
%[4]s`, light.declarations(), dark.declarations(), fontFamily, pageCSS))
}

// cellClass is a cell's look.
func cellClass(h head, c cell) string {
	var class []string
	if h.Num {
		class = append(class, "num")
	}
	if c.Mark != compare.NoMark {
		if known := marks[c.Mark].word; known != "" {
			class = append(class, known)
		}
	}
	if c.Stat != nil && c.Stat.N > 0 {
		class = append(class, "stat")
	}
	if c.Level > 0 {
		class = append(class, fmt.Sprintf("heat h%d", c.Level))
	}
	if c.Hatch {
		class = append(class, "hatch")
	}
	return strings.Join(class, " ")
}

// writeHTML writes one page that needs nothing else: no request, no script.
func writeHTML(w io.Writer, r *compare.Report, o Options) error {
	var b bytes.Buffer
	if err := page.Execute(&b, newOutline(r, o)); err != nil {
		return fmt.Errorf("the page cannot be rendered: %w", err)
	}
	_, err := b.WriteTo(w)
	return err
}
