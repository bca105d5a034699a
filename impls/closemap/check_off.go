//go:build !invariants && !race

package closemap

// checking says whether every change is followed by a check.
const checking = false

type checkState struct{}

// check does nothing: the build tags invariants and race turn it on.
func (m *Map[K, V]) check() { _ = m.checks }
