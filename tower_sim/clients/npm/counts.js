// Counts by colour, whatever a colour is called: "constructor" and "__proto__" are names like others.

/** Return how many cubes there are of each colour; colours without any are left out. */
export function counted(cubes) {
  const counts = new Map();
  for (const { colour } of cubes) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/** Return the sum of the numbers of all colours. */
export function total(counts) {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
