/** The operations of the lab on the original, `backend=fluid-js`. */
import { clustersOf, localState, sessionsOf } from "./fluid.mjs";
import { armEager, build } from "./documents.mjs";
import { flat, heapBytes } from "./measure.mjs";
import { Random } from "./random.mjs";

const batch = 1024;
const hotQueries = 64;
const remoteRange = { count: 7, requestedClusterSize: 512, localIdRanges: [] };

/** All benchmarks on a document, each with its own compressor where it changes it. */
export function fluidBenchmarks(fluid, document, seed) {
	const loaded = once(() => fluid.deserialize(document.data, undefined, 3));
	const strings = once(() => Array.from(document.queries.subarray(0, 2 ** 18), (id) => flat(loaded().decompress(id))));
	const own = once(() => ownIds(loaded()));
	const random = new Random(seed, 1);
	const fresh = () => fluid.deserialize(document.noSession, random.uuid(), 3);
	const benchmark = (op, variant, make) => ({ op, keys: { doc: document.name, backend: "fluid-js", ...variant }, make });

	const decompress = (queries) => lookup(queries, (c, id) => c.decompress(id), loaded(), (text) => text.length);
	const decompressFlat = (queries) => lookup(queries, (c, id) => c.decompress(id), loaded(), (text) => text.charCodeAt(35));
	const recompress = (queries) => lookup(queries, (c, stable) => c.tryRecompress(stable), loaded(), numberOf);
	const toOp = (queries) => lookup(queries, (c, id) => c.normalizeToOpSpace(id), loaded(), numberOf);

	return [
		benchmark("Generate", { ids: "local" }, () => generating(fresh())),
		benchmark("Generate", { ids: "eager" }, () => generatingEager(fresh())),
		benchmark("TakeRange", { ids: "local" }, () => taking(fresh())),
		benchmark("FinalizeRange", { ids: "known" }, () => finalizingKnown(fresh, random)),
		benchmark("FinalizeRange", { ids: "new" }, () => finalizingNew(fresh, random)),
		benchmark("NormalizeToOpSpace", { ids: "local" }, () => toOp(own().ackedLocal)),
		benchmark("NormalizeToOpSpace", { ids: "unacked" }, () => toOp(own().unackedLocal)),
		benchmark("NormalizeToOpSpace", { ids: "eager" }, () => toOp(own().eager)),
		benchmark("NormalizeToSessionSpace", { ids: "own" }, () => toSession(loaded(), own().ackedFinal)),
		benchmark("NormalizeToSessionSpace", { ids: "remote" }, () => toSession(loaded(), document.queries)),
		benchmark("NormalizeToSessionSpace", { ids: "remote-local" }, () => toSession(loaded(), ...remoteLocals(loaded(), random))),
		benchmark("Decompress", { ids: "random" }, () => decompress(document.queries)),
		benchmark("Decompress", { ids: "random", as: "text" }, () => decompressFlat(document.queries)),
		benchmark("Decompress", { ids: "hot" }, () => decompress(document.queries.subarray(0, hotQueries))),
		benchmark("Decompress", { ids: "local" }, () => decompress(own().ackedLocal)),
		benchmark("Recompress", { ids: "random" }, () => recompress(strings())),
		benchmark("Recompress", { ids: "random", as: "text" }, () => recompress(strings())), // it knows no other form
		benchmark("Recompress", { ids: "hot" }, () => recompress(strings().slice(0, hotQueries))),
		benchmark("Recompress", { ids: "miss" }, () => recompress(misses(random))),
		benchmark("Recompress", { ids: "local" }, () => recompress(own().ackedLocal.map((id) => flat(loaded().decompress(id))))),
		benchmark("Serialize", { form: "v3" }, () => serializing(loaded())),
		benchmark("Deserialize", { form: "v3" }, () => deserializing(fluid, document.noSession, random.uuid())),
		benchmark("Build", {}, () => weighing(() => fluid.deserialize(document.data, undefined, 3))),
		...(document.ranges === undefined ? [] : [benchmark("Build", { from: "ranges" }, () => building(fluid, document.ranges, random.uuid()))]),
	];
}

