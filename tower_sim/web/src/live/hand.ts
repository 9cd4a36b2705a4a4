// The hand over the funnel: cubes that are held there, apart however they are turned; moved by mouse, finger or keys.

import type { Camera } from "../scene/camera";
import type { Plane } from "../scene/solids";
import type { Counts } from "./link";
import type { Apparatus } from "./state";
import { type Pose, type Vector, plus, minus, times, dot, size, clamp } from "../scene/algebra";

export const TURN_BY_TURN = 0.09; // s between two cubes that are poured
const FASTEST = 0.5; // m/s: of a hand that lets go while it moves
const MEMORY = 100; // ms over which the hand's own speed is taken

/** How a cube leaves the hand. */
export interface Leaving { colour: string; pose: Pose; velocity: number[]; spin: number[] }

/** The cubes in the hand, over the middle of an apparatus. */
export class Hand {
  cell: number;
  held: { colour: string; turn: number[] }[] = [];
  rim: number;
  most: number;
  wide: number;
  opening: number;
  at: number[];
  trail: { at: number[]; when: number }[] = [];

  constructor({ edge, hand, seen, opening }: Apparatus) {
    this.cell = edge * Math.sqrt(3) * 1.001;
    this.rim = seen.rim;
    this.most = hand.height + 0.12;
    this.wide = Math.min(hand.spread / 2, opening);
    this.opening = opening;
    this.at = [0, 0, seen.rim + hand.height];
  }

  /** Take another cube: `colour` is its name. */
  add(colour: string): void {
    this.held.push({ colour, turn: anyTurn() });
  }

  /** Put one of a colour back, or all (null). */
  remove(colour: string | null = null): void {
    const last = this.held.findLastIndex((cube) => cube.colour === colour);
    if (colour === null) this.held = [];
    else if (last >= 0) this.held.splice(last, 1);
  }

  /** How many are held by colour: [[colour, number], ...]. */
  counts(): Counts {
    const found = new Map<string, number>();
    for (const { colour } of this.held) found.set(colour, (found.get(colour) || 0) + 1);
    return [...found];
  }

  /** Where each of the cubes held is: layer on layer, each in a cell of its own. */
  places() {
    const { cell } = this;
    const layer = this.layer();
    return this.held.map((_, i) => {
      const [x, y] = layer[i % layer.length];
      return [this.at[0] + x, this.at[1] + y, this.at[2] + cell / 2 + Math.floor(i / layer.length) * cell];
    });
  }

  /** The cells of a layer, those in the middle first. */
  layer() {
    const { cell } = this;
    const reach = Math.max(this.wide - cell / 2, 0);
    const many = Math.ceil(reach / cell) + 1;
    const line = Array.from({ length: 2 * many + 1 }, (_, i) => (i - many) * cell);
    const cells = line.flatMap((x) => line.map((y) => [x, y])).filter(([x, y]) => Math.hypot(x, y) <= reach + 1e-9);
    return cells.sort((a, b) => Math.hypot(...a) - Math.hypot(...b) || Math.atan2(a[1], a[0]) - Math.atan2(b[1], b[0]));
  }

  /** How far from its middle the cubes that are held reach. */
  get reach() {
    const layer = this.layer().slice(0, Math.max(this.held.length, 1));
    return Math.max(...layer.map(([x, y]) => Math.hypot(x, y))) + this.cell / 2;
  }

  /** Move to a place, as far as the funnel is under all that is held; `when` (ms). */
  move(to: Vector, when: number): void {
    const room = Math.max(this.opening - this.reach, 0);
    const out = Math.hypot(to[0], to[1]);
    const part = out > room ? room / out : 1;
    this.at = [to[0] * part, to[1] * part, clamp(to[2], this.rim + 0.002, this.rim + this.most)];
    this.trail.push({ at: this.at, when });
    this.trail = this.trail.filter((each) => when - each.when < MEMORY);
  }

