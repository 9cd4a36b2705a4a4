// Towers that keep cubes, and where their cubes are; as tower_sim/apparatus/tower.py and the kinds of towers there.

import { reachUp } from "./cuboids.js";

const clipped = (x) => Math.min(Math.max(x, 0), 1);

/** What a kind of tower says of a centre x y z: whether it is `within`, and whether it has `emerged`; by its rule. */
const RULES = {
  square: (given) => ({
    emerged: ([x, , z]) => x > given.outer && z < given.exit_top,
    within([x, y, z]) {
      const width = given.half + clipped((z - given.top) / given.rise) * given.widens;
      const inExit = x > 0 && z < given.exit_top && Math.abs(y) < given.half;
      return Math.max(Math.abs(x), Math.abs(y)) <= width || inExit;
    },
  }),
  round(given) {
    const across = ([x, y]) => Math.max(...given.outward.map(([a, b]) => x * a + y * b));
    const atExit = ([x, , z]) => x > given.exit_side && z < given.exit_top;
    return {
      emerged: (at) => atExit(at) && across(at) > given.outer,
      within(at) {
        const width = given.half + clipped((at[2] - given.top) / given.rise) * given.widens;
        return across(at) <= width || (atExit(at) && across(at) <= given.outer);
      },
    };
  },
};

/** Return where cubes of a tower's profile are: { emerged(pose), escaped(pose), find(poses) }; null for an unknown rule. */
export function towerPlaces({ where, regions, cube }) {
  if (!Object.hasOwn(RULES, where.rule)) return null;
  const { emerged, within } = RULES[where.rule](where);
  const escaped = (pose) => !((within(pose) || emerged(pose)) && pose[2] >= 0 && !pose.slice(0, 3).some(Number.isNaN));
  const placeOf = (pose) => {
    if (escaped(pose)) return "lost";
    if (emerged(pose)) return "tray";
    const top = pose[2] + reachUp(pose, cube.edge);
    const region = regions.find(({ above }) => top > above) ?? regions[regions.length - 1];
    return `inside:${region.name}`;
  };
  return { emerged, escaped, find: (poses) => poses.map((pose) => ({ place: placeOf(pose), touches: [], on: [] })) };
}
