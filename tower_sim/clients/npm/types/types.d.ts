/** A generator as plain data: keep it as JSON, send it, fork it. No function of this package changes it. */
export interface Generator {
  readonly kind: "xoshiro128**";
  /** Four whole numbers below 2^32, not all 0. */
  readonly state: readonly [number, number, number, number];
}

declare const checked: unique symbol;

/** The host's own words, made by `fromWords`, which checks each when it is drawn. */
export interface Words {
  (): number;
  readonly [checked]: true;
}

/** Where luck comes from. */
export type Luck = Generator | Words;

/** A seed: a whole number from 0 to 2^128 - 1, as a number, a bigint or its digits. */
export type Seed = number | bigint | string;

/** The RangeError that everything here throws for what it cannot work with. */
export interface PathError extends RangeError {
  /** The field that is wrong, such as `state.cubes[3].floor`; `a word drawn` where the host's function gave what is none. */
  readonly path: string;
}

/** A cube: its number, a whole number that no other cube has, and its colour. */
export interface Cube<C extends string = string> {
  readonly id: number;
  readonly colour: C;
}

/** A cube inside a tower. */
export interface LyingCube<C extends string = string> extends Cube<C> {
  /** The floor it lies on, from 0 at the top. */
  readonly floor: number;
  /** The number of the drop that threw it in, from 0. */
  readonly since: number;
  /** Whether it was thrown together with so many that they hinder one another. */
  readonly inCrowd: boolean;
}

/** What a tower is between drops, as plain data. */
export interface TowerState<C extends string = string> {
  /** Drops so far. */
  readonly drops: number;
  readonly cubes: readonly LyingCube<C>[];
}

/** Where a cube is after a drop; `floor` is -1 and `place` is "tray" when it came out. */
export interface TowerLanding<C extends string = string> extends Cube<C> {
  readonly floor: number;
  readonly place: string;
}

/** A cube tower. */
export interface Tower {
  readonly name: string;
  /** The digest of the tower's measures, and that of the fitted model. */
  readonly digest: string;
  readonly model: string;
  /** The floors' names, from top to bottom. */
  readonly floors: readonly string[];
  /** Cubes thrown together with so many or more are in a crowd. */
  readonly crowdFrom: number;
  /** Return the tower with no cube inside. */
  empty<C extends string = string>(): TowerState<C>;
  /**
   * Throw cubes into the tower. `emerged` came out, `landings` has every cube by number, `generator` is the one to go on with.
   * With no cube thrown nothing moves and nothing is drawn, and the cubes inside grow older by a drop.
   * @throws {PathError} for what no drop can begin with
   */
  drop<C extends string, L extends Luck>(
    state: TowerState<C>,
    thrown: readonly Cube<C>[],
    generator: L,
  ): {
    state: TowerState<C>;
    emerged: Cube<C>[];
    landings: TowerLanding<C>[];
    generator: L extends Words ? Words : Generator;
  };
  /**
   * Check what may be a state, such as a stored one.
   * @throws {PathError} for what is no state of this tower; its path begins with `path`, "state" when left out
   */
  check(state: unknown, path?: string): asserts state is TowerState;
  /** Say whether the simulated games that were fitted had drops of so many cubes onto so many inside. */
  covers(thrown: number, inside: number): boolean;
}

/** A cube on a ship's board; `place` is one of the ship's `places`. */
export interface BoardCube<C extends string = string> extends Cube<C> {
  readonly place: string;
}

/** What a board is between throws, as plain data. */
export interface BoardState<C extends string = string> {
  readonly cubes: readonly BoardCube<C>[];
}

/** A battle: side 0 attacks; side 1 is another player's ship, a merchant (the non-player), or a fort or garrison. */
export interface BattleSetup {
  readonly kind: "ship" | "merchant" | "building";
  readonly sides: readonly [BattleSide, BattleSide];
}

/** One side: its cubes, 0 to 29 (a merchant 0 to 20), and the damage that its ship has already, 0 to 4. */
export interface BattleSide {
  readonly cubes: number;
  readonly damage?: number;
}

/** What a battle comes to; sides by number. A tie is the attacker's. */
export interface BattleResult {
  winner: 0 | 1;
  /** The sides whose ship has sunk. */
  sunk: (0 | 1)[];
  sides: [BattleOutcome, BattleOutcome];
}

/** One side's part of a result; `choice` are coins or cargo, `damage` all that its ship then has. */
export interface BattleOutcome {
  strength: number;
  coins: number;
  cargo: number;
  choice: number;
  damage_given: number;
  damage_taken: number;
  damage: number;
}

/** One throw of a battle: which cubes, of how many each side was short, and where every cube then is, by number. */
export interface BattleStep {
  kind: "throw" | "rethrow" | "explosion";
  thrown: number[];
  short: number[];
  places: Record<string, string>;
}

