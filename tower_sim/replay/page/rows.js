// Cubes that came out and were taken away have no pose any more. They are laid in rows beside the tower, a row a
// colour: that is how the page shows them, not where they came to lie.

const PITCH = 1.22; // of a cube's edge, from one cube of a row to the next
const ROW = 1.7; // of a cube's edge, from one row to the next

/** Where the rows are: beside the shape's box, on the side of low y, as long as the shape. */
function rowsBeside(record, bounds) {
  const edge = record.header.edge;
  const start = bounds.low[0] + 0.5 * edge;
  const most = Math.max(6, Math.floor((bounds.high[0] - bounds.low[0]) / (PITCH * edge)));
  const used = record.header.colours.map((_, i) =>
    record.takes.some((take) => sweptOf(take).some((cube) => record.colourOf.get(cube) === i)),
  );
  let lanes = 0;
  const lane = used.map((is) => (is ? lanes++ : 0));
  const place = (colour, slot) => [
    start + PITCH * edge * (slot % most),
    bounds.low[1] - 2.2 * edge - ROW * edge * lane[colour],
    edge * (0.5 + Math.floor(slot / most)),
  ];
  const corners = used.flatMap((is, colour) => (is ? [place(colour, 0), place(colour, most - 1)] : []));
  return { place, corners };
}

/**
 * What is drawn at a moment: a list of {cube, colour, pose}. `rows` is from rowsBeside; `still` lays cubes into their
 * rows at once.
 */
function sceneAt(record, rows, moment, still) {
  const { take, frame } = moment;
  const drawn = [];
  for (const cube of take.cubes) {
    const pose = poseAt(record, moment, cube);
    if (pose) drawn.push({ cube, colour: record.colourOf.get(cube), pose });
  }
  if (record.isBoard) return drawn;
  const filled = record.header.colours.map(() => 0);
  const lay = (cube, since) => {
    const colour = record.colourOf.get(cube);
    const spot = rows.place(colour, filled[colour]);
    filled[colour] += 1;
    const part = still ? 1 : smooth(since / record.rate, 0, GLIDE);
    drawn.push({ cube, colour, pose: part < 1 ? glided(record, take, cube, spot, part) : [...spot, 0, 0, 0, 1] });
  };
  for (const cube of outBefore(record, moment)) lay(cube, Infinity);
  for (const cube of sweptOf(take)) if (goneFrom(take, cube) <= frame) lay(cube, frame - goneFrom(take, cube));
  return drawn;
}

/** A pose on the way from a cube's last one to its spot in a row, over a low arc. */
function glided(record, take, cube, spot, part) {
  const tracks = take.tracks.get(cube);
  const last = trackPose(record, tracks[tracks.length - 1], Infinity);
  const sign = last[6] < 0 ? -1 : 1;
  const q = [0, 1, 2, 3].map((k) => sign * last[3 + k] * (1 - part) + (k === 3 ? part : 0));
  const length = Math.hypot(...q);
  const over = 3 * record.header.edge * part * (1 - part);
  return [
    last[0] + (spot[0] - last[0]) * part,
    last[1] + (spot[1] - last[1]) * part,
    last[2] + (spot[2] - last[2]) * part + over,
    ...q.map((value) => value / length),
  ];
}
