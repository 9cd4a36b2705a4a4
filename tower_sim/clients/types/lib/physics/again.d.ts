import type { Begun, PhysicsEvent, PhysicsModel, PhysicsState } from "./types.js";
/** Return the state after cubes, by number, were taken off the board or out by hand. */
export declare function taken(state: PhysicsState, numbers: readonly number[]): PhysicsState;
/** Do again, from the empty tower, everything in the log of a state; the result equals the state. */
export declare function redone(model: PhysicsModel, state: PhysicsState): PhysicsState;
/** Do one event of a log again, in the state that was before it; returns the one after it. */
export declare function stepAgain(model: PhysicsModel, before: PhysicsState, event: PhysicsEvent): PhysicsState;
/** Return what `begin` of a model is asked for one event of a log, in the state that was before it; {kind: "take", numbers} of cubes that were taken. */
export declare function asked(state: PhysicsState, event: PhysicsEvent): Begun | {
    kind: "take";
    numbers: number[];
};
