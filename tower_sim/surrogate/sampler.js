// A cube tower without physics: what comes out of it when cubes are thrown in, drawn from a table of whole numbers.
// One ES module without dependencies, for browsers and Node (there under a name that ends in .mjs). The same seed and
// stream give the same cubes as in Python, digit for digit: see docs/surrogate.md of tower_sim.
//
//   import { empty, drop, words, game } from "./sampler.mjs";
//   const word = words([1, 2, 3, 4], 0);                    // four whole numbers below 2^32, and the stream's number
//   const first = drop(empty(), [{ id: 0, colour: "red" }, { id: 1, colour: "blue" }], word);
//   first.emerged;                                          // cubes in the tray: [{ id, colour }, ...]
//   const second = drop(first.state, first.emerged, word);  // first.state is plain JSON, and is not changed
//   game({ cubes: [7, 7], throws: [-1, 0, 1] }, [1, 2, 3, 4], 0).emerged; // a whole game: counts by throw and colour

const OUT = -1;
const MOST_DROPS = 100000; // of a game

/** Return the tower with no cube inside. A state is { drops, cubes: [{ id, colour, floor, since, inCrowd }] }. */
export function empty() {
  return { drops: 0, cubes: [] };
}

/**
 * Throw cubes `thrown` ([{ id, colour }]) into the tower: return { state, emerged, landings }.
 *
 * `state` is the one after the drop, `emerged` the cubes that came out, `landings` where every cube is now, by number;
 * a floor is numbered from the top, -1 is out. Every word is drawn from `word`, the function that `words` returns.
 */
export function drop(state, thrown, word) {
  checkDrop(state, thrown);
  return moved(state, thrown, checkedWords(word));
}

/**
 * Knock on the table with `strength`, the peak acceleration in g: return what `drop` does. No cube grows older.
 *
 * One word is drawn for each cube inside; for a knock that is too weak to move any, none.
 */
export function knock(state, strength, word) {
  checkKnock(state, strength);
  return moved(state, [], checkedWords(word), Math.max(Math.floor(100 * strength + 0.5), 1));
}

/** Do what `drop` does, or with a `step`, in hundredths of g, what `knock` does; arguments are as they should be. */
function moved(state, thrown, word, step = 0) {
  const { regions, crowd_from: crowdFrom } = MODEL.table;
  const inside = new Set(state.cubes);
  const cubes = [...state.cubes, ...thrown].sort((a, b) => a.id - b.id);
  const before = cubes.map((cube) => (inside.has(cube) ? [cube.floor, state.drops - cube.since, cube.inCrowd] : [OUT, 0, false]));
  const ends = movedBy(call, lawOf(MODEL.table), before, word, step);
  const next = { drops: state.drops + (step ? 0 : 1), cubes: [] };
  const emerged = [];
  const landings = [];
  for (const [i, cube] of cubes.entries()) {
    const { id, colour } = cube;
    const floor = ends[i];
    landings.push({ id, colour, floor, place: floor === OUT ? "tray" : `inside:${regions[floor]}` });
    if (floor === OUT) emerged.push({ id, colour });
    else if (inside.has(cube)) next.cubes.push({ ...cube, floor });
    else next.cubes.push({ id, colour, floor, since: state.drops, inCrowd: thrown.length >= crowdFrom });
  }
  return { state: next, emerged, landings };
}

/** Refuse a state or a throw that no drop can begin with. */
function checkDrop(state, thrown) {
  checkState(state);
  checkCubes("thrown", thrown, "{ id, colour }", new Set(state.cubes.map((cube) => cube.id)));
}

/** Refuse a state or a strength that no knock can have, and any where none were fitted. */
function checkKnock(state, strength) {
  checkState(state);
  const { knocks } = MODEL.table;
  if (!knocks) throw refused(RangeError, "strength", strength, "none: this tower was fitted without knocks", "fit it again");
  const allowed = `a number from 0 to ${(knocks[0].length - 1) / 100} (peak acceleration in g)`;
  if (typeof strength !== "number") throw refused(TypeError, "strength", strength, allowed);
  if (!(strength >= 0 && 100 * strength <= knocks[0].length - 1)) throw refused(RangeError, "strength", strength, allowed);
}

/** Refuse what is no state of this tower. */
function checkState(state, path = "state") {
  object(path, state, "an object { drops, cubes }, as empty() or drop(...).state");
  whole(`${path}.drops`, state.drops, 0, Number.MAX_SAFE_INTEGER - 1);
  checkCubes(`${path}.cubes`, state.cubes, "{ id, colour, floor, since, inCrowd }");
  for (const [i, { floor, since, inCrowd }] of state.cubes.entries()) {
    const cube = `${path}.cubes[${i}]`;
    whole(`${cube}.floor`, floor, 0, MODEL.table.floors.length - 1);
    whole(`${cube}.since`, since, 0);
    if (since >= state.drops) {
      throw refused(RangeError, `${cube}.since`, since, `a whole number from 0, below ${path}.drops, ${state.drops}`);
    }
    if (typeof inCrowd !== "boolean") throw refused(TypeError, `${cube}.inCrowd`, inCrowd, "true or false");
  }
}

/**
 * Play the tower's part of a game by its plan: `cubes` of each colour, and the colour that each of its `throws` throws, by number,
 * or -1 for all. A throw takes what of its colour is outside; what came out goes back.
 *
 * Return { thrown, emerged, inside }: counts of cubes by throw and colour; `inside` is counted after it. It draws from
 * words(seed, stream), and equals run number `stream` of Python's sample_runs with the same plan and four words.
 */
export function game(plan, seed, stream = 0) {
  checkPlan(plan);
  const { thrown, emerged, inside } = playedBy(call, lawOf(MODEL.table), plan, checkedFour(seed, stream), stream, 1);
  const width = plan.cubes.length;
  const byThrow = (counts) => plan.throws.map((_, i) => [...counts.subarray(i * width, (i + 1) * width)]);
  return { thrown: byThrow(thrown), emerged: byThrow(emerged), inside: byThrow(inside) };
}

/** Refuse what is no plan. */
function checkPlan(plan) {
  object("plan", plan, "an object { cubes, throws }");
  const { cubes, throws } = plan;
  list("plan.cubes", cubes, "numbers, one a colour");
  for (const i of cubes.keys()) whole(`plan.cubes[${i}]`, cubes[i], 0, MOST_CUBES);
  whole("the sum of plan.cubes", cubes.reduce((sum, count) => sum + count, 0), 0, MOST_CUBES);
  list("plan.throws", throws, "numbers of colours, or -1 for all");
  whole("plan.throws.length", throws.length, 0, MOST_DROPS);
  for (const i of throws.keys()) whole(`plan.throws[${i}]`, throws[i], -1, cubes.length - 1);
}

/** What was fitted: { apparatus, model, table, ... }; the command `tower-sim model export` writes it here. */
export const MODEL = null;
