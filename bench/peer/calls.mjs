/**
 * The calls of the idtrace format on the original: one table, a line for each op.
 *
 * `World.perform(call)` takes a trace line without its answer and returns the line completed with what the original
 * really did, right or wrong. Nothing is put right here: what this project decided otherwise is in decisions.mjs.
 *
 * An error becomes `error` (the class of conformance.md, or "unclassified"), `upstreamError` (the original's own
 * text or code), for ranges out of order `expectedStart` and `actualStart`, and `"changed": true` when the call
 * left a trace in the compressor although it failed. A call with `"undo": true` is answered, then put back. A line that makes no sense in this world (unknown op or
 * compressor, missing field) is answered by `fault` alone: the caller's mistake, no answer of the original.
 */
import { clusterSize, isSound, setClusterSize, source } from "./fluid.mjs";

class Fault extends Error {}

/** Ops on no compressor. */
const onNone = new Set(["create", "deserialize", "version", "reset"]);

/** Ops that only look: they cannot change a compressor, so no state is taken before them. */
const readOnly = new Set(["toOp", "toSession", "toSessionNoOrigin", "decompress", "recompress", "shardToken", "parentToken",
	"serialize", "equal", "state"]);

/** op -> (world, compressor, call) => the fields of the answer. `on` is looked up before, except for the makers. */
const ops = {
	create(world, _, { on, session, writeVersion, clusterSize: size }) {
		world.add(on, world.fluid.create(session, writeVersion), size);
	},
	deserialize(world, _, { into, data, session, writeVersion, clusterSize: size }) {
		world.add(into, world.fluid.deserialize(data, session, writeVersion), size);
	},
	clusterSize(_, compressor, { size }) {
		setClusterSize(compressor, size);
	},
	generate(_, compressor, { n }) {
		return { ids: Array.from({ length: n }, () => compressor.generateCompressedId()) };
	},
	documentUnique(_, compressor) {
		return { id: compressor.generateDocumentUniqueId() };
	},
	takeRange(_, compressor) {
		return { range: compressor.takeNextCreationRange() };
	},
	takeUnfinalized(_, compressor) {
		return { range: compressor.takeUnfinalizedCreationRange() };
	},
	resetUnfinalized(_, compressor) {
		compressor.resetUnfinalizedCreationRange();
	},
	finalize(_, compressor, { range }) {
		compressor.finalizeCreationRange(range);
	},
	toOp(_, compressor, { id }) {
		return { result: compressor.normalizeToOpSpace(id) };
	},
	toSession(_, compressor, { id, origin }) {
		return { result: compressor.normalizeToSessionSpace(id, origin) };
	},
	toSessionNoOrigin(_, compressor, { id }) {
		return { result: compressor.tryNormalizeToSessionSpaceWithoutSession(id) ?? null };
	},
	decompress(_, compressor, { id }) {
		return { stable: compressor.decompress(id) };
	},
	recompress(_, compressor, { stable }) {
		return { result: compressor.tryRecompress(stable) ?? null };
	},
	ghost(_, compressor, { session, n }) {
		const ids = [];
		compressor.beginGhostSession(session, () => {
			for (let i = 0; i < n; i++) {
				ids.push(compressor.generateCompressedId());
			}
		});
		return { ids };
	},
	shard(world, compressor, { n, into = [], shardIds }) {
		if (shardIds !== undefined && shardIds.length !== n) {
			throw new Fault(`${shardIds.length} shard IDs for ${n} children`);
		}
		const shards = world.fluid.shard(compressor, n, shardIds);
		const children = shards.map(({ serialized }) => serialized);
		into.slice(0, n).forEach((name, i) => world.add(name, world.fluid.deserialize(children[i], undefined, 3)));
		const tokens = shards.map(({ syncToken }) => syncToken);
		return { shardIds: tokens.map(({ shardId }) => shardId), tokens, serialized: children };
	},
	shardToken(_, compressor) {
		return { token: compressor.getShardSyncToken() ?? null };
	},
	disposeShard(_, compressor) {
		return { token: compressor.disposeShard() ?? null };
	},
	syncShard(_, compressor, { token }) {
		compressor.synchronizeWithShard(token);
	},
	parentToken(_, compressor, { child }) {
		return { token: compressor.getChildShardSyncToken(child) };
	},
	syncParent(_, compressor, { token }) {
		compressor.synchronizeWithParent(token);
	},
	serialize(_, compressor, { withSession }) {
		return { data: compressor.serialize(withSession) };
	},
	equal(world, compressor, { with: other, includeLocal }) {
		return { result: compressor.equals(world.get(other), includeLocal) };
	},

	// Three ops that no trace has, for whoever drives the process.
	state(_, compressor) {
		return { data: compressor.serialize(true), clusterSize: clusterSize(compressor), sound: isSound(compressor) };
	},
	version() {
		return { source, node: process.versions.node, v8: process.versions.v8 };
	},
	reset(world) {
		world.compressors.clear();
	},
};

/** Named compressors, and the calls on them. With `mend`, a failed call leaves no trace, as this project decided. */
export class World {
	compressors = new Map();

	constructor(fluid, { mend = false } = {}) {
		this.fluid = fluid;
		this.mend = mend;
	}

	get(name) {
		const compressor = this.compressors.get(name);
		if (compressor === undefined) {
			throw new Fault(`no compressor is named ${JSON.stringify(name)}`);
		}
		return compressor;
	}

	add(name, compressor, size) {
		if (typeof name !== "string" || name === "") {
			throw new Fault("a new compressor needs a name");
		}
		if (size !== undefined) {
			setClusterSize(compressor, size);
		}
		this.compressors.set(name, compressor);
	}

