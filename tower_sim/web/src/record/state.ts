// What the page was given, and the night that it keeps: the log of all that was tapped. Each tap reads the log, adds itself and
// writes it, so that a reload, a dead battery or a second tab loses no tap.

import { dataOf, recall, remember } from "../common/browser";
import type { Paint } from "../common/faces";
import { capital, joinWords } from "../common/text";
import { type Check, type Constants, type Expected, type Reference, check, expectations } from "./law";
import { type Action, type Due, FREE, type Head, type Night, type Played, type Rules, after, csvOf, dueOf, follow, isHappening } from "./night";

interface Data {
  program: string; constants: Constants; paints: Paint[]; marks: string[]; towers: { name: string; edge: number; reference: Reference }[];
  game: { name: string; title: string; colours: string[]; cubes: number | Record<string, number>; phases: string[]; rounds: number };
}

export const data: Data = dataOf("record");
const { game } = data;
export const COUNTS = game.colours.map((colour) => (typeof game.cubes === "number" ? game.cubes : game.cubes[colour]));
const AMERIGO: Rules = { title: game.title, colours: game.colours, counts: COUNTS, phases: game.phases.map((colour) => game.colours.indexOf(colour)), rounds: game.rounds };
export const MINE = "mine";

export function rulesOf(head: Head): Rules | null {
  return head.game === FREE ? null : AMERIGO;
}

export function paintOf(colour: string): Paint {
  return data.paints.find(({ name }) => name === colour) ?? { name: colour, rgb: "#999999", ink: "#1a1a1a", letter: colour[0]?.toUpperCase() ?? "?", pattern: "plain" };
}

const KEY = "night";
const LONG = 2000; // actions of a log, from which the next night forgets how the last one was told
let text: string | null = null; // the log as it is kept
let log: Action[] = [];
export let night: Night | null = null;
/** Whether the browser keeps the night; without that a reload loses it. */
export let isKept = true;
let changed = () => {};

/** Call `show` whenever the night has changed, in this tab or in another. */
export function listen(show: () => void): void {
  changed = show;
  addEventListener("storage", (event) => {
    if (event.key !== `tower-sim:${KEY}` && event.key !== null) return;
    read();
    changed();
  });
  read();
}

/** Take what is kept, which another tab may have changed. */
function read(): void {
  const kept = recall(KEY);
  if (!isKept || kept === text) return;
  text = kept;
  try {
    log = kept ? JSON.parse(kept) : [];
    night = null;
    for (const action of log) night = after(night, action, rulesOf);
  } catch {
    [log, night] = [[], null]; // nothing that this page wrote
  }
}

function write(): void {
  text = JSON.stringify(log);
  isKept = remember(KEY, text);
  changed();
}

/** Do what was tapped. Throws an Error of one line for a night that cannot be opened; nothing has changed then. */
export function act(...action: Action): void {
  read();
  const next = after(night, action, rulesOf);
  const isNew = action[0] === "begin" || action[0] === "open"; // undo brings the night before back
  if (isNew && night && log.length > LONG) log = [["open", csv()]];
  log.push(action);
  night = next;
  write();
}

export function undo(): void {
  read();
  log.pop();
  night = null;
  for (const action of log) night = after(night, action, rulesOf);
  write();
}

export function canUndo(): boolean {
  return log.length > 1;
}

export function csv(): string {
  return csvOf(night!, rulesOf(night!.head));
}

export function played(): Played[] {
  return follow(night!, rulesOf(night!.head)).played;
}

export function due(): Due {
  return dueOf(night!, rulesOf(night!.head));
}

/** The model that the night is compared with: its tower's, or the first of the page. */
export function model(name = night!.head.tower): Data["towers"][0] {
  return data.towers.find((tower) => tower.name === name) ?? data.towers[0];
}

/** What the model expected of each throw; null where it does not know. */
export function expected(throws: Played[]): (Expected | null)[] {
  return once("expected", throws, () => expectations(throws, model().reference, data.constants));
}

export function runTest(throws: Played[], name: string): Check {
  return once(`tested ${name}`, throws, () => check(throws, model(name).reference, data.constants));
}

const known = new Map<string, { of: string; is: unknown }>();

function once<T>(what: string, throws: Played[], compute: () => T): T {
  const of = JSON.stringify([throws.map(({ thrown, out, marks, game }) => [thrown, out, marks, game]), night!.head.tower]);
  const found = known.get(what);
  if (found?.of === of) return found.is as T;
  const is = compute();
  known.set(what, { of, is });
  return is;
}

export function titleOf(each: Played, rules: Rules | null): string {
  return isHappening(each) ? capital(joinWords(each.marks) || "nothing thrown") : placeOf(each, rules);
}

export function placeOf({ number, phase }: { number: number; phase: number }, rules: Rules | null): string {
  if (!rules) return `Throw ${number + 1}`;
  if (!number) return "Set-up";
  const round = Math.ceil(phase / rules.phases.length);
  return `Round ${round} of ${rules.rounds}, ${rules.colours[rules.phases[(phase - 1) % rules.phases.length]]}`;
}
