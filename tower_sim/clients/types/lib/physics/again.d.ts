/**
 * Return the state after cubes, by number, were taken off the board or out by hand.
 * @returns {PhysicsState}
 */
export function taken(state: PhysicsState, numbers: readonly number[]): PhysicsState;
/**
 * Do again, from the empty tower, everything in the log of a state; the result equals the state.
 * @returns {PhysicsState}
 */
export function redone(model: PhysicsModel, state: PhysicsState): PhysicsState;
/** Do one event of a log again, in the state that was before it; returns the one after it. */
export function stepAgain(model: any, before: any, event: any): any;
/** Return what `begin` of a model is asked for one event of a log, in the state that was before it; {kind: "take", numbers} of cubes that were taken. */
export function asked(state: any, event: any): {
    kind: any;
    numbers: any;
    state?: undefined;
    launches?: undefined;
    strength?: undefined;
    rng?: undefined;
    cubes?: undefined;
    cube?: undefined;
    zone?: undefined;
} | {
    kind: any;
    state: any;
    launches: any;
    numbers?: undefined;
    strength?: undefined;
    rng?: undefined;
    cubes?: undefined;
    cube?: undefined;
    zone?: undefined;
} | {
    kind: any;
    state: any;
    strength: any;
    rng: {
        next: () => bigint;
        random: () => number;
        text: () => string;
    };
    numbers?: undefined;
    launches?: undefined;
    cubes?: undefined;
    cube?: undefined;
    zone?: undefined;
} | {
    kind: any;
    state: any;
    cubes: any;
    rng: {
        next: () => bigint;
        random: () => number;
        text: () => string;
    };
    numbers?: undefined;
    launches?: undefined;
    strength?: undefined;
    cube?: undefined;
    zone?: undefined;
} | {
    kind: any;
    state: any;
    cube: {
        id: any;
        colour: any;
        edge: any;
    };
    zone: any;
    rng: {
        next: () => bigint;
        random: () => number;
        text: () => string;
    };
    numbers?: undefined;
    launches?: undefined;
    strength?: undefined;
    cubes?: undefined;
};
import type { PhysicsState } from "../types.js";
import type { PhysicsModel } from "../types.js";
