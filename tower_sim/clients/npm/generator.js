// Generators as plain data: { kind: "xoshiro128**", state: [a, b, c, d] }. Save one as JSON, load it, fork it, send it. The
// other source of luck is the host's own words, through `fromWords`.

/** @import { After, Generator, Luck, Seed, Words } from "./types.js" */
import { fault } from "./check.js";
import { seedOf, seedWords } from "./seeds.js";
import { WORD, checkFour, fourOf, object, whole, wordsFrom } from "./words.js";

const KIND = "xoshiro128**";
const MARK = Symbol.for("tower-sim/words"); // of words that are checked; the same in every copy of this package
const FORM = 'a generator { kind: "xoshiro128**", state: [a, b, c, d] }';
const MAKE = "make one with seeded([1, 2, 3, 4]) or fromSystem()";
const FRACTIONS =
  "Math.random gives fractions, with which every cube would come out: for it write " +
  "fromWords(() => Math.floor(Math.random() * 4294967296))";

/** Return the generator of four words and the number of a stream; see docs/surrogate.md of tower_sim. @returns {Generator} */
export function seeded(/** @type {readonly number[] | Uint32Array} */ seed, stream = 0) {
  return { kind: KIND, state: fourOf(seed, stream) };
}

/** Return the four words that numpy.random.SeedSequence makes of a seed. @returns {[number, number, number, number]} */
export function fourWords(/** @type {Seed} */ seed) {
  return seedWords(checkedSeed(seed));
}

/** Return a generator from the system's own randomness. @returns {Generator} */
export function fromSystem() {
  return seeded(globalThis.crypto.getRandomValues(new Uint32Array(4)));
}

/** Return a generator as a line of text. @returns {string} */
export function save(/** @type {Generator} */ generator) {
  checkGenerator(generator);
  return JSON.stringify({ kind: KIND, state: [...generator.state] });
}

/** Return the generator of a line of text, or of what JSON.parse made of it. @returns {Generator} */
export function load(/** @type {unknown} */ text) {
  let plain = text;
  if (typeof text === "string") {
    try {
      plain = JSON.parse(text);
    } catch {
      throw fault("generator", text, 'text as of save(generator), {"kind":"xoshiro128**","state":[...]}');
    }
  }
  checkGenerator(plain);
  return { kind: KIND, state: [...plain.state] };
}

/**
 * Return child `number` of a generator, which stays as it is: seeded(generator.state, number).
 *
 * Another number, from 0 to 2^32 - 1, or the same generator after another word, gives another child; the same two give the same,
 * so count up.
 * @returns {Generator}
 */
export function fork(/** @type {Generator} */ generator, /** @type {number} */ number) {
  checkGenerator(generator);
  whole("number", number, 0, WORD - 1);
  return { kind: KIND, state: fourOf([...generator.state], number) };
}

/**
 * Draw one word, a whole number from 0 to 2^32 - 1: { word, generator }, the generator that comes after it.
 * @template {Luck} L
 * @returns {{ word: number, generator: After<L> }}
 */
export function next(/** @type {L} */ generator) {
  return drawing(generator, (word) => ({ word: word() }));
}

/**
 * Return words for `drop` from the host's own function, which gives a whole number from 0 to 2^32 - 1 each time.
 *
 * Each is checked when it is drawn: another value, such as a fraction of Math.random, is a RangeError, and nothing has changed.
 * @returns {Words}
 */
export function fromWords(/** @type {() => number} */ draw) {
  if (typeof draw !== "function") throw fault("draw", draw, "a function that gives whole numbers from 0 to 2^32 - 1", FRACTIONS);
  const words = () => {
    const found = draw();
    whole("a word drawn", found, 0, WORD - 1, FRACTIONS);
    return found;
  };
  return Object.defineProperty(words, MARK, { value: true });
}

/**
 * Return what `use(word)` does, and the `generator` to go on with; words of the host's own stay what they are.
 * @template {Luck} L
 * @template {object} T
 * @returns {T & { generator: After<L> }}
 */
export function drawing(/** @type {L} */ generator, /** @type {(word: () => number) => T} */ use) {
  if (typeof generator === "function") {
    const allowed = `${FORM}, or fromWords(...) around a function that gives whole numbers from 0 to 2^32 - 1`;
    if (generator[MARK] !== true) throw fault("generator", generator, allowed, FRACTIONS);
    return { ...use(generator), generator };
  }
  checkGenerator(generator);
  const word = wordsFrom(generator.state);
  const found = use(word);
  return { ...found, generator: { kind: KIND, state: word.state() } };
}

/** Return a seed as a bigint; refuse what is none. */
export function checkedSeed(seed) {
  const allowed = "a whole number from 0 to 2^128 - 1, as a number, a bigint or its digits";
  const number = seedOf(seed);
  if (number === null) throw fault("seed", seed, allowed, "a number above 2^53 - 1 is not exact");
  return number;
}

function checkGenerator(generator) {
  const isWords = typeof generator === "function";
  object("generator", generator, FORM, isWords ? "words of the host's own have no state to save or fork" : MAKE);
  if (generator.kind !== KIND) throw fault("generator.kind", generator.kind, `"${KIND}"`, MAKE);
  checkFour("generator.state", generator.state);
  if (generator.state.every((word) => word === 0)) {
    throw fault("generator.state", generator.state, "four words that are not all 0", MAKE);
  }
}
