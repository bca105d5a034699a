package idcompressor

import (
	"example.com/idlab/impls"
	"example.com/idlab/impls/paged"
)

// DefaultBackend is the backend of a compressor that is not given one. It is
// the lab's choice: README says with which figures.
var DefaultBackend impls.Backend = paged.Backend
