// The words that tower_sim's commands draw, those of numpy's generator: a bridge, so that the same seed is the same game.
// PCG64 (O'Neill, PCG: a family of simple fast space-efficient statistically good algorithms, 2014), its XSL-RR output, two
// words of 32 bits from each of 64, the low one first.

import { fromWords } from "./generator.js";
import { spawnedWords } from "./seeds.js";

const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;
const MASK = 2n ** 128n - 1n;
const LOW = 2n ** 64n - 1n;
const BLOCK = 256; // words that tower_sim draws at a time, and then takes from the last to the first

/** Return the words of numpy.random.default_rng(SeedSequence(seed, spawn_key=key)) in the order in which a drop takes them. */
export function numpyWords(seed, key) {
  const next = pcg64(seed, key);
  let block = [];
  return fromWords(() => {
    if (!block.length) {
      for (let i = 0; i < BLOCK; i += 2) {
        const both = next();
        block.push(Number(both & 0xffffffffn), Number(both >> 32n));
      }
    }
    return block.pop();
  });
}

/** Return where the generator begins, numbers of 128 bits: { state, step }. */
export function begun(seed, key) {
  const words = spawnedWords(seed, key, 8).map(BigInt);
  const long = (i) => (((words[i + 1] << 32n) | words[i]) << 64n) | (words[i + 3] << 32n) | words[i + 2];
  const step = (long(4) << 1n) & MASK | 1n;
  return { state: moved(step + long(0), step), step };
}

function moved(state, step) {
  return (state * MULTIPLIER + step) & MASK;
}

/** Return a function that gives the generator's next number of 64 bits. */
function pcg64(seed, key) {
  let { state, step } = begun(seed, key);
  return () => {
    state = moved(state, step);
    const mixed = ((state >> 64n) ^ state) & LOW;
    const turn = state >> 122n;
    return ((mixed >> turn) | (mixed << ((64n - turn) & 63n))) & LOW;
  };
}
