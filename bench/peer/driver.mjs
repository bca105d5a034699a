/**
 * The original in a process: idtrace lines in on standard input, the same lines with their answers out on standard
 * output, in the same order.
 *
 *     node driver.mjs [--mend]
 *
 * A line in is a call without its answer, one JSON object; the line out is that object completed as calls.mjs says.
 * Empty lines are skipped, and the header of a trace is none. Many lines may be sent before the first answer is
 * read: they are answered together, one write for each read. Who sends many must read at the same time, or both
 * sides end up waiting on full pipes. End of input ends the process with status 0; set-up that is missing is told on
 * standard error with status 2, before anything is read.
 *
 * `--mend`: a call that failed but changed its compressor (`"changed": true`) is undone, so that what follows can
 * still be compared. Without it the original goes on as broken as it is.
 */
import util from "node:util";
import { World } from "./calls.mjs";
import { load, run } from "./fluid.mjs";

run("driver", async (args) => {
	const { values } = util.parseArgs({ args, options: { mend: { type: "boolean", default: false } } });
	const world = new World(await load(), values);

	// Whoever reads us may leave first.
	process.stdout.on("error", (error) => process.exit(error.code === "EPIPE" ? 0 : 1));
	let rest = "";
	process.stdin.setEncoding("utf8");
	for await (const chunk of process.stdin) {
		const lines = (rest + chunk).split("\n");
		rest = lines.pop();
		await write(lines.map((line) => answer(world, line)).join(""));
	}
	await write(answer(world, rest));
});

function answer(world, line) {
	if (line.trim() === "") {
		return "";
	}
	let reply;
	try {
		const call = JSON.parse(line);
		reply = call?.constructor === Object ? world.perform(call) : { fault: "no JSON object" };
	} catch (error) {
		if (!(error instanceof SyntaxError)) {
			throw error;
		}
		reply = { fault: `no JSON: ${error.message}` };
	}
	return `${JSON.stringify(reply)}\n`;
}

/** Resolves when the text is on its way, so that input waits while output does. */
function write(text) {
	return text === "" ? undefined : new Promise((resolve) => process.stdout.write(text, resolve));
}
