// The generator that drops draw from: numpy's PCG64 (O'Neill, PCG: a family of simple fast space-efficient statistically good
// algorithms, 2014), its XSL-RR output, as numpy.random.default_rng makes it of a seed.

import { spawnedWords } from "../../../surrogate/seeds.js";
import { checkWhole, readSeed } from "./numbers.js";
import type { Rng, Seed } from "./types.js";

const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;
const MASK_128 = 2n ** 128n - 1n;
const MASK_64 = 2n ** 64n - 1n;
const RNG_TEXT = /^([0-9a-f]{1,32}):([0-9a-f]{1,32}):([0-9a-f]{0,8})$/;

/** Return the generator of numpy.random.SeedSequence(seed, spawn_key=key): a seed of up to 128 bits, numbers below 2^32. */
export function pcg64(seed: Seed, key: readonly number[] = []): Rng {
  key.forEach((part, i) => checkWhole(`key[${i}]`, part, 0, 2 ** 32 - 1));
  const words = spawnedWords(readSeed(seed), key, 8).map(BigInt);
  const long = (i: number) => (((words[i + 1] << 32n) | words[i]) << 64n) | (words[i + 3] << 32n) | words[i + 2];
  const step = ((long(4) << 1n) & MASK_128) | 1n;
  return pcg64From(advance(step + long(0), step), step);
}

/** Return the generator that `text()` of another wrote down, null for other text. */
export function pcg64OfText(text: string): Rng | null {
  const [, state, step, buffered] = (typeof text === "string" && RNG_TEXT.exec(text)) || [];
  return state === undefined ? null : pcg64From(BigInt(`0x${state}`), BigInt(`0x${step}`), buffered);
}

function advance(state: bigint, step: bigint): bigint {
  return (state * MULTIPLIER + step) & MASK_128;
}

function pcg64From(state: bigint, step: bigint, buffered = ""): Rng {
  const next = () => {
    state = advance(state, step);
    const mixed = ((state >> 64n) ^ state) & MASK_64;
    const turn = state >> 122n;
    return ((mixed >> turn) | (mixed << ((64n - turn) & 63n))) & MASK_64;
  };
  return {
    next,
    random: () => Number(next() >> 11n) / 9007199254740992,
    text: () => `${state.toString(16)}:${step.toString(16)}:${buffered}`,
  };
}
