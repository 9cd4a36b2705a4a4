// Plain words: what a player will notice, and how sure that is, as `tower-sim compare` says it.

import { SENTENCES } from "made/lab.js";
import { capital, fill, joinWords, plural } from "../common/text";
import type { Tower, Variant } from "./state";
import { type Found, type Wish, verdictOf } from "./find";
import { CERTAIN, type Row } from "./statistics";

const WITH_MEANS = 4; // figures that are told with their means
const NAMED = 6; // other figures that change and are named

type Told = Row & { key: string; title: string; unit: string; sentence: string; minor: boolean };
type Rows = Told[];

const say = (key: string, values: Record<string, string | number>) => fill(SENTENCES[key], values);

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
function instead(row: Row): string {
  let [a, b] = [row.a.mean, row.b.mean].map(writeNumber);
  for (let decimals = 2; a === b && decimals < 7; decimals++) [a, b] = [row.a.mean, row.b.mean].map((mean) => mean.toFixed(decimals));
  return say("instead", { a, b });
}

/** Say in a table's cell how sure a difference is. */
export function degree(row: Row): string {
  if (row.isConstant && !row.difference.mean) return "the same";
  const named: Record<string, string> = { likely: "likely, but not sure", alike: "about the same", open: "open" };
  return named[row.verdict] ?? sure(row);
}

function sure(row: Row): string {
  return SENTENCES[row.adjusted <= CERTAIN ? "certain" : "very likely"];
}

/** Say how sure a difference is that is shown or likely and, where it is not shown, its ends. */
function sureness(row: Row): string {
  if (row.verdict === "shown") return sure(row);
  const [low, high] = [row.difference.low, row.difference.high].map(Math.abs).sort((x, y) => x - y).map(writeNumber);
  return say(row.difference.mean > 0 ? "more" : "less", { low, high });
}

/** Say what differs between A and B in a player's words, the surest first, as `Compared.words` of Python does: what leads, and the rest. */
export function differs(rows: Rows): string[] {
  const rank = (row: Told) => [row.shown ? Number(row.adjusted > CERTAIN) : 2, Number(!row.sentence), row.sentence ? 0 : -effect(row)];
  const seen = rows.filter(({ shown, verdict, sentence }) => shown || (verdict === "likely" && sentence));
  seen.sort((x, y) => rank(x).map((value, i) => value - rank(y)[i]).find(Boolean) ?? 0);
  const others = rows.filter((row) => !seen.includes(row));
  const open = others.filter(({ verdict, minor }) => verdict === "open" && !minor);
  const reach = open.length ? say("large", { titles: listed(open, " and ") }) : "";
  if (!seen.length) return [say("none", { number: rows.length, reach })];
  const told: [string, string[]][] = [];
  for (const row of seen.slice(0, WITH_MEANS)) {
    const how = sureness(row);
    if (told.at(-1)?.[0] === how) told.at(-1)![1].push(describe(row));
    else told.push([how, [describe(row)]]);
  }
  const first = told.map(([how, words], i) => `${i ? capital(words.join("; ")) : words.join("; ")}: ${how}.`).join(" ");
  const more = seen.slice(WITH_MEANS);
  const also = more.length ? say("also", { titles: listed(more, ", ") }) : "";
  const rest = others.length ? say("rest", { others: plural(others.length, "other figure"), reach }) : "";
  return [say("seen", { first, also: "", rest: "" }), also.trim(), rest.trim()].filter(Boolean);
}

function listed(rows: Rows, last: string): string {
  const more = rows.length > NAMED ? `${last}${rows.length - NAMED} more` : "";
  return rows.slice(0, NAMED).map(({ title }) => title).join(", ") + more;
}

function describe(row: Told): string {
  if (row.sentence) return row.sentence.replace("{}", instead(row));
  const by = `${writeNumber(Math.abs(row.difference.mean))} ${["1", ...row.title.split(" ")].includes(row.unit) ? "" : row.unit}`.trim();
  return say("figure", { title: row.title, by, more: row.difference.mean < 0 ? "less" : "more", instead: instead(row) });
}

/** Say what a game with these rules is like. */
export function alone(rows: Rows): string {
  const told = rows.filter(({ sentence }) => sentence).map(({ sentence, a }) => sentence.replace("{}", writeNumber(a.mean)));
  const none = rows.find(({ key }) => key === "skipped")!.a.mean;
  return `On average ${told.join("; ")}.${none < 0.05 ? "" : ` ${writeNumber(none)} phases of a game bring no cube out at all.`}`;
}

/** Say what a wish came to: what to change and what that reaches, what else changes, what stands in the way. */
export function wishWords(wish: Wish, found: Found, a: Variant, rows: Rows, colours: string[]): string[] {
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
