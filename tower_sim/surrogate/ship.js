// A combat ship and its board without physics: where thrown cubes land, and which cubes that lie there change their place.
// One ES module without dependencies, for browsers and Node (there under a name that ends in .mjs). The chances are those
// of Python's BoardLaw, up to rounding: see docs/surrogate.md of tower_sim.
//
//   import { empty, drop, words, shares } from "./ship.mjs";
//   const word = words([1, 2, 3, 4], 0);                    // four whole numbers below 2^32, and the stream's number
//   const first = drop(empty(), [{ id: 0, colour: "red" }, { id: 1, colour: "blue" }], word);
//   first.landings;                                         // where every cube is: [{ id, colour, place }, ...]
//   const second = drop(first.state, [{ id: 2, colour: "red" }], word); // first.state is plain JSON, and is not changed
//   shares(2, [0, 1, 0, 0, 0, 0]);                          // chances by place of each of two cubes onto one that lies there

const TABLE = "table"; // a cube there stays
const STEEPEST = 700; // logarithms never leave +-700, so that no exponential overflows

/** Return the board with no cube on it. A state is { cubes: [{ id, colour, place }] }. */
export function empty() {
  return { cubes: [] };
}

/**
 * Throw cubes `thrown` ([{ id, colour }]) through the ship: return { state, landings }.
 *
 * A cube that lay on the board and is thrown again is taken off it first. `landings` say where every cube is now: first
 * those that lay there, then the thrown ones, each in the order given. Every word is drawn from `word`, the function that
 * `words` returns: one for each thrown cube, one for each lying one, one more for each lying one.
 */
export function drop(state, thrown, word) {
  checkDrop(state, thrown);
  return dropped(state, thrown, checkedWords(word));
}

/** Do what `drop` does, with arguments that are as they should be. */
function dropped(state, thrown, word) {
  const { places } = MODEL.law;
  const again = new Set(thrown.map((cube) => cube.id));
  const lying = state.cubes.filter((cube) => !again.has(cube.id));
  const here = lying.map((cube) => places.indexOf(cube.place));
  const { landed, moved } = landing(thrown.length, here, word);
  const now = (cube, k) => ({ id: cube.id, colour: cube.colour, place: places[k] });
  const landings = [...lying.map((cube, i) => now(cube, moved[i])), ...thrown.map((cube, i) => now(cube, landed[i]))];
  return { state: { cubes: landings }, landings };
}

/**
 * Draw where `thrown` cubes land and where those that lie at places number `here` then are: { landed, moved }, numbers of
 * places. Every word is a number from 0 to 1 when divided by 2^32.
 */
export function landing(thrown, here, word, law = MODEL.law) {
  const counts = law.places.map(() => 0);
  for (const k of here) counts[k]++;
  const where = edges(shares(thrown, counts, law));
  const landed = Array.from({ length: thrown }, () => fallsTo(where, word() / WORD));
  const chance = changes(thrown, law);
  const hit = here.map((k) => word() / WORD < chance[k]);
  const moved = here.map((k, i) => {
    const u = word() / WORD;
    return hit[i] ? fallsTo(edges(law.moves[k]), u) : k;
  });
  return { landed, moved };
}

/** Return the chances of one of `thrown` cubes to land at each place, where `counts` lie by place. */
export function shares(thrown, counts, law = MODEL.law) {
  const lying = counts.reduce((sum, count) => sum + count, 0);
  const together = Math.min(Math.max(thrown, 1) + lying, law.most_together);
  const x = [1, Math.log(Math.min(Math.max(thrown, 1), law.most_thrown)), Math.log(together)];
  const logOdds = law.landing.map(
    (row, k) =>
      row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + law.crowd * Math.log1p(Math.min(counts[k], law.most_together)),
  );
  const most = Math.max(...logOdds);
  const odds = logOdds.map((value) => Math.exp(Math.max(value - most, -STEEPEST)));
  const all = odds.reduce((sum, value) => sum + value, 0);
  return odds.map((value) => value / all);
}

/** Return the chances of a cube at each place to change it while `thrown` cubes are thrown. */
export function changes(thrown, law = MODEL.law) {
  return law.places.map((place, k) => {
    if (place === TABLE) return 0;
    if (thrown === 0) return law.quiet;
    const logRate = law.changed[k] + law.slope * Math.log(thrown);
    return -Math.expm1(-Math.exp(Math.min(Math.max(logRate, -STEEPEST), STEEPEST)));
  });
}

/** Say whether the data held throws like this: so many thrown onto so many. */
export function covers(thrown, lying, law = MODEL.law) {
  if (thrown === 0) return lying <= Math.max(...law.cover.map((row) => row[3]));
  return law.cover.some(([from, to, least, most]) => from <= thrown && thrown <= to && least <= lying && lying <= most);
}

/** Return the sums of chances up to each place. */
function edges(chances) {
  let sum = 0;
  return chances.map((chance) => (sum += chance));
}

/** Return the place that a number `u` from 0 to 1 falls to. */
function fallsTo(ends, u) {
  let k = 0;
  while (k < ends.length - 1 && ends[k] <= u) k++;
  return k;
}

/** Refuse a state or a throw that no drop can begin with; a cube on the board may be thrown again. */
function checkDrop(state, thrown) {
  const { places } = MODEL.law;
  object("state", state, "an object { cubes }, as empty() or drop(...).state");
  checkCubes("state.cubes", state.cubes, "{ id, colour, place }");
  for (const [i, { place }] of state.cubes.entries()) oneOf(`state.cubes[${i}].place`, place, places);
  checkCubes("thrown", thrown, "{ id, colour }");
}

/** What was fitted: { apparatus, model, law, ... }; the command `tower-sim model export` writes it here. */
export const MODEL = null;
