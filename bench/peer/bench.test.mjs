/** The benchmarks as a process: their format, that they measure what the files hold, and bad input. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build, readDocument } from "./documents.mjs";
import { clustersOf, load } from "./fluid.mjs";
import { checksum, parseDuration } from "./measure.mjs";

const script = fileURLToPath(new URL("bench.mjs", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "peer-"));
after(() => rmSync(directory, { recursive: true }));
const fluid = await load();
const small = readDocument(fluid, { name: "small", seed: 5 });

function bench(...args) {
	return spawnSync(process.execPath, ["--expose-gc", script, "--benchtime", "1ms", ...args], { encoding: "utf8" });
}

function file(name, content) {
	const path = join(directory, name);
	writeFileSync(path, content);
	return path;
}

test("the embedded document has the shape it should", () => {
	const document = build(fluid, small.ranges, "11111111-1111-4111-8111-111111111111");
	const clusters = clustersOf(document);
	assert.equal(clusters.length, 300);
	assert.ok(clusters.every(({ capacity }) => capacity === 512));
	const open = clusters.filter(({ count }) => count < 512);
	assert.ok(open.length <= 100 && open.every(({ session, baseLocalId }) => session.clusterChain.at(-1).baseLocalId === baseLocalId));
});

test("files of the Go side: the document, the queries, the ranges", () => {
	const compressor = fluid.deserialize(small.data, undefined, 3);
	const queries = small.queries.slice(0, 1200);
	const trace = [{ trace: "idtrace/1" }, { op: "create", on: "D" }, ...small.ranges.map((range) => ({ op: "finalize", on: "D", range }))];
	const { status, stdout, stderr } = bench("--doc", "mine", "--op", "Decompress,Build/from=ranges,Serialize", "--block", "3", "--gomaxprocs", "2", "--config", "goos=linux",
		"--document", file("document", `${small.data}\n`), "--queries", file("queries", Buffer.from(queries.buffer)),
		"--ranges", file("ranges.jsonl", trace.map((line) => JSON.stringify(line)).join("\n")));
	assert.equal(stderr, "");
	assert.equal(status, 0);
	const lines = stdout.split("\n");
	for (const line of ["goos: linux", "block: 3", `node: ${process.versions.node}`, "node:"]) {
		assert.ok(lines.includes(line), line);
	}
	const results = lines.filter((line) => line.startsWith("Benchmark"));
	assert.equal(results.length, 6);
	for (const line of results) {
		assert.match(line, /^Benchmark[A-Z]\w*(\/[a-z]+=[\w.-]+)+-2\t[1-9]\d*(\t[\d.]+ [a-z/-]+)*$/);
	}
	assert.match(stdout, /^BenchmarkBuild\/doc=mine\/backend=fluid-js\/from=ranges-2\t.*\t[1-9]\d* heap-bytes\t/m);
	assert.match(stdout, /^BenchmarkSerialize\/doc=mine\/backend=fluid-js\/form=v3-2\t.*\t\d+ serialized-bytes$/m);

	const stables = Array.from(queries.subarray(0, 1000), (id) => compressor.decompress(id));
	assert.ok(lines.includes(`# answers Decompress {"doc":"mine","ids":"random"} 1000 fnv1a=${checksum(stables)}`));
	const built = build(fluid, small.ranges, "11111111-1111-4111-8111-111111111111").serialize(false);
	assert.ok(lines.includes(`# answers Build {"doc":"mine","from":"ranges"} 1 fnv1a=${checksum([built])}`));
});

test("both engines give the same answers", () => {
	const answers = ["fluid-js", "uuid-map-js"].map((backend) => {
		const { status, stdout } = bench("--doc", "small", "--backend", backend, "--op", "Decompress,Recompress");
		assert.equal(status, 0);
		return stdout.split("\n").filter((line) => /^# answers .*"(random|hot)"/.test(line)).sort();
	});
	assert.equal(answers[0].length, 6);
	assert.deepEqual(answers[0], answers[1]);
});

test("every operation runs", () => {
	const names = (...args) => {
		const { status, stdout, stderr } = bench(...args);
		assert.equal(status, 0, stderr);
		return new Set(stdout.match(/^Benchmark\w+/gm));
	};
	assert.equal(names("--doc", "small").size, 10);
	assert.deepEqual(names("--backend", "v8-map", "--n", "1000").size, 6);
});

test("bad input is told, with status 2", () => {
	const queries = file("odd", "12345");
	for (const [args, message] of [
		[["--backend", "go"], /no backend is named go/],
		[["--doc", "nowhere"], /no document is named nowhere/],
		[["--document", join(directory, "missing")], /no such file/],
		[["--document", file("junk", "junk")], /no serialized compressor/],
		[["--doc", "small", "--queries", queries], /want float64 values/],
		[["--benchtime", "soon"], /want a duration/],
		[["--backend", "v8-map", "--n", "x"], /want a whole number/],
		[["--config", "a"], /want key=value/],
		[["--bogus"], /Unknown option/],
	]) {
		const { status, stdout, stderr } = bench(...args);
		assert.equal(status, 2, args.join(" "));
		assert.match(stderr, message);
		assert.equal(stdout, "");
	}
});

test("durations", () => {
	assert.deepEqual(["20ms", "1.5s", "300us", "7ns"].map(parseDuration), [20e6, 1.5e9, 300e3, 7]);
	assert.throws(() => parseDuration("-1s"));
});
