package peer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// tally counts calls by op, and the rules that were used.
type tally struct {
	calls, refused map[string]int
	rules          map[*rule]int
}

func newTally() *tally {
	return &tally{calls: map[string]int{}, refused: map[string]int{}, rules: map[*rule]int{}}
}

func (t *tally) count(m *made) {
	t.calls[m.call.Op]++
	if m.err != nil {
		t.refused[m.call.Op]++
	}
}

func (t *tally) add(other *tally) {
	for op, n := range other.calls {
		t.calls[op] += n
		t.refused[op] += other.refused[op]
	}
	for rule, n := range other.rules {
		t.rules[rule] += n
	}
}

func (t *tally) total() (n int) {
	for _, calls := range t.calls {
		n += calls
	}
	return n
}

// String says how often each op was called, and each rule used, the unused
// ones last.
func (t *tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%8s %8s\n", "calls", "refused")
	for _, op := range slices.Sorted(maps.Keys(t.calls)) {
		fmt.Fprintf(&b, "%8d %8d  %s\n", t.calls[op], t.refused[op], op)
	}
	b.WriteString("differences that conformance.md decides:\n")
	var unused []string
	for _, rule := range rules {
		if n := t.rules[rule]; n > 0 {
			fmt.Fprintf(&b, "%8d  %-4s the original %s\n", n, rule.q, rule.what)
		} else {
			unused = append(unused, rule.q)
		}
	}
	if len(unused) > 0 {
		fmt.Fprintf(&b, "  unused  %s\n", strings.Join(unused, " "))
	}
	return b.String()
}
