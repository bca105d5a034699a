package idcompressor

import (
	"example.com/idlab/impls"
	"example.com/idlab/impls/sortedslice"
)

// DefaultBackend is the backend of a compressor that is not given one.
var DefaultBackend impls.Backend = sortedslice.Backend
