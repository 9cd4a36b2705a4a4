// Plain words: what a player will notice, and how sure that is, as `tower-sim compare` says it.

import { SENTENCES } from "made/lab.js";
import { fill, joinWords, plural } from "../common/text";
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

/** Return the sentence of SENTENCES about a row, as `say` of tower_sim/games/compared.py chooses and fills it. */
function say(about: string, row: Row, more: Record<string, string> = {}): string {
  let [a, b] = [row.a.mean, row.b.mean].map(writeNumber);
  for (let decimals = 2; a === b && decimals < 7; decimals++) [a, b] = [row.a.mean, row.b.mean].map((mean) => mean.toFixed(decimals));
  const by = writeNumber(Math.abs(row.difference.mean));
  return fill(SENTENCES[`${about}, ${row.verdict}`] ?? SENTENCES[about], { a, b, mean: writeNumber(row.a.mean), by, more: row.difference.mean < 0 ? "fewer" : "more", ...more });
}

/** Say in a table's cell how sure a difference is. */
export function degree(row: Row): string {
  if (row.isConstant && !row.difference.mean) return "the same";
  const named: Record<string, string> = { likely: "likely, but not sure", alike: "about the same", open: "open" };
  return named[row.verdict] ?? sure(row);
}

function sure(row: Row): string {
  return SENTENCES[row.adjusted <= CERTAIN ? "certain" : "likely"];
}

/** Say how sure a difference is and, where it is not, how large it may be, in `unit`. */
function sureness(row: Row, unit = ""): string {
  if (row.verdict === "shown") return sure(row);
  const { low, high } = row.difference;
  const which = row.isConstant ? "equal" : row.verdict !== "likely" ? row.verdict : low > 0 ? "more" : "fewer"; // a difference that all of so many games have is shown
  const [lowest, highest, most] = [Math.abs(low), Math.abs(high), Math.max(-low, high)].map(writeNumber);
  return fill(SENTENCES[`${which}, how sure`], { low: lowest, high: highest, most, run: "game", unit: unit && ` ${unit}`, fewer: unit ? "fewer" : "less" });
}

/** Say of rows by key what differs between A and B in a player's words: sentences. `choices`: shares of phases in A and B with two actions or more. */
export function differs(rows: Rows, choices: number[]): string[] {
  const { inside, actions, action_points: points, gold, gold_with_token: token } = rows;
  const [a, b] = choices.map((value) => `${(100 * value).toFixed(0)} %`);
  const [how, other] = [actions, points].map((row) => (row.verdict === "alike" ? "no difference is shown" : sureness(row)));
  const told = { actions: say("actions", actions, { choice_a: a, choice_b: b }), points: say("points", points), how, other };
  const isToken = token.shown && !gold.shown;
  const pays = isToken ? token : gold;
  return [
    say("inside", inside, { how: sureness(inside, "cubes") }),
    fill(SENTENCES[how === other ? "choice" : "choices"], told),
    say("gold", pays, { by_token: isToken ? " with the gold token" : "", how: sureness(pays) }),
  ];
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
  const named = effects.slice(0, NAMED).map((each) => `${each.title} ${say("instead", each, { unit: "" })}`);
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
