// The door: what a caller gives is looked through before it is worked with; as tower_sim/door.py and physics/at_rest.py, in the
// same words. A state that the model has made itself passes without being looked through again.

import { checkAtRest } from "./at_rest.js";
import { MAX_STRENGTH } from "./knock.js";
import { checkPast, checkTouches, impossible } from "./past.js";
import { nearTo, prints, quoted, refuse, wrongly } from "./refuse.js";
import { checkedPlain, cubeOf, frozen } from "./state.js";
import { general } from "./written.js";

const MAX_CUBES = 500;
const ADVICE = "make it with Cube(id, colour, edge) or supply(...)";
const FARTHEST = 10; // m
const UNIT = 1e-6; // how far from 1 the square of a unit quaternion may be
const STRONGEST = 1e15; // nN
const POINTS = 8;

export const HONEST = "allowed is a state that the model has made; take one from an outcome or from empty()";

/** Return the door of a profile, whose cubes are where `places` say. */
export function doorOf(profile, places) {
  const zones = profile.board ? profile.zones.map(({ name }) => `zone:${name}`) : [];
  return {
    profile,
    places,
    inside: profile.regions.map(({ name }) => name),
    outside: zones.length ? [...zones, "border", "table"] : [],
    sound: new WeakSet(),
  };
}

/** Mark a state that the model has just made, so that it passes, and return it, so that nobody can change it. */
export function made(door, state) {
  door.sound.add(frozen(state));
  return state;
}

/** Refuse what is no state that this model can have made. */
export function checkedState(door, state) {
  if (door.sound.has(state)) return;
  if (typeof state !== "object" || state === null || Array.isArray(state)) {
    throw wrongly("state", state, "a TowerState", "read a token with TowerState.from_token");
  }
  try {
    checkedPlain(state);
  } catch (error) {
    throw refuse(`state does not hold a state (${error.message}); ${HONEST}`, "state");
  }
  const { name, digest, advice } = door.profile;
  if (state.model !== "physics" || state.digest !== digest) {
    const advised = advice[state.digest] ?? "go on with the model that made it";
    throw refuse(
      `state belongs to ${wordOf(state.model)} of apparatus ${quoted(state.apparatus)} (${wordOf(state.digest)}); allowed is a ` +
        `state of physics of ${quoted(name)} (${wordOf(digest)}); ${advised}`,
    );
  }
  lookThrough(door, state);
  if (Object.isFrozen(state)) door.sound.add(frozen(state));
}

/** Return the cubes to throw, { id, colour, edge }, when they can be thrown into a state; refuse them otherwise. */
export function checkedCubes(door, state, cubes) {
  checkedState(door, state);
  if (!Array.isArray(cubes)) {
    throw wrongly("cubes", cubes, "a list or tuple of Cube", "write tuple(cubes) for a generator or a set");
  }
  const thrown = cubes.map((cube) => plainCube(door, cube));
  const isAgain = ([id, colour, edge]) => thrown.some((cube) => cube.id === id && cube.colour === colour && cube.edge === edge);
  const there = [...state.residents, ...state.board.filter((row) => !isAgain(row))].map(([id]) => id);
  const numbers = new Set(there);
  for (const { id } of thrown) {
    if (numbers.has(id)) throw refuse(`cube ${id} is there already or thrown twice; allowed is each number once; leave it out`);
    numbers.add(id);
  }
  if (numbers.size > MAX_CUBES) throw wrongly("number of cubes", numbers.size, `up to ${MAX_CUBES} at a time`, "throw fewer");
  return thrown;
}

/** Refuse a strength (g) of a knock that is none. */
export function checkedStrength(strength) {
  if (typeof strength === "number" && strength >= 0 && strength <= MAX_STRENGTH) return;
  const given = typeof strength === "number" ? general(strength, 6) : quoted(strength);
  throw refuse(
    `knock strength = ${given}; allowed is 0 to ${MAX_STRENGTH} (peak acceleration in g); try 0.5 for a light and 2 for a hard knock`,
  );
}

