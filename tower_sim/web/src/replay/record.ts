// What is seen: what happens when, where each cube is, how many are where. The takes come one after the other from the worker.

import type { Paint } from "../common/faces";
import { sumOf } from "../common/text";
import type { Drawn } from "../scene/renderer";
import type { Profile } from "../physics/index.js";
import { type Seen, seenOf } from "../scene/solids";
import { type Pose, clamp, smooth } from "../scene/algebra";
import { type Chunk, Windows } from "../scene/windows";

const HOLD = 0.9; // s between one take and the next, so that the eye sees where all lies
const TAIL = 0.6; // s after the last take
const CLEARING = 0.4; // s before the next drop, in which the tray is cleared
export const INSIDE = "inside:";

/** Where a cube lies: its number, the place, its pose (null of one that was taken into the hand). */
export type Lying = [cube: number, place: string, pose: Pose | null];

/** What happened: windows passed, a word, a cube and, where it matters, a place. */
export type Happened = [at: number, word: string, cube: number | null, place?: string];

/** One event of the log, as the worker computed it. */
export interface Doing { kind: string; strength?: number; thrown: number[]; start: Lying[]; rest: Lying[]; pieces: Chunk[]; events: Happened[] }

/** The page's document. */
export interface Document {
  title: string; about: Record<string, string | null>; profile: Profile; colours: Paint[]; cubes: [number, number][];
  steps: { title: string; text: string; takes: number }[]; parts: { before: string | null; after: string | null }[]; heading: string | null; summary: string;
}
export interface Header extends Document { edge: number; apparatus: Seen }

export type Take = ReturnType<typeof openTake>;
export interface Event { time: number; word: string; cube: number | null; place?: string; take: Take }
export interface Moment { take: Take; index: number; frame: number; time: number }
export type Where = "hand" | "inside" | "out" | "aside";
export type Row = { name: string; letter: string } & Record<Where, number>;

/** A replay: its steps, each of so many takes; what is known of it grows until it `isWhole`. */
export class Recorded {
  header: Header;
  rate: number; // windows a second
  isBoard: boolean;
  colourOf: Map<number, number>;
  takes: Take[] = [];
  events: Event[] = [];
  beginnings: number[] = [];
  isWhole = false;
  left = 0; // takes of the step that is not known to its end

  constructor(header: Document) {
    const { profile } = header;
    this.header = { ...header, edge: profile.cube.edge, apparatus: seenOf(profile) };
    this.rate = 1 / profile.settings.window;
    this.isBoard = profile.kind === "board";
    this.colourOf = new Map(header.cubes);
    this.stepsOn();
  }

  get duration() {
    const last = this.takes.at(-1);
    return last ? last.end + (this.isWhole ? TAIL : 0) : 0;
  }

  /** How many steps are known to their end. */
  get known() {
    return this.beginnings.length - (this.left ? 1 : 0);
  }

  /** Begin the next step; in one without a take all lies as it did before. */
  private stepsOn(): void {
    const { steps } = this.header;
    while (!this.left && this.beginnings.length < steps.length) {
      this.left = steps[this.beginnings.length].takes;
      this.beginnings.push(this.ended());
      if (!this.left) this.put(stillness(this.takes.at(-1)));
    }
  }

  private ended(): number {
    const last = this.takes.at(-1);
    return last ? last.end + HOLD : 0;
  }

  /** Add a take of the worker. */
  add(take: Doing): void {
    this.put(take);
    this.left -= 1;
    this.stepsOn();
  }

  private put(doing: Doing): void {
    const begin = this.ended();
    const last = this.takes.at(-1);
    if (last) last.until = begin;
    const take = openTake(doing, this.beginnings.length - 1, begin, this.rate);
    this.takes.push(take);
    for (const [frame, word, cube, place] of take.events) this.events.push({ time: begin + frame / this.rate, word, cube, place, take });
  }

  /** The takes of a step. */
  takesOf(index: number): Take[] {
    return this.takes.filter((take) => take.stepIndex === index);
  }
}

/** What stands for the takes of a step that has none: all lies as the take before left it. */
function stillness(before: Take | undefined): Doing {
  const lying = before ? before.rest.filter(([, place, pose]) => pose !== null || place.startsWith(INSIDE)) : [];
  return { kind: "none", thrown: [], start: lying, rest: lying, pieces: [], events: [] };
}

/** A take with what is looked up in it again and again. */
function openTake(doing: Doing, stepIndex: number, begin: number, rate: number) {
  const motion = new Windows();
  const goneOf = new Map<number, number>(); // when (windows passed) a cube was taken out
  for (const piece of doing.pieces) {
    motion.add(piece);
    for (const cube of piece.swept) goneOf.set(cube, motion.length);
  }
  const end = begin + motion.length / rate;
  const byCube = (rows: Lying[]) => new Map(rows.map(([cube, place, pose]) => [cube, { place, pose }]));
  return {
    ...doing, stepIndex, begin, end, until: end + TAIL, frames: motion.length, motion, goneOf,
    thrownSet: new Set(doing.thrown),
    startOf: byCube(doing.start),
    restOf: byCube(doing.rest),
    cubes: [...new Set([...doing.start.map(([cube]) => cube), ...doing.thrown])],
    enters: new Map<number, number>(), // windows passed when a thrown cube was lower than the rim
  };
}

/** The take that is shown at a time (s), and the frame in it, a fraction included. */
export function momentAt(record: Recorded, time: number): Moment {
  const index = Math.max(record.takes.findLastIndex(({ begin }) => begin <= time), 0);
  const take = record.takes[index];
  // a frame that is meant to be whole is whole
  const frame = Math.max(0, Math.round((time - take.begin) * record.rate * 1e6) / 1e6);
  return { take, index, frame, time };
}

