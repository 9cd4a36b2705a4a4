// Numbers that callers give. JavaScript rounds whole numbers above 2^53 and cuts others to 32 bits: those are refused here.

import { seedOf } from "../../../surrogate/seeds.js";
import { wrongly } from "./refuse.js";

const NAMES: Record<number, string> = { [2 ** 32 - 1]: "2^32 - 1", [Number.MAX_SAFE_INTEGER]: "2^53 - 1" };

/** Return a seed as a bigint; refuse what is none. */
export function readSeed(seed: unknown): bigint {
  const number = seedOf(seed);
  if (number === null) throw wrongly("seed", seed, "a whole number from 0 to 2^128 - 1, or its text");
  return number;
}

/** Refuse what is no whole number from `least` to `most`. */
export function checkWhole(path: string, value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): void {
  const isOne = Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
  if (!isOne) throw wrongly(path, value, `a whole number from ${least} to ${NAMES[most] ?? most}`);
}
