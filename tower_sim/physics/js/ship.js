// A ship that cubes fall through, and where its cubes are: in a zone, on a border, on the table, or still in the ship; as
// tower_sim/apparatus/combat_ship/ship.py.

import { cornersOf, sectionBelow, touchEach } from "./cuboids.js";
import { depths, distanceTo, extent, meetEach } from "./polygon.js";

const TOUCH = 0.03; // of the edge
const AWAY = 1; // m: the table ends here
const WELL = 1e-6; // m: much more than rounding

function distance([x, y], [u, v]) {
  return Math.sqrt((x - u) * (x - u) + (y - v) * (y - v));
}

/** Return where cubes of a ship's profile are: { emerged(pose), escaped(pose), find(poses) }; null for another rule. */
export function shipPlaces({ where, zones, cube: { edge }, board }) {
  if (where.rule !== "ship") return null;
  const near = TOUCH * edge;
  const deck = (x) => where.deck_low + where.deck_rise * (where.hull_x - x);
  const inside = ([x, y, z]) => Math.abs(x) <= where.hull_x && Math.abs(y) <= where.hull_y && z >= deck(x);
  const escaped = ([x, y, z]) => {
    const underDeck = Math.abs(x) < where.hull_x && Math.abs(y) < where.hull_y && z < deck(x);
    return !(Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) < AWAY && z > 0 && !underDeck);
  };
  const [[x0, x1], [y0, y1]] = [board.x, board.y];
  const outline = [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
  const extents = zones.map(({ corners }) => extent(corners));

  /** Return the zones whose floor one cube touches, the nearest to its centre first. */
  function zonesTouched(low, centre) {
    if (!low.length) return [];
    const own = extent(low);
    const isFar = ({ low: least, high }) => [0, 1].some((k) => own.high[k] < least[k] || high[k] < own.low[k]);
    const isIn = ({ corners, inward }) => depths(low[0], corners, inward).every((depth) => depth > WELL);
    const found = zones.filter((zone, k) => !isFar(extents[k]) && (isIn(zone) || meetEach(low, zone.corners)));
    const away = new Map(found.map((zone) => [zone, distanceTo(centre, zone.corners)]));
    return found.sort((a, b) => away.get(a) - away.get(b)).map(({ name }) => name);
  }

  function isOnBorder(corners) {
    const low = sectionBelow(corners, board.border_top + near);
    return low.length > 0 && meetEach(low, outline);
  }

  function find(poses) {
    const corners = poses.map((pose) => cornersOf(pose, edge));
    const places = [];
    const height = (i) => (Number.isNaN(poses[i][2]) ? Infinity : poses[i][2]);
    const fromBelow = poses.map((_, i) => i).sort((a, b) => height(a) - height(b) || a - b);
    for (const i of fromBelow) {
      const pose = poses[i];
      const isUnder = (other, j) => j !== i && other[2] < pose[2] - near && touchEach(...(j < i ? [pose, other] : [other, pose]), edge, near);
      const under = poses.flatMap((other, j) => (isUnder(other, j) ? [j] : []));
      const touches = zonesTouched(sectionBelow(corners[i], board.floor + near), pose);
      const lowest = Math.min(...corners[i].map(([, , z]) => z));
      if (escaped(pose)) places[i] = { place: "lost", touches: [], on: [] };
      else if (touches.length) places[i] = { place: `zone:${touches[0]}`, touches, on: [] };
      else if (inside(pose)) places[i] = { place: "inside:ship", touches: [], on: under };
      else if (lowest <= near) places[i] = { place: "table", touches: [], on: under };
      else if (under.length && !isOnBorder(corners[i])) {
        const away = under.map((j) => distance(poses[j], pose));
        places[i] = { place: places[under[away.indexOf(Math.min(...away))]].place, touches: [], on: under };
      } else places[i] = { place: "border", touches: [], on: under };
    }
    return places;
  }

  return { emerged: (pose) => !inside(pose), missed: () => false, escaped, find };
}
