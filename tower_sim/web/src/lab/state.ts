// What the page was given, and what is chosen on it.

import { dataOf } from "../common/browser";
import type { Paint } from "../common/faces";

export const GAMES = [2000, 20000, 100000];
export const KINDS: Record<string, string> = { ship: "another player's ship", merchant: "a merchant (the non-player)", building: "a fort or a garrison" };
export const BUILDINGS = [2, 5, 7]; // cubes of a garrison, a fort, both
export const TABS = ["rules", "whole", "fight"];

export type Side = "a" | "b";

/** What the worker computes with: fitted models by name. */
export interface Laws { towers: Record<string, any>; ships: Record<string, { law: any; zones: Record<string, any> }> }

/** An apparatus and how its model was made; `named` is what a rules file says for it. */
interface About { name: string; named: string; title: string; engine: string; runs: number; drops: number; close: string; document: any }
export interface Tower extends About {
  edge: number; // mm, as all that is drawn
  drawn: { bounds: number[]; picture: string; extent: number[]; tray: number[][]; hand: number[][]; floors: number[][][] };
}
export interface Ship extends About { zones: { name: string; words: string; corners: number[][]; printed: any }[]; bounds: number[] }

export interface Lab {
  program: string; game: { name: string; title: string }; rules: any; limits: { cubes: number; rounds: number; gold: number };
  house: { name: string; tower: string; rules: any } | null; battle: Record<string, string>; first: string; thresholds: number[];
  towers: Tower[]; ships: Ship[]; paints: Paint[]; sides: Paint[]; tower: Record<string, Tower>; ship: Record<string, Ship>;
}

/** House rules: `cubes` by colour, `phases` numbers of colours, `gold` and `token` cubes for one gold without and with the token. */
export interface Variant { name: string; tower: string; cubes: number[]; phases: number[]; rounds: number; gold: number; token: number }
export interface Fight { ship: string; kind: string; cubes: number[]; damage: number[] }
export interface State {
  tab: string; a: Variant; b: Variant | null; edit: Side; series: string; seed: string; games: number;
  whole: { side: Side; game: number; drop: number }; fight: Fight;
}

function openLab(data: any): Lab {
  for (const tower of data.towers) tower.document.table.thresholds ??= data.thresholds;
  const byName = (list: { name: string }[]) => Object.fromEntries(list.map((each) => [each.name, each]));
  return { ...data, tower: byName(data.towers), ship: byName(data.ships) };
}

/** A worker has no page: it is given the laws alone. */
export const IS_PAGE = typeof document !== "undefined";
export const lab: Lab = IS_PAGE ? openLab(dataOf("lab")) : (null as unknown as Lab);

/** The most that may be chosen. */
export const LIMITS = { ...lab?.limits, name: 60, game: 99999, force: 29 };

export function laws(): Laws {
  const towers = Object.fromEntries(lab.towers.map((tower) => [tower.name, tower.document]));
  const printed = (ship: Ship) => Object.fromEntries(ship.zones.map((zone) => [`zone:${zone.name}`, zone.printed]));
  const ships = Object.fromEntries(lab.ships.map((ship) => [ship.name, { law: ship.document.law, zones: printed(ship) }]));
  return { towers, ships };
}

export function usualVariant(name: string): Variant {
  return variantOf(name, lab.first, lab.rules);
}

function variantOf(name: string, tower: string, rules: any): Variant {
  const { phases, cubes, rounds, gold_divisor: gold, gold_divisor_with_token: token } = rules;
  const { colours } = lab.rules;
  const count = (colour: string) => (typeof cubes === "number" ? cubes : cubes[colour]);
  return { name, tower, cubes: colours.map(count), phases: phases.map((phase: string) => colours.indexOf(phase)), rounds, gold, token };
}

export function usualState(): State {
  const { house } = lab;
  const b = house && variantOf(house.name, house.tower, house.rules);
  return {
    tab: "rules", a: usualVariant("A"), b, edit: b ? "b" : "a", series: "actions", seed: "7", games: 20000,
    whole: { side: "a", game: 0, drop: 0 },
    fight: { ship: lab.ships[0]?.name ?? "", kind: "ship", cubes: [6, 4], damage: [0, 0] },
  };
}

/** What is chosen now; only `change` and `begin` change it. */
export let state: State;
export const listeners: ((keys: string[]) => void)[] = [];

export function begin(chosen: State): void {
  state = chosen;
}

export function change(part: Partial<State>): void {
  steps.keep(part);
  apply(part);
}

function apply(part: Partial<State>): void {
  Object.assign(state, part);
  for (const listener of listeners) listener(Object.keys(part));
}

/** What was chosen before, to go back to. Where the page looks (tab, figure, drop) is no step of its own. */
export const steps = (() => {
  const CHOSEN = ["a", "b", "seed", "games", "fight"] as const;
  const WITH = [...CHOSEN, "tab", "edit", "whole"] as const; // what goes back with it
  const MOMENT = 800; // ms: the same thing changed again so soon, as by a slider that is dragged, is the same step
  const MOST = 200;
  const [past, future]: Partial<State>[][] = [[], []];
  let last = { what: "", at: -MOMENT };

  /** Before a part is taken on: keep what is chosen now, if that changes. */
  function keep(part: Partial<State>): void {
    const what = CHOSEN.filter((key) => key in part).flatMap((key) => differing(key, state[key], part[key])).join(" ");
    if (!what) return;
    const isSame = what === last.what && performance.now() - last.at < MOMENT;
    last = { what, at: performance.now() };
    future.length = 0;
    if (!isSame) past.push(now());
    if (past.length > MOST) past.shift();
  }

  /** Return the paths of what differs in two values; lists are one thing. */
  function differing(path: string, x: any, y: any): string[] {
    const isTable = (value: unknown) => value !== null && typeof value === "object" && !Array.isArray(value);
    if (!isTable(x) || !isTable(y)) return JSON.stringify(x) === JSON.stringify(y) ? [] : [path];
    return [...new Set([...Object.keys(x), ...Object.keys(y)])].flatMap((key) => differing(`${path}.${key}`, x[key], y[key]));
  }

  function now(): Partial<State> {
    return structuredClone(Object.fromEntries(WITH.map((key) => [key, state[key]])));
  }

  function go(from: Partial<State>[], to: Partial<State>[]): void {
    const part = from.pop();
    if (!part) return;
    to.push(now());
    last = { what: "", at: -MOMENT };
    apply(part);
  }

  return {
    keep,
    undo: () => go(past, future),
    redo: () => go(future, past),
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
  };
})();

export function changeVariant(part: Partial<Variant>): void {
  change({ [state.edit]: { ...state[state.edit]!, ...part } });
}

/** What names its variants: what is chosen, or was played. */
export type Named = Pick<State, "a" | "b">;

/** Return the name that a variant goes by in sentences and files. */
export function nameOf(side: Side, of: Named = state): string {
  return of[side]!.name.trim() || side.toUpperCase();
}

/** A variant as a legend names it: "A", or "A: Published" where it has a name. */
export function labelOf(side: Side, of: Named = state): string {
  const letter = side.toUpperCase();
  return nameOf(side, of) === letter ? letter : `${letter}: ${nameOf(side, of)}`;
}
