// What poses and touches the cubes of a state can have: those of cubes at rest in the apparatus, not in each other; as
// tower_sim/physics/at_rest.py.

import type { Door } from "./door.js";
import { impossible } from "./past.js";
import { poseOf } from "./state.js";
import type { LyingRow, PhysicsState } from "./types.js";

const ROUNDING = 1e-9; // m

/** Refuse a state with a cube that lies where none can, or touches from afar. */
export function checkAtRest({ profile, scene }: Door, state: PhysicsState): void {
  const rows = [...state.residents, ...state.board];
  const poses = rows.map(poseOf);
  scene.lay([], 0, []);
  refuseFirst("residents", rows, poses.map(scene.escaped), "lies where no cube can be");
  refuseFirst("residents", rows, poses.slice(0, state.residents.length).map(scene.emerged), "lies outside, but its region is inside");
  if (!profile.board) {
    const shifted = [-ROUNDING, 0, ROUNDING].map((up) => scene.find(poses.map(([x, y, z, ...turn]) => [x, y, z + up, ...turn])));
    const isElsewhere = (row: LyingRow, i: number) => !shifted.some((found) => found[i].place === `inside:${row[3]}`);
    refuseFirst("residents", rows, rows.map(isElsewhere), "lies in another region than it says");
  }
  const { deep, far } = scene.judge(rows.map((row, i) => [row[0], poses[i]]), state.touches);
  if (deep > scene.mostOverlap + ROUNDING) throw impossible("residents", `a cube ${deep} m deep in another or in a part`);
  if (far !== null) throw impossible("touches", `cube ${far}, which touches what is too far from it`);
}

function refuseFirst(path: string, rows: readonly LyingRow[], isWrong: readonly boolean[], what: string): void {
  const i = isWrong.indexOf(true);
  if (i >= 0) throw impossible(path, `cube ${rows[i][0]}, which ${what}`);
}
