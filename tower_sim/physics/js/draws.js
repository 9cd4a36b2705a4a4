// Draws whose last digit is the same on every machine; as tower_sim/draws.py. `rng` gives numbers from 0 to 1 (see pcg64.js),
// `core` has the portable logarithm.

/** Draw a number from `low` up to `high`. */
export function uniform(rng, low, high) {
  return low + (high - low) * rng.random();
}

/** Draw numbers from the normal law of mean 0 and sd 1 (Marsaglia and Bray, 1964). */
export function normals(core, rng, number) {
  const drawn = [];
  while (drawn.length < number) {
    const [x, y, square] = disc(rng);
    const stretch = Math.sqrt((-2 * core.log(square)) / square);
    drawn.push(x * stretch, y * stretch);
  }
  return drawn.slice(0, number);
}

/** Draw an orientation, uniform over rotations: a unit quaternion x y z w (Marsaglia, 1972). */
export function turn(rng) {
  const [x, y, square] = disc(rng);
  const [z, w, other] = disc(rng);
  const stretch = Math.sqrt((1 - square) / other);
  return [x, y, z * stretch, w * stretch];
}

/** Draw an order of the numbers from 0 up to `number` (Durstenfeld, 1964). */
export function order(rng, number) {
  const numbers = Array.from({ length: number }, (_, i) => i);
  for (let last = number - 1; last > 0; last--) {
    const other = Math.floor(rng.random() * (last + 1));
    [numbers[last], numbers[other]] = [numbers[other], numbers[last]];
  }
  return numbers;
}

/** Draw a point of the unit disc but for its middle, uniform: x, y and the square of its distance. */
export function disc(rng) {
  for (;;) {
    const x = 2 * rng.random() - 1;
    const y = 2 * rng.random() - 1;
    const square = x * x + y * y;
    if (square > 0 && square < 1) return [x, y, square];
  }
}
