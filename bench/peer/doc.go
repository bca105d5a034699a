// Package peer is the lab's side of what it is compared with.
//
// # Terms
//
// The original is Fluid's own ID compressor, an npm package that runs on Node.
// A peer is something that does the work of a backend without being one: the
// original (fluid-js), what a program would do without a compressor (a table
// of UUIDs in Node, uuid-map-js, or in Go, uuid-map and uuid-slice), or a map
// (v8-map, and in Go closemap, wk8, elliotchance, gomap, swissmap).
//
// # What is here
//
// The scripts (*.mjs) run on Node. driver.mjs makes calls on the original line
// by line. record.mjs records the project's own traces from it, the same ones
// on every run:
//
//	node record.mjs ../trace/testdata/recorded
//
// bench.mjs measures. [Find] says whether they can run here, and if not, what
// to install; [Node] hands them to the lab's runner. The peers in Go are in
// package workload, beside the benchmarks whose queries they are asked. The
// command claim makes a table of what came out.
//
// The tests whose names begin with TestInterop drive the original beside every
// backend and hold every answer and every serialized byte against each other;
// they need Node and run with -interop only.
package peer