	perform(call) {
		let compressor, before;
		try {
			const op = Object.hasOwn(ops, call.op) ? ops[call.op] : undefined;
			if (op === undefined) {
				throw new Fault(`no op is named ${JSON.stringify(call.op)}`);
			}
			if (!onNone.has(call.op)) {
				compressor = this.get(call.on);
				before = readOnly.has(call.op) ? undefined : snapshot(compressor);
			}
			const answer = { ...call, ...op(this, compressor, call) };
			if (call.undo) {
				this.undo(call, before);
			}
			return answer;
		} catch (error) {
			if (error instanceof Fault) {
				return { ...call, fault: error.message };
			}
			const answer = { ...call, ...describe(call, error) };
			if (changed(compressor, before)) {
				answer.changed = true;
				if (this.mend || call.undo) {
					this.undo(call, before);
				}
			}
			return answer;
		}
	}

	/** Puts a call's compressor back as it was before, and forgets the ones it made. */
	undo({ op, on, into = [] }, before) {
		if (before?.data !== undefined) {
			this.add(on, this.fluid.deserialize(before.data, undefined, 2), before.size);
		}
		for (const name of op === "create" ? [on] : [into].flat()) {
			this.compressors.delete(name);
		}
	}
}

/** Whether a compressor is another than before, or at odds with itself. */
function changed(compressor, before) {
	if (before?.data === undefined) {
		return false;
	}
	const { data, size } = snapshot(compressor);
	return data !== before.data || size !== before.size || !isSound(compressor);
}

/** Nothing for a disposed compressor: it has no state to compare or to go back to. */
function snapshot(compressor) {
	try {
		return { data: compressor.serialize(true), size: clusterSize(compressor) };
	} catch {
		return {};
	}
}

// Exact texts first, then beginnings of texts. 0x759 is an unknown ID to whoever asks; 0x75a has no class.
const classes = new Map(Object.entries({
	"Ranges finalized out of order": "out-of-order",
	"0x755": "malformed-range",
	"0x876": "malformed-range",
	"0x877": "malformed-range",
	"Unknown ID": "unknown-id",
	"Unknown op space ID.": "unknown-id",
	"Invalid ID to normalize.": "unknown-id",
	"0x759": "unknown-id",
	"No IDs have ever been finalized by the supplied session.": "unknown-session",
	"Could not recompress.": "unknown-stable-id",
	"0x756": "collision",
	"0x758": "collision",
	"0x8a6": "ghost",
	"0x8a7": "ghost",
	"0x8a8": "ghost",
	"0x8a9": "ghost",
	"0x8fe": "ghost",
	"0xcec": "ghost",
	"Cannot start a ghost session while sharded.": "ghost",
	"Cannot shard during ghost session": "ghost",
	"This compressor has been disposed via disposeShard() and can no longer be used.": "disposed",
	"Cannot take a creation range from a non-root shard.": "shard",
	"Shard count must be a positive safe integer": "shard",
	"Sharding limit reached.": "shard",
	"Must be in sharding mode.": "shard",
	"Invalid shard synchronization token generation count.": "shard",
	"Shard progress exceeds the supported ID space.": "shard",
	"Cannot get a synchronization token for an inactive child shard.": "shard",
	"Invalid parent synchronization token for this child shard.": "shard",
	"Cannot dispose a shard with active children.": "shard",
	"Cannot get a token for a root compressor - only shards can be disposed": "shard",
	"0xd52": "shard",
	"0xd53": "shard",
	"0xd54": "shard",
	"0xd55": "shard",
	"IdCompressor version 1.0 is no longer supported.": "unsupported-version",
	"Unknown IdCompressor serialized version.": "unsupported-version",
	"0x75d": "session-mismatch",
	"0x75e": "session-mismatch",
	"0x4a3": "invalid-uuid",
}));
const beginnings = [
	["Sharding requires document version ", "shard"],
	["Cannot synchronize with child with ID ", "shard"],
	["Cannot convert 0x", "invalid-uuid"],
];

function describe(call, error) {
	const text = error.message;
	const answer = { error: classOf(call, text), upstreamError: error.name === "Error" ? text : `${error.name}: ${text}` };
	if (answer.error === "out-of-order") {
		answer.expectedStart = error.expectedStart;
		answer.actualStart = error.actualStart;
	}
	return answer;
}

function classOf({ op, data, session }, text) {
	const known = classes.get(text) ?? beginnings.find(([beginning]) => text.startsWith(beginning))?.[1];
	if (known !== undefined || op !== "deserialize") {
		return known ?? "unclassified";
	}
	return text === "Cannot resume existing session." && holdsSession(data, session) ? "session-exists" : "corrupt";
}

/** Whether serialized data lists the session among its own (and is not merely double within itself). */
function holdsSession(data, session) {
	if (session === undefined) {
		return false;
	}
	const bytes = Buffer.from(data, "base64");
	const hex = session.toLowerCase().replaceAll("-", "");
	const uuid = BigInt(`0x${hex.slice(0, 12)}${hex.slice(13, 16)}0000000000000000`) >> 2n
		| (BigInt(`0x${hex.slice(16)}`) & 0x3fffffffffffffffn);
	for (let i = 0, at = 32; i < bytes.readDoubleLE(16) && at + 16 <= bytes.length; i++, at += 16) {
		if ((bytes.readBigUInt64LE(at + 8) << 64n | bytes.readBigUInt64LE(at)) === uuid) {
			return true;
		}
	}
	return false;
}
