package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"
)

// TableOptions lay out tables in benchproc's syntax (go doc
// golang.org/x/perf/benchproc/syntax).
type TableOptions struct {
	Row    string   // ".fullname" unless told
	Col    string   // "/backend,/aa" unless told
	Filter string   // "*" unless told
	Units  []string // all unless told; "ns/op" and "sec/op" are the same

	// Base is the label of the column that ratios are against ("sortedslice").
	// Without one, ratios are against each row's best candidate.
	Base    string
	prefer  string // as Base, in tables that have the column
	Command string // what reproduces the tables
}

// Tabulate lays s out as tables: one for each unit and for each value of the
// name's keys that neither rows nor columns show. Nothing is aggregated that a
// key tells apart, except the A/A twins, which are left out unless /aa is shown,
// and file configuration, which Check has found to be one.
//
// Keys are sorted (numbers by value) unless the projection gives an order: the
// order of a file is the order of a shuffled run, and means nothing.
//
// The margin is o's as it stands: BuildReport raises it to the measured noise.
func Tabulate(s *Set, t TableOptions, o Options) ([]Table, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	p, err := newProjector(s, &t)
	if err != nil {
		return nil, err
	}
	if err := s.checkEnvironment(p.configKeys...); err != nil {
		return nil, err
	}
	sheets, err := p.project()
	if err != nil {
		return nil, err
	}
	var tables []Table
	for _, sh := range sheets {
		table, err := newEngine(o).tabulate(s, sh, &t)
		if err != nil {
			return nil, err
		}
		tables = append(tables, table)
	}
	return tables, nil
}

// A projector sorts results into sheets.
type projector struct {
	set             *Set
	units           []string
	filter          *benchproc.Filter
	row, col, table *benchproc.Projection
	rowGiven        bool // the expressions give an order
	colGiven        bool
	twins           bool
	configKeys      []string // environment keys that rows or columns show
}

// A sheet is a table before its statistics.
type sheet struct {
	unit       string
	shared     benchproc.Key
	rows, cols []benchproc.Key
	cells      map[[2]benchproc.Key]*Sample
	roles      map[benchproc.Key]Role // of a column or row, when all its cells have that one
}

func newProjector(s *Set, t *TableOptions) (*projector, error) {
	if t.Row == "" {
		t.Row = ".fullname"
	}
	if t.Col == "" {
		t.Col = "/backend,/aa"
	}
	if t.Filter == "" {
		t.Filter = "*"
	}
	p := &projector{set: s, rowGiven: strings.Contains(t.Row, "@"), colGiven: strings.Contains(t.Col, "@")}
	var err error
	if p.filter, err = benchproc.NewFilter(t.Filter); err != nil {
		return nil, &OptionError{"filter", err.Error()}
	}
	var parser benchproc.ProjectionParser
	parse := func(name, expr string, into **benchproc.Projection) {
		var e error
		if *into, e = parser.Parse(expr, p.filter); e != nil && err == nil {
			err = &OptionError{name, e.Error()}
		}
	}
	parse("row", t.Row, &p.row)
	parse("col", t.Col, &p.col)
	if err != nil {
		return nil, err
	}
	shown := make(map[string]bool)
	for _, proj := range []*benchproc.Projection{p.row, p.col} {
		for _, f := range proj.Fields() {
			shown[f.Name] = true
			if slices.Contains(environmentKeys, f.Name) {
				p.configKeys = append(p.configKeys, f.Name)
			}
			if f.Name == ".config" {
				p.configKeys = environmentKeys
			}
			if f.Name == "/gomaxprocs" {
				p.configKeys = append(p.configKeys, "gomaxprocs")
			}
		}
	}
	p.twins = shown["/aa"]
	// What is parsed is taken out of .fullname: these two always are.
	var ignored, rest *benchproc.Projection
	for _, key := range []string{"/aa", "/gomaxprocs"} {
		if !shown[key] {
			parse("row", key, &ignored)
		}
	}
	tableKeys := []string{".fullname"}
	if shown[".fullname"] {
		tableKeys = nil
	} else if !shown[".name"] {
		tableKeys = []string{".name", ".fullname"}
	}
	parse("row", strings.Join(tableKeys, ","), &rest)
	p.table = rest
	p.units = s.Units()
	if len(t.Units) > 0 {
		p.units = nil
		for _, u := range t.Units {
			p.units = append(p.units, tidyUnit(u))
		}
	}
	return p, err
}

