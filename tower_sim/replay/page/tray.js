// The cubes that came out of a recorded tower, in its tray; what is drawn at a moment.

const CLEARING = 0.4; // s before the next drop, in which the tray is cleared

/** The tray of a record's tower: where the cubes of each step lie that came out. */
class RecordTray extends Tray {
  constructor(record, solids) {
    const exits = record.isBoard ? [] : record.takes.flatMap((take) => sweptOf(take).map((cube) => exitOf(record, take, cube)));
    super(record.header.edge, exits, solids);
    Object.assign(this, { record, laid: new Map() });
  }

  /** Where the cubes that came out in a step's takes lie: by cube {exit, since, to, level, lasts, turn}. */
  lying(stepIndex) {
    if (!this.laid.has(stepIndex)) {
      const takes = this.record.takes.filter((take) => take.stepIndex === stepIndex);
      const out = takes.flatMap((take) => sweptOf(take).map((cube) => ({ cube, take, exit: exitOf(this.record, take, cube) })));
      const taken = [];
      const found = new Map();
      out.forEach(({ cube, take, exit }, i) => {
        const early = 1 - i / out.length; // those that come later push them on
        const spot = this.spotFor(exit, 1 + (2 * early * out.length) / 40, taken);
        taken.push(spot);
        found.set(cube, { take, exit, since: take.begin + goneFrom(take, cube) / this.record.rate, ...this.wayTo(exit, spot) });
      });
      this.laid.set(stepIndex, found);
    }
    return this.laid.get(stepIndex);
  }
}

/** How a cube leaves a take for good: where, how it is turned, and how fast (m/s). */
function exitOf(record, take, cube) {
  const tracks = take.tracks.get(cube);
  const track = tracks[tracks.length - 1];
  const last = trackPose(record, track, Infinity);
  const before = trackPose(record, track, track.first + track.length - 2);
  return { at: last.slice(0, 3), turn: last.slice(3), way: times(minus(last, before), record.rate) };
}

/**
 * What is drawn at a moment: a list of {cube, colour, pose, size}, `size` in parts of a cube's edge. `still` lays cubes
 * into the tray at once, and clears it at once.
 */
function sceneAt(record, tray, moment, still) {
  const { take, time } = moment;
  const drawn = [];
  const add = (cube, pose, size = 1) => drawn.push({ cube, colour: record.colourOf.get(cube), pose, size });
  const left = take.until - time;
  const next = record.takes[moment.index + 1];
  const stays = still || record.isBoard || !next || next.stepIndex === take.stepIndex;
  const away = stays ? 0 : smooth(CLEARING - left, 0, CLEARING);
  const lifted = (pose) => [pose[0], pose[1], pose[2] + 6 * record.header.edge * away, ...pose.slice(3)];
  for (const cube of take.cubes) {
    const pose = poseAt(record, moment, cube);
    if (!pose) continue;
    const isOut = away > 0 && take.restOf.has(cube) && !take.restOf.get(cube).place.startsWith(INSIDE);
    if (isOut) add(cube, lifted(pose), 1 - away);
    else add(cube, pose);
  }
  if (record.isBoard) return drawn;
  for (const [cube, lying] of tray.lying(take.stepIndex)) {
    const isAgain = lying.take !== take && take.cubes.includes(cube);
    if (time < lying.since - 1e-6 || isAgain) continue;
    add(cube, lifted(tray.poseAfter(lying, still ? Infinity : time - lying.since)), 1 - away);
  }
  return drawn;
}
