/** Make a ship from an exported document and what is printed on its zones; the modules of `ships` do it. */
export function shipOf(MODEL: any, PRINTED: Readonly<Record<string, Readonly<Record<string, string | number>>>>): Readonly<{
    name: string;
    digest: string;
    model: string;
    /** Where a cube can be: "zone:..." for each zone, "border", "table". */
    places: readonly string[];
    /** What is printed on each zone, by place. */
    printed: Readonly<Record<string, Readonly<Record<string, string | number>>>>;
    /** Return the board with no cube on it. */
    empty: <C extends string = string>() => BoardState<C>;
    /** Throw cubes; one that lay on the board is taken off it first. `landings` has first those that lay there. */
    drop: <C extends string, L extends Luck>(state: BoardState<C>, thrown: readonly Cube<C>[], generator: L) => {
        state: BoardState<C>;
        landings: BoardCube<C>[];
        generator: After<L>;
    };
    /** Play a battle by the default rulings, without abilities. Cubes are numbered from 0, side by side. */
    battle: <L extends Luck>(setup: BattleSetup, generator: L) => {
        steps: {
            kind: "throw" | "rethrow" | "explosion";
            thrown: number[];
            short: number[];
            places: Record<string, string>;
        }[];
        result: {
            sides: readonly [{
                strength: number;
                coins: number;
                cargo: number;
                choice: number;
                damage_given: number;
                damage_taken: number;
                damage: number;
            }, {
                strength: number;
                coins: number;
                cargo: number;
                choice: number;
                damage_given: number;
                damage_taken: number;
                damage: number;
            }];
            winner: 0 | 1;
            sunk: (0 | 1)[];
        };
    } & {
        generator: After<L>;
    };
    /** Say what a battle comes to whose cubes lie at these places, on a real board too. A tie is the attacker's. */
    result: (setup: BattleSetup, cubes: readonly {
        readonly side: 0 | 1;
        readonly place: string;
    }[]) => {
        sides: readonly [{
            strength: number;
            coins: number;
            cargo: number;
            choice: number;
            damage_given: number;
            damage_taken: number;
            damage: number;
        }, {
            strength: number;
            coins: number;
            cargo: number;
            choice: number;
            damage_given: number;
            damage_taken: number;
            damage: number;
        }];
        winner: 0 | 1;
        sunk: (0 | 1)[];
    };
    /** Play battles number `first` and following of a seed, and add up: divide by `games`. */
    odds: (setup: BattleSetup, seed: Seed, count: number, first?: number) => ReturnType<(law: any) => {
        games: number;
        wins: [number, number];
        sinks: [number, number];
        sides: [Record<"choice" | "strength" | "coins" | "cargo" | "damage_given" | "damage_taken", {
            sum: number;
            squares: number;
        }>, Record<"choice" | "strength" | "coins" | "cargo" | "damage_given" | "damage_taken", {
            sum: number;
            squares: number;
        }>];
        explosions: Record<string, number>;
        throws: number;
        beyond: number;
        strengths: [Record<string, number>, Record<string, number>];
        places: {
            [k: string]: any;
        };
    }>;
    /** Say whether the data that were fitted hold throws of so many cubes onto so many on the board. */
    covers: (thrown: number, lying: number) => boolean;
}>;
import type { BoardState } from "./types.js";
import type { Luck } from "./types.js";
import type { Cube } from "./types.js";
import type { BoardCube } from "./types.js";
import type { After } from "./types.js";
import type { BattleSetup } from "./types.js";
import type { Seed } from "./types.js";
