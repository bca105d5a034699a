// Claim prints the ratios of a backend's samples to those of its peers: how
// many times as fast it is, and how many times fewer bytes it takes.
//
//	idlab bench --peers --out samples.txt
//	go run ./bench/peer/claim [-backend NAME] [-write FILE] samples.txt...
//
// The table is Markdown. With -write it replaces what stands in FILE, usually
// README.md, between the lines
//
//	<!-- claim -->
//	<!-- /claim -->
package main

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"example.com/idlab/compare"
)

func main() {
	backend := flag.String("backend", "paged", "the backend whose claim it is")
	file := flag.String("write", "", "the file whose table is replaced; standard output without")
	flag.Parse()
	if err := run(*backend, *file, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "claim:", err)
		os.Exit(2)
	}
}

func run(backend, file string, samples []string) error {
	set, err := compare.Read(samples...)
	if err != nil {
		return err
	}
	table, err := claim(set, backend)
	if err != nil {
		return err
	}
	if file == "" {
		_, err = os.Stdout.WriteString(table)
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text, err = replace(text, table)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, text, 0o666)
}

const begin, end = "<!-- claim -->\n", "<!-- /claim -->"

// replace puts the table between the marks.
func replace(text []byte, table string) ([]byte, error) {
	before, rest, ok := bytes.Cut(text, []byte(begin))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return nil, fmt.Errorf("there is no %q with %q after it", strings.TrimSpace(begin), end)
	}
	return bytes.Join([][]byte{before, []byte(begin), []byte(table), []byte(end), after}, nil), nil
}

// units are those that a claim is made in, and how a value is written.
var units = []struct {
	unit, title, times string
	show               func(v float64) string
}{
	{compare.UnitTime, "time", "times as fast", siTime},
	{"heap-bytes", "memory", "times fewer", siBytes},
	{"heap-bytes/id", "memory an ID", "times fewer", siBytes},
	{"serialized-bytes", "stored bytes", "times fewer", siBytes},
}

// claim returns a table for each unit: a row for each benchmark that the
// backend shares with a peer, a column for each peer.
func claim(set *compare.Set, backend string) (string, error) {
	var b strings.Builder
	who := compare.Subject{Backend: backend}
	for _, u := range units {
		peers, rows := shared(set, who, u.unit)
		if len(rows) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "| %s | document | %s |", u.title, backend)
		for _, p := range peers {
			fmt.Fprintf(&b, " %s, %s |", p.Backend, u.times)
		}
		b.WriteString("\n|---|---|--:|" + strings.Repeat("--:|", len(peers)) + "\n")
		for _, id := range rows {
			ours := set.Sample(id, who, u.unit)
			fmt.Fprintf(&b, "| %s | %s | %s |", id.Series(), id.Doc, u.show(median(ours.Values)))
			for _, p := range peers {
				text := ""
				if alike(set, id, who, p, u.unit) {
					text = cell(ours, set.Sample(id, p, u.unit), len(rows)*len(peers))
				}
				fmt.Fprintf(&b, " %s |", text)
			}
			b.WriteByte('\n')
		}
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("the samples have no benchmark of %s that a peer has too", backend)
	}
	return b.String(), nil
}

// shared returns the peers that have some benchmark of the backend in that
// unit, and those benchmarks.
func shared(set *compare.Set, who compare.Subject, unit string) (peers []compare.Subject, ids []compare.ID) {
	for _, p := range set.Subjects() {
		if p.Role() != compare.Peer || p == who {
			continue
		}
		if slices.ContainsFunc(set.IDs(unit), func(id compare.ID) bool { return alike(set, id, who, p, unit) }) {
			peers = append(peers, p)
		}
	}
	for _, id := range set.IDs(unit) {
		if slices.ContainsFunc(peers, func(p compare.Subject) bool { return alike(set, id, who, p, unit) }) {
			ids = append(ids, id)
		}
	}
	return peers, ids
}

// alike reports whether both were measured in something that means the
// same. The time of Build does not: a table of UUIDs has other work to do than
// a compressor, which builds from ranges.
func alike(set *compare.Set, id compare.ID, who, p compare.Subject, unit string) bool {
	return set.Sample(id, who, unit) != nil && set.Sample(id, p, unit) != nil &&
		!(unit == compare.UnitTime && id.Op == "Build" && id.Variant == "")
}

// cell says how many times the peer's figure is ours, and the interval.
func cell(ours, theirs *compare.Sample, family int) string {
	c := compare.DefaultOptions.Compare(ours, theirs, family)
	low, high := float64(c.Of.Low), float64(c.Of.High)
	if math.IsInf(low, 0) || math.IsInf(high, 0) {
		return fmt.Sprintf("**%s** (%d blocks are too few for an interval)", times(float64(c.Ratio)), c.N)
	}
	return fmt.Sprintf("**%s** (%s–%s)", times(float64(c.Ratio)), times(low), times(high))
}
