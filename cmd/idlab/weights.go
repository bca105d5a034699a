package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/idlab/bench/runner"
	"example.com/idlab/bench/workload"
	"example.com/idlab/compare"
)

// setWeights reads --weights: speed=…, memory=…, size=…, and with operations
// (Decompress=3, Recompress/ids=miss=1) the user's mix.
func setWeights(o *compare.Options, flag string) error {
	to := map[string]*float64{"speed": &o.Weights.Speed, "memory": &o.Weights.Memory, "size": &o.Weights.Size}
	for _, item := range list(flag) {
		at := strings.LastIndexByte(item, '=') // a variant has others
		key, value := item[:max(at, 0)], item[at+1:]
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || !(v >= 0) || v > 1e6 {
			return fmt.Errorf("--weights: %q is not speed=, memory=, size= or an operation= with a number of 0 to 1000000", item)
		}
		if to[key] != nil {
			*to[key] = v
			continue
		}
		chosen, err := workload.Select(workload.Quick, []string{key})
		if err != nil {
			return fmt.Errorf("--weights: %q is not speed=, memory= or size=, and %w", item, err)
		}
		if o.Shares == nil {
			o.Shares = map[string]float64{}
		}
		o.Shares[shareName(key, chosen[0])] = v
	}
	return nil
}

// shareName returns the name of an operation, or of one variant of it, by which
// package compare knows its share.
func shareName(pattern string, b workload.Benchmark) string {
	if strings.EqualFold(pattern, b.Op) {
		return b.Op
	}
	return compare.ID{Op: b.Op, Variant: b.Variant}.Series()
}

// checkMix refuses a mix whose operations the request does not time, before
// anything is measured.
func checkMix(shares map[string]float64, r runner.Request) error {
	timed := map[string]bool{}
	for _, key := range r.Benchmarks {
		if b, ok := workload.Lookup(key); ok && r.Compares(key) {
			timed[b.Op] = true
			timed[shareName(key, *b)] = true
		}
	}
	var sum float64
	for _, name := range slices.Sorted(maps.Keys(shares)) {
		sum += shares[name]
		if shares[name] > 0 && !timed[name] {
			return fmt.Errorf("--weights: %s is not timed in a run of this size: a larger one has it (--full has all)", name)
		}
	}
	if shares != nil && sum == 0 {
		return errors.New("--weights: the operations of the mix add up to nothing")
	}
	return nil
}

// errTwoMixes is the error of a mix beside a trace.
var errTwoMixes = errors.New("--weights: a trace is its own mix of operations: leave them out, or the trace")

// mixOf says in words what a mix is.
func mixOf(shares map[string]float64) string {
	if shares == nil {
		return "every operation counts the same"
	}
	var total float64
	for _, v := range shares {
		total += v
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(shares)) {
		if shares[name] > 0 {
			words = append(words, fmt.Sprintf("%s %.3g %%", name, 100*shares[name]/total))
		}
	}
	return strings.Join(words, ", ") + "; what is not named counts nothing"
}
