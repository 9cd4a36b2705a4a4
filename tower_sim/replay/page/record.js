// The replay document: what happens when, where each cube is, how many are where.

const HOLD = 54 / 60; // s, a whole number of frames, between one take and the next, so that the eye sees where all lies
const TAIL = 36 / 60; // s after the last take
const CLEARING = 0.4; // s before the next drop, in which the tray is cleared
const INSIDE = "inside:";

/** Read a document: `header` as parsed, `buffer` its bytes. Throws an Error whose message says what is wrong. */
function openRecord(header, buffer) {
  if (header.schema !== "tower-sim/replay" || header.version !== 1) {
    throw new Error(`This page reads replays of version 1, not ${String(header.schema)} ${String(header.version)}.`);
  }
  const exact = new Float64Array(buffer, 0, 7 * header.exact);
  const motion = new Int16Array(buffer, 56 * header.exact);
  const colourOf = new Map(header.cubes);
  const takes = [];
  let begin = 0;
  header.steps.forEach((step, stepIndex) => {
    const listed = step.takes.length ? step.takes : [stillness(takes[takes.length - 1])];
    listed.forEach((take, index) => {
      const end = begin + take.frames / header.rate;
      takes.push(openTake(take, { stepIndex, first: index === 0, begin, end, until: end + HOLD }));
      begin = end + HOLD;
    });
  });
  if (!takes.length) throw new Error("There is nothing to see: it has no step.");
  takes[takes.length - 1].until = takes[takes.length - 1].end + TAIL;
  const record = {
    header,
    exact,
    motion,
    colourOf,
    takes,
    rate: header.rate,
    isBoard: header.apparatus.kind === "board",
  };
  record.duration = takes[takes.length - 1].until;
  record.events = takes.flatMap((take) =>
    take.events.map(([frame, word, cube, place]) => ({
      time: take.begin + frame / header.rate,
      word,
      cube,
      place,
      take,
    })),
  );
  record.beginnings = header.steps.map((_, i) => takes.find((take) => take.stepIndex === i).begin);
  return record;
}

/** What stands for the takes of a step that has none: all lies as the take before left it. */
function stillness(before) {
  const lying = before ? before.rest.filter(([, place, row]) => row !== null || place.startsWith(INSIDE)) : [];
  return { kind: "none", frames: 0, thrown: [], start: lying, rest: lying, tracks: [], events: [] };
}

/** A take with what is looked up in it again and again. */
function openTake(take, when) {
  const tracks = new Map();
  for (const [cube, first, length, offset] of take.tracks) {
    if (!tracks.has(cube)) tracks.set(cube, []);
    tracks.get(cube).push({ first, length, offset, columns: null });
  }
  for (const list of tracks.values()) list.sort((a, b) => a.first - b.first);
  const thrown = new Set(take.thrown);
  return {
    ...take,
    ...when,
    tracks,
    thrownSet: thrown,
    startOf: new Map(
      take.start.filter(([cube]) => !thrown.has(cube)).map(([cube, place, row]) => [cube, { place, row }]),
    ),
    restOf: new Map(take.rest.map(([cube, place, row]) => [cube, { place, row }])),
    cubes: [...new Set([...take.start.map(([cube]) => cube), ...take.thrown])],
  };
}

/** The take that is shown at a time (s), and the frame in it, a fraction included. */
function momentAt(record, time) {
  let low = 0;
  let high = record.takes.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (record.takes[middle].begin <= time) low = middle;
    else high = middle - 1;
  }
  const take = record.takes[low];
  // a frame that is meant to be whole is whole
  const frame = Math.max(0, Math.round((time - take.begin) * record.rate * 1e6) / 1e6);
  return { take, index: low, frame, time };
}

