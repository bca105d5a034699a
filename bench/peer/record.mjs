/**
 * Records the project's own small set of idtraces from the original.
 *
 *     node record.mjs DIRECTORY
 *
 * The set is the same on every run: seeds are fixed, and shard IDs are drawn from them. Every line carries the answer
 * this project decided (decisions.mjs), with the original's in `upstream` where that is another.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import util from "node:util";
import { load, run, UsageError } from "./fluid.mjs";
import { recordings } from "./scenarios.mjs";

run("record", async (args) => {
	const { positionals: [directory, ...more] } = util.parseArgs({ args, allowPositionals: true });
	if (directory === undefined || more.length > 0) {
		throw new UsageError("usage: node record.mjs DIRECTORY");
	}
	const fluid = await load();
	mkdirSync(directory, { recursive: true });
	for (const recording of recordings(fluid)) {
		recording.write(join(directory, `${recording.header.name}.jsonl`));
	}
});
