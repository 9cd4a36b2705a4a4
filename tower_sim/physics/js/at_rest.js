// What poses and touches the cubes of a state can have: those of cubes at rest in the apparatus, not in each other; as
// tower_sim/physics/at_rest.py.

import { axesOf, deepestOverlap } from "./cuboids.js";
import { impossible } from "./past.js";
import { MOST_OVERLAP } from "./settle.js";

const GAP = 0.1; // edges: further apart than any engine keeps a contact
const ROUNDING = 1e-9; // m

/** Refuse a state with a cube that lies where none can, or touches from afar. */
export function checkAtRest({ profile, places }, state) {
  const rows = [...state.residents, ...state.board];
  const poses = rows.map((row) => row.slice(5));
  const { edge } = profile.cube;
  refuseFirst("residents", rows, poses.map(places.escaped), "lies where no cube can be");
  refuseFirst("residents", rows, poses.slice(0, state.residents.length).map(places.emerged), "lies outside, but its region is inside");
  if (!profile.board) {
    const shifted = [-ROUNDING, 0, ROUNDING].map((up) => places.find(poses.map(([x, y, z, ...turn]) => [x, y, z + up, ...turn])));
    const isElsewhere = (row, i) => !shifted.some((found) => found[i].place === `inside:${row[3]}`);
    refuseFirst("residents", rows, rows.map(isElsewhere), "lies in another region than it says");
  }
  const most = MOST_OVERLAP * edge;
  const deepest = deepestOverlap(poses, edge, profile.boxes);
  if (deepest > most + ROUNDING) throw impossible("residents", `a cube ${deepest} m deep in another or in a part`);
  checkReach(profile, state, rows, poses);
}

function checkReach({ boxes, cube: { edge } }, state, rows, poses) {
  const half = [edge / 2, edge / 2, edge / 2];
  const solids = new Map(rows.map((row, i) => [row[0], { centre: poses[i], turn: poses[i].slice(3), half }]));
  boxes.forEach((box, k) => solids.set(-1 - k, box));
  const rowOf = new Map(rows.map((row) => [row[0], row]));
  for (const [number, other] of state.touches) {
    const [one, two] = [solids.get(number), solids.get(other)];
    if (!one || !two || number < 0) continue; // of a cube that was taken, or a part that is no box
    const away = [0, 1, 2].map((k) => one.centre[k] - two.centre[k]);
    const rest = axesOf(two.turn).map(([x, y, z], k) => Math.max(Math.abs(x * away[0] + y * away[1] + z * away[2]) - two.half[k], 0));
    const isFar = Math.sqrt(rest[0] * rest[0] + rest[1] * rest[1] + rest[2] * rest[2]) > (Math.sqrt(3) / 2 + GAP) * edge;
    refuseFirst("touches", [rowOf.get(number)], [isFar], "touches what is too far from it");
  }
}

function refuseFirst(path, rows, isWrong, what) {
  const i = isWrong.indexOf(true);
  if (i >= 0) throw impossible(path, `cube ${rows[i][0]}, which ${what}`);
}
