// The camera turns about a middle; what it should see fills the picture whatever the picture's shape.

const LENS = Math.tan((15 * Math.PI) / 180); // half the angle of the shorter side's view
const FROM = { tower: { turn: -62, rise: 17 }, board: { turn: -38, rise: 40 } }; // degrees: from where one looks first

/** A camera that looks at `points`, all of them in the `box` ({low, high}), of a kind of apparatus. */
class Camera {
  constructor(points, box, kind) {
    const { turn, rise } = FROM[kind] || FROM.tower;
    this.points = points;
    this.box = box;
    this.from = { turn: (turn * Math.PI) / 180, rise: (rise * Math.PI) / 180 };
    this.width = 1;
    this.height = 1;
    this.fit();
    this.home();
  }

  /** Look from where one looked first. */
  home() {
    Object.assign(this, this.from, { middle: this.first, zoom: 1, moved: false });
  }

  /** The picture is `width` by `height` now. */
  resize(width, height) {
    if (width === this.width && height === this.height) return;
    this.width = width;
    this.height = height;
    this.fit();
    if (!this.moved) this.home();
  }

  /** Find from how far, and about which middle, all points fill the picture as one looks first. */
  fit() {
    const { right, up, back } = lookAt(wayFrom(this.from), [0, 0, 0]);
    const { low, high } = this.box;
    this.first = times(plus(low, high), 0.5);
    for (let round = 0; round < 5; round += 1) {
      const seen = this.points
        .map((point) => minus(point, this.first))
        .map((at) => [dot(right, at), dot(up, at), dot(back, at)]);
      this.whole =
        1.03 * Math.max(...seen.map(([x, y, z]) => Math.max(Math.abs(x) / this.wide, Math.abs(y) / this.tall) + z));
      const offset = (k) => {
        const values = seen.map((point) => point[k] / (this.whole - point[2]));
        return ((Math.max(...values) + Math.min(...values)) / 2) * this.whole;
      };
      this.first = plus(this.first, plus(times(right, offset(0)), times(up, offset(1))));
    }
  }

  get wide() {
    return LENS * Math.max(1, this.width / this.height);
  }

  get tall() {
    return LENS * Math.max(1, this.height / this.width);
  }

  get distance() {
    return this.whole / this.zoom;
  }

  get eye() {
    return plus(this.middle, times(wayFrom(this), this.distance));
  }

  /** Turn about the middle by parts of a whole turn. */
  orbit(sideways, upwards) {
    this.moved = true;
    this.turn += sideways * 2 * Math.PI;
    this.rise = clamp(this.rise + upwards * 2 * Math.PI, -0.05, 1.55);
  }

  /** Come nearer by a factor. */
  near(factor) {
    this.moved = true;
    this.zoom = clamp(this.zoom * factor, 0.4, 12);
  }

  /** Move the middle sideways by pixels. */
  pan(x, y) {
    this.moved = true;
    const { right, up } = lookAt(this.eye, this.middle);
    const pixel = (2 * this.wide * this.distance) / this.width;
    const reach = size(minus(this.box.high, this.box.low));
    const to = plus(this.middle, plus(times(right, -x * pixel), times(up, y * pixel)));
    this.middle = to.map((value, k) => clamp(value, this.box.low[k] - reach / 4, this.box.high[k] + reach / 4));
  }

  /** The matrix from the world to the picture. */
  get matrix() {
    const reach = size(minus(this.box.high, this.box.low));
    const near = Math.max(this.distance - 1.5 * reach, this.distance / 50);
    const lens = perspective(this.wide, this.tall, near, this.distance + 6 * reach);
    return product(lens, lookAt(this.eye, this.middle).matrix);
  }
}

/** The way towards an eye: `turn` about the vertical, `rise` over the table, in radians. */
function wayFrom({ turn, rise }) {
  return [Math.cos(rise) * Math.cos(turn), Math.cos(rise) * Math.sin(turn), Math.sin(rise)];
}
