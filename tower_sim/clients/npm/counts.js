// Counts by colour, whatever a colour is called: "constructor" and "__proto__" are names like others.

/** Return how many cubes there are of each colour; colours without any are left out. */
export function counted(cubes) {
  return summed(cubes.map(({ colour }) => [colour, 1]));
}

/** Return the sums of numbers by colour, of entries [colour, number]. */
export function summed(entries) {
  const sums = new Map();
  for (const [colour, number] of entries) sums.set(colour, (sums.get(colour) ?? 0) + number);
  return Object.fromEntries(sums);
}

/** Return the sum of the numbers of all colours. */
export function total(counts) {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
