/** The driver as a process: the protocol, what errors say, and that bad input does no harm. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const session = "11111111-1111-4111-8111-111111111111";
const remote = "abcdef22-2222-4222-9222-222222222222";

function drive(calls, ...args) {
	const input = calls.map((call) => (typeof call === "string" ? call : JSON.stringify(call)) + "\n").join("");
	const { status, stdout, stderr } = spawnSync(process.execPath, [join(here, "driver.mjs"), ...args], { input, encoding: "utf8", maxBuffer: 1 << 28 });
	assert.equal(stderr, "");
	assert.equal(status, 0);
	return stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

function range(sessionId, firstGenCount, count, requestedClusterSize = 4) {
	return { sessionId, ids: { firstGenCount, count, requestedClusterSize, localIdRanges: [] } };
}

const create = { op: "create", on: "A", session, writeVersion: 3, clusterSize: 4 };

test("answers in order, each line completed", () => {
	const [, generated, taken, none] = drive([create, { op: "generate", on: "A", n: 2 }, { op: "takeRange", on: "A" }, { op: "takeRange", on: "A" }]);
	assert.deepEqual(generated, { op: "generate", on: "A", n: 2, ids: [-1, -2] });
	assert.deepEqual(taken.range, { sessionId: session, ids: { firstGenCount: 1, count: 2, requestedClusterSize: 4, localIdRanges: [[1, 2]] } });
	assert.deepEqual(none.range, { sessionId: session });
});

test("an error has its class, the original's text, and whether it changed anything", () => {
	const state = { op: "state", on: "A" };
	const late = { op: "finalize", on: "A", range: range(remote, 3, 1) };
	const calls = [create, state, late, state, { op: "finalize", on: "A", range: range(remote, 1, 0) }];
	const [, before, failed, after, malformed] = drive(calls);
	assert.equal(failed.error, "out-of-order");
	assert.equal(failed.upstreamError, "Ranges finalized out of order");
	assert.deepEqual([failed.expectedStart, failed.actualStart, failed.changed], [-1, -3, true]);
	assert.notEqual(after.data, before.data);
	assert.equal(malformed.upstreamError, "0x755");
	assert.equal(malformed.changed, undefined);

	const [, , mended, same] = drive(calls, "--mend");
	assert.equal(mended.changed, true);
	assert.equal(same.data, before.data);
	assert.equal(same.clusterSize, 4);
});

test("a broken original says that it is unsound", () => {
	const near = "abcdef22-2222-4222-9222-222222222223";
	const collide = { op: "finalize", on: "A", range: range(near, 1, 1) };
	const [, , first, again, state] = drive([create, { op: "finalize", on: "A", range: range(remote, 1, 3) }, collide, collide, { op: "state", on: "A" }]);
	assert.deepEqual([first.error, first.upstreamError, first.changed], ["collision", "0x758", true]);
	assert.equal(again.error, undefined); // Q22
	assert.equal(state.sound, false);
});

test("undo answers, then puts back", () => {
	const calls = [create, { op: "ghost", on: "A", session, n: 2, undo: true }, { op: "generate", on: "A", n: 1 },
		{ op: "create", on: "B", session: "abc", writeVersion: 3, undo: true }, { op: "generate", on: "B", n: 1 }];
	const [, ghost, generated, , unknown] = drive(calls);
	assert.deepEqual(ghost.ids, [0, 1]);
	assert.deepEqual(generated.ids, [-1]);
	assert.match(unknown.fault, /"B"/);
});

test("shards get the IDs they are given, or random ones", () => {
	const shardIds = ["33333333-3333-4333-8333-333333333333", "44444444-4444-4444-8444-444444444444"];
	const shard = { op: "shard", on: "A", n: 2, into: ["B", "C"] };
	const [, given, token, random] = drive([create, { ...shard, shardIds }, { op: "shardToken", on: "C" }, { ...shard, on: "B", into: [] }]);
	assert.deepEqual(given.shardIds, shardIds);
	assert.deepEqual(given.tokens[1], { localGenCount: 2, shardId: shardIds[1], disposed: false });
	assert.deepEqual(token.token, given.tokens[1]);
	assert.equal(given.serialized.length, 2);
	assert.equal(new Set([...random.shardIds, ...shardIds]).size, 4);
});

test("a session that is there already, and one that is double in the data", () => {
	const [, , { data }] = drive([create, { op: "finalize", on: "A", range: range(remote, 1, 3) }, { op: "serialize", on: "A", withSession: false }]);
	const bytes = Buffer.from(data, "base64");
	const twice = Buffer.concat([bytes.subarray(0, 48), bytes.subarray(32)]);
	twice.writeDoubleLE(2, 16);
	const load = { op: "deserialize", into: "X", data, writeVersion: 3 };
	const errors = drive([{ ...load, session: remote.toUpperCase() }, { ...load, data: twice.toString("base64"), session },
		load, { ...load, session: "xyz" }]).map(({ error }) => error);
	assert.deepEqual(errors, ["session-exists", "corrupt", "session-mismatch", "invalid-uuid"]);
});

test("what makes no sense is a fault, and the next line goes on", () => {
	const answers = drive(["x", "null", "[1]", "", { op: "zork" }, { op: "constructor" }, { op: "generate", on: "Z", n: 1 }, create, { op: "reset" }, { op: "generate", on: "A", n: 1 }, { op: "version" }]);
	assert.deepEqual(answers.map(({ fault }) => fault !== undefined), [true, true, true, true, true, true, false, false, true, false]);
	assert.match(answers.at(-1).source, /^@fluidframework\/id-compressor \d/);
});

test("a hundred thousand lines at once, and a reader that leaves early", async () => {
	const calls = [create, ...Array.from({ length: 100_000 }, () => ({ op: "generate", on: "A", n: 1 }))];
	const answers = drive(calls);
	assert.equal(answers.length, calls.length);
	assert.deepEqual(answers.at(-1).ids, [-100_000]);

	const child = spawn(process.execPath, [join(here, "driver.mjs")], { stdio: ["pipe", "pipe", "inherit"] });
	child.stdin.on("error", () => {});
	child.stdout.once("data", () => child.stdout.destroy());
	child.stdin.end(calls.map((call) => `${JSON.stringify(call)}\n`).join(""));
	const status = await new Promise((resolve) => child.on("exit", resolve));
	assert.equal(status, 0);
});

test("with an older Node each command says so and exits 2", () => {
	const pretend = `data:text/javascript,Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.1" } })`;
	for (const command of ["driver.mjs", "record.mjs", "bench.mjs"]) {
		const { status, stderr } = spawnSync(process.execPath, ["--import", pretend, join(here, command)], { input: "", encoding: "utf8" });
		assert.equal(status, 2, command);
		assert.match(stderr, /Node 18.20.1 is too old: install Node 20 or newer/);
	}
});

test("without the package each command says what to install and exits 2", () => {
	const bare = mkdtempSync(join(tmpdir(), "peer-"));
	try {
		for (const file of readdirSync(here).filter((name) => /(?<!\.test)\.mjs$|^package\.json$/.test(name))) {
			copyFileSync(join(here, file), join(bare, file));
		}
		for (const [command, ...args] of [["driver.mjs"], ["record.mjs", join(bare, "out")], ["bench.mjs", "--backend", "fluid-js"]]) {
			const { status, stdout, stderr } = spawnSync(process.execPath, [join(bare, command), ...args], { input: "", encoding: "utf8" });
			assert.equal(status, 2, command);
			assert.match(stderr, /is not installed: run `npm ci`/);
			assert.equal(stdout, "");
		}
	} finally {
		rmSync(bare, { recursive: true });
	}
});
