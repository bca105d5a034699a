/**
 * Timing, and Go benchmark format.
 *
 * A benchmark is `{op, keys, batch, run, before?, answers?, metrics?}`: `run()` does `batch` operations and returns a
 * number made from every answer, so that no engine can leave the work out; without it nothing is timed; `before()`
 * prepares a batch, untimed.
 * `answers()` lists the first answers as text: their checksum is printed as a comment, for whoever measures the same
 * operations elsewhere to compare.
 */
import { UsageError } from "./fluid.mjs";

/** Nanoseconds of a Go duration such as 20ms, 1.5s or 300us. */
export function parseDuration(text) {
	const [, number, unit] = /^([\d.]+)(ns|us|µs|ms|s|m)$/.exec(text) ?? [];
	const value = Number(number) * { ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9, m: 6e10 }[unit];
	if (!(value > 0)) {
		throw new UsageError(`--benchtime ${text}: want a duration such as 20ms`);
	}
	return value;
}

/** Until V8 has compiled what is hot for good: less, and the compiler's work is in the figure. */
const warmUp = 200e6;

/** How much longer than asked a benchmark may take with what is not timed, such as loading its document anew. */
const patience = 5;

/** Runs batches until they took `benchtime` ns, after a warm-up; returns ns, operations and the answers' sum. */
export function time(benchmark, benchtime) {
	let sum = 0;
	const spend = (limit) => {
		const begin = process.hrtime.bigint();
		let ns = 0, batches = 0, end = begin;
		do {
			benchmark.before?.();
			const start = process.hrtime.bigint();
			sum += benchmark.run();
			end = process.hrtime.bigint();
			ns += Number(end - start);
			batches++;
		} while (ns < limit && Number(end - begin) < patience * Math.max(limit, warmUp));
		return { ns, operations: batches * benchmark.batch };
	};
	spend(Math.max(benchtime, warmUp));
	return { ...spend(benchtime), sum };
}

/**
 * Bytes on the heap that `make()` leaves behind; undefined without node --expose-gc. Small things are made many times
 * over, since the heap around them is never quite still.
 */
export function heapBytes(make) {
	if (globalThis.gc === undefined) {
		return undefined;
	}
	const one = grown(make, 1);
	return one > 4e6 ? one : Math.round(grown(make, 64) / 64);
}

function grown(make, copies) {
	const made = new Array(copies);
	const before = settledHeap();
	for (let i = 0; i < copies; i++) {
		made[i] = make();
	}
	const after = settledHeap();
	keep(made);
	return after - before;
}

function settledHeap() {
	globalThis.gc();
	globalThis.gc();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

/** Uses a value after it was measured, so that it is alive until then. */
function keep(value) {
	globalThis.peerKeeps = value;
	delete globalThis.peerKeeps;
}

/** A fresh string of its own characters, as one that came from outside: the original returns ropes and slices. */
export function flat(text) {
	return Buffer.from(text, "latin1").toString("latin1");
}

/** FNV-1a, 32 bits, over lines. */
export function checksum(lines) {
	let hash = 0x811c9dc5;
	for (const byte of Buffer.from(lines.map((line) => `${line}\n`).join(""))) {
		hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
	}
	return hash.toString(16).padStart(8, "0");
}

/** Writes Go benchmark format. Keys that only this process sets are unset at its end, for the file may go on. */
export class Output {
	constructor(config, { gomaxprocs = 1 } = {}) {
		this.config = config;
		this.suffix = gomaxprocs > 1 ? `-${gomaxprocs}` : "";
	}

	begin() {
		for (const [key, value] of Object.entries(this.config)) {
			console.info(`${key}: ${value}`);
		}
		console.info("Unit heap-bytes better=lower");
		console.info("Unit heap-bytes/id better=lower");
		console.info("Unit serialized-bytes better=lower assume=exact");
	}

	/** A benchmark that is not timed has metrics alone. */
	result({ op, keys }, timed, metrics = {}) {
		const { ns, operations } = timed ?? { operations: 1 };
		const name = `Benchmark${op}${Object.entries(keys).map(([key, value]) => `/${key}=${value}`).join("")}${this.suffix}`;
		const values = Object.entries({ "ns/op": timed && significant(ns / operations), ...metrics }).filter(([, value]) => value !== undefined);
		console.info([name, operations, ...values.map(([unit, value]) => `${value} ${unit}`)].join("\t"));
	}

	comment(text) {
		console.info(`# ${text}`);
	}

	end() {
		for (const key of ["node", "v8", "peer"].filter((name) => name in this.config)) {
			console.info(`${key}:`);
		}
	}
}

function significant(value) {
	return value >= 1000 ? Math.round(value) : Number(value.toPrecision(4));
}
