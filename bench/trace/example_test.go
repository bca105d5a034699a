package trace_test

import (
	"fmt"
	"strings"

	"example.com/idlab/bench/trace"
	"example.com/idlab/impls/idcompressor"
)

// A trace with a wrong answer.
func ExampleReplay() {
	const recorded = `{"trace":"idtrace/1","source":"by hand","name":"example"}
{"op":"create","on":"A","session":"11111111-1111-4111-8111-111111111111","writeVersion":3}
{"op":"generate","on":"A","n":2,"ids":[-1,-2]}
{"op":"decompress","on":"A","id":-2,"stable":"11111111-1111-4111-8111-111111111113"}
`
	r, err := trace.Replay(strings.NewReader(recorded), "example.jsonl", idcompressor.DefaultBackend)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("line %d, %v\n", r.Difference.Line, r.Difference)
	// Output:
	// line 4, decompress: expected stable "11111111-1111-4111-8111-111111111113", got stable "11111111-1111-4111-8111-111111111112"
}

// Two letters are typed, and one in between.
func ExampleImport() {
	const typed = `{"startContent":"","endContent":"acb","txns":[{"patches":[[0,0,"ab"]]},{"patches":[[1,0,"c"]]}]}`
	var out strings.Builder
	err := trace.Import(&out, strings.NewReader(typed), "typed.json", trace.Settings{Seed: 1, ClusterSize: 2, WriteVersion: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, line := range strings.SplitAfter(out.String(), "\n")[:5] {
		if i != 1 && i != 2 { // the two sessions
			fmt.Print(line)
		}
	}
	// Output:
	// {"trace":"idtrace/1","source":"idlab trace import","name":"typed","seed":1,"lag":0,"clusterSize":2,"writeVersion":3}
	// {"op":"generate","on":"writer","n":2,"ids":[-1,-2]}
	// {"op":"takeRange","on":"writer","range":{"sessionId":"9927a129-abed-4903-96d0-078c4a605356","ids":{"firstGenCount":1,"count":2,"requestedClusterSize":2,"localIdRanges":[[1,2]]}}}
}

// What a trace does, to be weighed by the lab.
func ExampleProgram_Profile() {
	const typed = `{"txns":[{"patches":[[0,0,"ab"]]},{"patches":[[1,0,"c"]]}]}`
	p, err := trace.Load(strings.NewReader(typed), "typed.json", trace.DefaultSettings)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, op := range p.Profile().Ops {
		fmt.Printf("%-23s %4.1f %%\n", op.Op, 100*op.Share)
	}
	// Output:
	// NormalizeToSessionSpace 34.8 %
	// FinalizeRange           17.4 %
	// NormalizeToOpSpace      17.4 %
	// Generate                13.0 %
	// TakeRange                8.7 %
	// create                   8.7 %
}
