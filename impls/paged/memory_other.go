//go:build !linux

package paged

// preferHugePages does nothing: only Linux takes such advice.
func preferHugePages([]byte) {}
