/** Calls that must be refused, one at a time, on a client of a network that otherwise goes its way. */
import { stableAt } from "./random.mjs";

/** Picks a refusal that fits and records it, then the client's state, which must be what it was. */
export function refuseSomething(recording, { on, session }, sessions) {
	const { random } = recording;
	random.pick(refusals)({ recording, random, on, session, sessions });
	recording.call("serialize", { on, withSession: true });
}

function range(sessionId, firstGenCount, count, requestedClusterSize = 4) {
	return { sessionId, ids: { firstGenCount, count, requestedClusterSize, localIdRanges: [] } };
}

/** Serialized data with one number, counted in slots of eight bytes, replaced. */
function corrupted(data, slot, value) {
	const bytes = Buffer.from(data, "base64");
	bytes.writeDoubleLE(value, slot * 8);
	return bytes.toString("base64");
}

const refusals = [
	({ recording, random, on }) => {
		for (const [count, size] of [[0, 4], [-2, 4], [3, 0], [3, -1], [3, 2 ** 20 + 1]]) {
			recording.call("finalize", { on, range: range(random.uuid(), 1, count, size) });
		}
	},
	({ recording, random, on }) => {
		for (const first of [0, -1, 2, 7]) {
			recording.call("finalize", { on, range: range(random.uuid(), first, 3) });
		}
	},
	// An own range that comes from the past, or again.
	({ recording, on, session }) => {
		recording.call("generate", { on, n: 1 });
		recording.call("finalize", { on, range: range(session, 1000, 1) });
	},
	// A range of one's own that nobody generated (Q29).
	({ recording, on, session }) => {
		const { range: next } = recording.call("takeUnfinalized", { on });
		recording.call("resetUnfinalized", { on });
		const { firstGenCount, count } = next.ids ?? { firstGenCount: undefined };
		if (firstGenCount !== undefined) {
			recording.refuse("forked-session", "finalize", { on, range: range(session, firstGenCount, count + 1) });
		}
	},
	// Two sessions whose UUIDs run into each other.
	({ recording, random, on }) => {
		const near = random.uuid().replace(/....$/, "1000");
		recording.call("finalize", { on, range: range(near, 1, 6, 5) });
		recording.call("finalize", { on, range: range(stableAt(near, random.between(1, 10)), 1, 2) });
		recording.call("finalize", { on, range: range(stableAt(near, -3), 1, 2) });
	},
	({ recording, random, on }) => {
		recording.call("toSession", { on, id: -1, origin: random.uuid() });
		recording.call("toSession", { on, id: 1_000_000, origin: random.uuid() });
		recording.call("toSessionNoOrigin", { on, id: 1_000_000 });
		recording.call("decompress", { on, id: 1_000_000 });
		recording.call("decompress", { on, id: -1_000_000 });
		recording.call("toOp", { on, id: -1_000_000 });
		recording.call("recompress", { on, stable: random.uuid() });
		recording.call("recompress", { on, stable: random.pick(["", "not-a-uuid", "{5fff846a-efd4-42fb-8b78-b32ce2672f99}"]) });
	},
	({ recording, on }) => {
		for (const size of [0, -3, 2 ** 20 + 1]) {
			recording.refuse("invalid-argument", "clusterSize", { on, size });
		}
	},
	({ recording, random }) => {
		const session = random.uuid();
		recording.refuse("invalid-uuid", "create", { on: recording.name("X"), session: "abc", writeVersion: 3 });
		recording.refuse("invalid-uuid", "create", { on: recording.name("X"), session: `${session.slice(0, 14)}1${session.slice(15)}`, writeVersion: 3 });
		recording.refuse("invalid-argument", "create", { on: recording.name("X"), session, writeVersion: random.pick([1, 4]) });
	},
	({ recording, on, session }) => recording.refuse("ghost", "ghost", { on, session, n: 1 }),
	({ recording, on }) => {
		for (const n of [0, -1, 2 ** 53]) {
			recording.call("shard", { on, n, into: [] });
		}
		recording.call("shard", { on, n: 1_000_000, into: [] });
		recording.call("syncShard", { on, token: { localGenCount: 1, shardId: "99999999-9999-4999-9999-999999999999", disposed: false } });
		recording.call("parentToken", { on, child: { localGenCount: 1, shardId: "99999999-9999-4999-9999-999999999999", disposed: false } });
	},
	// Data whose session is missing, is one too many, or is there already.
	({ recording, random, on }) => {
		const { data } = recording.call("serialize", { on, withSession: false });
		const { data: whole } = recording.call("serialize", { on, withSession: true });
		recording.call("deserialize", { into: recording.name("X"), data, writeVersion: 3 });
		recording.call("deserialize", { into: recording.name("X"), data: whole, session: random.uuid(), writeVersion: 3 });
		const finalized = recording.world.get(on).sessions.sessionCache;
		const known = [...finalized].find(([, { clusterChain }]) => clusterChain.length > 0);
		if (known !== undefined) {
			recording.call("deserialize", { into: recording.name("X"), data, session: known[0], writeVersion: 3 });
		}
	},
	// Data that says what cannot be.
	({ recording, random, on }) => {
		const { data } = recording.call("serialize", { on, withSession: false });
		const session = random.uuid();
		const load = (bad) => ({ into: recording.name("X"), data: bad, session, writeVersion: 3 });
		recording.call("deserialize", load(corrupted(data, 0, random.pick([0, 1, 4, -1]))));
		recording.call("deserialize", load(Buffer.from(data, "base64").subarray(0, 24).toString("base64")));
		recording.call("deserialize", load(Buffer.concat([Buffer.from(data, "base64"), Buffer.alloc(8)]).toString("base64")));
		const slots = Buffer.from(data, "base64");
		const clusters = slots.readDoubleLE(24);
		if (clusters > 0) {
			const first = 4 + 2 * slots.readDoubleLE(16);
			recording.call("deserialize", load(corrupted(data, first, 1_000_000)));
			recording.refuse("corrupt", "deserialize", load(corrupted(data, first, -1)));
			recording.refuse("corrupt", "deserialize", load(corrupted(data, first + 1, 0)));
			recording.refuse("corrupt", "deserialize", load(corrupted(data, first + 2, 2 ** 40)));
		}
	},
];
