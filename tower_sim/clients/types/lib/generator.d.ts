/** Return the generator of four words and the number of a stream; see docs/surrogate.md of tower_sim. @returns {Generator} */
export function seeded(seed: readonly number[] | Uint32Array, stream?: number): Generator;
/** Return the four words that numpy.random.SeedSequence makes of a seed. @returns {[number, number, number, number]} */
export function fourWords(seed: Seed): [number, number, number, number];
/** Return a generator from the system's own randomness. @returns {Generator} */
export function fromSystem(): Generator;
/** Return a generator as a line of text. @returns {string} */
export function save(generator: Generator): string;
/** Return the generator of a line of text, or of what JSON.parse made of it. @returns {Generator} */
export function load(text: unknown): Generator;
/**
 * Return child `number` of a generator, which stays as it is: seeded(generator.state, number).
 *
 * Another number, from 0 to 2^32 - 1, or the same generator after another word, gives another child; the same two give the same,
 * so count up.
 * @returns {Generator}
 */
export function fork(generator: Generator, number: number): Generator;
/**
 * Draw one word, a whole number from 0 to 2^32 - 1: { word, generator }, the generator that comes after it.
 * @template {Luck} L
 * @returns {{ word: number, generator: After<L> }}
 */
export function next<L extends Luck>(generator: L): {
    word: number;
    generator: After<L>;
};
/**
 * Return words for `drop` from the host's own function, which gives a whole number from 0 to 2^32 - 1 each time.
 *
 * Each is checked when it is drawn: another value, such as a fraction of Math.random, is a RangeError, and nothing has changed.
 * @returns {Words}
 */
export function fromWords(draw: () => number): Words;
/**
 * Return what `use(word)` does, and the `generator` to go on with; words of the host's own stay what they are.
 * @template {Luck} L
 * @template {object} T
 * @returns {T & { generator: After<L> }}
 */
export function drawing<L extends Luck, T extends object>(generator: L, use: (word: () => number) => T): T & {
    generator: After<L>;
};
/** Return a seed as a bigint; refuse what is none. */
export function checkedSeed(seed: any): bigint;
import type { Generator } from "./types.js";
import type { Seed } from "./types.js";
import type { Luck } from "./types.js";
import type { After } from "./types.js";
import type { Words } from "./types.js";