/** The columns of a track as whole steps: differences summed up, with their wrap-around. */
function columnsOf(record, track) {
  if (!track.columns) {
    const { offset, length } = track;
    track.columns = record.motion.slice(offset, offset + 7 * length);
    for (let column = 0; column < 7; column += 1) {
      for (let i = column * length + 1; i < (column + 1) * length; i += 1) track.columns[i] += track.columns[i - 1];
    }
  }
  return track.columns;
}

function exactPose(record, row) {
  return Array.from(record.exact.subarray(7 * row, 7 * row + 7));
}

/** The pose on a track at a frame: between frames position in a straight line, orientation on the shorter arc. */
function trackPose(record, track, frame) {
  const columns = columnsOf(record, track);
  const at = clamp(frame - track.first, 0, track.length - 1);
  const i = Math.floor(at);
  const next = Math.min(i + 1, track.length - 1);
  const part = at - i;
  const pose = [];
  for (let column = 0; column < 7; column += 1) {
    const start = column * track.length;
    const value = columns[start + i] + (columns[start + next] - columns[start + i]) * part;
    pose.push(column < 3 ? value * record.header.unit : value / 32767);
  }
  const length = Math.hypot(pose[3], pose[4], pose[5], pose[6]) || 1;
  for (let k = 3; k < 7; k += 1) pose[k] /= length;
  return pose;
}

/**
 * The pose of a cube at a moment: [x, y, z, qx, qy, qz, qw] in metres, or null where it has none: in the hand, or gone.
 * At rest it is the exact one of the state before or of the outcome.
 */
function poseAt(record, moment, cube) {
  const { take, frame } = moment;
  const tracks = take.tracks.get(cube) || [];
  let now = null;
  for (const track of tracks) if (track.first <= frame) now = track;
  if (now === null) {
    const start = take.startOf.get(cube);
    if (!start) return tracks.length ? null : restPose(record, take, cube);
    return start.row === null ? null : exactPose(record, start.row);
  }
  if (now === tracks[tracks.length - 1] && frame >= now.first + now.length) return restPose(record, take, cube);
  return trackPose(record, now, frame);
}

function restPose(record, take, cube) {
  const rest = take.restOf.get(cube);
  return rest && rest.row !== null && rest.row !== undefined ? exactPose(record, rest.row) : null;
}

/** Where cubes of a take leave the hand: the first position of each that is thrown. */
function releases(record, take) {
  return take.thrown
    .filter((cube) => take.tracks.has(cube))
    .map((cube) => {
      const { offset, length } = take.tracks.get(cube)[0];
      return [0, 1, 2].map((k) => record.motion[offset + k * length] * record.header.unit);
    });
}

/** From which frame on a thrown cube is in the apparatus: lower than its rim. Until then it counts as in the hand. */
function entersAt(record, take, cube) {
  if (!take.enters) take.enters = new Map();
  if (!take.enters.has(cube)) take.enters.set(cube, findEntry(record, take, cube));
  return take.enters.get(cube);
}

function findEntry(record, take, cube) {
  const { rim } = record.header.apparatus;
  for (const track of take.tracks.get(cube) || []) {
    const columns = columnsOf(record, track);
    for (let i = 0; i < track.length; i += 1) {
      if (rim === null || columns[2 * track.length + i] * record.header.unit < rim) return track.first + i;
    }
  }
  return Infinity; // it lies on the others, and is inside when it has come to rest
}

/** When (frame) a cube left for good in a take: after its last track, if it has no pose at rest; else null. */
function goneFrom(take, cube) {
  const rest = take.restOf.get(cube);
  const tracks = take.tracks.get(cube);
  if (!rest || rest.row !== null || !tracks) return null;
  const last = tracks[tracks.length - 1];
  return last.first + last.length;
}

