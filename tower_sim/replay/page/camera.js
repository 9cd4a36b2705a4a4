// The camera turns about a middle; what it should see fills the picture whatever the picture's shape.

const LENS = Math.tan((15 * Math.PI) / 180); // half the angle of the shorter side's view
const FROM = { tower: { turn: -62, rise: 17 }, board: { turn: -38, rise: 40 } }; // degrees: from where one looks first

/** A camera that looks at `box` ({low, high}) of a kind of apparatus. */
class Camera {
  constructor(box, kind) {
    this.box = box;
    this.from = FROM[kind] || FROM.tower;
    this.width = 1;
    this.height = 1;
    this.home();
  }

  /** Look from where one looked first. */
  home() {
    this.turn = (this.from.turn * Math.PI) / 180;
    this.rise = (this.from.rise * Math.PI) / 180;
    this.middle = times(plus(this.box.low, this.box.high), 0.5);
    this.zoom = 1;
    this.moved = false;
    this.fit();
  }

  /** The picture is `width` by `height` now. */
  resize(width, height) {
    this.width = width;
    this.height = height;
    this.fit();
  }

  /** Find the distance from which the whole box is seen, and the middle of what is seen. */
  fit() {
    if (!this.moved) {
      this.middle = times(plus(this.box.low, this.box.high), 0.5);
      for (let round = 0; round < 4; round += 1) this.centre();
    }
    this.whole = Math.max(...this.asSeen().map(({ x, y, z }) => Math.max(Math.abs(x) / this.wide, Math.abs(y) / this.tall) + z)) * 1.03;
  }

  /** Move the middle so that the box's picture has as much room left as right, and above as below. */
  centre() {
    const seen = this.asSeen();
    const far = Math.max(...seen.map(({ x, y, z }) => Math.max(Math.abs(x) / this.wide, Math.abs(y) / this.tall) + z));
    const range = (name) => seen.map((point) => point[name] / (far - point.z));
    const offset = (values) => ((Math.max(...values) + Math.min(...values)) / 2) * far;
    const { right, up } = lookAt(this.eyeAt(1), this.middle);
    this.middle = plus(this.middle, plus(times(right, offset(range("x"))), times(up, offset(range("y")))));
  }

  asSeen() {
    const { right, up, back } = lookAt(this.eyeAt(1), this.middle);
    return CORNERS.map((corner) => {
      const at = minus(corner.map((sign, k) => (sign < 0 ? this.box.low[k] : this.box.high[k])), this.middle);
      return { x: dot(right, at), y: dot(up, at), z: dot(back, at) };
    });
  }

  get wide() {
    return LENS * Math.max(1, this.width / this.height);
  }

  get tall() {
    return LENS * Math.max(1, this.height / this.width);
  }

  eyeAt(distance) {
    const flat = Math.cos(this.rise);
    const way = [flat * Math.cos(this.turn), flat * Math.sin(this.turn), Math.sin(this.rise)];
    return plus(this.middle, times(way, distance));
  }

  get distance() {
    return this.whole / this.zoom;
  }

  get eye() {
    return this.eyeAt(this.distance);
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
