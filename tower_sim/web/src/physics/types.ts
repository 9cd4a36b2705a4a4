// The values that the physics takes and gives; the npm package shows their types.

import type { DropDocument } from "../../../clients/types/lib/documents.js";
export type { DropDocument };

/** A seed: a whole number from 0 to 2^128 - 1, as a number, a bigint or its digits. */
export type Seed = number | bigint | string;
/** Numbers of cubes by colour. */
export type Counts = Record<string, number>;
/** x y z (m) and a unit quaternion x y z w. */
export type Pose = readonly number[];

interface Solid { readonly part: string; readonly surface: string }
/** A profile as data: one of tower-sim/physics/NAME. `digest` is that of its measures and settings, which states carry. Lengths in metres. */
export interface Profile {
  readonly schema: "tower-sim/physics"; readonly version: 3; readonly name: string; readonly digest: string; readonly kind: string;
  readonly settings: { readonly window: number; readonly [key: string]: unknown }; readonly cube: { readonly edge: number };
  readonly surfaces: Readonly<Record<string, { readonly friction: number; readonly restitution: number }>>;
  readonly hand: Readonly<Record<"height" | "spread" | "speed" | "spin" | "rate" | "fall", number>>;
  readonly swept: boolean; readonly exit: { readonly x: number; readonly top: number } | null;
  readonly rim: number; readonly passed: number | null; readonly floor: number | null;
  readonly board: { readonly x: number; readonly y: number; readonly floor: number; readonly border_top: number } | null;
  readonly boxes: readonly (Solid & { readonly centre: readonly number[]; readonly half: readonly number[]; readonly turn: readonly number[] })[];
  readonly hulls: readonly (Solid & { readonly vertices: readonly (readonly number[])[]; readonly faces: readonly (readonly number[])[]; readonly least_cosines?: readonly number[] })[];
  readonly regions: readonly { readonly name: string; readonly above: number }[];
  readonly zones: readonly { readonly name: string; readonly corners: readonly (readonly number[])[]; readonly says: string }[];
  /** Tables of the compiled core; null is minus infinity. */
  readonly real: readonly (number | null)[]; readonly plan: readonly number[]; readonly rule: readonly number[];
}

