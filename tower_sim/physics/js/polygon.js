// Convex polygons in the plane, lists of corners [x, y], counter-clockwise; as tower_sim/apparatus/polygon.py.

const flat = (a, b) => a[0] * b[0] + a[1] * b[1];
const following = (corners, i) => corners[(i + 1) % corners.length];
const sidesOf = (corners) => corners.map((corner, i) => [0, 1].map((k) => following(corners, i)[k] - corner[k]));

/** Return how far a point is from a polygon; 0 inside it. */
export function distanceTo(point, corners) {
  let nearest = Infinity;
  let isInside = true;
  sidesOf(corners).forEach((side, i) => {
    const away = [point[0] - corners[i][0], point[1] - corners[i][1]];
    const t = Math.min(Math.max(flat(away, side) / flat(side, side), 0), 1);
    const rest = [away[0] - t * side[0], away[1] - t * side[1]];
    nearest = Math.min(nearest, Math.sqrt(flat(rest, rest)));
    isInside &&= side[0] * away[1] - side[1] * away[0] >= 0;
  });
  return isInside ? 0 : nearest;
}

/** Return the lowest and the highest x and y of points: { low, high }. */
export function extent(points) {
  const of = (pick) => [0, 1].map((k) => points.reduce((best, point) => pick(best, point[k]), points[0][k]));
  return { low: of(Math.min), high: of(Math.max) };
}

/** Tell whether the convex hull of points and a polygon have a point in common: no axis keeps them apart. */
export function meetEach(points, corners) {
  const [one, other] = [extent(points), extent(corners)];
  if ([0, 1].some((k) => one.high[k] < other.low[k] || other.high[k] < one.low[k])) return false;
  const spans = points.flatMap((point, i) => points.slice(i + 1).map((next) => [point[0] - next[0], point[1] - next[1]]));
  const directions = [...sidesOf(corners), ...spans, ...spans.map(([x, y]) => [-y, x])];
  return directions.every(([x, y]) => {
    const normal = [-y, x];
    const [a, b] = [points, corners].map((each) => each.map((point) => flat(point, normal)));
    return Math.max(...a) >= Math.min(...b) && Math.max(...b) >= Math.min(...a);
  });
}

/** Return how deep a point is behind each side of a polygon, by its unit normals `inward`. */
export function depths(point, corners, inward) {
  return corners.map((corner, i) => flat([point[0] - corner[0], point[1] - corner[1]], inward[i]));
}