function once(make) {
	let made;
	return () => (made ??= make());
}

function numberOf(id) {
	return id ?? 0;
}

export function misses(random) {
	return Array.from({ length: 2 ** 16 }, () => flat(random.uuid()));
}

/** Queries one after the other, from the pool's start again at its end. */
export function lookup(queries, call, on, toNumber) {
	let at = 0;
	return {
		batch,
		run() {
			let sum = 0;
			for (let i = 0; i < batch; i++) {
				sum += toNumber(call(on, queries[at]));
				if (++at === queries.length) {
					at = 0;
				}
			}
			return sum;
		},
		answers: () => Array.from(queries.slice(0, 1000), (query) => String(call(on, query) ?? null)),
	};
}

/** The local session's IDs by what they are, in session space; `ackedFinal` is `ackedLocal` in op space. */
function ownIds(compressor) {
	const { generated, clusters, isLocal } = localState(compressor);
	const last = clusters.at(-1);
	const acked = last === undefined ? 0 : last.count - last.baseLocalId - 1;
	const ids = { ackedLocal: [], ackedFinal: [], unackedLocal: [], eager: [] };
	const finalOf = (genCount) => {
		const cluster = clusters.find(({ baseLocalId, capacity }) => genCount < capacity - baseLocalId);
		return cluster.baseFinalId + genCount + cluster.baseLocalId;
	};
	for (let genCount = 1; genCount <= generated; genCount++) {
		if (!isLocal(genCount)) {
			ids.eager.push(finalOf(genCount));
		} else if (genCount <= acked) {
			ids.ackedLocal.push(-genCount);
			ids.ackedFinal.push(finalOf(genCount));
		} else {
			ids.unackedLocal.push(-genCount);
		}
	}
	const random = new Random(1);
	const order = random.shuffle(ids.ackedLocal.map((_, i) => i));
	return {
		ackedLocal: order.map((i) => ids.ackedLocal[i]),
		ackedFinal: order.map((i) => ids.ackedFinal[i]),
		unackedLocal: random.shuffle(ids.unackedLocal),
		eager: random.shuffle(ids.eager),
	};
}

/** Local forms other sessions would send, and the sessions they come from. */
function remoteLocals(compressor, random) {
	const sessions = remoteSessions(compressor);
	const origins = [];
	const ids = Float64Array.from({ length: 2 ** 16 }, () => {
		const { id, finalized } = random.pick(sessions);
		origins.push(id);
		return -1 - random.below(finalized);
	});
	return [ids, origins];
}

/** Sessions other than the local one, with how many IDs are finalized. */
function remoteSessions(compressor) {
	return sessionsOf(compressor)
		.filter(({ clusterChain }) => clusterChain.length > 0 && clusterChain !== localState(compressor).clusters)
		.map(({ clusterChain }) => {
			const [first, last] = [clusterChain[0], clusterChain.at(-1)];
			return { id: flat(compressor.decompress(first.baseFinalId)), finalized: last.count - last.baseLocalId - 1 };
		});
}

function toSession(compressor, ids, origins = [compressor.localSessionId]) {
	let at = 0, from = 0;
	return {
		batch,
		run() {
			let sum = 0;
			for (let i = 0; i < batch; i++) {
				sum += compressor.normalizeToSessionSpace(ids[at], origins[from]);
				if (++at === ids.length) {
					at = 0;
				}
				if (++from === origins.length) {
					from = 0;
				}
			}
			return sum;
		},
		answers: () => Array.from(ids.slice(0, 1000), (id, i) => String(compressor.normalizeToSessionSpace(id, origins[i % origins.length]))),
	};
}

