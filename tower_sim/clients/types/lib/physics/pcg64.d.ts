import type { Rng, Seed } from "./types.js";
/** Return the generator of numpy.random.SeedSequence(seed, spawn_key=key): a seed of up to 128 bits, numbers below 2^32. */
export declare function pcg64(seed: Seed, key?: readonly number[]): Rng;
/** Return the generator that `text()` of another wrote down, null for other text. */
export declare function pcg64OfText(text: string): Rng | null;