/** Sums over battles: divide by `games`. */
export interface BattleOdds {
  games: number;
  wins: [number, number];
  sinks: [number, number];
  sides: [Sums, Sums];
  /** How many battles had so many explosions. */
  explosions: Record<string, number>;
  /** Throws, and those of them that the fitted data do not cover. */
  throws: number;
  beyond: number;
  /** By side, how many battles ended with so much strength. */
  strengths: [Record<string, number>, Record<string, number>];
  /** Cubes at the end, by place. */
  places: Record<string, number>;
}

/** Sums and sums of squares by the names of a side's outcome. */
export type Sums = Record<
  "strength" | "coins" | "cargo" | "choice" | "damage_given" | "damage_taken",
  { sum: number; squares: number }
>;

/** A combat ship and its board. */
export interface Ship {
  readonly name: string;
  readonly digest: string;
  readonly model: string;
  /** Where a cube can be: "zone:..." for each zone, "border", "table". */
  readonly places: readonly string[];
  /** What is printed on each zone, by place. */
  readonly printed: Readonly<Record<string, Readonly<Record<string, string | number>>>>;
  /** Return the board with no cube on it. */
  empty<C extends string = string>(): BoardState<C>;
  /**
   * Throw cubes through the ship; one that lay on the board is taken off it first. `landings` has first those that lay
   * there, then the thrown ones.
   * @throws {PathError} for what no throw can begin with
   */
  drop<C extends string, L extends Luck>(
    state: BoardState<C>,
    thrown: readonly Cube<C>[],
    generator: L,
  ): { state: BoardState<C>; landings: BoardCube<C>[]; generator: L extends Words ? Words : Generator };
  /**
   * Play a battle by the default rulings, without abilities. Cubes are numbered from 0, side by side.
   * @throws {PathError} for what no battle can begin with
   */
  battle<L extends Luck>(
    setup: BattleSetup,
    generator: L,
  ): { steps: BattleStep[]; result: BattleResult; generator: L extends Words ? Words : Generator };
  /** Say what a battle comes to whose cubes lie at these places, on a real board too. */
  result(setup: BattleSetup, cubes: readonly { readonly side: 0 | 1; readonly place: string }[]): BattleResult;
  /** Play battles number `first` (0 when left out) and following of a seed, and count. */
  odds(setup: BattleSetup, seed: Seed, count: number, first?: number): BattleOdds;
  /** Say whether the simulated battles that were fitted had throws of so many cubes onto so many. */
  covers(thrown: number, lying: number): boolean;
}

/** Rules of Amerigo; the keys are those of a rules file of tower_sim. */
export interface Rules {
  readonly name?: string;
  readonly colours?: readonly string[];
  /** Whose storage space is thrown, phase by phase; none means the order of `colours`. */
  readonly phases?: readonly string[];
  /** Cubes of each colour, or an object with a number for every colour. */
  readonly cubes?: number | Readonly<Record<string, number>>;
  readonly rounds?: number;
  readonly gold_divisor?: number;
  readonly gold_divisor_with_token?: number;
  /** The colour whose cubes stand in for another, "" for none. */
  readonly substitute?: string;
  readonly rulings?: Readonly<Record<string, string>>;
}

/** Rules with every key. */
export interface FullRules extends Required<Rules> {
  readonly cubes: Readonly<Record<string, number>>;
}

/** A game of Amerigo between drops, as plain data; `index` numbers the next drop, 0 is the set-up. */
export interface Game {
  readonly index: number;
  readonly tower: TowerState;
}

/** Cubes by colour. */
export type Counts = Record<string, number>;

/** One drop of a game and what it allows before any token; `inside` is counted after it. The set-up allows nothing. */
export interface Entry {
  index: number;
  /** From 1; 0 for the set-up. */
  round: number;
  /** The colour whose cubes are thrown, or "setup". */
  phase: string;
  /** Whether nothing came out. */
  skipped: boolean;
  thrown: Counts;
  emerged: Counts;
  inside: Counts;
  actions: string[];
  actionPoints: number;
  gold: number;
  goldWithToken: number;
}

/** A player's progress tokens that have to do with the cubes in the central area. */
export interface Tokens {
  /** More action points whenever that action is chosen. */
  readonly extra?: Readonly<Counts>;
  /** More action points, one time. */
  readonly once?: Readonly<Counts>;
  /** Two colours: when only one is there, the other's action may be chosen instead. */
  readonly exchange?: readonly string[];
  readonly gold?: boolean;
  readonly victoryPoints?: boolean;
}

/** What a player may do: one of `choices`, or pass for `gold`, or spend a token for `victoryPoints`. */
export interface Options {
  choices: { action: string; cubes: string; points: number; once: number }[];
  gold: number;
  victoryPoints: number;
}
