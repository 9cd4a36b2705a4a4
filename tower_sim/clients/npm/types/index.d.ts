import type {
  Counts, Cube, Entry, FullRules, Game, Generator, Luck, Options, Rules, Seed, Tokens, Tower, Words,
} from "./lib/types.js";

export type * from "./lib/types.js";

/** Return the generator of four words, whole numbers below 2^32, and the number of a stream (0 when left out). */
export declare function seeded(seed: readonly number[] | Uint32Array, stream?: number): Generator;

/** Return the four words that tower_sim makes of a seed, those of numpy.random.SeedSequence. */
export declare function fourWords(seed: Seed): [number, number, number, number];

/** Return a generator from the system's own randomness. */
export declare function fromSystem(): Generator;

/** Return a generator as a line of text. */
export declare function save(generator: Generator): string;

/**
 * Return the generator of a line of text, or of what JSON.parse made of it.
 * @throws {PathError} for what is no generator
 */
export declare function load(text: unknown): Generator;

/** Return child `number` of a generator, which stays as it is: `seeded(generator.state, number)`. */
export declare function fork(generator: Generator, number: number): Generator;

/** Draw one word, a whole number from 0 to 2^32 - 1; `generator` is the one that comes after it. */
export declare function next<L extends Luck>(generator: L): { word: number; generator: L extends Words ? Words : Generator };

/**
 * Return words for `drop` from the host's own function, which gives a whole number from 0 to 2^32 - 1 each time. Each is
 * checked when it is drawn; another value, such as a fraction of Math.random, is a RangeError then.
 */
export declare function fromWords(draw: () => number): Words;

/** Make a tower from a document of `tower-sim surrogate export NAME --to json`. */
export declare function towerOf(document: object): Tower;

/** The published rules of Amerigo. */
export declare const AMERIGO: FullRules;

/**
 * Return rules with every key.
 * @throws {PathError} for what no game can have
 */
export declare function rulesOf(rules?: Rules): FullRules;

/** Return how many drops a game has: the set-up and every phase of every round. */
export declare function dropsOf(rules?: Rules): number;

/** Return the game before its set-up. */
export declare function newGame(): Game;

/** Say whether the last phase of the last round is done. */
export declare function isOver(game: Game, rules?: Rules): boolean;

/** Return the cubes that the next drop throws; none when the storage space of its colour is empty. */
export declare function nextThrow(game: Game, rules?: Rules): Cube[];

/** Do the next drop of a game. Nothing that is given is changed. */
export declare function playDrop<L extends Luck>(
  tower: Tower, game: Game, generator: L, rules?: Rules,
): { game: Game; entry: Entry; generator: L extends Words ? Words : Generator };

/** Play a whole game: an entry a drop, the set-up first. */
export declare function playGame<L extends Luck>(
  tower: Tower, generator: L, rules?: Rules,
): { entries: Entry[]; generator: L extends Words ? Words : Generator };

/** Play game number `game` (0 when left out) of Python's `sample_games(model, rules, games, seed)`. */
export declare function sampleGame(tower: Tower, seed: Seed, game?: number, rules?: Rules): Entry[];

/** Play the game of `tower-sim play amerigo --model surrogate --seed SEED`. */
export declare function commandGame(tower: Tower, seed: Seed, rules?: Rules): Entry[];

/** Return the colours that emerged, in colour order: each allows its action. */
export declare function actionsAllowed(emerged: Readonly<Counts>, rules?: Rules): string[];

/** Return the action points: how many cubes the most numerous colour has. */
export declare function actionPoints(emerged: Readonly<Counts>): number;

/** Return the gold for passing: one for every `divisor` cubes (3 when left out), rounded up. */
export declare function goldForPassing(emerged: Readonly<Counts>, divisor?: number): number;

/** Say what a player may choose whose marker stands on colour `marker` (null: not yet moved), with `tokens`. */
export declare function options(emerged: Readonly<Counts>, rules?: Rules, marker?: string | null, tokens?: Tokens): Options;
