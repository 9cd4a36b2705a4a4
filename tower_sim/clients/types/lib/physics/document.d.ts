/**
 * Return the document of a throw of `cubes`, counts by colour, in a model: what `tower-sim throw` answers to the same seed, a whole
 * number as text, bigint or number. `state` is a token or a state (none: empty), `knock` the strength (g) of a knock before it.
 * @returns {DropDocument}
 */
export function dropDocument(model: PhysicsModel, { cubes, seed, state, knock }: DropAsked): DropDocument;
/**
 * Return the outcome of a throw that is drawn from a seed until it is a landing, after a knock if its strength is not null.
 * @returns {PhysicsOutcome}
 */
export function thrownAfter(model: PhysicsModel, state: PhysicsState, cubes: readonly ThrownCube[], knock: number | null, seed: Seed): PhysicsOutcome;
/**
 * Call `draw(rng)` until it is a landing, at most 5 times: attempt i draws from the seed's child of spawn key [...key, i].
 * @returns {PhysicsOutcome}
 */
export function untilLanded(draw: (rng: Rng) => PhysicsOutcome, seed: Seed, key?: readonly number[]): PhysicsOutcome;
/**
 * Return the document of an outcome; `colours` fixes the order and the zeros of the counts.
 * @returns {DropDocument}
 */
export function documentOf(outcome: PhysicsOutcome, seed: Seed, colours?: readonly string[]): DropDocument;
/** Return a document as the line that the command prints. @returns {string} */
export function documentText(document: DropDocument): string;
import type { PhysicsModel } from "../types.js";
import type { DropAsked } from "../types.js";
import type { DropDocument } from "../types.js";
import type { PhysicsState } from "../types.js";
import type { ThrownCube } from "../types.js";
import type { Seed } from "../types.js";
import type { PhysicsOutcome } from "../types.js";
import type { Rng } from "../types.js";