/** A cube to throw; `edge` (m) is the profile's where it is left out. */
export interface ThrownCube { readonly id: number; readonly colour: string; readonly edge?: number }
/** A cube with its edge (m). */
export type EdgedCube = Required<ThrownCube>;
/** The same in a state. */
export type CubeRow = readonly [id: number, colour: string, edge: number];
/** A cube that lies in a region or, on a board, at a place, since a drop, numbered from 0. */
export type LyingRow = readonly [id: number, colour: string, edge: number, region: string, since: number, ...pose: number[]];
/** What was done: the numbers of the cubes that came out, and of a throw by hand the launches, [windows, pose, velocity, spin]. */
export type PhysicsEvent = readonly [
  kind: string, rng: string, thrown: readonly CubeRow[], emerged: readonly number[], strength: number, place: string, launches?: readonly (readonly number[])[],
];
/** What a tower is between throws, as plain data that cannot be changed; `tokenOf` makes a line of text of it. */
export interface PhysicsState {
  readonly model: "physics"; readonly apparatus: string; readonly digest: string;
  /** Cubes inside; `board` has those that lie on a board. */
  readonly residents: readonly LyingRow[]; readonly board: readonly LyingRow[];
  /** All that was done, and who touches whom: [id, other id or -1 - part, ...forces in nN]. */
  readonly log: readonly PhysicsEvent[]; readonly touches: readonly (readonly number[])[];
}
export type Status = "settled" | "jammed" | "timed_out" | "escaped";
/** Where a cube is after a throw: `inside:REGION`, `tray`, `table`, `zone:NAME`, `border` or `lost`; on a board the zones that it touches and the cubes that it lies on. */
export interface PhysicsLanding { readonly cube: number; readonly colour: string; readonly place: string; readonly pose: Pose | null; readonly touches: readonly string[]; readonly on: readonly number[] }
/** What one throw, knock or placing did. Only `settled` and `jammed` are landings: after others the state is the one before. */
export interface PhysicsOutcome extends Readonly<Record<"thrown" | "lying" | "emerged" | "inside" | "knocked_out", readonly ThrownCube[]>> {
  readonly model: "physics"; readonly apparatus: string; readonly status: Status; readonly landings: readonly PhysicsLanding[];
  readonly failures: readonly Status[]; readonly extrapolated: boolean; readonly missed: number; readonly state: PhysicsState;
}
export interface Rng {
  /** The next number of 64 bits. */
  readonly next: () => bigint;
  /** The next number from 0 up to 1: 53 bits. */
  readonly random: () => number;
  /** Where it stands, as the log of a state has it. */
  readonly text: () => string;
}
/** A cube let go by hand (m, a unit quaternion, m/s, rad/s), and one after so many windows of 10 ms. */
export interface Launch { readonly cube: ThrownCube; readonly pose: Pose; readonly velocity: readonly number[]; readonly spin: readonly number[] }
export type TimedLaunch = Launch & { readonly windows: number };
/** What has happened since the last look: the cubes that are there, where each is after each window (windows x cubes x 7 numbers), those let go before and swept away after. */
export interface Advance { readonly numbers: readonly number[]; readonly frames: Float64Array<ArrayBuffer> | null; readonly windows: number; readonly let_go: readonly number[]; readonly swept: readonly number[]; readonly done: boolean }
export type Begun = { readonly state: PhysicsState } & (
  | { readonly kind: "drop"; readonly cubes: readonly ThrownCube[]; readonly rng: Rng } | { readonly kind: "knock"; readonly strength: number; readonly rng: Rng }
  | { readonly kind: "place"; readonly cube: ThrownCube; readonly zone: string; readonly rng: Rng } | { readonly kind: "hand"; readonly launches?: readonly TimedLaunch[] });
/** What goes on window by window. */
export interface Run {
  /** Go on by up to `windows` windows; `frames` is null where `isFilmed` is false. */
  advance(windows?: number, isFilmed?: boolean): Advance;
  /** Let one more cube go now; of a throw by hand that is open. */
  launch(given: Launch): void;
  /** Say that no more cubes come; it goes on until all lie still. */
  close(): void;
  /** How many windows have passed. */
  passed(): number;
  /** Return what came of it, when it is done. */
  outcome(): PhysicsOutcome;
}
export interface PhysicsModel {
  readonly name: "physics";
  readonly profile: Profile;
  readonly empty: () => PhysicsState;
  readonly drop: (state: PhysicsState, cubes: readonly ThrownCube[], rng: Rng) => PhysicsOutcome;
  /** Knock on the table; `strength` is the peak acceleration in g. */
  readonly knock: (state: PhysicsState, strength: number, rng: Rng) => PhysicsOutcome;
  /** Put a cube down by hand on a zone of a board. */
  readonly place: (state: PhysicsState, cube: ThrownCube, zone: string, rng: Rng) => PhysicsOutcome;
  /** Let cubes go where, when and how fast somebody held them. */
  readonly throwByHand: (state: PhysicsState, launches: readonly TimedLaunch[]) => PhysicsOutcome;
  /** Begin one of these, to go on with it window by window. */
  readonly begin: (what: Begun) => Run;
  /** Tell whether a cube at a pose has come out. */
  readonly emerged: (pose: ArrayLike<number>) => boolean;
}
/** What a command asks: counts by colour, a token or a state (none: empty), a knock's strength (g) before the throw. */
export interface DropAsked { readonly seed: Seed; readonly cubes?: Readonly<Counts>; readonly state?: string | PhysicsState | null; readonly knock?: number | null }