/** Refuse a zone that the board of a profile has not, and any zone where there is no board. */
export function checkedZone(profile, zone) {
  if (!profile.board) {
    throw refuse(`apparatus '${profile.name}' has no board; allowed is one with a board, such as a ship`);
  }
  const names = profile.zones.map(({ name }) => name);
  if (names.includes(zone)) return;
  const meant = typeof zone === "string" ? nearTo(zone, names) : "";
  throw refuse(`zone ${quoted(zone)} is unknown; allowed are ${names.join(", ")}; check its spelling${meant}`);
}

/** Return a cube with its edge; refuse what is no cube of this model. */
function plainCube(door, cube) {
  const { edge } = door.profile.cube;
  if (typeof cube !== "object" || cube === null || Array.isArray(cube)) throw wrongly("cube", cube, "a Cube", ADVICE);
  if (!Number.isSafeInteger(cube.id) || cube.id < 0) {
    throw wrongly("number (id) of a cube", cube.id, "a whole number from 0 to 2^53 - 1", ADVICE);
  }
  if (typeof cube.colour !== "string" || !prints(cube.colour)) {
    throw wrongly(`colour of cube ${cube.id}`, cube.colour, "a word of characters that can be printed", "write another word");
  }
  const given = cube.edge ?? edge;
  if (typeof given !== "number" || !(Math.abs(given - edge) <= 1e-9 * Math.max(Math.abs(given), edge))) {
    const size = typeof given === "number" ? `${general(given * 1e3, 10)} mm` : quoted(given);
    throw refuse(
      `cube ${cube.id} has edge ${size}; allowed is this apparatus's ${general(edge * 1e3, 10)} mm, in metres; change the cube or ` +
        "[cubes] edge_mm of the profile",
    );
  }
  return { id: cube.id, colour: cube.colour, edge: given };
}

/** Refuse a state that no drop of this model can have left. */
function lookThrough(door, state) {
  const { inside, outside, profile } = door;
  const { residents, board } = state;
  const lying = [...residents, ...board];
  for (const row of lying) if (row.length > 5) checkPose(row.slice(5));
  for (const touch of state.touches) checkForces(touch.slice(2));
  if (lying.length > MAX_CUBES) throw wrongly("number of cubes in the state", lying.length, `up to ${MAX_CUBES}`, HONEST);
  if (board.length && !outside.length) throw impossible(`cubes on a board, which '${profile.name}' has not`);
  for (const row of lying) plainCube(door, cubeOf(row));
  for (const [allowed, rows] of [[inside, residents], [outside, board]]) {
    for (const [id, , , region] of rows) {
      if (allowed.includes(region)) continue;
      throw wrongly(`region of cube ${id} in the state`, region, `one of ${[...allowed].sort().join(", ")}`, HONEST);
    }
  }
  checkPast(state, outside.length > 0);
  for (const row of lying) if (row.length === 5) throw impossible(`no pose for cube ${row[0]}, unlike those of physics`);
  checkTouches(state, profile.boxes.length + profile.hulls.length);
  if (lying.length) checkAtRest(door, state);
}

function checkPose(pose) {
  const [position, turn] = [pose.slice(0, 3), pose.slice(3)];
  if (!position.every((x) => Math.abs(x) < FARTHEST)) {
    throw wrongly("position of a cube in the state", { tuple: position }, `within ${FARTHEST} m`, HONEST);
  }
  if (!(Math.abs(turn.reduce((sum, q) => sum + q * q, 0) - 1) < UNIT)) {
    throw wrongly("orientation of a cube in the state", { tuple: turn }, "a unit quaternion", HONEST);
  }
}

function checkForces(forces) {
  const points = forces.length / 3;
  if (!Number.isInteger(points) || points < 1 || points > POINTS) {
    throw wrongly("number of forces of a touch of the state", forces.length, `3 for each of 1 to ${POINTS} points`, HONEST);
  }
  const strong = forces.find((force) => Math.abs(force) > STRONGEST);
  if (strong !== undefined) throw wrongly("force of a touch of the state", strong, "within 10^15 nN", HONEST);
}

function wordOf(value) {
  const plain = value.replaceAll("_", "");
  return /^[\p{L}\p{N}]+$/u.test(plain) && value.length < 40 ? value : quoted(value);
}
