// Shapes that functions share. The types of the functions come from the code, those of documents from their JSON Schema.

import type { Rules } from "./documents.js";
export type { DropDocument, Rules } from "./documents.js";
export type { Entry } from "./rules.js";

/** A generator as plain data: keep it as JSON, send it, fork it. `state` has four whole numbers below 2^32, not all 0. */
export interface Generator { readonly kind: "xoshiro128**"; readonly state: readonly [number, number, number, number] }
declare const checked: unique symbol;
/** The host's own words, made by `fromWords`, which checks each when it is drawn. */
export interface Words { (): number; readonly [checked]: true }
export type Luck = Generator | Words;
/** What goes on after luck is of the same kind. */
export type After<L extends Luck> = L extends Words ? Words : Generator;
/** A seed: a whole number from 0 to 2^128 - 1, as a number, a bigint or its digits. */
export type Seed = number | bigint | string;
/** Every refusal: a RangeError with the field that is wrong, such as `state.cubes[3].floor`. */
export interface PathError extends RangeError { readonly path: string }
/** Numbers of cubes by colour. */
export type Counts = Record<string, number>;

/** A cube: its number, which no other cube has, and its colour. */
export interface Cube<C extends string = string> { readonly id: number; readonly colour: C }
/** A cube inside: its floor, from 0 at the top, the drop that threw it in, from 0, and whether many were thrown with it. */
export interface LyingCube<C extends string = string> extends Cube<C> { readonly floor: number; readonly since: number; readonly inCrowd: boolean }
/** What a tower is between drops, as plain data. */
export interface TowerState<C extends string = string> { readonly drops: number; readonly cubes: readonly LyingCube<C>[] }
/** Where a cube is after a drop; `floor` is -1 and `place` is "tray" when it came out. */
export interface TowerLanding<C extends string = string> extends Cube<C> { readonly floor: number; readonly place: string }
/** What a drop or a knock did: `emerged` came out, `landings` has every cube by number, `generator` is the one to go on with. */
export interface TowerOutcome<C extends string, L extends Luck> { state: TowerState<C>; emerged: Cube<C>[]; landings: TowerLanding<C>[]; generator: After<L> }
export type Tower = ReturnType<typeof import("./tower.js").towerOf>;
export type Chances = ReturnType<typeof import("./chances.js").chances>[number];

/** A cube on a ship's board; `place` is one of the ship's `places`. */
export interface BoardCube<C extends string = string> extends Cube<C> { readonly place: string }
export interface BoardState<C extends string = string> { readonly cubes: readonly BoardCube<C>[] }
/** One side of a battle: its cubes, 0 to 29 (a merchant 0 to 20), and the damage that its ship has already, 0 to 4. */
export interface BattleSide { readonly cubes: number; readonly damage?: number }
/** A battle: side 0 attacks; side 1 is another player's ship, a merchant (the non-player), or a fort or garrison. */
export interface BattleSetup { readonly kind: "ship" | "merchant" | "building"; readonly sides: readonly [BattleSide, BattleSide] }
export type Ship = ReturnType<typeof import("./ship.js").shipOf>;
export type BattleResult = ReturnType<Ship["result"]>;
export type BattleStep = ReturnType<Ship["battle"]>["steps"][number];
export type BattleOdds = ReturnType<Ship["odds"]>;

/** Rules with every key. */
export type FullRules = Required<Omit<Rules, "cubes">> & { readonly cubes: Readonly<Counts> };
/** A game of Amerigo between drops, as plain data; `index` numbers the next drop, 0 is the set-up. */
export interface Game { readonly index: number; readonly tower: TowerState }
/** A player's tokens: more points for a colour, always or one time; two colours to exchange; more gold; points for cubes. */
export interface Tokens { readonly extra?: Readonly<Counts>; readonly once?: Readonly<Counts>; readonly exchange?: readonly string[]; readonly gold?: boolean; readonly victoryPoints?: boolean }
export interface Options { choices: { action: string; cubes: string; points: number; once: number }[]; gold: number; victoryPoints: number }

