/** Return rules with every key, cubes as an object by colour; RangeError for what no game can have. @returns {FullRules} */
export function rulesOf(given?: Rules): FullRules;
/** Return how many drops a game has: the set-up and every phase of every round. @returns {number} */
export function dropsOf(rules?: Rules): number;
/** Return the game before its set-up: { index, tower }. It is plain data; `index` numbers the next drop. @returns {Game} */
export function newGame(): Game;
/** Say whether the last phase of the last round is done. @returns {boolean} */
export function isOver(game: Game, rules?: Rules): boolean;
/** Return the cubes that the next drop of a game throws; none when the storage space of its colour is empty. @returns {Cube[]} */
export function nextThrow(game: Game, rules?: Rules): Cube[];
/**
 * Do the next drop of a game in `tower`. What is given is not changed.
 * @template {Luck} L
 * @returns {{ game: Game, entry: Entry, generator: After<L> }}
 */
export function playDrop<L extends Luck>(tower: Tower, game: Game, generator: L, rules?: Rules): {
    game: Game;
    entry: Entry;
    generator: After<L>;
};
/**
 * Play a whole game in `tower`: an entry a drop, the set-up first.
 * @template {Luck} L
 * @returns {{ entries: Entry[], generator: After<L> }}
 */
export function playGame<L extends Luck>(tower: Tower, generator: L, rules?: Rules): {
    entries: Entry[];
    generator: After<L>;
};
/** Play game number `game` of Python's sample_games(model, rules, games, seed): entries, the same cube by cube. @returns {Entry[]} */
export function sampleGame(tower: Tower, seed: Seed, game?: number, rules?: Rules): Entry[];
/** Play the game of `tower-sim play amerigo --model surrogate --seed SEED`: entries, the same cube by cube. @returns {Entry[]} */
export function commandGame(tower: Tower, seed: Seed, rules?: Rules): Entry[];
/** Return the colours that emerged, in colour order: each allows its action. @returns {string[]} */
export function actionsAllowed(emerged: Readonly<Counts>, rules?: Rules): string[];
/** Return the action points: how many cubes the most numerous colour has, 0 when none emerged. @returns {number} */
export function actionPoints(emerged: Readonly<Counts>): number;
/** Return the gold for passing: one for every `divisor` cubes in the central area, rounded up. @returns {number} */
export function goldForPassing(emerged: Readonly<Counts>, divisor?: number): number;
/**
 * Say what a player may choose: one of `choices`, or pass for `gold`, or spend a token for `victoryPoints`.
 *
 * `marker` is the colour under the player's marker (null: not yet moved), for which the substitute's cubes stand in when
 * it is absent. `tokens` are { extra, once, exchange, gold, victoryPoints }, those left out not there. Where the rulebook
 * is silent, `rules.rulings` decide.
 * @returns {Options}
 */
export function options(emerged: Readonly<Counts>, rules?: Rules, marker?: string | null, tokens?: Tokens): Options;
export namespace LIMITS {
    let cubes: number;
    let drops: number;
    let colours: number;
    let divisor: number;
}
/** The published rules. A copy with other values is a house rule; a key left out keeps the published value. @type {FullRules} */
export const AMERIGO: FullRules;
export type Entry = ReturnType<typeof entryOf>;
import type { Rules } from "./types.js";
import type { FullRules } from "./types.js";
import type { Game } from "./types.js";
import type { Cube } from "./types.js";
import type { Luck } from "./types.js";
import type { Tower } from "./types.js";
import type { After } from "./types.js";
import type { Seed } from "./types.js";
import type { Counts } from "./types.js";
import type { Tokens } from "./types.js";
import type { Options } from "./types.js";
/** @typedef {ReturnType<typeof entryOf>} Entry */
/** What a drop did and what it allows before any token; `round` is from 1, 0 for the set-up. */
declare function entryOf(index: number, thrown: any, emerged: any, state: any, rules: FullRules): {
    index: number;
    round: number;
    phase: string;
    skipped: boolean;
    thrown: Counts;
    emerged: Counts;
    inside: Counts;
    actions: string[];
    actionPoints: number;
    gold: number;
    goldWithToken: number;
};
export {};
