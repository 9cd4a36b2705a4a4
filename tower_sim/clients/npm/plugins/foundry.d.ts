import type { Tower } from "../lib/types.js";

/** Numbers of cubes by colour. */
export type Counts = Record<string, number>;

export interface Drop {
  readonly thrown: Counts;
  readonly emerged: Counts;
  readonly inside: Counts;
}

/** The one tower of a world. */
export interface WorldTower {
  /** Throw cubes in; drops wait for each other, and one that cannot be saved never was. */
  drop(thrown: Counts): Promise<Drop>;
  /** What lies inside now. */
  inside(): Counts;
  /** Take every cube out. */
  empty(): Promise<void>;
}

export interface WorldOptions {
  readonly tower: Tower;
  /** What `save` was given last, plain JSON; {} before that. */
  load(): object;
  save(kept: object): unknown;
  /** A number from 0 to below 1. */
  uniform(): number;
  /** Four whole numbers below 2^32: draw from this package's generator, kept with the tower, in the place of `uniform`. */
  readonly seed?: readonly number[];
}

export interface RegisterOptions {
  readonly tower: Tower;
  readonly CONFIG: any;
  readonly foundry: any;
  /** The settings of a world, `game.settings`. */
  readonly settings: any;
  /** The id of your module or system. */
  readonly module: string;
  /** The name of the setting that keeps the tower; "tower" when left out. */
  readonly key?: string;
  readonly seed?: readonly number[];
}

/** Set up the world's tower, the dice function `tower(4blue)` and the roll term; call it in the hook `init`. */
export declare function register(options: RegisterOptions): { world: WorldTower; TowerTerm: any };
export declare function worldTower(options: WorldOptions): WorldTower;
/** The counts that the words of a formula say; RangeError for anything else. */
export declare function thrownOf(words: readonly (string | number)[]): Counts;
export declare function termOf(RollTerm: any, world: WorldTower): any;
