// What data a model was fitted to.

/** Return whether the data of a model hold drops of so many thrown onto so many inside; as Python's Fitted.covers. */
export function covered(rows, thrown, inside) {
  if (thrown === 0) return true;
  if (!rows.length || thrown < rows[0][0] || thrown > rows[rows.length - 1][0]) return false;
  let nearest = rows[0];
  for (const row of rows) if (Math.abs(row[0] - thrown) < Math.abs(nearest[0] - thrown)) nearest = row;
  return nearest[1] <= inside && inside <= nearest[2];
}
