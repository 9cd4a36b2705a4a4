// What leaves the page: its state in the address, variants as rules files, figures as CSV.

import { battle, seedOf } from "made/lab.js";
import { address } from "../common/browser";
import { checkLength, oneLine } from "../common/text";
import { series } from "./figures";
import { BUILDINGS, GAMES, IS_PAGE, KINDS, LIMITS, type Side, type State, TABS, type Variant, lab, usualState, usualVariant } from "./state";

const LINK_VERSION = "1";

/** The page as it came, before anything was built into it. */
const asItCame = IS_PAGE ? (document.documentElement.cloneNode(true) as HTMLElement) : null;

/** Return this page as a file that opens with what is chosen now. */
export function pageOf(from: State): string {
  asItCame!.querySelector<HTMLElement>("#app")!.dataset.chosen = writeLink(from);
  return `<!doctype html>\n${asItCame!.outerHTML}\n`;
}

/** Return a link of what is chosen. */
export function linkOf(from: State): string {
  return address() + writeLink(from);
}

type Check = (key: string, word: string) => unknown;

const oneOf = (allowed: string[]): Check => (key, word) => {
  if (!allowed.includes(word)) throw refuse(key, word, `one of ${allowed.slice(0, 8).join(", ")}`);
  return word;
};
const whole = (least: number, most: number): Check => (key, word) => {
  const value = /^\d{1,9}$/.test(word) ? Number(word) : NaN;
  if (!(value >= least && value <= most)) throw refuse(key, word, `a whole number from ${least} to ${most}`);
  return value;
};
const wholes = (count: number, least: number, most: number): Check => (key, word) => {
  const all = word.split(".").map((each) => whole(least, most)(key, each));
  if (all.length !== count) throw refuse(key, word, `${count} numbers with points between`);
  return all;
};

/** The parts of a link of a state: each by its key, the table and the name of its value, and what checks a word for it. */
function partsOf(of: State): [key: string, table: any, name: string, check: Check][] {
  const { fight } = of;
  const colours = lab.rules.colours.length;
  const parts: ReturnType<typeof partsOf> = [
    ["tab", of, "tab", oneOf(TABS)], ["series", of, "series", oneOf(series(lab.rules.colours).map(({ key }) => key))],
    ["seed", of, "seed", (_, word) => checkSeed(word)], ["games", of, "games", (key, word) => Number(oneOf(GAMES.map(String))(key, word))],
  ];
  for (const side of ["a", "b"] as Side[]) {
    const checks: Record<keyof Variant, Check> = {
      name: (_, word) => oneLine(word, LIMITS.name), tower: oneOf(Object.keys(lab.tower)), cubes: wholes(colours, 0, LIMITS.cubes),
      phases: wholes(colours, 0, colours - 1), rounds: whole(1, LIMITS.rounds), gold: whole(1, LIMITS.gold), token: whole(1, LIMITS.gold),
    };
    if (of[side]) for (const [name, check] of Object.entries(checks)) parts.push([`${side}.${name}`, of[side], name, check]);
  }
  if (fight.ship) parts.push(["ship", fight, "ship", oneOf(Object.keys(lab.ship))], ["fight", fight, "kind", oneOf(Object.keys(KINDS))], ["forces", fight, "cubes", wholes(2, 0, LIMITS.force)], ["damage", fight, "damage", wholes(2, 0, 4)]);
  return parts;
}

/** Return the address's hash of a state, which `readLink` reads back. */
export function writeLink(from: State): string {
  const pairs = partsOf(from).map(([key, table, name]) => [key, Array.isArray(table[name]) ? table[name].join(".") : String(table[name])]);
  const { side, game, drop } = from.whole;
  return `#${new URLSearchParams([["lab", LINK_VERSION], ...pairs, ["whole", `${side}.${game}.${drop}`]])}`;
}

