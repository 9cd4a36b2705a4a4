/** Return the generator of numpy.random.SeedSequence(seed, spawn_key=key): a seed of up to 128 bits, numbers below 2^32. */
export function pcg64(seed: import("../types.js").Seed, key?: readonly number[]): {
    /** The next number of 64 bits. */
    next: () => bigint;
    /** The next number from 0 up to 1: 53 bits. */
    random: () => number;
    /** Where it stands, as the log of a state has it. */
    text: () => string;
};
/** Return the generator that `text()` of another wrote down, null for other text. */
export function pcg64OfText(text: any): {
    /** The next number of 64 bits. */
    next: () => bigint;
    /** The next number from 0 up to 1: 53 bits. */
    random: () => number;
    /** Where it stands, as the log of a state has it. */
    text: () => string;
} | null;
