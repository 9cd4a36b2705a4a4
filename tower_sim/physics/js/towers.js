// Towers that keep cubes, and where their cubes are; as TowerOfFloors in tower_sim/apparatus/tower_parts.py.

import { reachUp } from "./cuboids.js";

const HALF_TABLE = 1; // m

/** Return where cubes of a tower's profile are: { emerged, missed, escaped (of a pose), find(poses) }; null for another rule. */
export function towerPlaces({ where, regions, cube }) {
  if (where.rule !== "tower") return null;
  const [least, side] = where.opening;
  const across = ([x, y]) => Math.max(...where.outward.map(([a, b]) => x * a + y * b));
  const width = ([, , z]) => where.half + Math.min(Math.max((z - where.top) / where.rise, 0), 1) * where.widens;
  const within = (at) => across(at) <= width(at);
  const missed = (at) => across(at) > width(at) && at[2] > where.missed;
  const emerged = (at) => {
    const [x, y, z] = at;
    const isInExit = x > least && Math.abs(y) < side && z < where.exit_top && across(at) > where.half;
    return isInExit || (across(at) > where.outer && z < (x > where.outer ? where.air_top : where.exit_top));
  };
  const escaped = (pose) => {
    const isOnTable = Math.max(Math.abs(pose[0]), Math.abs(pose[1])) < HALF_TABLE && pose[2] >= 0; // false for NaN too
    return !(isOnTable && (within(pose) || emerged(pose) || missed(pose)));
  };
  const outside = (pose) => {
    if (across(pose) <= where.outer) return "doorway";
    return pose[0] > 0 && pose[0] < where.tray[0] && Math.abs(pose[1]) < where.tray[1] ? "tray" : "table";
  };
  const placeOf = (pose) => {
    if (escaped(pose) || missed(pose)) return "lost";
    if (emerged(pose)) return outside(pose);
    const top = pose[2] + reachUp(pose, cube.edge);
    const region = regions.find(({ above }) => top > above) ?? regions[regions.length - 1];
    return `inside:${region.name}`;
  };
  return { emerged, missed, escaped, find: (poses) => poses.map((pose) => ({ place: placeOf(pose), touches: [], on: [] })) };
}
