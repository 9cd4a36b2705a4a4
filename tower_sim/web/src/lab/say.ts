// Plain words: what a player will notice, and how sure that is, as `tower-sim compare` says it.

import { joinWords, plural } from "../common/text";
import type { Tower, Variant } from "./state";
import { type Found, type Wish, verdictOf } from "./find";
import { CERTAIN, type Row } from "./statistics";

const NAMED = 6; // other figures that change and are named

interface Figure { key: string; title: string }

export type Rows = Record<string, Row>;

/** Write a number as people say it: whole from 20, else with one decimal, below 1 with two figures. */
export function writeNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 20) return value.toFixed(0);
  return size >= 0.95 ? value.toFixed(1) : String(Number(value.toPrecision(2)));
}

/** Write a value with the decimals that half the width of its interval leaves. */
export function exact(value: number, half: number, sign = false): string {
  if (!value && !half) return "0";
  const decimals = half > 0 ? Math.max(0, Math.min(4, 1 - Math.floor(Math.log10(half))))  : 4;
  return `${sign && value >= 0 ? "+" : ""}${value.toFixed(decimals)}`;
}

export function percent(share: number): string {
  if (share === 0 || share === 1) return share ? "all" : "none";
  return share < 0.001 ? "under 0.1 %" : share > 0.999 ? "over 99.9 %" : `${(100 * share).toFixed(1)} %`;
}

/** Say both means with so many decimals that they differ, as they do. */
function instead(row: Row, unit = ""): string {
  let pair = [writeNumber(row.b.mean), writeNumber(row.a.mean)];
  for (let decimals = 2; pair[0] === pair[1] && decimals < 7; decimals++) {
    pair = [row.b.mean.toFixed(decimals), row.a.mean.toFixed(decimals)];
  }
  return `${pair[0]}${unit} instead of ${pair[1]}`;
}

/** Say in a table's cell how sure a difference is. */
export function degree(row: Row): string {
  if (row.isConstant && !row.difference.mean) return "the same";
  const named: Record<string, string> = { likely: "likely, but not sure", alike: "about the same", open: "open" };
  return named[row.verdict] ?? sure(row);
}

function sure(row: Row): string {
  return row.adjusted <= CERTAIN ? "certain" : "very likely";
}

/** Say how sure a difference is and, where it is not, how large it may be, in `unit`. */
function sureness(row: Row, unit = ""): string {
  if (row.verdict === "shown") return sure(row);
  if (row.isConstant) return "no game differs"; // a difference that all of so many games have is shown
  const { low, high } = row.difference;
  if (row.verdict === "alike") {
    return `no difference is shown, and it is most likely under ${writeNumber(Math.max(-low, high))} ${unit}`.trimEnd();
  }
  const fewer = unit ? "fewer" : "less";
  if (row.verdict === "open") return `no difference is shown, but it may be ${writeNumber(-low)} ${fewer} to ${writeNumber(high)} more`;
  const ends = low > 0 ? `${writeNumber(low)} to ${writeNumber(high)} more` : `${writeNumber(-high)} to ${writeNumber(-low)} ${fewer}`;
  return `likely, but not sure, and it may be ${ends}`;
}

/** Say of rows by key what differs between A and B in a player's words: sentences. */
export function differs(rows: Rows, choices: number[]): string[] {
  const { gold, gold_with_token: token } = rows;
  return [cubesDiffer(rows.inside), choiceDiffers(rows.actions, rows.action_points, choices), token.shown && !gold.shown ? goldDiffers(token, true) : goldDiffers(gold, false)];
}

function cubesDiffer(row: Row): string {
  const how = sureness(row, "cubes");
  if (row.verdict === "alike") return `In B about as many cubes stay in the tower as in A (${writeNumber(row.a.mean)}): ${how}.`;
  if (row.verdict === "open") return `Whether more or fewer cubes stay in the tower in B is open (${instead(row)}): ${how}.`;
  const fewer = row.difference.mean < 0 ? "fewer" : "more";
  return `B: about ${writeNumber(Math.abs(row.difference.mean))} ${fewer} cubes stay in the tower (${instead(row)}): ${how}.`;
}

