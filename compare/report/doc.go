// Package report renders what package compare computed: as text for a
// terminal, Markdown, CSV, JSON, one offline HTML page, and SVGs for a README.
//
// # Terms
//
// An outline is a report in the order a person reads it: sections of
// paragraphs, lists, grids, figures and commands. A grid is a table of
// formatted cells that keep their numbers. A figure is a plot that is drawn
// when a rendering wants it. A theme is light or dark; a token is a colour by
// its purpose ("ink", "series 3"), which each theme has a value for.
//
// # How it fits together
//
//	compare.Report -> outline (outline_*.go) -> text, Markdown, CSV, HTML
//	                          figures (plot_*.go) -> SVG in the page, SVG files
//
// A part of the report is added to the outline, and every rendering has it. A
// rendering is added to Formats, and has every part. Renderings compute no
// statistic: they format, colour and place.
//
// # Trust
//
// Names come from sample files, which are anybody's. The outline is made from a
// copy of the report without control characters, so that a name cannot move a
// terminal's cursor; HTML escapes by html/template, SVG by package vgsvg,
// Markdown and CSV here. The page loads nothing and runs no script.
package report
