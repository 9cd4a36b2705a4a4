// What the page says in words.

import { capital, joinWords, plural, sumOf } from "../common/text";
import type { Counts } from "./link";
import type { Cube, Past } from "./state";

/** "4 blue and 2 red cubes" of [["blue", 4], ["red", 2]]. */
export function countsWords(counts: Counts): string {
  const some = counts.filter(([, number]) => number);
  const many = sumOf(some.map(([, number]) => number));
  if (!many) return "no cube";
  if (some.length > 4) return plural(many, "cube");
  return `${joinWords(some.map(([colour, number]) => `${number} ${colour}`))} ${many === 1 ? "cube" : "cubes"}`;
}

/** Counts of cubes [[id, colour], ...] by colour. */
export function byColour(cubes: Cube[]): Counts {
  const found = new Map<string, number>();
  for (const [, colour] of cubes) found.set(colour, (found.get(colour) || 0) + 1);
  return [...found];
}

export function eventSentence({ kind, thrown, emerged, strength }: Past, isBoard: boolean): string {
  const out = emerged.length;
  const came = isBoard ? `${out} fell on the board` : out ? `${out} came out` : "none came out";
  if (kind === "knock") return `A knock of ${strength} g: ${came}.`;
  if (kind === "take") return `${plural(thrown.length, "cube")} taken off.`;
  const by = ({ hand: "thrown by your hand", place: "put on the board" } as Record<string, string>)[kind] || "thrown";
  return `${capital(countsWords(byColour(thrown)))} ${by}: ${came}.`;
}
