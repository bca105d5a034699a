/** One of everything, by hand: two clients, cluster growth and overflow, stashing, a ghost session, a shard. */
import { stableAt } from "./random.mjs";

const a = "aaaaaaaa-0000-4000-8000-000000000001";
const b = "bbbbbbbb-0000-4000-8000-000000000001";
const c = "cccccccc-0000-4000-8000-000000000001";

export function walkthrough(recording) {
	const call = (op, on, fields) => recording.call(op, { on, ...fields });
	const send = (from, ...to) => {
		const { range } = call("takeRange", from);
		to.forEach((on) => call("finalize", on, { range }));
		return range;
	};
	call("create", "A", { session: a, writeVersion: 3, clusterSize: 3 });
	call("create", "B", { session: b, writeVersion: 2, clusterSize: 5 });

	// Local IDs, then eager ones, then local ones again when the cluster is full.
	call("takeRange", "A");
	call("documentUnique", "A");
	call("generate", "A", { n: 2 });
	send("A", "A", "B");
	call("documentUnique", "A");
	call("generate", "A", { n: 4 });
	for (const id of [-1, -3, 3, 5, -7]) {
		call("toOp", "A", { id });
		call("decompress", "A", { id });
	}

	// B's cluster comes between A's, so that A's next one is new; B's own grows in place.
	call("generate", "B", { n: 3 });
	send("B", "A", "B");
	call("generate", "B", { n: 7 });
	send("B", "A", "B");
	send("A", "A", "B");
	call("clusterSize", "A", { size: 1 });
	call("generate", "A", { n: 6 });
	send("A", "A", "B");
	for (const id of [0, 5, 6, 12, 20, 25, 40]) {
		for (const on of ["A", "B"]) {
			call("decompress", on, { id });
			call("toSession", on, { id, origin: a });
			call("toSessionNoOrigin", on, { id });
		}
	}
	for (const session of [a, b]) {
		for (const offset of [0, 2, 6, 9, 15, 30]) {
			call("recompress", "A", { stable: stableAt(session, offset) });
			call("recompress", "B", { stable: stableAt(session, offset) });
		}
	}
	call("toSession", "B", { id: -2, origin: a });
	call("toSession", "B", { id: -99, origin: a });
	call("toSession", "B", { id: -1, origin: c });

	// Taken, lost and taken again.
	call("generate", "B", { n: 12 });
	call("takeRange", "B");
	call("generate", "B", { n: 1 });
	const { range } = call("takeUnfinalized", "B");
	call("takeRange", "B");
	call("resetUnfinalized", "B");
	call("takeRange", "B");
	for (const on of ["A", "B"]) {
		call("finalize", on, { range });
		call("finalize", on, { range });
	}

	// Stash, summary, and a newcomer from it.
	for (const on of ["A", "B"]) {
		const { data } = call("serialize", on, { withSession: true });
		recording.call("deserialize", { into: `${on}2`, data, writeVersion: 3, clusterSize: 3 });
		call("equal", on, { with: `${on}2`, includeLocal: true });
	}
	const { data } = call("serialize", "B2", { withSession: false });
	recording.call("deserialize", { into: "C", data, session: c, writeVersion: 3 });
	call("equal", "C", { with: "A2", includeLocal: false });
	call("equal", "C", { with: "A2", includeLocal: true });

	for (const on of ["A2", "B2", "C"]) {
		call("ghost", on, { session: "dddddddd-0000-4000-8000-000000000001", n: 3 });
		call("ghost", on, { session: "eeeeeeee-0000-4000-8000-000000000001", n: 0 });
	}
	call("shardToken", "A2");
	call("disposeShard", "A2");
	call("shard", "A2", { n: 1, into: ["A3"], shardIds: ["ffffffff-0000-4000-8000-000000000001"] });
	const ids = ["A2", "A3"].map((on) => call("generate", on, { n: 2 }).ids[1]);
	call("decompress", "A2", { id: ids[1] });
	call("syncShard", "A2", { token: call("shardToken", "A3").token });
	call("decompress", "A2", { id: ids[1] });
	call("syncParent", "A3", { token: call("parentToken", "A2", { child: call("shardToken", "A3").token }).token });
	call("decompress", "A3", { id: ids[0] });
	call("syncShard", "A2", { token: call("disposeShard", "A3").token });
	call("generate", "A3", { n: 1 });
	call("generate", "A2", { n: 2 });
	send("A2", "A2", "B2", "C");
	for (const on of ["A2", "B2", "C"]) {
		call("serialize", on, { withSession: false });
	}
}