/** A profile as data: one of tower-sim/physics/NAME. `digest` is that of its measures and settings, which states carry. Lengths in metres. */
export interface Profile { readonly schema: "tower-sim/physics"; readonly version: 2; readonly name: string; readonly digest: string; readonly cube: { readonly edge: number }; readonly [key: string]: unknown }
/** A cube to throw; `edge` (m) is the profile's where it is left out. */
export interface ThrownCube { readonly id: number; readonly colour: string; readonly edge?: number }
/** x y z (m) and a unit quaternion x y z w. */
export type Pose = readonly number[];
/** What a tower is between throws, as plain data that cannot be changed; `tokenOf` makes a line of text of it. */
export interface PhysicsState {
  readonly model: "physics"; readonly apparatus: string; readonly digest: string;
  /** Cubes inside: [id, colour, edge, region, since, ...pose]; `board` has those that lie on a board. */
  readonly residents: readonly (readonly (number | string)[])[]; readonly board: readonly (readonly (number | string)[])[];
  /** All that was done, and who touches whom: [id, other id or -1 - part, ...forces in nN]. */
  readonly log: readonly (readonly unknown[])[]; readonly touches: readonly (readonly number[])[];
}
export type Status = "settled" | "jammed" | "timed_out" | "escaped";
/** Where a cube is after a throw: `inside:REGION`, `tray`, `table`, `zone:NAME`, `border` or `lost`; on a board the zones that it touches and the cubes that it lies on. */
export interface PhysicsLanding { readonly cube: number; readonly colour: string; readonly place: string; readonly pose: Pose | null; readonly touches: readonly string[]; readonly on: readonly number[] }
/** What one throw, knock or placing did. Only `settled` and `jammed` are landings: after others the state is the one before. */
export interface PhysicsOutcome extends Readonly<Record<"thrown" | "lying" | "emerged" | "inside" | "knocked_out", readonly ThrownCube[]>> {
  readonly model: "physics"; readonly apparatus: string; readonly status: Status; readonly landings: readonly PhysicsLanding[];
  readonly failures: readonly Status[]; readonly extrapolated: boolean; readonly missed: number; readonly state: PhysicsState;
}
export type Rng = ReturnType<typeof import("./physics/pcg64.js").pcg64>;
/** A cube let go by hand (m, a unit quaternion, m/s, rad/s), and one after so many windows of 10 ms. */
export interface Launch { readonly cube: ThrownCube; readonly pose: Pose; readonly velocity: readonly number[]; readonly spin: readonly number[] }
export type TimedLaunch = Launch & { readonly windows: number };
/** What has happened since the last look: the cubes that are there, where each is after each window (windows x cubes x 7 numbers), those let go before and swept away after. */
export interface Advance { readonly numbers: readonly number[]; readonly frames: Float64Array | null; readonly windows: number; readonly let_go: readonly number[]; readonly swept: readonly number[]; readonly done: boolean }
export type Begun = { readonly state: PhysicsState } & (
  | { readonly kind: "drop"; readonly cubes: readonly ThrownCube[]; readonly rng: Rng } | { readonly kind: "knock"; readonly strength: number; readonly rng: Rng }
  | { readonly kind: "place"; readonly cube: ThrownCube; readonly zone: string; readonly rng: Rng } | { readonly kind: "hand"; readonly launches?: readonly TimedLaunch[] });
export type PhysicsModel = Awaited<ReturnType<typeof import("./physics/model.js").openPhysics>>;
export type Run = ReturnType<PhysicsModel["begin"]>;
/** What a command asks: counts by colour, a token or a state (none: empty), a knock's strength (g) before the throw. */
export interface DropAsked { readonly seed: Seed; readonly cubes?: Readonly<Counts>; readonly state?: string | PhysicsState | null; readonly knock?: number | null }