/** Where each cube of a take is at a moment: by its number "hand", "inside" or "out", and the place's own word. */
function placesAt(record, moment) {
  const { take, frame } = moment;
  const found = new Map();
  for (const cube of take.thrown) found.set(cube, { where: "hand", place: null });
  for (const [cube, { place }] of take.startOf) {
    found.set(cube, { where: record.isBoard && !place.startsWith(INSIDE) ? "out" : "inside", place });
  }
  for (const [at, word, cube, place] of take.events) {
    if (at > frame) break;
    const now = found.get(cube);
    if (!now) continue;
    if (word === "thrown") {
      if (take.kind === "place") now.where = "out";
      else if (frame >= entersAt(record, take, cube)) now.where = "inside";
    } else if (word === "out") found.set(cube, { where: "out", place: place || null });
    else if (word === "woken") now.place = null;
    else if (word === "rest") {
      now.place = place || now.place;
      if (now.where === "hand") now.where = "inside";
    }
  }
  if (frame >= take.frames) {
    for (const [cube, { place }] of take.restOf) {
      found.set(cube, { where: place.startsWith(INSIDE) ? "inside" : "out", place });
    }
  }
  return found;
}

/** The takes of the step that a moment is in: {before, after} the one of the moment. */
function ofStep(record, { take }) {
  const all = record.takes.filter((other) => other.stepIndex === take.stepIndex);
  return { before: all.slice(0, all.indexOf(take)), after: all.slice(all.indexOf(take) + 1) };
}

/** The cubes of a tower that are out at the end of a take: [cube, ...] in the order in which they came. */
function outOf(take) {
  const gone = sweptOf(take);
  const left = [...take.restOf].filter(([cube, { place }]) => !place.startsWith(INSIDE) && !gone.includes(cube));
  return [...gone, ...left.map(([cube]) => cube)];
}

/** The cubes of a take that were swept, in the order in which they left. */
function sweptOf(take) {
  if (!take.swept) {
    const swept = take.cubes.filter((cube) => goneFrom(take, cube) !== null);
    take.swept = swept.sort((a, b) => goneFrom(take, a) - goneFrom(take, b) || a - b);
  }
  return take.swept;
}

/**
 * How many cubes of each colour are in the hand, inside, out, and aside (of no part in this drop): a row a colour, in
 * the header's order; together always all cubes.
 */
function countsAt(record, moment) {
  const rows = record.header.colours.map(({ name, letter }) => ({ name, letter, hand: 0, inside: 0, out: 0, aside: 0 }));
  const row = (cube) => rows[record.colourOf.get(cube)];
  const now = placesAt(record, moment);
  for (const [cube, { where }] of now) row(cube)[where] += 1;
  const { before, after } = ofStep(record, moment);
  const cameOut = new Set(record.isBoard ? [] : before.flatMap(outOf));
  const toCome = new Set(after.flatMap((other) => other.thrown));
  for (const [cube] of record.header.cubes) {
    if (now.has(cube)) continue;
    if (toCome.has(cube)) row(cube).hand += 1;
    else if (cameOut.has(cube)) row(cube).out += 1;
    else row(cube).aside += 1;
  }
  return rows;
}

/** The sum of one kind of count over all colours. */
function summed(rows, where) {
  return sumOf(rows.map((row) => row[where]));
}

/**
 * What is drawn at a moment: a list of {cube, colour, pose, size}, `size` in parts of a cube's edge. Cubes that came out lie
 * where they came to rest until the players take them out before the next drop; `still` takes them out at once.
 */
function sceneAt(record, moment, still) {
  const { take, time } = moment;
  const next = record.takes[moment.index + 1];
  const stays = still || record.isBoard || !next || next.stepIndex === take.stepIndex;
  const away = stays ? 0 : smooth(CLEARING - (take.until - time), 0, CLEARING);
  return take.cubes.flatMap((cube) => {
    const pose = poseAt(record, moment, cube);
    if (!pose) return [];
    const part = take.restOf.has(cube) && !take.restOf.get(cube).place.startsWith(INSIDE) ? away : 0;
    const lifted = [pose[0], pose[1], pose[2] + 6 * record.header.edge * part, ...pose.slice(3)];
    return [{ cube, colour: record.colourOf.get(cube), pose: lifted, size: 1 - part }];
  });
}
