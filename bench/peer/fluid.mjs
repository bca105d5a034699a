/**
 * Loads the original, `@fluidframework/id-compressor`, and reaches the few things of it that have no public name.
 *
 * Everything that can be missing on a machine is found out here, in one place: Node itself too old, the package
 * not installed, or installed in another version. `load` then throws a `SetUpError`, whose message says what to
 * install; `run` prints it and exits with status 2.
 */
import { createRequire, syncBuiltinESMExports } from "node:module";
import { readFileSync } from "node:fs";

const name = "@fluidframework/id-compressor";
export const version = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")).dependencies[name];

/** What traces and reports call the reference. */
export const source = `${name} ${version}`;

/** Something is missing on this machine; the message says what to install. */
export class SetUpError extends Error {}

/** The caller got the command line or an input file wrong. */
export class UsageError extends Error {}

/**
 * The original's functions: `create(session, writeVersion)`, `deserialize(data, session | undefined, writeVersion)`
 * and `shard(compressor, n, shardIds | undefined)`, which makes the original draw the given shard IDs.
 */
export async function load() {
	let installed;
	try {
		const manifest = new URL(`node_modules/${name}/package.json`, import.meta.url);
		installed = JSON.parse(readFileSync(manifest, "utf8")).version;
	} catch {
		throw new SetUpError(`${source} is not installed: run \`npm ci\` in bench/peer`);
	}
	if (installed !== version) {
		throw new SetUpError(`${name} is installed as ${installed}, not ${version}: run \`npm ci\` in bench/peer`);
	}

	// A failed assertion of the original also prints to standard output, where our answers go.
	console.log = () => {};
	const injected = injectableUuids();
	const { createIdCompressor, deserializeIdCompressor } = await import(name);
	return {
		create: (session, writeVersion) => createIdCompressor(session, writeVersion),
		deserialize: (data, session, writeVersion) =>
			session === undefined
				? deserializeIdCompressor(data, writeVersion)
				: deserializeIdCompressor(data, session, writeVersion),
		shard(compressor, n, shardIds = []) {
			injected.push(...shardIds);
			try {
				return compressor.shard(n);
			} finally {
				injected.length = 0;
			}
		},
	};
}

/**
 * The queue that `crypto.randomUUID` serves before it is random. The original's shard IDs come from there, through
 * a library that keeps the function it found when it was loaded: so this must be in place first.
 */
function injectableUuids() {
	const queue = [];
	const crypto = createRequire(import.meta.url)("node:crypto");
	const random = crypto.randomUUID;
	crypto.randomUUID = (...options) => queue.shift() ?? random(...options);
	syncBuiltinESMExports();
	return queue;
}

/** The requested cluster size is no part of the original's interface, nor of its serialized form. */
export function setClusterSize(compressor, size) {
	compressor.nextRequestedClusterSize = size;
}

export function clusterSize(compressor) {
	return compressor.nextRequestedClusterSize;
}

/** All sessions as the original keeps them, in the order it writes them: `{sessionUuid, clusterChain}`. */
export function sessionsOf(compressor) {
	return [...compressor.sessions.sessionCache.values()];
}

/** The state of the local session that no method tells. */
export function localState(compressor) {
	return {
		generated: compressor.localGenCount,
		clusters: compressor.localSession.clusterChain,
		isLocal: (genCount) => compressor.normalizer.contains(-genCount),
		isChild: compressor.shardingState?.shardId !== undefined,
	};
}

/** All clusters in final order: `{session, baseFinalId, baseLocalId, capacity, count}`. */
export function clustersOf(compressor) {
	return compressor.finalSpace.clusters;
}

/**
 * Whether the original still agrees with itself: each session is what the search by UUID finds, and the clusters of
 * the sessions are those of the final space. Some failed calls leave it otherwise (Q22, Q24, Q41).
 */
export function isSound(compressor) {
	let chained = 0;
	for (const session of sessionsOf(compressor)) {
		if (compressor.sessions.uuidSpace.get(session.sessionUuid) !== session) {
			return false;
		}
		chained += session.clusterChain.length;
	}
	return chained === clustersOf(compressor).length;
}

/**
 * Runs a command's main function; a `SetUpError` or `UsageError` ends the process with status 2. Commands import
 * nothing by name that an older Node has not, or it would fail before it can be told here that it is too old.
 */
export function run(command, main) {
	start(main).catch((error) => {
		const unreadable = error.syscall === "open" || error.syscall === "read";
		const expected = error instanceof SetUpError || error instanceof UsageError || unreadable || error.code?.startsWith("ERR_PARSE_ARGS");
		console.error(`${command}: ${expected ? error.message : error.stack}`);
		process.exitCode = expected ? 2 : 1;
	});
}

async function start(main) {
	const { node } = process.versions;
	if (Number(node.split(".")[0]) < 20) {
		throw new SetUpError(`Node ${node} is too old: install Node 20 or newer`);
	}
	return main(process.argv.slice(2));
}