// project makes the sheets, in the order of units, then of their keys.
func (p *projector) project() ([]*sheet, error) {
	type sheetKey struct {
		unit  string
		table benchproc.Key
	}
	sheets := make(map[sheetKey]*sheet)
	matched := false
	for i := range p.set.results {
		r := &p.set.results[i]
		if r.who.Twin && !p.twins {
			continue
		}
		rec := r.record()
		match, err := p.filter.Apply(rec)
		if err != nil {
			return nil, &OptionError{"filter", err.Error()}
		}
		if !match {
			continue
		}
		row, col, table := p.row.Project(rec), p.col.Project(rec), p.table.Project(rec)
		for _, v := range rec.Values {
			if !slices.Contains(p.units, v.Unit) {
				continue
			}
			matched = true
			sh := sheets[sheetKey{v.Unit, table}]
			if sh == nil {
				sh = &sheet{unit: v.Unit, shared: table, cells: make(map[[2]benchproc.Key]*Sample), roles: make(map[benchproc.Key]Role)}
				sheets[sheetKey{v.Unit, table}] = sh
			}
			sh.add(row, col, r, v.Value)
		}
	}
	if !matched {
		return nil, &OptionError{"filter", "no result matches the filter and the units"}
	}
	keys := sortedKeys(sheets, func(a, b sheetKey) int {
		if d := slices.Index(p.units, a.unit) - slices.Index(p.units, b.unit); d != 0 {
			return d
		}
		return compareNatural(a.table.StringValues(), b.table.StringValues())
	})
	out := make([]*sheet, len(keys))
	for i, k := range keys {
		out[i] = sheets[k]
		out[i].sort(p)
	}
	return out, nil
}

// record is the result as benchproc wants it.
func (r *result) record() *benchfmt.Result {
	rec := &benchfmt.Result{Name: benchfmt.Name(r.full), Iters: 1, Values: make([]benchfmt.Value, len(r.values))}
	for _, c := range r.config.pairs {
		rec.Config = append(rec.Config, benchfmt.Config{Key: c.Key, Value: []byte(c.Value), File: c.Key != ".file"})
	}
	for i, v := range r.values {
		rec.Values[i] = benchfmt.Value{Value: v.value, Unit: v.unit}
	}
	return rec
}

func (sh *sheet) add(row, col benchproc.Key, r *result, v float64) {
	at := [2]benchproc.Key{row, col}
	x := sh.cells[at]
	if x == nil {
		x = new(Sample)
		sh.cells[at] = x
	}
	x.add(v, r.block)
	for _, k := range at {
		if have, ok := sh.roles[k]; !ok {
			sh.roles[k] = r.who.Role()
		} else if have != r.who.Role() {
			sh.roles[k] = Candidate
		}
	}
}

// sort orders rows and columns; candidates come before what is for orientation.
func (sh *sheet) sort(p *projector) {
	rows, cols := make(map[benchproc.Key]bool), make(map[benchproc.Key]bool)
	for at := range sh.cells {
		rows[at[0]], cols[at[1]] = true, true
	}
	rank := map[Role]int{Candidate: 0, Twin: 1, Peer: 2, Control: 3}
	natural := func(a, b benchproc.Key) int {
		if d := rank[sh.roles[a]] - rank[sh.roles[b]]; d != 0 {
			return d
		}
		return compareNatural(a.StringValues(), b.StringValues())
	}
	sh.rows, sh.cols = sortedKeys(rows, natural), sortedKeys(cols, natural)
	if p.rowGiven {
		benchproc.SortKeys(sh.rows)
	}
	if p.colGiven {
		benchproc.SortKeys(sh.cols)
	}
}

// heading names a key by the fields that have a value.
func heading(k benchproc.Key, role Role) Heading {
	h := Heading{Role: role}
	if h.Role == "" {
		h.Role = Candidate
	}
	var label []string
	for _, f := range k.Projection().FlattenedFields() {
		v := k.Get(f)
		if f.Name == ".fullname" { // "Decompress/doc=small/ids=local" reads "Decompress small ids=local"
			v = strings.ReplaceAll(strings.Trim(strings.TrimPrefix(v, "*"), "/"), "/doc=", " ")
			v = strings.TrimPrefix(strings.ReplaceAll(v, "/", " "), "doc=")
		}
		if v == "" {
			continue
		}
		h.Keys = append(h.Keys, Setting{f.Name, v})
		label = append(label, v)
	}
	h.Label = strings.Join(label, " ")
	return h
}

// compareNatural orders strings with the numbers in them by value.
func compareNatural(a, b string) int {
	for a != "" && b != "" {
		na, nb := digits(a), digits(b)
		if na > 0 && nb > 0 {
			x, errX := strconv.ParseUint(a[:na], 10, 64)
			y, errY := strconv.ParseUint(b[:nb], 10, 64)
			if errX == nil && errY == nil && x != y {
				if x < y {
					return -1
				}
				return 1
			}
			if c := strings.Compare(a[:na], b[:nb]); c != 0 {
				return c
			}
			a, b = a[na:], b[nb:]
			continue
		}
		if a[0] != b[0] {
			return strings.Compare(a[:1], b[:1])
		}
		a, b = a[1:], b[1:]
	}
	return strings.Compare(a, b)
}

func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// baseOf finds the column, and kind, that a table's ratios are against.
func baseOf(cols []Heading, better int, t *TableOptions) (int, BaseKind, error) {
	for _, base := range []string{t.Base, t.prefer} {
		if i := slices.IndexFunc(cols, func(h Heading) bool { return h.Label == base }); base != "" && i >= 0 {
			return i, BaseNamed, nil
		}
	}
	if t.Base != "" {
		return 0, "", &OptionError{"base", fmt.Sprintf("no column is called %q", t.Base)}
	}
	if better == 0 {
		return 0, BaseFirst, nil
	}
	return -1, BaseBest, nil
}

func knownOr(v float64) Float {
	if v <= 0 {
		return unknown
	}
	return Float(v)
}
