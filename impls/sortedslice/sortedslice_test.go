package sortedslice

import (
	"testing"

	"example.com/idlab/impls/backendtest"
)

func TestBackend(t *testing.T) { backendtest.Test(t, Backend) }
func FuzzBackend(f *testing.F) { backendtest.Fuzz(f, Backend) }
