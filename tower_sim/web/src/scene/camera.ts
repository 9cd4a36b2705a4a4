// The camera turns about a middle; what it should see fills the picture whatever the picture's shape.

import { type Points, type Vector, plus, minus, times, dot, size, unit, clamp, product, perspective, lookAt } from "./algebra";
import { type Range, boundsOf } from "./solids";

const LENS = Math.tan((15 * Math.PI) / 180); // half the angle of the shorter side's view
const FROM: Record<string, { turn: number; rise: number }> = { tower: { turn: -62, rise: 17 }, board: { turn: -38, rise: 40 } }; // degrees: from where one looks first

/** A camera about an apparatus of a kind: at first `points` fill the picture. */
export class Camera {
  box: Range;
  from: { turn: number; rise: number };
  turn = 0;
  rise = 0;
  zoom = 1;
  moved = false;
  width = 1;
  height = 1;
  whole = 1; // from how far the points fill the picture as one looks first
  first: number[] = [0, 0, 0]; // about which middle they do
  middle: number[] = [0, 0, 0];
  private isFitted = false;

  constructor(readonly points: Points, kind: string) {
    const { turn, rise } = FROM[kind] || FROM.tower;
    this.box = boundsOf([{ vertices: points }]);
    this.from = { turn: (turn * Math.PI) / 180, rise: (rise * Math.PI) / 180 };
    this.fit();
    this.home();
  }

  home() {
    Object.assign(this, this.from, { middle: this.first, zoom: 1, moved: false });
  }

  /** The picture is `width` by `height` now; the points fill it until somebody moves the camera. */
  resize(width: number, height: number): void {
    if (width !== this.width || height !== this.height) Object.assign(this, { width, height, isFitted: false });
    if (!this.moved && !this.isFitted) this.fit();
  }

  private fit(): void {
    const { right, up, back } = lookAt(wayFrom(this.from), [0, 0, 0]);
    const { low, high } = this.box;
    this.first = times(plus(low, high), 0.5);
    for (let round = 0; round < 5; round += 1) {
      const seen = this.points
        .map((point) => minus(point, this.first))
        .map((at) => [dot(right, at), dot(up, at), dot(back, at)]);
      this.whole = 1.03 * Math.max(...seen.map(([x, y, z]) => Math.max(Math.abs(x) / this.wide, Math.abs(y) / this.tall) + z));
      const offset = (k: number) => {
        const values = seen.map((point) => point[k] / (this.whole - point[2]));
        return ((Math.max(...values) + Math.min(...values)) / 2) * this.whole;
      };
      this.first = plus(this.first, plus(times(right, offset(0)), times(up, offset(1))));
    }
    this.middle = this.first;
    this.isFitted = true;
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

  orbit(sideways: number, upwards: number): void {
    this.moved = true;
    this.turn += sideways * 2 * Math.PI;
    this.rise = clamp(this.rise + upwards * 2 * Math.PI, -0.05, 1.55);
  }

  near(factor: number): void {
    this.moved = true;
    this.zoom = clamp(this.zoom * factor, 0.4, 12);
  }

  pan(x: number, y: number): void {
    this.moved = true;
    const { right, up } = lookAt(this.eye, this.middle);
    const pixel = (2 * this.wide * this.distance) / this.width;
    const reach = size(minus(this.box.high, this.box.low));
    const to = plus(this.middle, plus(times(right, -x * pixel), times(up, y * pixel)));
    this.middle = to.map((value, k) => clamp(value, this.box.low[k] - reach / 4, this.box.high[k] + reach / 4));
  }

  lookTo(place: number[]): void {
    this.moved = true;
    this.middle = place;
  }

  /** Where a place is in the picture: [x, y] in pixels from its left upper corner, and how many make a metre there. */
  placeOf(at: Vector): number[] {
    const { right, up, back } = lookAt(this.eye, this.middle);
    const way = minus(at, this.eye);
    const deep = Math.max(-dot(back, way), 1e-6);
    const metre = this.width / (2 * this.wide * deep);
    return [this.width / 2 + dot(right, way) * metre, this.height / 2 - dot(up, way) * metre, metre];
  }

  /** The way into the picture through a pixel. */
  wayThrough(x: number, y: number): number[] {
    const { right, up, back } = lookAt(this.eye, this.middle);
    const [across, upwards] = [((2 * x) / this.width - 1) * this.wide, (1 - (2 * y) / this.height) * this.tall];
    return unit(minus(plus(times(right, across), times(up, upwards)), back));
  }

  get matrix() {
    const reach = size(minus(this.box.high, this.box.low));
    const near = Math.max(this.distance - 1.5 * reach, this.distance / 50);
    const lens = perspective(this.wide, this.tall, near, this.distance + 6 * reach);
    return product(lens, lookAt(this.eye, this.middle).matrix);
  }
}

/** The way towards an eye: `turn` about the vertical, `rise` over the table, in radians. */
function wayFrom({ turn, rise }: { turn: number; rise: number }): number[] {
  return [Math.cos(rise) * Math.cos(turn), Math.cos(rise) * Math.sin(turn), Math.sin(rise)];
}
