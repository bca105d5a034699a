/**
 * The documents the benchmarks run on. Normally the Go side writes them, so that both sides measure the same one:
 *
 * - a document is Fluid's base64 (V2 or V3). With local state, the measuring session is in it; without, one is made
 *   here, after design.md: 10,000 IDs, local and eager, acknowledged and not;
 * - queries are final IDs of other sessions, little-endian float64, one after the other;
 * - ranges are the `finalize` lines of an idtrace, which build the document on an empty compressor.
 *
 * Without files, the embedded documents of design.md are made here from the seed: the same shapes, not the same bits.
 */
import { readFileSync } from "node:fs";
import { clustersOf, localState, setClusterSize, UsageError } from "./fluid.mjs";
import { Random } from "./random.mjs";
import { readTrace } from "./trace.mjs";

/** How many queries are drawn when none are given: enough that they, and what they find, do not stay in cache. */
const queryCount = 2 ** 18;

const shapes = {
	small: { sessions: 100, clusters: 3 },
	sessions: { sessions: 10_000, clusters: 3 },
	clusters: { sessions: 100, clusters: 3000 },
	large: { sessions: 1000, clusters: 3000 },
	"large-sessions": { sessions: 1_000_000, clusters: 3 },
	"one-writer": undefined,
};
const capacity = 512;

/** `{name, data, noSession, queries, ranges?}`: the document with the measuring session, and without any. */
export function readDocument(fluid, { name, document, queries, ranges, seed }) {
	const random = new Random(seed);
	let compressor, finalize;
	if (document !== undefined) {
		compressor = loadFile(fluid, document, random.uuid());
		finalize = ranges === undefined ? undefined : readRanges(ranges);
	} else {
		finalize = makeRanges(name, random);
		compressor = withMeasuringSession(fluid.create(random.uuid(), 3), finalize);
	}
	return {
		name, data: compressor.serialize(true), noSession: compressor.serialize(false), ranges: finalize,
		queries: queries === undefined ? drawQueries(compressor, random) : readQueries(queries),
	};
}

/** An empty compressor of that session with the ranges applied. */
export function build(fluid, ranges, session) {
	const compressor = fluid.create(session, 3);
	for (const range of ranges) {
		compressor.finalizeCreationRange(range);
	}
	return compressor;
}

function loadFile(fluid, file, session) {
	const data = readFileSync(file, "latin1").trim();
	try {
		const hasSession = Buffer.from(data.slice(0, 24), "base64").readDoubleLE(8) === 1;
		return hasSession ? fluid.deserialize(data, undefined, 3) : withMeasuringSession(fluid.deserialize(data, session, 3), []);
	} catch (error) {
		throw new UsageError(`${file}: no serialized compressor: ${error.message}`);
	}
}

/** Applies the ranges; the local session makes 10,000 IDs meanwhile, acknowledged at three points but for the last. */
function withMeasuringSession(compressor, ranges) {
	const parts = 3;
	for (let part = 0; part < parts; part++) {
		const [from, to] = [part, part + 1].map((i) => Math.floor((ranges.length * i) / parts));
		ranges.slice(from, to).forEach((range) => compressor.finalizeCreationRange(range));
		generate(compressor, 2800);
		compressor.finalizeCreationRange(compressor.takeNextCreationRange());
	}
	generate(compressor, 1600);
	return compressor;
}

function generate(compressor, n) {
	for (let i = 0; i < n; i++) {
		compressor.generateCompressedId();
	}
}

/** A compressor whose next IDs are eager, at least 2^20 of them each time it is armed. */
export function armEager(compressor) {
	setClusterSize(compressor, 2 ** 20);
	compressor.generateCompressedId();
	compressor.finalizeCreationRange(compressor.takeNextCreationRange());
}

function readQueries(file) {
	const bytes = readFileSync(file);
	if (bytes.length === 0 || bytes.length % 8 !== 0) {
		throw new UsageError(`${file}: want float64 values, have ${bytes.length} bytes`);
	}
	return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function readRanges(file) {
	const trace = readTrace(file);
	if (trace === undefined) {
		throw new UsageError(`${file}: no idtrace`);
	}
	return trace.lines.filter(({ op }) => op === "finalize").map(({ range }) => range);
}

/** Uniform over the finalized IDs of all sessions but the local one. */
function drawQueries(compressor, random) {
	const own = new Set(localState(compressor).clusters);
	const clusters = clustersOf(compressor).filter((cluster) => !own.has(cluster));
	const ends = new Float64Array(clusters.length);
	let total = 0;
	clusters.forEach(({ count }, i) => (ends[i] = total += count));
	return Float64Array.from({ length: queryCount }, () => {
		const at = random.below(total);
		let low = 0, high = ends.length - 1;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (ends[middle] <= at) {
				low = middle + 1;
			} else {
				high = middle;
			}
		}
		return clusters[low].baseFinalId + clusters[low].count - (ends[low] - at);
	});
}

function makeRanges(name, random) {
	if (!(name in shapes)) {
		throw new UsageError(`no document is named ${name}: want one of ${Object.keys(shapes).join(", ")}, or --document FILE`);
	}
	return name === "one-writer" ? oneWriter(random) : interleaved(shapes[name], random);
}

function oneWriter(random) {
	const ranges = [];
	const sessionId = random.uuid();
	for (let made = 0; made < 1_000_000; ) {
		const count = Math.min(random.between(1, 64), 1_000_000 - made);
		ranges.push(rangeOf(sessionId, made + 1, count, capacity));
		made += count;
	}
	return ranges;
}

/**
 * Clusters of capacity 512 in random order, full but for each session's last. A range fills its session's last
 * cluster and opens the next one with what is left over; two clusters of a session never touch, or they would be one.
 */
function interleaved({ sessions, clusters }, random) {
	const order = random.shuffle(Array.from({ length: sessions * clusters }, (_, i) => i % sessions));
	for (let i = 1; i < order.length; i++) {
		while (order[i] === order[i - 1] || order[i] === order[i + 1]) {
			const j = random.below(order.length);
			if (![order[j - 1], order[j], order[j + 1]].includes(order[i]) && order[j] !== order[i - 1] && order[j] !== order[i + 1]) {
				[order[i], order[j]] = [order[j], order[i]];
			}
		}
	}
	const writers = Array.from({ length: sessions }, () => ({ session: random.uuid(), made: 0, opened: 0 }));
	const ranges = [];
	const send = (writer, count, size) => {
		ranges.push(rangeOf(writer.session, writer.made + 1, count, size));
		writer.made += count;
	};
	const topUp = [];
	for (const index of order) {
		const writer = writers[index];
		const last = writer.opened === clusters - 1;
		const within = random.between(1, last ? capacity : capacity - 1);
		const over = Math.min(within, capacity - 1);
		send(writer, writer.opened * capacity - writer.made + over, capacity - over);
		writer.opened++;
		if (within > over) {
			topUp.push(writer);
		}
	}
	topUp.forEach((writer) => send(writer, 1, 1));
	return ranges;
}

function rangeOf(sessionId, firstGenCount, count, requestedClusterSize) {
	return { sessionId, ids: { firstGenCount, count, requestedClusterSize, localIdRanges: [] } };
}
