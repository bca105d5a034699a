/**
 * A seeded generator that is quick to write in any language, for set-up only (it works on BigInt): splitmix64.
 *
 *     state += 0x9e3779b97f4a7c15
 *     z = state; z = (z ^ z>>30) * 0xbf58476d1ce4e5b9; z = (z ^ z>>27) * 0x94d049bb133111eb; z ^ z>>31
 *
 * all modulo 2^64, the seed being the first state. `below(n)` is floor((z>>11) / 2^53 * n) in float64, in that order;
 * `uuid()` takes two numbers, high half first, and sets version 4 and variant 10 over them.
 */
const mask = (1n << 64n) - 1n;

export class Random {
	/** Streams of one seed have nothing in common: a stream starts 2^32 seeds further. */
	constructor(seed, stream = 0) {
		this.state = (BigInt(seed) + (BigInt(stream) << 32n)) & mask;
	}

	next() {
		this.state = (this.state + 0x9e3779b97f4a7c15n) & mask;
		let z = this.state;
		z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
		z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
		return z ^ (z >> 31n);
	}

	/** A number in [0, n), for n up to 2^53. */
	below(n) {
		return Math.floor((Number(this.next() >> 11n) / 2 ** 53) * n);
	}

	between(low, high) {
		return low + this.below(high - low + 1);
	}

	chance(probability) {
		return this.below(1000) < probability * 1000;
	}

	pick(list) {
		return list[this.below(list.length)];
	}

	/** The key of one of `{key: weight, ...}`. */
	weighted(weights) {
		const entries = Object.entries(weights);
		let at = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
		return entries.find(([, weight]) => (at -= weight) < 0)[0];
	}

	shuffle(list) {
		for (let i = list.length - 1; i > 0; i--) {
			const j = this.below(i + 1);
			[list[i], list[j]] = [list[j], list[i]];
		}
		return list;
	}

	uuid() {
		const high = (this.next() & ~0xf000n) | 0x4000n;
		const low = (this.next() & 0x3fffffffffffffffn) | 0x8000000000000000n;
		return uuidFromBits((high << 64n) | low);
	}
}

function uuidFromBits(bits) {
	return bits.toString(16).padStart(32, "0").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The UUID `offset` after a session's first, as long as the last 62 bits do not overflow. */
export function stableAt(session, offset) {
	return uuidFromBits(BigInt(`0x${session.replaceAll("-", "")}`) + BigInt(offset));
}
