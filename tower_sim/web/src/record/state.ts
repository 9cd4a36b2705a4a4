// What the page was given, and the night that it keeps: the log of all that was tapped. Each tap reads the log, adds itself and
// writes it, and is shown once it is written: a reload, a killed browser, a dead battery or a second tab loses nothing that is shown.

import { canvasOf, dataOf, recall, remember } from "../common/browser";
import type { Paint } from "../common/faces";
import { capital, joinWords, sumOf } from "../common/text";
import { type Check, type Constants, type Expected, type Reference, check, expectations } from "./law";
import { exchange, soon, whenClosed } from "./keep";
import { type Action, type Due, FREE, type Head, type Night, type Played, type Rules, after, csvOf, dueOf, follow, isHappening } from "./night";

interface Data {
  program: string; bets: string; constants: Constants; paints: Paint[]; marks: string[]; says: Record<string, string>; towers: { name: string; edge: number; reference: Reference }[];
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

/** The look of a colour. One that the page does not know has the colour that CSS calls so, or one from its letters. */
export function paintOf(colour: string): Paint {
  const own = data.paints.find(({ name }) => name === colour) ?? painted.get(colour);
  if (own) return own;
  const [, context] = canvasOf(1, 1);
  const sum = sumOf(Array.from(colour, (letter, i) => letter.codePointAt(0)! * (i + 1)));
  context.fillStyle = CSS.supports("color", colour) ? colour : `hsl(${(sum * 47) % 360} 45% 60%)`;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  const ink = 0.3 * red + 0.59 * green + 0.11 * blue > 128 ? "#1a1a1a" : "#ffffff";
  const letters = new Set([...data.paints, ...painted.values()].map(({ letter }) => letter));
  const letter = [...colour.toUpperCase(), ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"].find((sign) => /[\p{L}\p{N}]/u.test(sign) && !letters.has(sign)) ?? "?";
  const paint = { name: colour, rgb: `rgb(${red} ${green} ${blue})`, ink, letter, pattern: data.paints[sum % data.paints.length].pattern };
  painted.set(colour, paint);
  return paint;
}

const painted = new Map<string, Paint>();

const KEY = "night";
const LONG = 2000; // actions of a log, from which the next night forgets how the last one was told
interface Log { at: number; log: Action[] } // `at` grows with each write
let text: string | null = null; // the log as localStorage keeps it, which all tabs see at once
let [at, log]: [number, Action[]] = [0, []];
let isOnDisk = false;
let writing: Promise<void> = Promise.resolve();
export let night: Night | null = null;
/** Whether the browser keeps the night; without that a reload loses it. Whether it lost the night since, and the page wrote it again. */
export const keeping = { isKept: true, wasEmptied: false };
let changed = () => {};

/** Take the night that the browser keeps, and call `show` whenever it has changed, in this tab or in another. */
export async function start(show: () => void): Promise<void> {
  changed = show;
  addEventListener("storage", (event) => {
    if (event.key !== `tower-sim:${KEY}` && event.key !== null) return;
    read();
    changed();
  });
  read();
  const disk = exchange(null).then((kept) => {
    isOnDisk ||= Boolean(kept);
    if (kept) take(kept.text);
  });
  await soon(disk);
  disk.then(changed); // which may have been slow
  const look = () => {
    read();
    if (log.length) write();
  };
  whenClosed(look);
  document.addEventListener("visibilitychange", () => document.hidden || look());
}

/** Resolves when all that was told is kept and shown. */
export function settled(): Promise<void> {
  return writing;
}

/** Take what localStorage keeps, which another tab may have changed. */
function read(): void {
  const kept = recall(KEY);
  if (kept === text) return;
  text = kept;
  take(kept);
}

/** Take what is kept if it is later; what the browser lost is written again. */
function take(kept: string | null): void {
  const found = parse(kept);
  if (!found) {
    if (log.length) keeping.wasEmptied = true;
    return log.length ? write() : undefined;
  }
  const isOfOurs = !log.length || found.log.some((action) => JSON.stringify(action) === JSON.stringify(log[0]));
  if (isOfOurs && found.at <= at) return;
  log = isOfOurs ? found.log : [...found.log, ...log]; // after the browser lost our night, another tab began one: Undo comes to it
  at = Math.max(at, found.at);
  night = replay(log);
  if (!isOfOurs) write(++at);
}

function parse(kept: string | null): Log | null {
  try {
    const found = JSON.parse(kept ?? "null");
    const now = Array.isArray(found) ? { at: 1, log: found } : found;
    return replay(now.log) && now;
  } catch {
    return null; // nothing that this page wrote
  }
}

function replay(actions: Action[]): Night | null {
  return actions.reduce<Night | null>((now, action) => after(now, action, rulesOf), null);
}

/** Keep the log, and show it once it is kept. */
function write(mine = at): void {
  text = JSON.stringify({ at, log } satisfies Log);
  const isShared = remember(KEY, text);
  const disk = exchange({ at, text });
  if (!isShared) text = null;
  disk.then((before) => {
    if (!before || before.at <= mine) return;
    take(before.text); // a database that was slow when the page began, or another tab
    changed();
  });
  writing = soon(disk).then((before) => {
    if (isOnDisk && before === null) keeping.wasEmptied = true;
    isOnDisk ||= before !== undefined;
    keeping.isKept = isShared || before !== undefined;
    if (mine === at) changed();
  });
}

/** Do what was tapped. Throws an Error of one line for a night that cannot be opened; nothing has changed then. */
export function act(...action: Action): void {
  read();
  const next = after(night, action, rulesOf);
  const isNew = action[0] === "begin" || action[0] === "open"; // undo brings the night before back
  if (isNew) navigator.storage?.persist?.().catch(() => {}); // a browser may refuse
  if (isNew && night && log.length > LONG) log = [["open", csv()]];
  log.push(action);
  night = next;
  write(++at);
}

export function undo(): void {
  read();
  if (!canUndo()) return;
  log.pop();
  night = replay(log);
  write(++at);
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

export function today(): string {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** What a CSV is of that does not say it: the published game, if it has its colours, in the tower of the night before. */
export function usualHead(colours: string[], isGame: boolean): Head {
  const isPublished = isGame && [...colours].sort().join() === [...game.colours].sort().join();
  const { tower, edge } = night?.head ?? { tower: data.towers[0].name, edge: data.towers[0].edge };
  return { game: isPublished ? game.name : FREE, tower, edge, colours: isPublished ? game.colours : colours, counts: isPublished ? COUNTS : colours.map(() => 0), players: [], date: today() };
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
