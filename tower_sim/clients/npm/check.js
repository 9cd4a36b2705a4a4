// What the package refuses beside what words.js does: always a RangeError, whose message begins with the field's path and
// whose `path` is that path.

import { object, refused, whole } from "./words.js";

/** Return the error for the field at `path`, which is `value`: what is allowed, and what to try. */
export function fault(path, value, allowed, advice = "") {
  return refused(RangeError, path, value, allowed, advice);
}

/** Refuse an object with a key that is not one of some. */
export function keys(path, value, known) {
  const other = Object.keys(value).find((key) => !known.includes(key));
  if (other !== undefined) throw fault(`${path}.${other}`, value[other], `one of the keys ${known.join(", ")}`);
}

/** Refuse what is no tower of this package. */
export function aTower(path, value) {
  const isOne = typeof value?.check === "function" && typeof value.drop === "function";
  if (!isOne) throw fault(path, value, "a tower, such as amerigo of tower-sim/towers/amerigo, or one of towerOf(...)");
}

/** Refuse what is no counts by colour; other colours than `colours`, if they are given. */
export function checkCounts(path, counts, colours) {
  object(path, counts, "an object of whole numbers by colour");
  if (colours) keys(path, counts, colours);
  for (const [colour, count] of Object.entries(counts)) whole(`${path}.${colour}`, count, 0);
}
