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
import type { PhysicsState } from "../types.js";
import type { PhysicsModel } from "../types.js";
