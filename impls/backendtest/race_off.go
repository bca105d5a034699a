//go:build !race

package backendtest

// slowdown is by how much documents and histories are smaller than
// without the race detector.
const slowdown = 1
