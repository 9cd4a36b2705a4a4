// Cubes as solids: where their corners are, what of them lies low, which touch; as tower_sim/apparatus/solids.py. A pose is
// x y z (m) and a unit quaternion x y z w.

const SIGNS = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => [x, y, z])));
const EDGES = SIGNS.flatMap((one, i) =>
  SIGNS.slice(0, i).flatMap((other, j) => (one.filter((sign, c) => sign !== other[c]).length === 1 ? [[i, j]] : [])),
);
const PARALLEL = 1e-9; // edges in one direction span no plane

const scalar = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const crossed = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** Return the three axes of a unit quaternion x y z w: the columns of its rotation matrix. */
export function axesOf([x, y, z, w]) {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
    [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
    [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
  ];
}

/** Return how high (m) a cube of edge `edge` reaches over its centre. */
export function reachUp(pose, edge) {
  const [a, b, c] = axesOf(pose.slice(3));
  return (edge / 2) * (Math.abs(a[2]) + Math.abs(b[2]) + Math.abs(c[2]));
}

/** Return the eight corners (m) of a cube. */
export function cornersOf(pose, edge) {
  const [a, b, c] = axesOf(pose.slice(3));
  return SIGNS.map((s) => [0, 1, 2].map((k) => pose[k] + (edge / 2) * (a[k] * s[0] + b[k] * s[1] + c[k] * s[2])));
}

/** Return points [x, y] around the plan of what of one cube, by its corners, is at `height` or below; none if nothing is. */
export function sectionBelow(corners, height) {
  const points = corners.filter(([, , z]) => z <= height).map(([x, y]) => [x, y]);
  if (points.length === 0 || points.length === 8) return points;
  for (const [i, j] of EDGES) {
    const [[x, y, z], [u, v, w]] = [corners[i], corners[j]];
    if (z <= height === w <= height) continue;
    const t = (height - z) / (w - z);
    points.push([x + t * (u - x), y + t * (v - y)]);
  }
  return points;
}

/** Tell whether two cubes come within about `within` (m) of each other: no one of 15 axes keeps them apart. */
export function touchEach(one, other, edge, within) {
  const half = (edge + within) / 2;
  const away = [other[0] - one[0], other[1] - one[1], other[2] - one[2]];
  if (!(scalar(away, away) <= 3 * (2 * half) * (2 * half))) return false;
  const [a, b] = [axesOf(one.slice(3)), axesOf(other.slice(3))];
  const width = (line, axes) => Math.abs(scalar(line, axes[0])) + Math.abs(scalar(line, axes[1])) + Math.abs(scalar(line, axes[2]));
  return !linesOf(a, b).some(
    (line) =>
      Math.abs(scalar(line, away)) > half * (width(line, a) + width(line, b)) && Math.sqrt(scalar(line, line)) > PARALLEL,
  );
}

/** Return how deep (m) the deepest of some cubes lies in another of them or in a fixed box; 0 when none does. */
export function deepestOverlap(poses, edge, boxes) {
  const cubes = poses.map((pose) => ({ centre: pose.slice(0, 3), axes: axesOf(pose.slice(3)), half: [edge / 2, edge / 2, edge / 2] }));
  const fixed = boxes.map(({ centre, half, turn }) => ({ centre, axes: axesOf(turn), half }));
  let deepest = 0;
  let nearest = Infinity;
  const near = Math.sqrt(3) * edge;
  cubes.forEach((one, i) => {
    for (const other of cubes.slice(0, i)) {
      const away = one.centre.map((x, k) => x - other.centre[k]);
      const distance = Math.sqrt(scalar(away, away));
      nearest = Math.min(nearest, distance);
      if (distance < near) deepest = Math.max(deepest, overlapOf(other, one));
    }
  });
  if (nearest < edge / 2) deepest = edge - nearest; // of a heap in one place one pair is enough
  for (const one of cubes) {
    for (const box of fixed) {
      const away = one.centre.map((x, k) => x - box.centre[k]);
      if (box.axes.every((axis, k) => Math.abs(scalar(axis, away)) < box.half[k] + near / 2)) {
        deepest = Math.max(deepest, overlapOf(one, box));
      }
    }
  }
  return deepest;
}

/** Return the overlap of two boxes { centre, axes, half }: the least along their 15 axes (Gottschalk, Lin, Manocha 1996). */
function overlapOf(a, b) {
  const away = b.centre.map((x, k) => x - a.centre[k]);
  let least = Infinity;
  for (const line of linesOf(a.axes, b.axes)) {
    const length = Math.sqrt(scalar(line, line));
    if (!(length > PARALLEL)) continue;
    const spread = (box) => box.axes.reduce((sum, axis, k) => sum + Math.abs(scalar(line, axis)) * box.half[k], 0);
    least = Math.min(least, (spread(a) + spread(b) - Math.abs(scalar(line, away))) / length);
  }
  return least;
}

function linesOf(a, b) {
  return [...a, ...b, ...a.flatMap((one) => b.map((other) => crossed(one, other)))];
}
