/**
 * Return the plugin, which moves and hooks then find as `tower`: `{ drop(thrown), inside(), drops() }`.
 *
 * `tower` is a tower of this package. `seed`, four words, or a function that gives them for each match, is for tests and
 * replays; when it is left out, every match begins from the system's randomness. `stream` is a whole number below 2^32.
 * @typedef {{ readonly tower: Tower, readonly seed?: readonly number[] | (() => readonly number[]), readonly stream?: number }} TowerOptions
 * @typedef {Omit<ReturnType<typeof apiOf>, "_private">} TowerAPI
 * @returns {import("boardgame.io").Plugin<TowerAPI>}
 */
export function towerPlugin({ tower, seed, stream }?: TowerOptions): import("boardgame.io").Plugin<TowerAPI>;
/**
 * Return the plugin, which moves and hooks then find as `tower`: `{ drop(thrown), inside(), drops() }`.
 *
 * `tower` is a tower of this package. `seed`, four words, or a function that gives them for each match, is for tests and
 * replays; when it is left out, every match begins from the system's randomness. `stream` is a whole number below 2^32.
 */
export type TowerOptions = {
    readonly tower: Tower;
    readonly seed?: readonly number[] | (() => readonly number[]);
    readonly stream?: number;
};
/**
 * Return the plugin, which moves and hooks then find as `tower`: `{ drop(thrown), inside(), drops() }`.
 *
 * `tower` is a tower of this package. `seed`, four words, or a function that gives them for each match, is for tests and
 * replays; when it is left out, every match begins from the system's randomness. `stream` is a whole number below 2^32.
 */
export type TowerAPI = Omit<ReturnType<typeof apiOf>, "_private">;
import type { Tower } from "../lib/types.js";
/**
 * Return what moves and hooks call. `begun` makes the generator at the first drop. A client has none: there a drop is an
 * imagined one into an empty tower, and `noClient` undoes the move, which then waits for the server.
 */
declare function apiOf(tower: any, data: any, isSetup: any, begun: any): {
    drop(thrown: readonly Cube[]): {
        emerged: Cube[];
        landings: TowerLanding[];
    };
    /** How many cubes of each colour lie inside; colours without any are left out. */
    inside: () => Record<string, number>;
    /** How many drops there were. */
    drops: () => number;
    _private: {
        isUsed: () => boolean;
        data: () => any;
    };
};
import type { Cube } from "../lib/types.js";
import type { TowerLanding } from "../lib/types.js";
export {};
