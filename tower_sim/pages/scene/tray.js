// A tower's engine takes cubes away at the exit. Here they fall on into the tray and lie there until the next drop
// begins: that is how pages show them; where they lie nobody computed. An exit is {at, turn, way}: where a cube left (m),
// how it was turned, how fast it was (m/s).

const GRAVITY = 9.81;
const GRIP = 0.3; // of a cube that slides on the tray's floor
const APART = 1.42; // of a cube's edge, between two that lie side by side, whichever way they are turned
const AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

/** The tray of a tower: where cubes that came out may lie, and how they get there. */
class Tray {
  /** Find the floor before `exits` (of none: no tray), and how far it reaches: ahead, and to both sides. */
  constructor(edge, exits, solids) {
    this.edge = edge;
    if (!exits.length) return;
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
