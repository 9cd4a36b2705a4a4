/**
 * Throw each of `options`, counts by colour, `draws` times from `state`: the chances of each, with 95 % intervals.
 *
 * `out` is the mean number of cubes that come out, `by_number` the share of draws by that number, from 0 on, `shares` and `each`
 * say how likely it is that nothing, one colour alone, several, or a colour comes out. The same seed gives Python's document.
 */
export function chances(tower: Tower, state: TowerState, options: readonly Readonly<Counts>[], draws: number, seed: Seed): {
    thrown: {
        [x: string]: number;
    };
    draws: number;
    left_out: number;
    out: {
        value: number;
        low: number;
        high: number;
        confidence: number;
    };
    by_number: number[];
    shares: {
        nothing: {
            value: number;
            low: number;
            high: number;
            confidence: number;
        };
        "one colour": {
            value: number;
            low: number;
            high: number;
            confidence: number;
        };
        "more than one colour": {
            value: number;
            low: number;
            high: number;
            confidence: number;
        };
    };
    each: {
        [k: string]: {
            value: number;
            low: number;
            high: number;
            confidence: number;
        };
    };
}[];
import type { Tower } from "./types.js";
import type { TowerState } from "./types.js";
import type { Counts } from "./types.js";
import type { Seed } from "./types.js";