/** Say how many actions there are to choose from in a phase, and with how many points; `choices` are shares of A and B. */
function choiceDiffers(actions: Row, points: Row, choices: number[]): string {
  const [a, b] = choices.map((value) => `${(100 * value).toFixed(0)} %`);
  const ofActions = actions.verdict === "alike"
    ? `There are about as many actions to choose from (${writeNumber(actions.a.mean)} in a phase; two or more in ${a} of the phases)`
    : `There are ${instead(actions, " actions to choose from in a phase")} (two or more in ${b} of the phases instead of ${a})`;
  const ofPoints = points.verdict === "alike" ? `with about as many action points (${writeNumber(points.a.mean)})` : `with ${instead(points, " action points")}`;
  const [first, second] = [actions, points].map((row) => (row.verdict === "alike" ? "no difference is shown" : sureness(row)));
  return first === second ? `${ofActions}, ${ofPoints}: ${first}.` : `${ofActions}: ${first}; ${ofPoints}: ${second}.`;
}

function goldDiffers(row: Row, isWithToken: boolean): string {
  const by = isWithToken ? " with the gold token" : "";
  if (row.verdict === "alike") return `Passing pays about as much gold${by} (${writeNumber(row.a.mean)}).`;
  return `Passing${by} pays ${instead(row, " gold")}: ${sureness(row)}.`;
}

/** Say what a game with these rules is like: sentences. */
export function alone(rows: Rows, choice: number, cubes: number): string[] {
  const { inside, actions, action_points: points, gold, skipped } = rows;
  const none = skipped.a.mean < 0.05 ? "" : ` ${writeNumber(skipped.a.mean)} phases of a game bring no cube out at all.`;
  return [
    `There are ${writeNumber(actions.a.mean)} actions to choose from in a phase, with ${writeNumber(points.a.mean)} action points; ` +
      `in ${(100 * choice).toFixed(0)} % of the phases there is a choice of two or more.`,
    `${writeNumber(inside.a.mean)} of ${plural(cubes, "cube")} stay in the tower on average, and passing pays ${writeNumber(gold.a.mean)} gold.${none}`,
  ];
}

/** Say what a wish came to: what to change and what that reaches, what else changes, what stands in the way. */
export function wishWords(wish: Wish, found: Found, a: Variant, rows: (Row & Figure)[], colours: string[]): string[] {
  const row = rows.find(({ key }) => key === wish.key)!;
  const verdict = verdictOf(wish, row.b);
  const { half } = row.b;
  const places = half > 0 ? Math.max(1, Math.min(4, -Math.floor(Math.log10(half)))) : 1;
  const [before, mean, low, high] = [row.a.mean, row.b.mean, row.b.low, row.b.high].map((value) => value.toFixed(places));
  const goal = wish.target !== null ? writeNumber(wish.target) : Number.isFinite(wish.low) ? `${writeNumber(wish.low)} or more` : `${writeNumber(wish.high)} or less`;
  const changes = joinWords(found.changed.map((key) => changeWords(key, a, found.variant, colours))) || "no change";
  const reached = `${row.title} ${mean} (${low} to ${high}${verdict === "met" ? "" : `, wished ${goal}`})${found.changed.length ? ` instead of ${before}` : ""}, in ${found.games.toLocaleString("en")} games played afresh`;
  const effects = rows.filter(({ key, shown }) => shown && key !== wish.key).sort((x, y) => effect(y) - effect(x));
  const named = effects.slice(0, NAMED).map((each) => `${each.title} ${instead(each)}`);
  if (effects.length > NAMED) named.push(`${plural(effects.length - NAMED, "other figure")}`);
  const first = verdict === "met"
    ? `The wish is met ${found.changed.length ? `by ${changes}` : "without a change"}: ${reached}.`
    : verdict === "open"
      ? `Whether ${changes} meets the wish is too close to tell: ${reached}.`
      : `The wish is not met; the nearest of ${found.tried} ways that were tried is ${changes}: ${reached}.`;
  const second = !found.changed.length ? "" : effects.length ? `It also changes ${joinWords(named)}: ${effects.every((each) => sure(each) === "certain") ? "certain" : "certain or very likely"}.` : "No other figure surely changes.";
  const third = verdict === "met" ? [] : [`What stands in its way: ${row.title} goes from ${writeNumber(found.least)} to ${writeNumber(found.most)} in the ways that were tried.`];
  return [first, second, ...third, beyondWords("these rules", found.beyond)].filter(Boolean);
}