function generating(compressor) {
	return {
		batch,
		run() {
			let sum = 0;
			for (let i = 0; i < batch; i++) {
				sum += compressor.generateCompressedId();
			}
			return sum;
		},
	};
}

function generatingEager(compressor) {
	let left = 0;
	return {
		...generating(compressor),
		before() {
			if (left < batch) {
				armEager(compressor);
				left = 2 ** 20;
			}
			left -= batch;
		},
	};
}

/** One generate and one take an operation: a range without an ID is no range. */
function taking(compressor) {
	return {
		batch,
		run() {
			let sum = 0;
			for (let i = 0; i < batch; i++) {
				compressor.generateCompressedId();
				sum += compressor.takeNextCreationRange().ids.count;
			}
			return sum;
		},
	};
}

/** Ranges of 7 IDs, made before they are timed. The document is loaded anew every so often, or it would grow into another. */
function finalizing(fresh, { batch: size, makeRanges, rounds }) {
	let compressor, ranges, round = rounds;
	return {
		batch: size,
		before() {
			if (round === rounds) {
				compressor = fresh();
				round = 0;
			}
			ranges = makeRanges(compressor);
			round++;
		},
		run() {
			for (let i = 0; i < size; i++) {
				compressor.finalizeCreationRange(ranges[i]);
			}
			return size;
		},
	};
}

function finalizingKnown(fresh, random) {
	let known, of;
	const rounds = Math.min(Math.max(Math.floor(clustersOf(fresh()).length / 300), 1), 256);
	return finalizing(fresh, {
		batch, rounds,
		makeRanges(compressor) {
			if (compressor !== of) {
				known = random.shuffle(remoteSessions(compressor));
				of = compressor;
			}
			return Array.from({ length: batch }, () => {
				const session = random.pick(known);
				const range = { sessionId: session.id, ids: { firstGenCount: session.finalized + 1, ...remoteRange } };
				session.finalized += remoteRange.count;
				return range;
			});
		},
	});
}

function finalizingNew(fresh, random) {
	const size = Math.min(Math.max(Math.floor(sessionsOf(fresh()).length / 8), 64), 1024);
	const makeRanges = () => Array.from({ length: size }, () => ({ sessionId: flat(random.uuid()), ids: { firstGenCount: 1, ...remoteRange } }));
	return finalizing(fresh, { batch: size, rounds: 1, makeRanges });
}

function serializing(compressor) {
	return {
		batch: 1,
		run: () => compressor.serialize(false).length,
		answers: () => [compressor.serialize(false)],
		metrics: () => ({ "serialized-bytes": compressor.serialize(false).length }),
	};
}

function deserializing(fluid, data, session) {
	const load = () => fluid.deserialize(data, session, 3);
	return {
		batch: 1,
		run: () => clustersOf(load()).length,
		answers: () => [load().serialize(false)],
		metrics: () => ({ "heap-bytes": heapBytes(load) }),
	};
}

function building(fluid, ranges, session) {
	const make = () => build(fluid, ranges, session);
	return {
		batch: 1,
		run: () => clustersOf(make()).length,
		answers: () => [make().serialize(false)],
		metrics() {
			const bytes = heapBytes(make);
			const ids = ranges.reduce((sum, range) => sum + range.ids.count, 0);
			return { "heap-bytes": bytes, "heap-bytes/id": perId(bytes, ids) };
		},
	};
}

/** What a loaded document takes. Loading without reading, which Go's benchmark of that name times, is none of its calls. */
function weighing(load) {
	return {
		metrics() {
			const bytes = heapBytes(load);
			const ids = clustersOf(load()).reduce((sum, { count }) => sum + count, 0);
			return { "heap-bytes": bytes, "heap-bytes/id": perId(bytes, ids) };
		},
	};
}

export function perId(bytes, ids) {
	return bytes === undefined ? undefined : Number((bytes / ids).toPrecision(4));
}
