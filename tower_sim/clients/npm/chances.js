// Chances: what comes out if this is thrown next, or that. Each throw is drawn many times from one state; as tower_sim/drops/repeat.py.

/** @import { Counts, Seed, Tower, TowerState } from "./types.js" */
import { aTower, checkCounts, fault } from "./check.js";
import { counted, total } from "./counts.js";
import { compiled } from "./games.js";
import { checkedSeed } from "./generator.js";
import { numpyWords } from "./numpy.js";
import { LIMITS } from "./rules.js";
import { list, whole } from "./words.js";

const CONFIDENCE = 0.95;
const MOST_DRAWS = 1000000;
const laws = /** @type {() => Record<"student_point" | "beta_quantile", (...numbers: number[]) => number>} */ (compiled); // of student.py

/**
 * Throw each of `options`, counts by colour, `draws` times from `state`: the chances of each, with 95 % intervals.
 *
 * `out` is the mean number of cubes that come out, `by_number` the share of draws by that number, from 0 on, `shares` and `each`
 * say how likely it is that nothing, one colour alone, several, or a colour comes out. The same seed gives Python's document.
 */
export function chances(/** @type {Tower} */ tower, /** @type {TowerState} */ state, /** @type {readonly Readonly<Counts>[]} */ options, /** @type {number} */ draws, /** @type {Seed} */ seed) {
  aTower("tower", tower);
  tower.check(state);
  for (const [i, { colour }] of state.cubes.entries()) if (typeof colour !== "string") throw fault(`state.cubes[${i}].colour`, colour, "a word");
  list("options", options, "counts by colour, such as [{ blue: 4 }]");
  for (const [i, counts] of options.entries()) {
    checkCounts(`options[${i}]`, counts);
    if (!total(counts) || total(counts) > LIMITS.cubes) throw fault(`options[${i}]`, counts, `1 to ${LIMITS.cubes} cubes, such as { blue: 4 }`);
  }
  whole("draws", draws, 2, MOST_DRAWS);
  const number = checkedSeed(seed);
  const there = [...new Set(state.cubes.map(({ colour }) => colour))].sort((a, b) => (a < b ? -1 : 1));
  const colours = [...new Set([...options.flatMap((counts) => Object.keys(counts)), ...there])];
  const first = state.cubes.reduce((most, { id }) => Math.max(most, id), -1) + 1;
  return options.map((counts, i) => {
    const kinds = Object.entries(counts).flatMap(([colour, count]) => Array.from({ length: count }, () => colour));
    const cubes = kinds.map((colour, k) => ({ id: first + k, colour }));
    const out = Array.from({ length: draws }, (_, k) => counted(tower.drop(state, cubes, numpyWords(number, [i, k, 0])).emerged));
    const sums = out.map(total);
    const by_number = Array.from({ length: Math.max(...[0, ...new Set(sums)]) + 1 }, () => 0);
    for (const sum of sums) by_number[sum]++;
    const share = (/** @type {(counts: Counts) => boolean} */ isSo) => shareOf(out.filter(isSo).length, draws);
    const kindsOut = (/** @type {Counts} */ found) => Object.keys(found).length;
    return {
      thrown: { ...counts },
      draws,
      left_out: 0,
      out: meanOf(sums),
      by_number: by_number.map((count) => Math.round((1e6 * count) / draws) / 1e6),
      shares: {
        nothing: share((found) => kindsOut(found) === 0),
        "one colour": share((found) => kindsOut(found) === 1),
        "more than one colour": share((found) => kindsOut(found) > 1),
      },
      each: Object.fromEntries(colours.map((colour) => [colour, share((found) => Object.hasOwn(found, colour))])),
    };
  });
}

/** Return the mean of numbers with Student's interval. */
function meanOf(/** @type {number[]} */ values) {
  const value = values.reduce((sum, x) => sum + x, 0) / values.length;
  const error = Math.sqrt(values.reduce((sum, x) => sum + (x - value) ** 2, 0) / (values.length - 1) / values.length);
  const half = error * laws().student_point(CONFIDENCE, values.length - 1);
  return { value, low: Math.max(value - half, 0), high: value + half, confidence: CONFIDENCE }; // of counts: none below 0
}

/** Return the share of hits among trials with the interval of Clopper and Pearson. */
function shareOf(/** @type {number} */ hits, /** @type {number} */ trials) {
  const tail = (1 - CONFIDENCE) / 2;
  const low = hits ? laws().beta_quantile(hits, trials - hits + 1, tail) : 0;
  const high = hits < trials ? laws().beta_quantile(hits + 1, trials - hits, 1 - tail) : 1;
  return { value: hits / trials, low, high, confidence: CONFIDENCE };
}
