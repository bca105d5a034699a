/** A trace in the making: calls on the original, each appended with the answer this project decided. */
import { World } from "./calls.mjs";
import { decide, refused } from "./decisions.mjs";
import { source } from "./fluid.mjs";
import { Random } from "./random.mjs";
import { writeTrace } from "./trace.mjs";

export class Recording {
	lines = [];
	named = 0;

	constructor(fluid, name, seed) {
		this.world = new World(fluid, { mend: true });
		this.header = { trace: "idtrace/1", source, name, ...(seed === undefined ? {} : { seed }) };
		this.random = new Random(seed ?? 0);
	}

	/** Makes a call and returns its line as recorded. */
	call(op, fields) {
		return this.append(decide(this.world, this.world.perform({ op, ...fields })));
	}

	/** Records a call that this project refuses with the given class. The original must take it as it would, and goes back. */
	refuse(error, op, fields) {
		return this.append(refused(this.world.perform({ op, ...fields, undo: true }), error));
	}

	append(line) {
		if (line.fault !== undefined) {
			throw new Error(`${line.fault}: ${JSON.stringify(line)}`);
		}
		this.lines.push(line);
		return line;
	}

	/** A name that was never used before. */
	name(prefix) {
		return `${prefix}${this.named++}`;
	}

	write(file) {
		writeTrace(file, this.header, this.lines);
	}
}
