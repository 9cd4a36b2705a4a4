// What a page and its worker tell each other of a tower.

import type { Paint } from "../common/faces";
import type { Pose } from "../scene/algebra";
import type { Profile } from "../physics/index.js";
import type { Seen } from "../scene/solids";
import type { Counts } from "./link";

export type Cube = [id: number, colour: string];

export type Resting = [id: number, colour: string, place: string, pose: Pose];

export interface Lying { id: number; colour: string; pose: Pose }

/** One event of the past; `lies` says where the cubes on a board were after it. */
export interface Past { kind: string; thrown: Cube[]; emerged: number[]; strength: number; lies: [number, string][] }

/** What moves: a throw by a seed, a knock, a hand. */
export interface Move { kind: string; counts?: Counts; cubes?: { id: number; colour: string }[]; seed?: string; stream?: number[]; strength?: number }

/** A state: `next` is the number of the next cube, `tray` has what the last event brought out, `by` the move that made it here. */
export interface State { token: string; next: number; inside: Resting[]; board: Resting[]; tray: Lying[]; events: Past[]; by?: Move }

/** What a throw ended with; its `events` are those since it began. */
export interface Ended extends State { status: string; emerged: number[] }

/** Throws of one number of cubes in many games: mean numbers out and inside after, and where nine in ten of them lie. */
export interface Usual { out: number; outs: [number, number]; inside: number; insides: [number, number] }

/** How a tower does in many games by its fitted model: in the set-up, and in throws of play by their number of cubes. */
export interface LongRun { game: string; games: number; set_up: { thrown: number; out: number }; commonest: number; throws: Record<number, Usual> }

/** A tower of the page's document: what is drawn, what is computed, which cubes one takes. */
export interface Apparatus {
  name: string; title: string; edge: number; opening: number; hand: { height: number; spread: number; rate: number }; colours: string[];
  printed: Record<string, Record<string, any>>; profile: Profile; seen: Seen; long_run: LongRun | null;
}

export interface House { name: string; digest: string; rules: any }

export interface Contents { program: string; house?: House; towers: Apparatus[]; paints: Record<string, Paint> }
