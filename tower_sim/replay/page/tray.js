// A tower's engine takes cubes away at the exit. Here they fall on into the tray and lie there until the next drop
// begins: that is how the page shows them; where they lie nobody computed.

const GRAVITY = 9.81;
const GRIP = 0.3; // of a cube that slides on the tray's floor
const APART = 1.42; // of a cube's edge, between two that lie side by side, whichever way they are turned
const AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const CLEARING = 0.4; // s before the next drop, in which the tray is cleared

/** The tray of a tower: where cubes that came out may lie, and how they get there. */
class Tray {
  constructor(record, solids) {
    Object.assign(this, { record, edge: record.header.edge, laid: new Map() });
    const exits = record.isBoard ? [] : record.takes.flatMap((take) => sweptOf(take).map((cube) => exitOf(record, take, cube)));
    if (exits.length) this.open(exits, solids);
  }

  /** Find the floor before the exit and how far it reaches: ahead, and to both sides. */
  open(exits, solids) {
    const mean = (of) => times(exits.map(of).reduce(plus), 1 / exits.length);
    const from = mean(({ at }) => at);
    const way = mean((exit) => exit.way);
    const axis = Math.abs(way[0]) >= Math.abs(way[1]) ? 0 : 1;
    this.ahead = [0, 0, 0];
    this.ahead[axis] = Math.sign(way[axis]) || 1;
    this.aside = cross([0, 0, 1], this.ahead);
    const clear = (start, to, most) => Math.min(most, ...solids.map((solid) => firstHit(start, to, solid) ?? most));
    const over = plus(from, times(this.ahead, 3 * this.edge));
    const fall = clear(over, [0, 0, -1], over[2]);
    this.floor = over[2] - fall;
    this.from = [from[0], from[1], this.floor];
    const low = plus(this.from, [0, 0, 0.6 * this.edge]);
    this.far = clear(low, this.ahead, 14 * this.edge);
    const middle = plus(low, times(this.ahead, this.far / 2));
    this.left = clear(middle, this.aside, 8 * this.edge);
    this.right = clear(middle, times(this.aside, -1), 8 * this.edge);
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

  /** A free spot, the nearest to where a cube would stop by itself, `push` times as far: {to: x y, level}. */
  spotFor({ at, way }, push, taken) {
    const { edge } = this;
    const speed = Math.hypot(way[0], way[1]);
    const reach = (push * speed * speed) / (2 * GRIP * GRAVITY);
    const aim = plus([at[0], at[1], 0], times(unit([way[0], way[1], 0]), reach));
    const rim = 0.74 * edge;
    const most = 1500;
    for (let k = 0; ; k += 1) {
      const level = Math.floor(k / most);
      const apart = 0.3 * edge * Math.sqrt(k % most);
      const to = plus(aim, [apart * Math.cos(2.4 * k), apart * Math.sin(2.4 * k), 0]);
      const on = minus(to, this.from);
      const [ahead, aside] = [dot(on, this.ahead), dot(on, this.aside)];
      const isIn = ahead > edge && ahead < this.far - rim && aside < this.left - rim && -aside < this.right - rim;
      const isFree = taken.every((other) => other.level !== level || size(minus(other.to, to)) > APART * edge);
      if ((isIn && isFree) || level > 8) return { to, level };
    }
  }

  /** How a cube gets from the exit to its spot: how long it takes (s), and how it is turned in the end, flat. */
  wayTo({ at, turn, way }, { to, level }) {
    const path = minus(to, [at[0], at[1], 0]);
    const lasts = clamp((2 * size(path)) / Math.max(Math.hypot(way[0], way[1]), 0.05), 0.12, 0.5);
    const upright = mostAlong(turn, [0, 0, 1]);
    const flat = quaternionProduct(between(upright, [0, 0, 1]), turn);
    const rolls = mostAlong(flat, unit(cross([0, 0, 1], path)), (axis) => Math.abs(axis[2]) < 0.5); // over one of its edges
    const isFar = size(path) > 1.5 * this.edge;
    const rolled = isFar ? quaternionProduct([...times(rolls, Math.SQRT1_2), Math.SQRT1_2], flat) : flat;
    const sign = rolled.reduce((sum, value, k) => sum + value * turn[k], 0) < 0 ? -1 : 1;
    return { to, level, lasts, turn: rolled.map((value) => sign * value) };
  }

  /** The pose of a cube that left, `passed` seconds later: it falls, slides on, rolls over and lies. */
  poseAfter(lying, passed) {
    const { exit, to, level, lasts, turn } = lying;
    const { edge } = this;
    const part = clamp(passed / lasts, 0, 1);
    const done = 1 - (1 - part) * (1 - part);
    const mixed = exit.turn.map((value, k) => value + (turn[k] - value) * done);
    const long = Math.hypot(...mixed);
    const now = mixed.map((value) => value / long);
    const tall = AXES.reduce((sum, axis) => sum + Math.abs(turned(now, axis)[2]), 0);
    const lowest = this.floor + level * edge * done + (edge / 2) * tall; // a cube on its corner stands higher
    const falling = exit.at[2] + exit.way[2] * passed - (GRAVITY / 2) * passed * passed;
    const [x, y] = [0, 1].map((k) => exit.at[k] + (to[k] - exit.at[k]) * done);
    return [x, y, Math.max(lowest, falling), ...now];
  }
}

/** Of a turned cube's axes and their opposites, those that `fit`, the one that is most along a way. */
function mostAlong(turn, way, fit = () => true) {
  const axes = AXES.flatMap((axis) => [turned(turn, axis), turned(turn, times(axis, -1))]).filter(fit);
  return axes.reduce((best, axis) => (dot(axis, way) > dot(best, way) ? axis : best));
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
