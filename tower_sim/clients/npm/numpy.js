// The words that tower_sim's commands draw, those of numpy's generator: a bridge, so that the same seed is the same game.
// Two words of 32 bits from each of 64, the low one first.

import { fromWords } from "./generator.js";
import { pcg64 } from "./physics/pcg64.js";

const BLOCK = 256; // words that tower_sim draws at a time, and then takes from the last to the first

/** Return the words of numpy.random.default_rng(SeedSequence(seed, spawn_key=key)) in the order in which a drop takes them. */
export function numpyWords(seed, key) {
  const { next } = pcg64(seed, key);
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