function effect({ a, b, difference }: Row): number {
  return Math.abs(difference.mean) / (Math.sqrt((a.sd ** 2 + b.sd ** 2) / 2) || 1e-9);
}

function changeWords(key: string, a: Variant, b: Variant, colours: string[]): string {
  if (key !== "cubes") {
    const words: Record<string, string> = { rounds: "rounds", gold: "cubes for one gold", token: "cubes for one gold with the token" };
    return `${b[key as "rounds"]} ${words[key]} instead of ${a[key as "rounds"]}`;
  }
  const isEven = [a, b].every(({ cubes }) => cubes.every((count) => count === cubes[0]));
  if (isEven) return `${plural(b.cubes[0], "cube")} of every colour instead of ${a.cubes[0]}`;
  return `${joinWords(colours.map((colour, k) => `${b.cubes[k]} ${colour}`))} cubes`;
}

export interface Counted { phase: number; thrown: number; came: number[]; inside: number[] }

/** Say what happened in a drop of a game: of `phase` (-1: the set-up), `thrown` cubes; by colour, what `came` out and is `inside`. */
export function dropWords(variant: Pick<Variant, "phases" | "gold">, drop: number, { phase, thrown, came, inside }: Counted, colours: string[]): string[] {
  const names = came.map((count, k) => (count ? `${count} ${colours[k]}` : "")).filter(Boolean);
  const [out, left] = [came, inside].map((counts) => counts.reduce((sum, count) => sum + count, 0));
  const where = phase < 0 ? "The set-up" : `Round ${1 + Math.floor((drop - 1) / variant.phases.length)}, the ${colours[phase]} phase`;
  const outcome = out ? `${out} come${out === 1 ? "s" : ""} out (${joinWords(names)})` : "none comes out";
  const lines = [`${where}: ${plural(thrown, "cube")} ${thrown === 1 ? "is" : "are"} thrown, ${outcome}; ${left} stay${left === 1 ? "s" : ""} inside.`];
  if (phase >= 0 && !out) lines.push("No cube, no action: the phase is skipped.");
  if (phase < 0 || !out) return lines;
  const points = plural(Math.max(...came), "action point");
  return [...lines, `${plural(names.length, "action")} to choose from, with ${points}; or pass for ${Math.ceil(out / variant.gold)} gold.`];
}

export function howSure(row: Row, games: number, isPaired: boolean): string {
  const what = isPaired
    ? `${games.toLocaleString("en")} games of each, in pairs: A and B get the same luck, cube by cube, as far as they throw alike.`
    : `${games.toLocaleString("en")} games.`;
  if (isPaired && row.isConstant) return what;
  const { half } = isPaired ? row.difference : row.a;
  return `${what} ${isPaired ? "The difference in actions to choose from" : "The mean number of actions"} is right to about ±${exact(half, half)}, if the tower is as the model has it.`;
}

export function modelWords(tower: Tower): string {
  const model = `The tower ${tower.name} here is a model without physics: a law of chances, fitted to ${tower.drops.toLocaleString("en")} simulated drops of ${tower.runs.toLocaleString("en")} runs${tower.engine ? ` (engine ${tower.engine})` : ""}.`;
  const close = tower.close || "How close its games are to those of physics was not measured, or is not known here: tower-sim model check tells it.";
  return `${model} ${close}`;
}

/** Warn of drops unlike those that a model was fitted to; empty for hardly any. */
export function beyondWords(name: string, share: number): string {
  if (!(share > 0.0005)) return "";
  return `Careful: in ${percent(share)} of the drops of ${name} more or fewer cubes are thrown or inside than in the drops that the model was fitted to. There it is a guess; tower-sim play --model physics plays them too.`;
}