  /** How fast it moves (m/s). */
  speed(when: number): number[] {
    const trail = this.trail.filter((each) => when - each.when < MEMORY);
    if (trail.length < 2) return [0, 0, 0];
    const [first, last] = [trail[0], trail[trail.length - 1]];
    const speed = times(minus(last.at, first.at), 1000 / Math.max(last.when - first.when, 16));
    return times(speed, Math.min(1, FASTEST / Math.max(size(speed), 1e-9)));
  }

  /** Let go all (or the lowest one): how each leaves, {colour, pose, velocity, spin}. */
  release(when: number, isOne = false): Leaving[] {
    const places = this.places();
    const speed = this.speed(when);
    const gone = this.held.splice(0, isOne ? 1 : this.held.length);
    return gone.map(({ colour, turn }, i) => ({ colour, pose: [...places[i], ...turn], velocity: speed, spin: anyWay(2) }));
  }

  /** Take cubes back that were not let go. */
  back(launches: Leaving[]): void {
    for (const { colour, pose } of launches) this.held.push({ colour, turn: pose.slice(3) });
  }

  /** What of it is drawn. */
  drawn() {
    return this.places().map((at, i) => ({ cube: -1 - i, colour: this.held[i].colour, pose: [...at, ...this.held[i].turn], size: 1 }));
  }

  /** Whether a pixel is on what is held. */
  isAt(camera: Camera, x: number, y: number): boolean {
    return this.places().some((at) => {
      const [left, top, metre] = camera.placeOf(at);
      return Math.hypot(left - x, top - y) < Math.max(0.9 * this.cell * metre, 22);
    });
  }
}

/** Let a canvas's pointer move the hand while it drags what is held; others go on to the camera. */
export function handleHand(canvas: HTMLCanvasElement, camera: Camera, handOf: () => Hand, changed: () => void, lifted: (when: number) => void): void {
  let grip: { id: number; plane: Plane; from: number[] } | null = null; // {id, plane: {normal, offset}, from: where it was taken minus where the hand was}
  const placeAt = (event: PointerEvent, plane: Plane) => {
    const box = canvas.getBoundingClientRect();
    const way = camera.wayThrough(event.clientX - box.left, event.clientY - box.top);
    const along = (plane.offset - dot(plane.normal, camera.eye)) / dot(plane.normal, way);
    return plus(camera.eye, times(way, along));
  };
  const handler = (name: "pointerdown" | "pointermove" | "pointerup" | "pointercancel", action: (event: PointerEvent) => void) => canvas.addEventListener(name, action, { capture: true });
  handler("pointerdown", (event) => {
    const hand = handOf();
    if (grip || event.button !== 0 || !hand.held.length || !hand.isAt(camera, event.offsetX, event.offsetY)) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    const isSteep = camera.rise > 0.7;
    const normal = isSteep ? [0, 0, 1] : [Math.cos(camera.turn), Math.sin(camera.turn), 0];
    const plane = { normal, offset: dot(normal, hand.at) };
    grip = { id: event.pointerId, plane, from: minus(placeAt(event, plane), hand.at) };
    hand.trail = [];
    canvas.classList.add("holds");
  });
  handler("pointermove", (event) => {
    if (!grip || grip.id !== event.pointerId) return;
    event.stopImmediatePropagation();
    handOf().move(minus(placeAt(event, grip.plane), grip.from), event.timeStamp);
    changed();
  });
  const end = (isDropped: boolean) => (event: PointerEvent) => {
    if (!grip || grip.id !== event.pointerId) return;
    event.stopImmediatePropagation();
    grip = null;
    canvas.classList.remove("holds");
    if (isDropped) lifted(event.timeStamp);
  };
  handler("pointerup", end(true));
  handler("pointercancel", end(false));
}

/** A turn, uniform over rotations, and a vector of normal numbers times `much`; of the page's own chance. */
function anyTurn(): number[] {
  const q = Array.from({ length: 4 }, normalNumber);
  const long = Math.hypot(...q) || 1;
  return q.map((value) => value / long);
}

function anyWay(much: number): number[] {
  return [0, 1, 2].map(() => much * normalNumber());
}

function normalNumber(): number {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}
