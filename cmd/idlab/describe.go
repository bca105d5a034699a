package main

import (
	"fmt"
	"strings"

	"example.com/idlab/bench/trace"
	"example.com/idlab/bench/workload"
	"example.com/idlab/compare"
)

// describe says what a user's own workload is: of a trace, all that it does.
func describe(d *workload.Document) []compare.Setting {
	size := fmt.Sprintf("%d sessions, %d clusters", len(d.Sessions)-1, len(d.Clusters)-1)
	p := d.Trace()
	if p == nil {
		return []compare.Setting{{Key: "document", Value: d.Name + ": " + size}}
	}
	profile := p.Profile()
	settings := []compare.Setting{{
		Key:   "trace",
		Value: fmt.Sprintf("%s: %d calls on %d compressors, which leave %s; the time of all its calls together decides", d.Name, profile.Calls, profile.Compressors, size),
	}}
	for i := range profile.Ops {
		op := &profile.Ops[i]
		settings = append(settings, compare.Setting{Key: fmt.Sprintf("%4.1f %% %s", 100*op.Share, op.Op), Value: does(op)})
	}
	return settings
}

// does says what an operation of a trace consists of: how many IDs or calls, on
// what kind of IDs, how many of them at once, and what is not found or fails.
func does(op *trace.OpProfile) string {
	words := []string{fmt.Sprintf("%d", op.Count)}
	if op.Calls != op.Count {
		words[0] += fmt.Sprintf(" in %d calls", op.Calls)
	}
	var kinds, sizes []string
	for _, v := range op.Variants {
		kinds = append(kinds, fmt.Sprintf("%s %.3g %%", v.Variant, percentOf(v.Count, op.Count)))
	}
	for _, b := range op.Batches {
		size := fmt.Sprint(b.Low)
		if b.High > b.Low {
			size += fmt.Sprint("-", b.High)
		}
		sizes = append(sizes, fmt.Sprintf("%s (%.3g %%)", size, percentOf(b.Calls, op.Calls)))
	}
	if len(kinds) > 0 {
		words = append(words, strings.Join(kinds, ", "))
	}
	if len(sizes) > 0 {
		words = append(words, "IDs at once "+strings.Join(sizes, ", "))
	}
	if op.Errors > 0 {
		words = append(words, fmt.Sprintf("%d fail", op.Errors))
	}
	return strings.Join(words, "; ")
}

func percentOf(n, all int64) float64 { return 100 * float64(n) / float64(max(all, 1)) }
