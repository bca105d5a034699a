package backendtest

import (
	"fmt"
	"runtime/debug"
	"slices"

	"example.com/idlab/impls"
	"example.com/idlab/impls/model"
)

// lockstep makes the same calls on the model and on the table under test.
type lockstep struct {
	want    *model.Table
	got     impls.ClusterTable
	history history
	queries []call // reused
}

func newLockstep(b impls.Backend) *lockstep {
	return &lockstep{want: &model.Table{}, got: b.NewTable()}
}

// do makes one call on both and compares.
func (l *lockstep) do(c call) error {
	if !c.allowed(l.want) {
		panic(fmt.Sprintf("backendtest: %v breaks the preconditions\nafter\n%v", &c, l.history))
	}
	err := l.ask([]call{c})
	l.history = append(l.history, c)
	return err
}

// doAll makes the calls of h, without comparing anything but their answers.
func (l *lockstep) doAll(h history) error {
	for _, c := range h {
		if err := l.do(c); err != nil {
			return err
		}
	}
	return nil
}

// ask makes calls on both and compares. What it returns names the call, both
// answers and the history; a panic is an answer too.
func (l *lockstep) ask(calls []call) error {
	for i := range calls {
		c := &calls[i]
		got, err := c.try(l.got)
		if err != nil {
			return fmt.Errorf("%w\nafter\n%v", err, l.history)
		}
		if want := c.do(l.want); got != want {
			return l.violated(c.String(), c.format(got), c.format(want))
		}
	}
	return nil
}

func (l *lockstep) violated(what, got, want string) error {
	return fmt.Errorf("%s = %s, want %s\nafter\n%v", what, got, want, l.history)
}

// verify compares everything a table can tell: every lookup around every edge,
// the sequence of clusters, the batches if it has them, its probes, and its
// own invariants.
func (l *lockstep) verify() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the table panics: %v\n%s\nafter\n%v", p, debug.Stack(), l.history)
		}
	}()
	l.queries = edges(l.queries[:0], l.want)
	if err := l.ask(l.queries); err != nil {
		return err
	}
	if err := l.verifyClusters(); err != nil {
		return err
	}
	if t, ok := l.got.(impls.BatchTable); ok {
		if err := l.verifyBatches(t); err != nil {
			return err
		}
	}
	if t, ok := l.got.(impls.Prober); ok {
		if err := l.verifyProbes(t); err != nil {
			return err
		}
	}
	if t, ok := l.got.(impls.Invarianter); ok {
		if err := t.CheckInvariants(); err != nil {
			return fmt.Errorf("CheckInvariants() = %w\nafter\n%v", err, l.history)
		}
	}
	return nil
}

func (l *lockstep) verifyClusters() error {
	want := slices.Collect(l.want.Clusters())
	for _, most := range []int{len(want) + 1, 1, len(want) / 2} {
		at := 0
		for c := range l.got.Clusters() {
			if at == most {
				break
			}
			if at == len(want) {
				return l.violated("Clusters()", "one more than there are: "+formatCluster(c), fmt.Sprintf("%d clusters", at))
			}
			if c != want[at] {
				return l.violated(fmt.Sprintf("cluster %d of Clusters()", at), formatCluster(c), formatCluster(want[at]))
			}
			at++
		}
		if at < min(most, len(want)) {
			return l.violated("Clusters()", fmt.Sprintf("%d clusters", at), fmt.Sprintf("%d clusters", len(want)))
		}
	}
	return nil
}
