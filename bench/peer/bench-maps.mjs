/**
 * V8's own Map: as what a program would do without a compressor (`backend=uuid-map-js`, a Map from string to number
 * and an array of strings), and by itself (`backend=v8-map`, small-integer keys).
 */
import { randomUUID } from "node:crypto";
import { lookup, misses, perId } from "./bench-fluid.mjs";
import { clustersOf } from "./fluid.mjs";
import { flat, heapBytes } from "./measure.mjs";
import { Random } from "./random.mjs";

/** A Map ends at 2^24 entries, and 100 bytes an ID add up: the document's first IDs stand for all of them. */
const mostIds = 2_000_000;

export function uuidMapBenchmarks(fluid, document, seed) {
	const random = new Random(seed, 2);
	let table;
	const loaded = () => (table ??= fill(fluid.deserialize(document.data, undefined, 3), document.queries));
	const benchmark = (op, variant, make) => ({ op, keys: { doc: document.name, backend: "uuid-map-js", ...variant }, make });
	const decompress = (pick, toNumber) => lookup(pick(loaded().ids), (strings, id) => strings[id], loaded().strings, toNumber);
	const recompress = (pick) => lookup(pick(loaded().ids).map((id) => flat(loaded().strings[id])), (map, stable) => map.get(stable), loaded().map, (id) => id ?? 0);
	const all = (ids) => Array.from(ids);
	const hot = (ids) => Array.from(ids.subarray(0, 64));

	return [
		benchmark("Generate", { ids: "local" }, () => drawing()),
		benchmark("Decompress", { ids: "random" }, () => decompress(all, (text) => text.length)),
		benchmark("Decompress", { ids: "random", as: "text" }, () => decompress(all, (text) => text.charCodeAt(35))),
		benchmark("Decompress", { ids: "hot" }, () => decompress(hot, (text) => text.length)),
		benchmark("Recompress", { ids: "random" }, () => recompress(all)),
		benchmark("Recompress", { ids: "random", as: "text" }, () => recompress(all)),
		benchmark("Recompress", { ids: "hot" }, () => recompress(hot)),
		benchmark("Recompress", { ids: "miss" }, () => lookup(misses(random), (map, stable) => map.get(stable), loaded().map, (id) => id ?? 0)),
		benchmark("Build", {}, () => filling(loaded().strings)),
	];
}

/** The UUIDs of the document's first IDs, both ways, holes where none is finalized. `ids` are the queries among them. */
function fill(compressor, queries) {
	const strings = [], map = new Map();
	const limit = Math.min(mostIds, queries.reduce((most, id) => Math.max(most, id), -1) + 1);
	for (const { baseFinalId, count, capacity } of clustersOf(compressor)) {
		for (let id = baseFinalId; id < Math.min(baseFinalId + capacity, limit); id++) {
			const stable = id < baseFinalId + count ? flat(compressor.decompress(id)) : undefined;
			strings.push(stable);
			if (stable !== undefined) {
				map.set(stable, id);
			}
		}
	}
	return { strings, map, ids: queries.filter((id) => id < strings.length).subarray(0, 2 ** 18) };
}

function filling(strings) {
	const present = strings.filter((text) => text !== undefined);
	const make = (texts) => {
		const map = new Map(), array = [];
		texts.forEach((text, id) => {
			map.set(text, id);
			array.push(text);
		});
		return { map, array };
	};
	return {
		batch: 1,
		run: () => make(present).map.size,
		metrics: () => ({ "heap-bytes/id": perId(heapBytes(() => make(present.map(flat))), present.length) }),
	};
}

/** Without a compressor, a new ID is a random UUID that both tables take in. From empty, so that growth is in it. */
function drawing() {
	const batch = 2 ** 16;
	return {
		batch,
		run() {
			const map = new Map(), array = [];
			for (let i = 0; i < batch; i++) {
				const stable = randomUUID();
				map.set(stable, array.length);
				array.push(stable);
			}
			return array.length;
		},
	};
}

/** Small-integer keys 0..n-1 in seeded orders, values alike. Times are an entry. */
export function mapBenchmarks(n, seed) {
	const random = new Random(seed, 3);
	const order = () => random.shuffle(Array.from({ length: n }, (_, i) => i));
	const keys = order();
	const insert = () => {
		const map = new Map();
		for (const key of keys) {
			map.set(key, key);
		}
		return map;
	};
	let filled;
	const full = () => (filled ??= insert());
	const benchmark = (op, make) => ({ op, keys: { doc: "integers", backend: "v8-map", n }, make });
	const whole = (run) => {
		let map;
		return { batch: n, before: () => (map = insert()), run: () => run(map) };
	};

	return [
		benchmark("MapInsert", () => ({
			batch: n,
			run: () => insert().size,
			metrics: () => ({ "heap-bytes": heapBytes(insert) }),
		})),
		benchmark("MapHit", () => lookup(order(), (map, key) => map.get(key), full(), (value) => value)),
		benchmark("MapMiss", () => lookup(order().map((key) => key + n), (map, key) => map.get(key), full(), (value) => value ?? 0)),
		benchmark("MapIterate", () => ({
			batch: n,
			run() {
				let sum = 0;
				for (const [key, value] of full()) {
					sum += key + value;
				}
				return sum;
			},
		})),
		benchmark("MapDelete", () => {
			const victims = order();
			return whole((map) => victims.reduce((deleted, key) => deleted + map.delete(key), 0));
		}),
		// Quadratic: a whole round at a million entries would take an hour.
		...(n > 2 ** 16 ? [] : [benchmark("MapFifo", () => whole((map) => {
			let sum = 0;
			while (map.size > 0) {
				const key = map.keys().next().value;
				sum += key;
				map.delete(key);
			}
			return sum;
		}))]),
	];
}
