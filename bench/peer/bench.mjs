/**
 * The peers in the lab: the same operations as the Go benchmarks on the original (`fluid-js`), on a Map and an array
 * instead of a compressor (`uuid-map-js`), and on V8's Map alone (`v8-map`), in Go benchmark format.
 *
 *     node --expose-gc bench.mjs --backend fluid-js --doc NAME --document FILE [--queries FILE] [--ranges FILE]
 *     node --expose-gc bench.mjs --backend v8-map --n 1000,1000000
 *
 * One process is one block x backend x document. `--op` picks operations or single variants of them (comma-separated,
 * such as Decompress,Recompress/ids=hot), `--benchtime` is the time for each (20ms), `--seed` seeds what is drawn here
 * and the order of the benchmarks, `--block` numbers the block, `--gomaxprocs` is the number that Go puts after its
 * names, and each `--config key=value` is a further line of the file's configuration. What the files hold is in documents.mjs. Memory is only measured under --expose-gc.
 */
import util from "node:util";
import { fluidBenchmarks } from "./bench-fluid.mjs";
import { mapBenchmarks, uuidMapBenchmarks } from "./bench-maps.mjs";
import { readDocument } from "./documents.mjs";
import { load, run, source, UsageError } from "./fluid.mjs";
import { checksum, Output, parseDuration, time } from "./measure.mjs";
import { Random } from "./random.mjs";

const text = (value) => ({ type: "string", ...(value === undefined ? {} : { default: value }) });
const options = {
	backend: text("fluid-js"), doc: text("sessions"), document: text(), queries: text(), ranges: text(), n: text("1000000"), op: text(),
	benchtime: text("20ms"), seed: text("1"), block: text("0"), gomaxprocs: text("1"), config: { type: "string", multiple: true, default: [] },
};

/** backend -> its benchmarks. Only those that load the original need the package. */
const backends = {
	"fluid-js": async (values, seed) => withDocument(fluidBenchmarks, values, seed),
	"uuid-map-js": async (values, seed) => withDocument(uuidMapBenchmarks, values, seed),
	"v8-map": async ({ n }, seed) => n.split(",").flatMap((size) => mapBenchmarks(wholeNumber("n", size, 1), seed)),
};

async function withDocument(benchmarks, { doc: name, ...files }, seed) {
	const fluid = await load();
	return benchmarks(fluid, readDocument(fluid, { ...files, name, seed }), seed);
}

run("bench", async (args) => {
	const { values } = util.parseArgs({ args, options });
	const benchtime = parseDuration(values.benchtime);
	const [seed, block, gomaxprocs] = ["seed", "block", "gomaxprocs"].map((name) => wholeNumber(name, values[name], 0));
	if (!Object.hasOwn(backends, values.backend)) {
		throw new UsageError(`no backend is named ${values.backend}: want one of ${Object.keys(backends).join(", ")}`);
	}
	let benchmarks = await backends[values.backend](values, seed);
	if (values.op !== undefined) {
		const wanted = values.op.split(",");
		benchmarks = benchmarks.filter((benchmark) => wanted.includes(benchmark.op) || wanted.includes(keyOf(benchmark)));
	}

	const config = Object.fromEntries(values.config.map(keyAndValue));
	const peer = values.backend === "v8-map" ? {} : { peer: source };
	const output = new Output({ ...config, node: process.versions.node, v8: process.versions.v8, ...peer, seed, block }, { gomaxprocs });
	output.begin();
	if (globalThis.gc === undefined) {
		output.comment("no heap-bytes: run node with --expose-gc");
	}
	for (const benchmark of new Random(seed + block).shuffle(benchmarks)) {
		const body = benchmark.make();
		output.result(benchmark, body.run && time(body, benchtime), body.metrics?.());
		const answers = body.answers?.();
		if (answers !== undefined) {
			const { backend, ...keys } = benchmark.keys;
			output.comment(`answers ${benchmark.op} ${JSON.stringify(keys)} ${answers.length} fnv1a=${checksum(answers)}`);
		}
	}
	output.end();
});

/** A benchmark's name without document and backend, as Go's table has it. */
function keyOf({ op, keys: { doc, backend, ...variant } }) {
	return [op, ...Object.entries(variant).map(([key, value]) => `${key}=${value}`)].join("/");
}

function wholeNumber(name, value, least) {
	const number = Number(value);
	if (!Number.isSafeInteger(number) || number < least) {
		throw new UsageError(`--${name} ${value}: want a whole number from ${least}`);
	}
	return number;
}

function keyAndValue(setting) {
	const [, key, value] = /^([a-z][^\s=:]*)=(.*)$/.exec(setting) ?? [];
	if (key === undefined) {
		throw new UsageError(`--config ${setting}: want key=value`);
	}
	return [key, value];
}
