/**
 * Clients of one document: they generate, send ranges into one total order, are delivered them late, go offline and
 * resume, and newcomers start from summaries. Ghost sessions and refused calls come in by their weights.
 */
import { refuseSomething } from "./scenarios-refusals.mjs";
import { stableAt } from "./random.mjs";

const sizes = [1, 2, 5, 16];
const usual = { generate: 20, send: 14, sequence: 14, deliver: 26, probe: 30, resume: 3, newcomer: 2, size: 2, unique: 3,
	summary: 1, compare: 1, retake: 2, ghost: 0, refusal: 0 };

/** Records `steps` random steps of a network, then delivers everything and compares everyone. */
export function network(recording, { steps = 160, weights = {} } = {}) {
	const net = new Network(recording);
	for (let i = recording.random.between(2, 3); i > 0; i--) {
		net.join();
	}
	for (let i = 0; i < steps; i++) {
		net[recording.random.weighted({ ...usual, ...weights })]();
	}
	net.settle();
}

class Network {
	clients = [];
	/** The total order: `{range, ids, origin}` or `{ghost, n}`. */
	order = [];
	sessions = [];

	constructor(recording) {
		this.recording = recording;
		this.random = recording.random;
	}

	join() {
		const session = this.random.uuid();
		const on = this.recording.name("C");
		this.recording.call("create", { on, session, writeVersion: this.random.between(2, 3), clusterSize: this.random.pick(sizes) });
		this.add({ on, session, seen: 0 });
	}

	add({ on, session, seen }) {
		this.clients.push({ on, session, seen, sent: [], own: [] });
		this.sessions.push(session);
	}

	pick() {
		return this.random.pick(this.clients);
	}

	generate() {
		const client = this.pick();
		const { ids } = this.recording.call("generate", { on: client.on, n: this.random.between(1, 7) });
		client.own.push(...ids);
	}

	unique() {
		this.recording.call("documentUnique", { on: this.pick().on });
	}

	size() {
		this.recording.call("clusterSize", { on: this.pick().on, size: this.random.pick(sizes) });
	}

	/** A client takes a range and sends it with IDs in op space; the service has not seen it yet. */
	send() {
		const client = this.pick();
		const { range } = this.recording.call("takeRange", { on: client.on });
		if (range.ids !== undefined) {
			const sample = this.random.shuffle(client.own.splice(0)).slice(0, 2);
			const ids = sample.map((id) => this.recording.call("toOp", { on: client.on, id }).result);
			client.sent.push({ range, ids, origin: client.session });
		}
	}

	/** The service puts some client's oldest sent range into the total order. */
	sequence() {
		const waiting = this.clients.filter(({ sent }) => sent.length > 0);
		if (waiting.length > 0) {
			this.order.push(this.random.pick(waiting).sent.shift());
		}
	}

	ghost() {
		this.order.push({ ghost: this.random.pick([this.random.uuid(), ...this.ghosts]), n: this.random.between(0, 4) });
	}

	get ghosts() {
		return this.order.flatMap(({ ghost }) => ghost ?? []);
	}

	deliver(client = this.pick(), most = this.random.between(1, 3)) {
		for (; client.seen < this.order.length && most > 0; most--, client.seen++) {
			const { ghost, n, range, ids, origin } = this.order[client.seen];
			if (ghost !== undefined) {
				this.recording.call("ghost", { on: client.on, session: ghost, n });
				continue;
			}
			this.recording.call("finalize", { on: client.on, range });
			for (const id of ids) {
				const op = this.random.chance(0.3) ? "toSessionNoOrigin" : "toSession";
				this.recording.call(op, { on: client.on, id, ...(op === "toSession" ? { origin } : {}) });
			}
		}
	}

	/** Looks at an ID that may exist, may come to exist, or does not. */
	probe() {
		const { on } = this.pick();
		const session = this.random.pick([...this.sessions, ...this.ghosts]);
		const final = this.random.below(this.order.length * 6 + 3);
		switch (this.random.below(6)) {
			case 0:
				this.recording.call("decompress", { on, id: final });
				break;
			case 1:
				this.recording.call("decompress", { on, id: -this.random.between(1, 20) });
				break;
			case 2:
				this.recording.call("recompress", { on, stable: stableAt(session, this.random.below(25)) });
				break;
			case 3:
				this.recording.call("toSession", { on, id: final, origin: session });
				break;
			case 4:
				this.recording.call("toSession", { on, id: -this.random.between(1, 12), origin: session });
				break;
			default:
				this.recording.call("toSessionNoOrigin", { on, id: final });
		}
	}

	/** Offline and back: stashed with its session, loaded again; what was sent but not sequenced is still on its way. */
	resume() {
		const client = this.pick();
		const { data } = this.recording.call("serialize", { on: client.on, withSession: true });
		const into = this.recording.name("C");
		this.recording.call("deserialize", { into, data, writeVersion: this.random.between(2, 3), clusterSize: this.random.pick(sizes) });
		this.recording.call("equal", { on: client.on, with: into, includeLocal: true });
		client.on = into;
	}

	/** A reconnection: what was not sequenced is lost, so the client takes all of it again, once it is up to date. */
	retake() {
		const client = this.pick();
		this.deliver(client, Infinity);
		client.sent = [];
		if (this.random.chance(0.5)) {
			this.recording.call("resetUnfinalized", { on: client.on });
			return;
		}
		const { range } = this.recording.call("takeUnfinalized", { on: client.on });
		if (range.ids !== undefined) {
			client.sent.push({ range, ids: [], origin: client.session });
		}
	}

	/** Starts from another client's summary; at most five stay, and the network goes on without the longest-lived. */
	newcomer() {
		const from = this.pick();
		const { data } = this.recording.call("serialize", { on: from.on, withSession: false });
		const session = this.random.uuid();
		const into = this.recording.name("C");
		this.recording.call("deserialize", { into, data, session, writeVersion: this.random.between(2, 3), clusterSize: this.random.pick(sizes) });
		this.add({ on: into, session, seen: from.seen });
		if (this.clients.length > 5) {
			this.clients.shift();
		}
	}

	summary() {
		this.recording.call("serialize", { on: this.pick().on, withSession: this.random.chance(0.5) });
	}

	compare() {
		this.recording.call("equal", { on: this.pick().on, with: this.pick().on, includeLocal: this.random.chance(0.3) });
	}

	refusal() {
		refuseSomething(this.recording, this.pick(), this.sessions);
	}

	settle() {
		for (const client of this.clients) {
			this.order.push(...client.sent.splice(0));
		}
		for (const client of this.clients) {
			this.deliver(client, Infinity);
			this.recording.call("serialize", { on: client.on, withSession: false });
			this.recording.call("equal", { on: this.clients[0].on, with: client.on, includeLocal: false });
		}
	}
}
