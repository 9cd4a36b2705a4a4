// The door: what a caller gives is looked through before it is worked with; it refuses what tower_sim/drops/door.py refuses: accidents,
// not forgeries. A state that the model has made itself passes without being looked through again.

import { checkWhole } from "./numbers.js";
import { impossible, MADE, prints, quote, refuse, wrongly } from "./refuse.js";
import type { Scene } from "./scene.js";
import { checkPlain, cubeOf, dropsOf, freeze, poseOf, PRINTED } from "./state.js";
import type { EdgedCube, LyingRow, PhysicsState, Pose, Profile, ThrownCube } from "./types.js";

const MAX_CUBES = 500;
const MAX_STRENGTH = 5; // g
const FARTHEST = 10; // m
const UNIT = 1e-6; // how far from 1 the square of a unit quaternion may be
const STRONGEST = 1e15; // nN
const POINTS = 8;
const ROUNDING = 1e-9; // m

export type Door = ReturnType<typeof doorOf>;

/** Return the door of a profile, whose scene says where cubes are. */
export function doorOf(profile: Profile, scene: Scene) {
  const zones = profile.board ? profile.zones.map(({ name }) => `zone:${name}`) : [];
  return {
    profile,
    scene,
    inside: profile.regions.map(({ name }) => name),
    outside: zones.length ? [...zones, "border", "table"] : [],
    sound: new WeakSet<PhysicsState>(),
  };
}

/** Mark a state that the model has just made, so that it passes, and return it, so that nobody can change it. */
export function markSound(door: Door, state: PhysicsState): PhysicsState {
  door.sound.add(freeze(state));
  return state;
}

/** Refuse what is no state that this model can have made. */
export function checkState(door: Door, state: PhysicsState): void {
  if (door.sound.has(state)) return;
  if (typeof state !== "object" || state === null || Array.isArray(state)) throw wrongly("state", state, MADE);
  try {
    checkPlain(state);
  } catch (error) {
    throw refuse("state", `does not hold a state (${(error as Error).message})`, MADE);
  }
  const { name, digest } = door.profile;
  if (state.model !== "physics" || state.digest !== digest) {
    const belongs = `belongs to ${quote(state.model)} of apparatus ${quote(state.apparatus)} (${quote(state.digest)})`;
    throw refuse("state", belongs, `a state of physics of ${quote(name)} (${quote(digest)})`);
  }
  lookThrough(door, state);
  if (Object.isFrozen(state)) door.sound.add(freeze(state));
}

/** Return the cubes to throw, { id, colour, edge }, when they can be thrown into a state; refuse them otherwise. */
export function checkCubes(door: Door, state: PhysicsState, cubes: readonly ThrownCube[]): EdgedCube[] {
  checkState(door, state);
  if (!Array.isArray(cubes)) throw wrongly("cubes", cubes, "a list of { id, colour }");
  const thrown = cubes.map((cube) => plainCube(door, "cubes", cube));
  const isAgain = ([id, colour, edge]: LyingRow) => thrown.some((cube) => cube.id === id && cube.colour === colour && cube.edge === edge);
  const there = [...state.residents, ...state.board.filter((row) => !isAgain(row))].map(([id]) => id);
  const numbers = new Set(there);
  for (const { id } of thrown) {
    if (numbers.has(id)) throw refuse("cubes", `have number ${id} twice, or it is there already`, "each number once");
    numbers.add(id);
  }
  if (numbers.size > MAX_CUBES) throw wrongly("cubes", numbers.size, `up to ${MAX_CUBES} at a time, those in the tower included`);
  return thrown;
}

/** Refuse a strength (g) of a knock that is none. */
export function checkStrength(strength: number): void {
  if (typeof strength === "number" && strength >= 0 && strength <= MAX_STRENGTH) return;
  throw wrongly("strength", strength, `0 to ${MAX_STRENGTH} (peak acceleration in g)`);
}

/** Return a cube with its edge; refuse what is no cube of this model. */
function plainCube(door: Door, path: string, cube: ThrownCube): EdgedCube {
  const { edge } = door.profile.cube;
  if (typeof cube !== "object" || cube === null || Array.isArray(cube)) throw wrongly(path, cube, "a cube { id, colour }");
  checkWhole(`${path}.id`, cube.id, 0);
  if (typeof cube.colour !== "string" || !prints(cube.colour)) throw wrongly(`${path}.colour`, cube.colour, PRINTED);
  const given = cube.edge ?? edge;
  if (typeof given !== "number" || !(Math.abs(given - edge) <= 1e-9 * Math.max(Math.abs(given), edge))) {
    throw wrongly(`${path}.edge`, given, `this apparatus's ${edge} m`);
  }
  return { id: cube.id, colour: cube.colour, edge: given };
}

/** Refuse a state that no drop of this model can have left. */
function lookThrough(door: Door, state: PhysicsState): void {
  const { inside, outside, scene } = door;
  const { residents, board } = state;
  const lying = [...residents, ...board];
  for (const row of lying) if (row.length > 5) checkPose(poseOf(row));
  for (const touch of state.touches) checkForces(touch.slice(2));
  if (lying.length > MAX_CUBES) throw impossible("residents", `${lying.length} cubes, more than ${MAX_CUBES}`);
  if (board.length && !outside.length) throw impossible("board", "cubes on a board that is not there");
  for (const row of lying) plainCube(door, "state.residents", cubeOf(row));
  for (const [path, allowed, rows] of [["state.residents", inside, residents], ["state.board", outside, board]] as const) {
    for (const [, , , region] of rows) if (!allowed.includes(region)) throw wrongly(path, region, `one of ${allowed.join(", ")}`);
  }
  if (new Set(lying.map(([id]) => id)).size < lying.length) throw impossible("residents", "a cube twice");
  const drops = dropsOf(state);
  lying.forEach(([id, , , , since], i) => { // one may be put on a board after the last drop
    if (!(since >= 0 && since < drops + (i >= residents.length ? 1 : 0))) throw impossible("residents", `cube ${id} since drop ${since}, of ${drops} in its past`);
  });
  for (const row of lying) if (row.length === 5) throw impossible("residents", `cube ${row[0]} without a pose`);
  const deep = lying.length ? scene.deepest(lying) : 0;
  if (deep > scene.mostOverlap + ROUNDING) throw impossible("residents", `a cube ${deep} m deep in another or in a part`);
}

function checkPose(pose: Pose): void {
  const [position, turn] = [pose.slice(0, 3), pose.slice(3)];
  if (!position.every((x) => Math.abs(x) < FARTHEST)) throw wrongly("state.residents", position, `a position within ${FARTHEST} m`);
  if (!(Math.abs(turn.reduce((sum, q) => sum + q * q, 0) - 1) < UNIT)) throw wrongly("state.residents", turn, "a unit quaternion");
}

function checkForces(forces: readonly number[]): void {
  const points = forces.length / 3;
  if (!Number.isInteger(points) || points < 1 || points > POINTS) {
    throw wrongly("state.touches", forces.length, `3 forces for each of 1 to ${POINTS} points`);
  }
  const strong = forces.find((force) => Math.abs(force) > STRONGEST);
  if (strong !== undefined) throw wrongly("state.touches", strong, "a force within 10^15 nN");
}