/**
 * The pose of a cube at a moment: [x, y, z, qx, qy, qz, qw] in metres, or null where it has none: in the hand, or gone.
 * At rest it is that of the state before or of the outcome.
 */
export function poseAt({ take, frame }: Moment, cube: number): Pose | null {
  const isOver = frame >= take.frames || frame >= (take.goneOf.get(cube) ?? Infinity);
  if (isOver) return take.restOf.get(cube)?.pose ?? null;
  if (frame < 1 && take.startOf.has(cube)) return take.startOf.get(cube)!.pose;
  return take.motion.poseAfter(cube, frame);
}

/** From which frame on a thrown cube is in the apparatus: lower than its rim. Until then it counts as in the hand. */
function entersAt({ header }: Recorded, { enters, frames, motion }: Take, cube: number): number {
  if (!enters.has(cube)) {
    let frame = 0;
    while (frame < frames && !((motion.poseAt(cube, frame)?.[2] ?? Infinity) < header.apparatus.rim)) frame += 1;
    enters.set(cube, frame < frames ? frame + 1 : Infinity); // one that lies on the others is inside once it has come to rest
  }
  return enters.get(cube)!;
}

/** Where each cube of a take is at a moment: by its number "hand", "inside" or "out", and the place's own word. */
export function placesAt(record: Recorded, moment: Moment): Map<number, { where: Where; place: string | null }> {
  const { take, frame } = moment;
  const found = new Map<number, { where: Where; place: string | null }>();
  for (const cube of take.thrown) found.set(cube, { where: "hand", place: null });
  for (const [cube, { place }] of take.startOf) {
    found.set(cube, { where: record.isBoard && !place.startsWith(INSIDE) ? "out" : "inside", place });
  }
  for (const [at, word, cube, place] of take.events) {
    if (at > frame) break;
    const now = cube === null ? undefined : found.get(cube);
    if (!now || cube === null) continue;
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
      if (place === "hand") found.delete(cube);
      else found.set(cube, { where: place.startsWith(INSIDE) ? "inside" : "out", place });
    }
  }
  return found;
}

/** The cubes that are out at the end of a take. */
function outOf(take: Take): number[] {
  return take.rest.filter(([, place]) => !place.startsWith(INSIDE) && place !== "hand").map(([cube]) => cube);
}

/**
 * How many cubes of each colour are in the hand, inside, out, and aside (of no part in this drop): a row a colour, in
 * the header's order; together always all cubes.
 */
export function countsAt(record: Recorded, moment: Moment): Row[] {
  const rows = record.header.colours.map(({ name, letter }) => ({ name, letter, hand: 0, inside: 0, out: 0, aside: 0 }));
  const row = (cube: number) => rows[record.colourOf.get(cube)!];
  const now = placesAt(record, moment);
  for (const [cube, { where }] of now) row(cube)[where] += 1;
  const { take } = moment;
  const takes = record.takesOf(take.stepIndex);
  const cameOut = new Set(record.isBoard ? [] : takes.slice(0, takes.indexOf(take)).flatMap(outOf));
  const toCome = new Set(takes.slice(takes.indexOf(take) + 1).flatMap((other) => other.thrown));
  for (const [cube] of record.header.cubes) {
    if (now.has(cube)) continue;
    if (toCome.has(cube)) row(cube).hand += 1;
    else if (cameOut.has(cube)) row(cube).out += 1;
    else row(cube).aside += 1;
  }
  return rows;
}

/** The sum of one kind of count over all colours. */
export function summed(rows: Row[], where: Where): number {
  return sumOf(rows.map((row) => row[where]));
}

/**
 * What is drawn at a moment: a list of {cube, colour, pose, size}, `size` in parts of a cube's edge. Cubes that came out lie
 * where they came to rest until the players take them out before the next drop; `still` takes them out at once.
 */
export function sceneAt(record: Recorded, moment: Moment, still: boolean): Drawn[] {
  const { take, time } = moment;
  const next = record.takes[moment.index + 1];
  const stays = still || record.isBoard || !next || next.stepIndex === take.stepIndex;
  const away = stays ? 0 : smooth(CLEARING - (take.until - time), 0, CLEARING);
  return take.cubes.flatMap((cube) => {
    const pose = poseAt(moment, cube);
    if (!pose) return [];
    const part = take.restOf.has(cube) && !take.restOf.get(cube)!.place.startsWith(INSIDE) ? away : 0;
    const lifted = [pose[0], pose[1], pose[2] + 6 * record.header.edge * part, ...pose.slice(3)];
    return [{ cube, colour: record.colourOf.get(cube)!, pose: lifted, size: 1 - part }];
  });
}

/** The cubes that lie in each zone, in the order of the zones. */
export function lyingAt(record: Recorded, moment: Moment): number[][] {
  const cubes = [...placesAt(record, moment)];
  return record.header.apparatus.zones.map(({ name }) => cubes.flatMap(([cube, { where, place }]) => (where === "out" && place === `zone:${name}` ? [cube] : [])));
}

/** How strongly each zone is lit: 0 where no cube lies, 1 where one has just come to rest, less a second later. */
export function litAt(record: Recorded, moment: Moment): number[] {
  const { take, frame } = moment;
  const { zones } = record.header.apparatus;
  return lyingAt(record, moment).map((cubes, i) => {
    const last = take.events.findLast(([at, word, , place]) => word === "rest" && place === `zone:${zones[i].name}` && at <= frame);
    return cubes.length ? 0.55 + 0.45 * (last ? clamp(1 - (frame - last[0]) / record.rate, 0, 1) : 0) : 0;
  });
}
