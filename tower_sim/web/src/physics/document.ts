// What a command answers: a throw, after a knock if there is one, and its document, that of `tower-sim throw --json`; as
// tower_sim/requests/request.py, model.py and outcome.py.

import { pcg64 } from "./pcg64.js";
import { checkWhole, readSeed } from "./numbers.js";
import { prints, wrongly } from "./refuse.js";
import { cubesOf, nextId, readToken, tokenOf } from "./state.js";
import type { Counts, DropAsked, DropDocument, PhysicsModel, PhysicsOutcome, PhysicsState, Rng, Seed, Status, ThrownCube } from "./types.js";
import { pythonJson } from "./written.js";

const MOST_CUBES = 500;
const MAX_ATTEMPTS = 5;
const COLOURS = ["blue", "black", "red", "brown", "green", "yellow", "white", "purple"]; // that games have
const COUNTS = "counts by colour, such as { blue: 4 }";

/**
 * Return the document of a throw of `cubes`, counts by colour, in a model: what `tower-sim throw` answers to the same seed, a whole
 * number as text, bigint or number. `state` is a token or a state (none: empty), `knock` the strength (g) of a knock before it.
 */
export function dropDocument(model: PhysicsModel, { cubes = {}, seed, state = null, knock = null }: DropAsked): DropDocument {
  const number = readSeed(seed);
  const before = typeof state === "string" ? readToken(state) : state ?? model.empty();
  const counts = checkCounts(cubes, before);
  if (knock !== null && typeof knock !== "number") throw wrongly("knock", knock, "a number (peak acceleration in g)");
  if (!counts.length && knock === null) throw wrongly("cubes", {}, `${COUNTS}, or a knock`);
  const first = nextId(before);
  const each = counts.flatMap(([colour, count]) => Array.from({ length: count }, () => colour));
  const thrown = each.map((colour, i) => ({ id: first + i, colour }));
  const named = counts.map(([colour]) => colour);
  const there = new Set(cubesOf(before).inside.map(({ colour }) => colour));
  const others = [...there].filter((colour) => !named.includes(colour)).sort(byLetter);
  return documentOf(thrownAfter(model, before, thrown, knock, number), number, [...named, ...others]);
}

/** Return the outcome of a throw that is drawn from a seed until it is a landing, after a knock if its strength is not null. */
export function thrownAfter(model: PhysicsModel, state: PhysicsState, cubes: readonly ThrownCube[], knock: number | null, seed: Seed): PhysicsOutcome {
  if (knock === null) return untilLanded((rng) => model.drop(state, cubes, rng), seed, []);
  const knocked = untilLanded((rng) => model.knock(state, knock, rng), seed, [1]);
  if (!cubes.length) return knocked;
  const released = knocked.emerged;
  const outcome = untilLanded((rng) => model.drop(knocked.state, [...cubes, ...released], rng), seed, [0]);
  return { ...outcome, knocked_out: released };
}

/** Call `draw(rng)` until it is a landing, at most 5 times: attempt i draws from the seed's child of spawn key [...key, i]. */
export function untilLanded(draw: (rng: Rng) => PhysicsOutcome, seed: Seed, key: readonly number[] = []): PhysicsOutcome {
  const failures: Status[] = [];
  for (;;) {
    const outcome = { ...draw(pcg64(seed, [...key, failures.length])), failures: [...failures] };
    if (outcome.status === "settled" || outcome.status === "jammed") return outcome;
    failures.push(outcome.status);
    if (failures.length === MAX_ATTEMPTS) throw new Error(`${MAX_ATTEMPTS} draws in a row were no landing (${failures.join(", ")})`);
  }
}

/** Return the document of an outcome; `colours` fixes the order and the zeros of the counts. */
export function documentOf(outcome: PhysicsOutcome, seed: Seed, colours: readonly string[] = []): DropDocument {
  const others = new Set(outcome.landings.map(({ colour }) => colour).filter((colour) => !colours.includes(colour)));
  const every = [...colours, ...[...others].sort(byLetter)];
  const counts = (cubes: readonly ThrownCube[]) => Object.fromEntries(every.map((colour) => [colour, cubes.filter((cube) => cube.colour === colour).length]));
  return {
    schema: "tower-sim/outcome",
    version: 1,
    seed: String(readSeed(seed)),
    model: outcome.model,
    apparatus: outcome.apparatus,
    status: outcome.status as DropDocument["status"],
    attempts: 1 + outcome.failures.length,
    thrown: counts(outcome.thrown),
    emerged: counts(outcome.emerged),
    inside: counts(outcome.inside),
    knocked_out: counts(outcome.knocked_out),
    extrapolated: outcome.extrapolated,
    missed: outcome.missed,
    landings: outcome.landings.map(({ cube, colour, place }) => ({ cube, colour, place })),
    state: tokenOf(outcome.state),
  };
}

/** Return a document as the line that the command prints. */
export function documentText(document: DropDocument): string {
  return pythonJson(document);
}

function checkCounts(cubes: Readonly<Counts>, before: PhysicsState): [colour: string, count: number][] {
  if (typeof cubes !== "object" || cubes === null || Array.isArray(cubes)) throw wrongly("cubes", cubes, COUNTS);
  const counts = Object.entries(cubes);
  for (const [colour, count] of counts) {
    if (!prints(colour)) throw wrongly("cubes", colour, "a colour of characters that can be printed");
    checkSpelling(colour, before);
    checkWhole("cubes", count, 0, MOST_CUBES);
  }
  const number = counts.reduce((sum, [, count]) => sum + count, 0);
  if (number > MOST_CUBES) throw wrongly("cubes", number, `up to ${MOST_CUBES} at a time`);
  return counts;
}

/** Refuse a colour that is one slip away from one of the games or of the state. */
function checkSpelling(colour: string, before: PhysicsState): void {
  if (COLOURS.includes(colour)) return;
  const { inside, lying, past } = cubesOf(before);
  const known = [...new Set([...COLOURS, ...[...inside, ...lying, ...past].map((cube) => cube.colour)])];
  if (known.includes(colour)) return;
  const typed = colour.toLowerCase();
  const meant = /^\p{L}+$/u.test(typed) && known.sort(byLetter).find((each) => isOneSlip(typed, each));
  if (meant) throw wrongly("cubes", colour, `${meant}, or a colour less like it`);
}

/** Tell whether two words are one slip apart, or none: a letter more, less, another, two exchanged. */
function isOneSlip(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  let same = 0;
  while (same < short.length && short[same] === long[same]) same++;
  const [a, b] = [short.slice(same), long.slice(same)];
  const isSwapped = a.slice(0, 2) === [...b.slice(0, 2)].reverse().join("") && a.slice(2) === b.slice(2);
  return long.length > 2 && (a === b.slice(1) || (a.length === b.length && (a.slice(1) === b.slice(1) || isSwapped)));
}

/** Compare two texts as Python does, by their letters' numbers. */
function byLetter(one: string, other: string): number {
  const [a, b] = [[...one], [...other]];
  const i = a.findIndex((letter, k) => letter !== b[k]);
  if (i < 0) return a.length - b.length;
  return i < b.length ? a[i].codePointAt(0)! - b[i].codePointAt(0)! : 1;
}
