// A link: #profile=NAME&state=TOKEN, and &seed=N&throw=blue:4,red:2 for a throw that is to happen when it is opened, or
// &game=amerigo:N for a game of that seed that is played along; see Along.text.

import { seedOf } from "../../../surrogate/seeds.js";
import { checkLength, sumOf } from "../common/text";

const MOST = 500; // cubes in a throw

export type Counts = [string, number][];
export interface Link { profile: string | null; state: string | null; seed: string | null; counts: Counts | null; game: string | null }

/** The part of a link after #: {profile, state, seed, counts, game}; seed and counts where a throw is to happen. */
export function writeLink({ profile, state, seed, counts, game }: Partial<Link>): string {
  const parts = [`profile=${encodeURIComponent(profile!)}`];
  if (state) parts.push(`state=${encodeURIComponent(state)}`);
  if (counts) parts.push(`seed=${seed}`, `throw=${countsText(counts.map(([colour, number]) => [encodeURIComponent(colour), number]))}`);
  if (game) parts.push(`game=${game}`);
  return `#${parts.join("&")}`;
}

/** What a link, its part after #, or a bare token says; null of none. Throws an Error whose message says what is wrong. */
export function readLink(text: string): Link | null {
  checkLength(text);
  const given = text.trim();
  if (/^TOWER\d+\./.test(given)) return { profile: null, state: given, seed: null, counts: null, game: null };
  const after = given.slice(given.indexOf("#") + 1);
  if (!given.includes("#") || !after) {
    if (given) throw new Error(`The link ${quote(given)} holds no tower; allowed is one with #profile=NAME&state=TOKEN; copy it again, whole.`);
    return null;
  }
  const parts = new Map<string, string>();
  for (const part of after.split("&")) {
    const at = part.indexOf("=");
    const [key, value] = at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
    if (!["profile", "state", "seed", "throw", "game"].includes(key) || parts.has(key)) {
      throw new Error(`The link says ${quote(key)}, which is not known or said twice; allowed are profile, state, seed, throw and game; copy it again, whole.`);
    }
    parts.set(key, key === "game" ? value : decode(value)); // a game's parts are decoded one by one
  }
  const counts = parts.has("throw") ? countsOf(parts.get("throw")!) : null;
  const seed = parts.has("seed") ? seedText(parts.get("seed")) : null;
  if (counts && parts.has("game")) throw new Error("The link has a throw and a game; allowed is one of them; copy it again, whole.");
  if ((seed === null) !== (counts === null)) throw new Error("The link has a throw without its seed, or a seed without a throw; allowed are both or none; copy it again, whole.");
  return { profile: parts.get("profile") ?? null, state: parts.get("state") || null, seed, counts, game: parts.get("game") || null };
}

export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`The link holds ${quote(text)}, which is damaged; copy it again, whole.`);
  }
}

/** "blue:4,red:2" of [["blue", 4], ["red", 2]]. */
export function countsText(counts: Counts): string {
  return counts.map(([colour, number]) => `${colour}:${number}`).join(",");
}

/** [["blue", 4], ["red", 2]] of "blue:4,red:2" or { blue: 4, red: 2 }; throws an Error for what cannot be thrown. */
export function countsOf(cubes: unknown): Counts {
  const isPlain = typeof cubes === "object" && cubes !== null && !Array.isArray(cubes);
  const text = isPlain ? countsText(Object.entries(cubes)) : String(cubes);
  const counts = text.split(",").map((part): [string, number] => {
    const [, colour = "", number = NaN] = /^\s*([^:,]+):([0-9]{1,3})\s*$/.exec(part) ?? [];
    return [colour, Number(number)];
  });
  const many = sumOf(counts.map(([, number]) => number));
  if (many >= 1 && many <= MOST) return counts;
  throw new Error(`Cubes ${quote(text)} cannot be thrown; allowed are colours with their numbers, such as blue:4,red:2, 1 to ${MOST} cubes in all.`);
}

/** Return the digits of a seed; throw an Error for what is none, such as a number that JavaScript has rounded. */
export function seedText(seed: unknown): string {
  const number = seedOf(seed);
  if (number === null) throw new Error(`The seed ${quote(seed)} is none; allowed is a whole number from 0 to 2^128 - 1${typeof seed === "number" ? ", above 2^53 - 1 as text" : ""}.`);
  return String(number);
}

/** A seed that a person can type again. */
export function anySeed(): string {
  const words = crypto.getRandomValues(new Uint32Array(2));
  return String((BigInt(words[0]) * 2n ** 32n + BigInt(words[1])) % 10n ** 12n);
}

/** A value as an error says it: short. */
export function quote(value: unknown): string {
  const text = String(value);
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 36)}...` : text);
}