/** Return the state that the hash of a link says; throws a RangeError of one line for anything that `writeLink` did not write. */
export function readLink(link: string): State {
  checkLength(link);
  const query = new URLSearchParams(link.slice(link.indexOf("#") + 1));
  if (query.get("lab") !== LINK_VERSION) throw refuse("lab", query.get("lab"), `${LINK_VERSION}, this page's version`);
  const isOfB = [...query.keys()].some((key) => key.startsWith("b."));
  const found: State = { ...usualState(), b: isOfB ? usualVariant("B") : null, edit: "a" };
  for (const [key, table, name, check] of partsOf(found)) if (query.has(key)) table[name] = check(key, query.get(key)!);
  for (const side of ["a", "b"] as Side[]) {
    const { cubes, phases } = found[side] ?? found.a;
    if (!cubes.some(Boolean)) throw refuse(`${side}.cubes`, cubes.join("."), "one cube or more in all");
    if (new Set(phases).size < phases.length) throw refuse(`${side}.phases`, phases.join("."), "each colour once");
  }
  if (query.has("whole")) {
    const [side, ...rest] = query.get("whole")!.split(".");
    const [game, drop] = wholes(2, 0, LIMITS.game)("whole", rest.join(".")) as number[];
    oneOf(found.b ? ["a", "b"] : ["a"])("whole", side);
    found.whole = { side: side as Side, game, drop: Math.min(drop, found[side as Side]!.rounds * lab.rules.colours.length) };
  }
  const { kind, cubes } = found.fight;
  if (kind === "building" && !BUILDINGS.includes(cubes[1])) throw refuse("forces", cubes.join("."), `${BUILDINGS.join(", ")} in a building`);
  if (!cubes.some(Boolean)) throw refuse("forces", cubes.join("."), "one cube or more in all");
  if (kind === "merchant" && cubes[1] > battle.NON_PLAYER) throw refuse("forces", cubes.join("."), `up to ${battle.NON_PLAYER} of the merchant`);
  return found;
}

/** Return a seed as it is written, a whole number below 2^128; throws a RangeError for anything else. */
export function checkSeed(word: string): string {
  const seed = seedOf(word.trim());
  if (seed === null) throw refuse("seed", word.trim(), "a whole number below 2^128");
  return String(seed);
}

function refuse(key: string, value: string | null, allowed: string): RangeError {
  const shownValue = value === null ? "missing" : `"${[...String(value)].slice(0, 40).join("")}"`;
  return new RangeError(`${key} is ${shownValue}; allowed is ${allowed}.`);
}

/** Return a variant as TOML, as `tower-sim compare` and `play --rules` read it. */
export function toml(variant: Variant): string {
  const { colours } = lab.rules;
  const text = safeText;
  const same = variant.cubes.every((count) => count === variant.cubes[0]);
  const tower = lab.tower[variant.tower];
  return [
    `# House rules from the tower lab: tower-sim compare THIS.toml, tower-sim play ${lab.game.name} --rules THIS.toml`,
    ...(tower.named === tower.name ? [] : ["# The tower is a file: put it, with its surrogate, beside this one."]),
    `name = ${text(variant.name.trim() || "house rules")}`,
    `apparatus = ${text(tower.named)}`,
    `colours = [${colours.map(text).join(", ")}]`,
    `phases = [${variant.phases.map((k) => text(colours[k])).join(", ")}]`,
    same ? `cubes = ${variant.cubes[0]}` : `cubes = { ${colours.map((colour: string, k: number) => `${text(colour)} = ${variant.cubes[k]}`).join(", ")} }`,
    `rounds = ${variant.rounds}`,
    `gold_divisor = ${variant.gold}`,
    `gold_divisor_with_token = ${variant.token}`,
    `substitute = ${text(lab.rules.substitute)}`,
    "",
  ].join("\n");
}

/** Return words as a basic string of TOML: all that is not plain is escaped by its number. */
function safeText(words: string): string {
  const escaped = (x: string) => `\\U${x.codePointAt(0)!.toString(16).padStart(8, "0")}`;
  return `"${[...words].map((x) => (/[ !#-[\]-~]/.test(x) ? x : escaped(x))).join("")}"`;
}

/** Return words that a file can be called by. */
export function fileName(words: string): string {
  return words.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 40) || "variant";
}
