// Package trace reads, replays and writes recorded calls.
//
// # Terms
//
// A trace is a file of JSON lines, gzip-compressed or not. Its header, the
// first line, names the format; every other line is one call and what it must
// answer, or the class of the error it must fail with. idtrace/1 holds calls
// on any number of ID compressors, which go by names; maptrace/1 holds calls on
// one insertion-ordered map.
//
// An editing trace is something else: a recorded session of people who typed,
// in the format of github.com/josephg/editing-traces. It holds no calls, but
// [Import] says which calls of an ID compressor the typing would have come to.
//
// A program is an idtrace in memory in the form in which it is timed: 24 bytes
// a call, arguments read, answers left out.
//
// # What is for what
//
//	Replay           a trace, line by line: is every answer the recorded one?
//	Load             an idtrace or editing trace as a Program
//	Program.Run      all calls, nothing else: for the clock, with a checksum
//	Program.Profile  what the calls are: shares, variants, sizes, misses
//	Import           an editing trace as an idtrace
//	WriteDocument    a document as an idtrace
//	Recorder         anything as an idtrace
//
// To add an operation of idtrace/1, add it to the table ops.
//
// # Trust
//
// Traces come from strangers. A line has at most [MaxLine] bytes, and a replay
// holds one line at a time, whatever a compressed file expands to; what is held
// as a whole is limited ([MaxProgram], [MaxEditing]), and so is what a short
// line could multiply ([MaxCompressors], [MaxShards], the number of IDs it
// asks for). An [Error] names file and line.
package trace
