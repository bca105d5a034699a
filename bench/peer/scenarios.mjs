/** The project's own small set of recorded traces. */
import { Recording } from "./recording.mjs";
import { network } from "./scenarios-network.mjs";
import { shards } from "./scenarios-shards.mjs";
import { walkthrough } from "./scenarios-walkthrough.mjs";

const ghosts = (recording) => network(recording, { weights: { ghost: 8 } });
const refusals = (recording) => network(recording, { steps: 90, weights: { refusal: 40, probe: 8 } });

/** [name, seed, scenario] */
const set = [
	["walkthrough", undefined, walkthrough],
	["network-0", 7000, network],
	["network-1", 7001, network],
	["network-2", 7002, network],
	["ghosts-0", 7100, ghosts],
	["ghosts-1", 7101, ghosts],
	["shards-0", 7200, shards],
	["shards-1", 7201, shards],
	["shards-2", 7202, shards],
	["refusals-0", 7300, refusals],
	["refusals-1", 7301, refusals],
];

/** All recordings of the set, for whoever wants them elsewhere than in files. */
export function recordings(fluid) {
	return set.map(([name, seed, scenario]) => {
		const recording = new Recording(fluid, name, seed);
		scenario(recording);
		return recording;
	});
}
