// Placing: a hand puts one cube down in a zone of the board; as tower_sim/physics/placing.py.

import { reachUp, touchEach } from "./cuboids.js";
import { uniform } from "./draws.js";
import { depths, extent } from "./polygon.js";

const TRIES = 200;
const GAP = 0.04; // of the edge: kept free around the cube

/** Draw the pose at which a hand puts a cube down flat in a zone, clear of its borders and of cubes at the poses `others`. */
export function putDown(core, { zones, board, cube: { edge } }, name, others, rng) {
  const { corners, inward } = zones.find((zone) => zone.name === name);
  const { low, high } = extent(corners);
  let first = null;
  for (let i = 0; i < TRIES; i++) {
    const x = uniform(rng, low[0], high[0]);
    const y = uniform(rng, low[1], high[1]);
    const turn = uniform(rng, 0, Math.PI / 2);
    const half = halfWidths(core, turn, inward, edge);
    if (depths([x, y], corners, inward).some((depth, k) => depth < half[k] + GAP * edge)) continue;
    const pose = [x, y, board.floor + edge / 2, 0, 0, core.sin(turn / 2), core.cos(turn / 2)];
    if (!others.some((other) => touchEach(pose, other, edge, GAP * edge))) return pose;
    first ??= pose;
  }
  if (!first) throw new Error(`no place in zone ${name} holds a cube flat`);
  const [x, y] = first;
  const near = others.filter(([u, v]) => Math.sqrt((u - x) * (u - x) + (v - y) * (v - y)) < 2 * edge);
  const top = Math.max(...near.map((pose) => pose[2] + reachUp(pose, edge)));
  return [x, y, top + edge / 2, ...first.slice(3)];
}

/** Return half the width (m) of a square of `edge`, turned by `turn`, along each of some normals. */
function halfWidths(core, turn, normals, edge) {
  const [cos, sin] = [core.cos(turn), core.sin(turn)];
  return normals.map(([x, y]) => (edge / 2) * (Math.abs(x * cos + y * sin) + Math.abs(x * -sin + y * cos)));
}
