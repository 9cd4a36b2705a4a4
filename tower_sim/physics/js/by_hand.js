// By hand: cubes that somebody let go, where and when and how fast is known; as tower_sim/physics/by_hand.py. A launch is
// { cube: { id, colour }, windows, pose, velocity, spin }: how many windows had passed, m and a unit quaternion, m/s, rad/s.

import { deepestOverlap } from "./cuboids.js";
import { refuse, wrongly } from "./refuse.js";
import { MOST_OVERLAP } from "./settle.js";
import { general } from "./written.js";

const LONGEST_THROW = 120; // s
const FASTEST = 10; // m/s along an axis
const MOST_SPIN = 300; // rad/s
const UNIT_TURN = 1e-6;
const TAKE = "take a throw that a page or a state has recorded";

/** Return launches, with their time `at` (s), of `cubes` that the door has let in; refuse what no hand does. */
export function checkedLaunches(profile, places, cubes, launches) {
  if (!cubes.length || launches.length !== cubes.length) {
    throw wrongly("launches", launches.length, `one row for each of the ${cubes.length} cubes, at least one`, TAKE);
  }
  let before = 0;
  return launches.map((given, i) => {
    const launch = checkedLaunch(profile, places, cubes[i], given, before);
    before = launch.at;
    return launch;
  });
}

/** Return one launch likewise, not before the time `before` (s). */
export function checkedLaunch(profile, places, cube, given, before) {
  const row = rowOfLaunch(given);
  if (row.length !== 14 || !row.every(Number.isFinite)) {
    const shown = row.every((x) => typeof x === "number") ? { reals: row } : row;
    throw wrongly("a launch", shown, "14 numbers (windows; x, y, z; x, y, z, w; m/s; rad/s)", TAKE);
  }
  const { windows, pose, velocity, spin } = given;
  const { window } = profile.settings;
  const at = windows * window;
  if (!Number.isInteger(windows) || !(before <= at && at <= LONGEST_THROW)) {
    const allowed = `whole windows of ${general(window, 6)} s, none before the one before, up to ${LONGEST_THROW} s`;
    throw wrongly(`time of the launch of cube ${cube.id}`, { real: windows }, allowed, TAKE);
  }
  const turn = pose.slice(3);
  if (Math.abs(turn.reduce((sum, q) => sum + q * q, 0) - 1) >= UNIT_TURN) {
    throw wrongly(`orientation of cube ${cube.id}`, { tuple: turn }, "a unit quaternion", TAKE);
  }
  if (Math.max(...velocity.map(Math.abs)) > FASTEST || Math.max(...spin.map(Math.abs)) > MOST_SPIN) {
    const allowed = `up to ${FASTEST} m/s and ${MOST_SPIN} rad/s along each axis`;
    throw wrongly(`speed of cube ${cube.id}`, { reals: [...velocity, ...spin] }, allowed, "let it go more gently");
  }
  if (places.escaped(pose) || places.emerged(pose)) {
    throw wrongly(`place of cube ${cube.id}`, { tuple: pose.slice(0, 3) }, "over or in the apparatus (m)", "let it go over the rim");
  }
  return { cube, windows, at, pose: [...pose], velocity: [...velocity], spin: [...spin] };
}

/** Return a launch as the log of a state has it. */
export function rowOfLaunch({ windows, pose, velocity, spin }) {
  return [windows, ...(pose ?? []), ...(velocity ?? []), ...(spin ?? [])];
}

/** Refuse a launch in another cube, whose poses these are, or in a part of the apparatus. */
export function checkFree({ boxes, cube: { edge } }, { cube, pose }, poses) {
  const away = (other) => Math.sqrt([0, 1, 2].reduce((sum, k) => sum + (other[k] - pose[k]) * (other[k] - pose[k]), 0));
  const deep = deepestOverlap([pose, ...poses.filter((other) => away(other) < 2 * edge)], edge, boxes);
  if (deep <= MOST_OVERLAP * edge) return;
  throw refuse(
    `cube ${cube.id} is let go ${general(deep * 1e3, 3)} mm deep in another or in a part; allowed is a free place; let it go higher`,
  );
}
