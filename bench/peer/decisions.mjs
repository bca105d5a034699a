/**
 * What a recorded trace must answer where this project decided otherwise than the original (conformance.md, part 3).
 * Each rule is named by its Q number. Failed calls that change the original are no matter here: a recording undoes
 * them.
 */
import { localState } from "./fluid.mjs";
import { callOf } from "./trace.mjs";

const v4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** The trace line for what the original answered: put right, with the original's answer in `upstream`. */
export function decide(world, answered) {
	const { upstreamError, ...line } = asInTrace(answered);
	const decided = rules[line.op]?.(line, world.compressors.get(line.on), upstreamError);
	const result = decided === undefined ? line : otherwise(line, decided.answer, decided.upstream);
	if (result.error === "unclassified") {
		throw new Error(`no decision for ${JSON.stringify(answered)}`);
	}
	return result;
}

/** The trace line for a call that this project refuses with the given class, whatever the original does. */
export function refused(answered, error) {
	const { upstreamError, ...line } = asInTrace(answered);
	if (line.error === error) {
		return line;
	}
	const upstream = upstreamError ?? line.result ?? "accepted";
	return otherwise(line, { error }, upstream);
}

/** Without the fields that are the driver's alone. */
function asInTrace({ changed, expectedStart, actualStart, undo, ...line }) {
	return line;
}

const rules = {
	recompress(line, compressor, upstreamError) {
		if (line.error === "invalid-uuid") {
			return { answer: { result: null }, upstream: upstreamError }; // Q12
		}
		if (upstreamError === "0x75a") {
			return { answer: { result: null }, upstream: upstreamError }; // Q2
		}
		if (typeof line.result === "number" && line.result >= 0 && !decompresses(compressor, line.result)) {
			return { answer: { result: null }, upstream: line.result }; // Q1
		}
	},
	decompress(line, compressor) {
		if (line.error === undefined && line.id >= 0 && isReservedOnly(compressor, line.id)) {
			return { answer: { error: "unknown-id" }, upstream: line.stable }; // Q3
		}
	},
	toSession(line) {
		if (line.error === undefined && !v4.test(line.origin)) {
			return { answer: { error: "invalid-uuid" }, upstream: line.result }; // Q7
		}
	},
	equal(line, _, upstreamError) {
		if (upstreamError?.startsWith("TypeError")) {
			return { answer: { result: false }, upstream: upstreamError }; // Q70
		}
	},
};

function otherwise(line, answer, upstream) {
	return { ...callOf(line), ...answer, upstream };
}

function decompresses(compressor, id) {
	try {
		compressor.decompress(id);
		return true;
	} catch {
		return false;
	}
}

/** Whether a final ID is in the local session's clusters, but neither finalized nor ever generated. */
function isReservedOnly(compressor, id) {
	const { generated, clusters } = localState(compressor);
	const cluster = clusters.find(({ baseFinalId, capacity }) => id >= baseFinalId && id < baseFinalId + capacity);
	if (cluster === undefined) {
		return false;
	}
	const offset = id - cluster.baseFinalId;
	return offset >= cluster.count && offset - cluster.baseLocalId > generated;
}
