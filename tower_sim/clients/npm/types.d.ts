// Shapes that functions share. The types of the functions come from the code, those of documents from their JSON Schema.

import type { Rules } from "./documents.js";
import type { Counts } from "./physics/types.js";
export type { Rules } from "./documents.js";
export type * from "./physics/types.js";
export type { Entry } from "./rules.js";

/** A generator as plain data: keep it as JSON, send it, fork it. `state` has four whole numbers below 2^32, not all 0. */
export interface Generator { readonly kind: "xoshiro128**"; readonly state: readonly [number, number, number, number] }
declare const checked: unique symbol;
/** The host's own words, made by `fromWords`, which checks each when it is drawn. */
export interface Words { (): number; readonly [checked]: true }
export type Luck = Generator | Words;
/** What goes on after luck is of the same kind. */
export type After<L extends Luck> = L extends Words ? Words : Generator;
/** Every refusal: a RangeError with the field that is wrong, such as `state.cubes[3].floor`. */
export interface PathError extends RangeError { readonly path: string }

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
