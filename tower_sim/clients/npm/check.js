// What the package refuses: always a RangeError, whose message begins with the field's path and whose `path` is that path.

import { WORD, refused } from "./words.js";

const MOST_CUBES = 10000; // at a time: a state may come from anybody

/** Return the error for the field at `path`, which is `value`: what is allowed, and what to try. */
export function fault(path, value, allowed, advice = "") {
  return Object.assign(refused(RangeError, path, value, allowed, advice), { path });
}

/** Refuse a value that is no whole number from `least` to `most`. */
export function whole(path, value, least, most = Number.MAX_SAFE_INTEGER, advice = "") {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  const from = least === Number.MIN_SAFE_INTEGER ? "" : ` from ${least}`;
  const to = { [WORD - 1]: " to 2^32 - 1", [Number.MAX_SAFE_INTEGER]: "" }[most] ?? ` to ${most}`;
  throw fault(path, value, `a whole number${from}${to}`, advice);
}

/** Refuse a value that is no list. */
export function list(path, value, of) {
  if (!Array.isArray(value)) throw fault(path, value, `a list of ${of}`);
}

/** Refuse a value that is no object with keys. */
export function object(path, value, allowed, advice = "") {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw fault(path, value, allowed, advice);
}

/** Refuse a value that is not one of some words. */
export function oneOf(path, value, words) {
  if (typeof value !== "string" || !words.includes(value)) throw fault(path, value, `one of ${words.join(", ")}`);
}

/** Refuse an object with a key that is not one of some. */
export function keys(path, value, known) {
  const other = Object.keys(value).find((key) => !known.includes(key));
  if (other !== undefined) throw fault(`${path}.${other}`, value[other], `one of the keys ${known.join(", ")}`);
}

/** Refuse what is no tower of this package. */
export function aTower(path, value) {
  const isOne = typeof value?.check === "function" && typeof value.drop === "function";
  if (!isOne) throw fault(path, value, "a tower, such as amerigo of tower-sim/towers/amerigo, or one of towerOf(...)");
}

/** Refuse cubes that are no list of { id, ... }, or have a number twice; `seen` has the numbers of others. */
export function cubes(path, value, form, seen = new Set()) {
  list(path, value, `cubes ${form}`);
  whole(`${path}.length`, value.length, 0, MOST_CUBES - seen.size);
  for (const [i, cube] of value.entries()) {
    object(`${path}[${i}]`, cube, `a cube ${form}`);
    whole(`${path}[${i}].id`, cube.id, Number.MIN_SAFE_INTEGER);
    if (seen.has(cube.id)) throw fault(`${path}[${i}].id`, cube.id, "a number that no other cube has");
    seen.add(cube.id);
  }
  return seen;
}

/** Refuse a tower's state and a throw that no drop can begin with; `at` is the path of the state. */
export function towerDrop(state, thrown, floors, at = "state") {
  towerState(state, floors, at);
  cubes("thrown", thrown, "{ id, colour }", new Set(state.cubes.map((cube) => cube.id)));
}

/** Refuse what is no state of a tower with so many floors. */
export function towerState(state, floors, at = "state") {
  object(at, state, "an object { drops, cubes }, as empty() or drop(...).state");
  whole(`${at}.drops`, state.drops, 0, Number.MAX_SAFE_INTEGER - 1);
  cubes(`${at}.cubes`, state.cubes, "{ id, colour, floor, since, inCrowd }");
  for (const [i, { floor, since, inCrowd }] of state.cubes.entries()) {
    const path = `${at}.cubes[${i}]`;
    whole(`${path}.floor`, floor, 0, floors - 1);
    whole(`${path}.since`, since, 0);
    if (since >= state.drops) throw fault(`${path}.since`, since, `a whole number below ${at}.drops, ${state.drops}`);
    if (typeof inCrowd !== "boolean") throw fault(`${path}.inCrowd`, inCrowd, "true or false");
  }
}

/** Refuse a board's state and a throw that no drop can begin with; a cube on the board may be thrown again. */
export function boardDrop(state, thrown, places) {
  object("state", state, "an object { cubes }, as empty() or drop(...).state");
  cubes("state.cubes", state.cubes, "{ id, colour, place }");
  for (const [i, { place }] of state.cubes.entries()) oneOf(`state.cubes[${i}].place`, place, places);
  cubes("thrown", thrown, "{ id, colour }");
}
