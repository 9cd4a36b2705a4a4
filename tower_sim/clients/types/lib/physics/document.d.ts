import type { DropAsked, DropDocument, PhysicsModel, PhysicsOutcome, PhysicsState, Rng, Seed, ThrownCube } from "./types.js";
/**
 * Return the document of a throw of `cubes`, counts by colour, in a model: what `tower-sim throw` answers to the same seed, a whole
 * number as text, bigint or number. `state` is a token or a state (none: empty), `knock` the strength (g) of a knock before it.
 */
export declare function dropDocument(model: PhysicsModel, { cubes, seed, state, knock }: DropAsked): DropDocument;
/** Return the outcome of a throw that is drawn from a seed until it is a landing, after a knock if its strength is not null. */
export declare function thrownAfter(model: PhysicsModel, state: PhysicsState, cubes: readonly ThrownCube[], knock: number | null, seed: Seed): PhysicsOutcome;
/** Call `draw(rng)` until it is a landing, at most 5 times: attempt i draws from the seed's child of spawn key [...key, i]. */
export declare function untilLanded(draw: (rng: Rng) => PhysicsOutcome, seed: Seed, key?: readonly number[]): PhysicsOutcome;
/** Return the document of an outcome; `colours` fixes the order and the zeros of the counts. */
export declare function documentOf(outcome: PhysicsOutcome, seed: Seed, colours?: readonly string[]): DropDocument;
/** Return a document as the line that the command prints. */
export declare function documentText(document: DropDocument): string;
