/** A tree of shards of one session: synchronization both ways, disposal, and what a shard must not do. */
import { stableAt } from "./random.mjs";

const steps = { generate: 26, probe: 22, shard: 7, up: 12, down: 12, dispose: 9, send: 7, deliver: 10, restore: 4, forbidden: 8 };

export function shards(recording, { length = 130 } = {}) {
	const tree = new Tree(recording);
	for (let i = 0; i < length; i++) {
		tree[recording.random.weighted(steps)]();
	}
	tree.settle();
}

class Tree {
	/** Ranges of the session and of remote ones, in the order everyone applies them. */
	order = [];

	constructor(recording) {
		this.recording = recording;
		this.random = recording.random;
		this.session = this.random.uuid();
		this.remote = this.random.uuid();
		this.remoteCount = 0;
		const on = recording.name("S");
		recording.call("create", { on, session: this.session, writeVersion: 3, clusterSize: this.random.pick([2, 5, 32]) });
		this.root = { on, seen: 0, children: [], parent: undefined };
	}

	get active() {
		const all = [this.root];
		for (const node of all) {
			all.push(...node.children);
		}
		return all;
	}

	pick(wanted = () => true) {
		return this.random.pick(this.active.filter(wanted));
	}

	generate() {
		const node = this.pick();
		const { ids } = this.recording.call("generate", { on: node.on, n: this.random.between(1, 3) });
		const id = this.random.pick(ids);
		this.recording.call("decompress", { on: node.on, id });
		this.recording.call("toOp", { on: node.on, id });
	}

	probe() {
		const { on } = this.pick();
		const genCount = this.random.between(1, 40);
		const final = this.random.below(60);
		switch (this.random.below(5)) {
			case 0:
				this.recording.call("decompress", { on, id: -genCount });
				break;
			case 1:
				this.recording.call("recompress", { on, stable: stableAt(this.random.pick([this.session, this.remote]), genCount) });
				break;
			case 2:
				this.recording.call("toSession", { on, id: -genCount, origin: this.random.pick([this.session, this.remote]) });
				break;
			case 3:
				this.recording.call("decompress", { on, id: final });
				break;
			default:
				this.recording.call("toSessionNoOrigin", { on, id: final });
		}
	}

	shard() {
		const parent = this.pick();
		if (this.active.length > 6) {
			return;
		}
		const n = this.random.between(1, 3);
		const into = Array.from({ length: n }, () => this.recording.name("S"));
		const shardIds = into.map(() => this.random.uuid());
		const { tokens, error } = this.recording.call("shard", { on: parent.on, n, into, shardIds });
		if (error === undefined) {
			into.forEach((on, i) => parent.children.push({ on, seen: parent.seen, children: [], parent, token: tokens[i] }));
		}
	}

	/** A child's progress to its parent. */
	up() {
		const child = this.pick(({ parent }) => parent !== undefined);
		if (child === undefined) {
			this.recording.call("shardToken", { on: this.root.on });
			return;
		}
		child.token = this.recording.call("shardToken", { on: child.on }).token;
		this.recording.call("syncShard", { on: child.parent.on, token: child.token });
	}

	/** The parent's progress to a child. */
	down() {
		const child = this.pick(({ parent }) => parent !== undefined);
		if (child !== undefined) {
			const { token } = this.recording.call("parentToken", { on: child.parent.on, child: child.token });
			this.recording.call("syncParent", { on: child.on, token });
		}
	}

	dispose(leaf = this.pick(({ parent, children }) => parent !== undefined && children.length === 0)) {
		if (leaf === undefined) {
			this.recording.call("disposeShard", { on: this.root.on });
			return;
		}
		const { token } = this.recording.call("disposeShard", { on: leaf.on });
		this.recording.call("generate", { on: leaf.on, n: 1 });
		this.recording.call("syncShard", { on: leaf.parent.on, token });
		leaf.parent.children.splice(leaf.parent.children.indexOf(leaf), 1);
	}

	/** Only the root sends the session's ranges; another session sends too. */
	send() {
		if (this.random.chance(0.4)) {
			const count = this.random.between(1, 4);
			this.order.push({ sessionId: this.remote, ids: { firstGenCount: this.remoteCount + 1, count, requestedClusterSize: 3, localIdRanges: [] } });
			this.remoteCount += count;
			return;
		}
		const { range } = this.recording.call("takeRange", { on: this.root.on });
		if (range.ids !== undefined) {
			this.order.push(range);
		}
	}

	deliver(node = this.pick(), most = 2) {
		for (; node.seen < this.order.length && most > 0; most--, node.seen++) {
			this.recording.call("finalize", { on: node.on, range: this.order[node.seen] });
		}
	}

	restore() {
		const node = this.pick();
		const { data } = this.recording.call("serialize", { on: node.on, withSession: true });
		const into = this.recording.name("S");
		this.recording.call("deserialize", { into, data, writeVersion: this.random.between(2, 3) });
		this.recording.call("equal", { on: node.on, with: into, includeLocal: true });
		node.on = into;
	}

	forbidden() {
		const node = this.pick();
		const child = this.pick(({ parent }) => parent !== undefined);
		const { on } = node;
		switch (this.random.below(6)) {
			case 0:
				if (child !== undefined) {
					this.recording.call("takeRange", { on: child.on });
					this.recording.call("takeUnfinalized", { on: child.on });
				}
				break;
			case 1:
				if (child !== undefined) {
					this.recording.call("ghost", { on: child.on, session: this.random.uuid(), n: 1 });
				}
				break;
			case 2:
				if (node.children.length > 0) {
					this.recording.call("disposeShard", { on });
				}
				break;
			case 3:
				this.recording.call("syncShard", { on, token: { localGenCount: 5, shardId: this.random.uuid(), disposed: true } });
				break;
			case 4:
				if (child !== undefined) {
					const localGenCount = this.random.pick([-1, 2 ** 53]);
					this.recording.call("syncShard", { on: child.parent.on, token: { ...child.token, localGenCount, disposed: this.random.chance(0.5) } });
					this.recording.call("syncParent", { on: child.on, token: { type: "parentIdSpaceShardSyncToken", shardId: child.token.shardId, localGenCount } });
				}
				break;
			default:
				this.recording.call("syncParent", { on, token: { type: "parentIdSpaceShardSyncToken", shardId: this.random.uuid(), localGenCount: 3 } });
		}
	}

	/** Everything is delivered, then the tree is taken down from its leaves. */
	settle() {
		for (const node of this.active) {
			this.deliver(node, Infinity);
		}
		for (const node of this.active.reverse().filter(({ parent }) => parent !== undefined)) {
			this.dispose(node);
		}
		this.send();
		this.deliver(this.root, Infinity);
		this.recording.call("generate", { on: this.root.on, n: 3 });
		this.recording.call("serialize", { on: this.root.on, withSession: true });
		this.recording.call("serialize", { on: this.root.on, withSession: false });
	}
}
