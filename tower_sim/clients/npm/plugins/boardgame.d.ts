import type { Plugin } from "boardgame.io";
import type { Cube, Tower, TowerLanding } from "../lib/types.js";

/** What moves and hooks find as `tower`. */
export interface TowerAPI {
  /**
   * Throw cubes in, among those that lie inside. Use it in moves with `client: false, undoable: false`, and keep `landings`,
   * which say on which floor a cube lies, from what players see.
   */
  drop(thrown: readonly Cube[]): { emerged: Cube[]; landings: TowerLanding[] };
  /** How many cubes of each colour lie inside; colours without any are left out. */
  inside(): Record<string, number>;
  /** How many drops there were. */
  drops(): number;
}

export interface TowerOptions {
  readonly tower: Tower;
  /** Four whole numbers below 2^32, or a function that gives them for each match; left out: the system's randomness. */
  readonly seed?: readonly number[] | (() => readonly number[]);
  readonly stream?: number;
}

/** The tower as a plugin of boardgame.io: `plugins: [towerPlugin({ tower })]`. */
export declare function towerPlugin(options: TowerOptions): Plugin<TowerAPI>;
