/** Recordings: the same every time, small, valid traces, and what the original says when they are replayed. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { load } from "./fluid.mjs";
import { recordings } from "./scenarios.mjs";
import { readTrace, replay } from "./trace.mjs";

const shared = fileURLToPath(new URL("../../../shared/traces", import.meta.url));
const fluid = await load();

const classes = ["out-of-order", "malformed-range", "unknown-id", "unknown-session", "unknown-stable-id", "collision", "forked-session",
	"ghost", "shard", "disposed", "unsupported-version", "session-exists", "session-mismatch", "corrupt", "invalid-uuid", "invalid-argument", "exhausted"];

/** Replays lines and holds that the original differs exactly where the trace says so. */
function replays(lines) {
	const differing = replay(fluid, lines).map(({ line }) => line);
	const noted = lines.flatMap(({ upstream }, i) => (upstream === undefined ? [] : [i + 2]));
	assert.deepEqual(differing, noted);
}

test("the set is the same every time, and replays", () => {
	const directory = mkdtempSync(join(tmpdir(), "peer-"));
	try {
		const first = recordings(fluid);
		first.forEach((recording, i) => {
			assert.deepEqual(recording.lines, recordings(fluid)[i].lines);
			const file = join(directory, `${recording.header.name}.jsonl`);
			recording.write(file);
			const { header, lines } = readTrace(file);
			assert.equal(header.trace, "idtrace/1");
			assert.ok(lines.length > 100 && lines.length <= 400, `${lines.length} lines in ${header.name}`);
			replays(lines);
		});
	} finally {
		rmSync(directory, { recursive: true });
	}
});

test("only decided classes, names used once, nothing of the driver's own", () => {
	for (const { lines } of recordings(fluid)) {
		const names = lines.flatMap(({ op, on, into, error }) => (error !== undefined ? [] : op === "create" ? [on] : into ?? []));
		assert.equal(new Set(names).size, names.length);
		for (const line of lines) {
			assert.ok(line.error === undefined || classes.includes(line.error), line.error);
			for (const field of ["upstreamError", "changed", "undo", "expectedStart", "fault"]) {
				assert.ok(!(field in line), `${field} in ${JSON.stringify(line)}`);
			}
		}
	}
});

test("the set covers the ops and the classes an original can show", () => {
	const all = recordings(fluid).flatMap(({ lines }) => lines);
	const opsSeen = new Set(all.map(({ op }) => op));
	const classesSeen = new Set(all.flatMap(({ error }) => error ?? []));
	assert.equal(opsSeen.size, 23);
	assert.deepEqual(classes.filter((name) => !classesSeen.has(name)), ["unknown-stable-id", "exhausted"]);
});

test("a changed answer is found", () => {
	const { lines } = recordings(fluid)[1];
	const at = lines.findIndex(({ op }) => op === "toOp");
	const changed = lines.with(at, { ...lines[at], result: lines[at].result + 1 });
	const [difference] = replay(fluid, changed);
	assert.equal(difference.line, at + 2);
	assert.equal(difference.decided, false);
});

test("the project's shared traces", { skip: existsSync(shared) ? false : `${shared} is not there` }, async (t) => {
	for (const file of readdirSync(shared)) {
		const trace = readTrace(join(shared, file));
		if (trace !== undefined) {
			await t.test(file, () => replays(trace.lines));
		}
	}
});
