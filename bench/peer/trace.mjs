/** Reading, writing and replaying idtrace files (JSON Lines, perhaps gzipped). */
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { isDeepStrictEqual } from "node:util";
import { World } from "./calls.mjs";
import { UsageError } from "./fluid.mjs";

/** The fields an answer consists of; the rest of a line is the call. Shard IDs are both: a replay injects them. */
const answersOf = {
	generate: ["ids"], documentUnique: ["id"], takeRange: ["range"], takeUnfinalized: ["range"], toOp: ["result"],
	toSession: ["result"], toSessionNoOrigin: ["result"], decompress: ["stable"], recompress: ["result"], ghost: ["ids"],
	shard: ["tokens", "serialized"], shardToken: ["token"], disposeShard: ["token"], parentToken: ["token"],
	serialize: ["data"], equal: ["result"],
};

/** The header and the calls of an idtrace; undefined when the file is another kind of trace. */
export function readTrace(file) {
	const bytes = readFileSync(file);
	const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
	const [header, ...lines] = text.trimEnd().split("\n").map((line, i) => {
		try {
			return JSON.parse(line);
		} catch (error) {
			throw new UsageError(`${file}:${i + 1}: ${error.message}`);
		}
	});
	return header.trace === "idtrace/1" ? { header, lines } : undefined;
}

export function writeTrace(file, header, lines) {
	writeFileSync(file, [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** A trace line without its answer. */
export function callOf(line) {
	const answers = new Set(["error", "upstream", ...(answersOf[line.op] ?? [])]);
	return Object.fromEntries(Object.entries(line).filter(([field]) => !answers.has(field)));
}

/** The answer within a line, comparable: an error is its class alone. */
function answerOf(line) {
	const answers = line.error === undefined ? answersOf[line.op] ?? [] : ["error"];
	return Object.fromEntries(answers.map((field) => [field, line[field]]));
}

/**
 * Replays lines on the original, mended after failed calls. Returns the differences, `{line, got, decided}`, where
 * `line` counts from 2 as in the file, and `decided` says that the trace itself notes the original's other answer.
 */
export function replay(fluid, lines) {
	const world = new World(fluid, { mend: true });
	const differences = [];
	lines.forEach((line, i) => {
		// What the original accepts and this project refuses may not change what follows.
		const undo = line.upstream !== undefined && line.error !== undefined;
		const got = world.perform({ ...callOf(line), undo });
		if (got.fault !== undefined || !isDeepStrictEqual(answerOf(got), answerOf(line))) {
			differences.push({ line: i + 2, expected: line, got, decided: line.upstream !== undefined });
		}
	});
	return differences;
}
