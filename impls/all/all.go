// Package all registers every backend: a program that imports it can have any
// of them by name from [impls.Lookup].
package all

import (
	_ "example.com/idlab/impls/btreegoogle"
	_ "example.com/idlab/impls/btreetidwall"
	_ "example.com/idlab/impls/closetable"
	_ "example.com/idlab/impls/paged"
	_ "example.com/idlab/impls/sortedslice"
	_ "example.com/idlab/impls/swissdolthub"
	_ "example.com/idlab/impls/swissgo"
)
