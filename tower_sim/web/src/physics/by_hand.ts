// By hand: cubes that somebody let go, where and when and how fast is known; as tower_sim/physics/plain.py. A launch is
// { cube: { id, colour }, windows, pose, velocity, spin }: how many windows had passed, m and a unit quaternion, m/s, rad/s.

import { refuse, wrongly } from "./refuse.js";
import type { Scene } from "./scene.js";
import type { EdgedCube, Profile, TimedLaunch } from "./types.js";

/** A launch that the door has let in, with its time (s). */
export interface CheckedLaunch extends TimedLaunch { readonly cube: EdgedCube; readonly at: number }

const LONGEST_THROW = 120; // s
const FASTEST = 10; // m/s along an axis
const MOST_SPIN = 300; // rad/s
const UNIT_TURN = 1e-6;

/** Return launches, with their time `at` (s), of `cubes` that the door has let in; refuse what no hand does. */
export function checkLaunches(profile: Profile, scene: Scene, cubes: readonly EdgedCube[], launches: readonly TimedLaunch[]): CheckedLaunch[] {
  if (!cubes.length || launches.length !== cubes.length) throw wrongly("launches", launches.length, "one for each cube, at least one");
  let before = 0;
  return launches.map((given, i) => {
    const launch = checkLaunch(profile, scene, cubes[i], given, before);
    before = launch.at;
    return launch;
  });
}

/** Return one launch likewise, not before the time `before` (s). */
export function checkLaunch(profile: Profile, scene: Scene, cube: EdgedCube, given: TimedLaunch, before: number): CheckedLaunch {
  const row = rowOfLaunch(given);
  if (row.length !== 14 || !row.every(Number.isFinite)) throw wrongly("launches", row, "14 numbers (windows; m; quaternion; m/s; rad/s)");
  const { windows, pose, velocity, spin } = given;
  const { window } = profile.settings;
  const at = windows * window;
  if (!Number.isInteger(windows) || !(before <= at && at <= LONGEST_THROW)) {
    throw wrongly("launches.windows", windows, `whole windows of ${window} s, not before the last launch, up to ${LONGEST_THROW} s`);
  }
  const turn = pose.slice(3);
  if (Math.abs(turn.reduce((sum, q) => sum + q * q, 0) - 1) >= UNIT_TURN) {
    throw wrongly("launches.pose", turn, "a unit quaternion");
  }
  if (Math.max(...velocity.map(Math.abs)) > FASTEST || Math.max(...spin.map(Math.abs)) > MOST_SPIN) {
    throw wrongly("launches.velocity", [...velocity, ...spin], `up to ${FASTEST} m/s and ${MOST_SPIN} rad/s along each axis`);
  }
  if (scene.escaped(pose) || scene.emerged(pose) || scene.missed(pose)) {
    throw wrongly("launches.pose", pose.slice(0, 3), "a place over or in the apparatus (m)");
  }
  return { cube, windows, at, pose: [...pose], velocity: [...velocity], spin: [...spin] };
}

/** Return a launch as the log of a state has it. */
export function rowOfLaunch({ windows, pose, velocity, spin }: TimedLaunch): number[] {
  return [windows, ...(pose ?? []), ...(velocity ?? []), ...(spin ?? [])];
}

/** Return the error that a cube is let go so deep (m) in another or in a part. */
export function tooDeep(id: number, deep: number) {
  return refuse("launches.pose", `puts cube ${id} ${deep} m deep into another or into a part`, "a free place, such as a higher one");
}
