package main

import (
	"testing"

	"example.com/idlab/bench/trace"
)

func TestDoes(t *testing.T) {
	for want, op := range map[string]trace.OpProfile{
		"30 in 20 calls; eager 80 %, local 20 %; IDs at once 1 (75 %), 3-4 (25 %)": {
			Calls: 20, Count: 30, Variants: []trace.Count{{Variant: "eager", Count: 24}, {Variant: "local", Count: 6}},
			Batches: []trace.Batch{{Low: 1, High: 1, Calls: 15}, {Low: 3, High: 4, Calls: 5}},
		},
		"8; remote 50 %, miss 50 %; 1 fail": {
			Calls: 8, Count: 8, Errors: 1, Variants: []trace.Count{{Variant: "remote", Count: 4}, {Variant: "miss", Count: 4}},
		},
		"3": {Calls: 3, Count: 3},
	} {
		if got := does(&op); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
