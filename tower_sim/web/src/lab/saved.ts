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

/** Return the address's hash of a state, which `readLink` reads back. */
export function writeLink(from: State): string {
  const pairs: [string, unknown][] = [["lab", LINK_VERSION], ["tab", from.tab], ["series", from.series], ["seed", from.seed], ["games", from.games]];
  for (const side of ["a", "b"] as Side[]) {
    const variant = from[side];
    if (!variant) continue;
    pairs.push(
      [`${side}.name`, variant.name], [`${side}.tower`, variant.tower], [`${side}.cubes`, variant.cubes.join(".")],
      [`${side}.phases`, variant.phases.join(".")], [`${side}.rounds`, variant.rounds], [`${side}.gold`, variant.gold],
      [`${side}.token`, variant.token],
    );
  }
  const { whole, fight } = from;
  pairs.push(["whole", `${whole.side}.${whole.game}.${whole.drop}`]);
  if (fight.ship) pairs.push(["ship", fight.ship], ["fight", fight.kind], ["forces", fight.cubes.join(".")], ["damage", fight.damage.join(".")]);
  return `#${new URLSearchParams(pairs.map(([key, value]) => [key, String(value)]))}`;
}

/** Return the state that the hash of a link says; throws a RangeError of one line for anything that `writeLink` did not write. */
export function readLink(link: string): State {
  checkLength(link);
  const query = new URLSearchParams(link.slice(link.indexOf("#") + 1));
  if (query.get("lab") !== LINK_VERSION) throw refuse("lab", query.get("lab"), `${LINK_VERSION}, this page's version`);
  const found = { ...usualState(), b: null as State["b"], edit: "a" as Side };
  const take = (key: string, read: (word: string) => void) => query.has(key) && read(query.get(key)!);
  const chosen = (key: string, allowed: string[]) => (word: string) => {
    if (!allowed.includes(word)) throw refuse(key, word, `one of ${allowed.slice(0, 8).join(", ")}`);
    return word;
  };
  const number = (key: string, word: string, least: number, most: number) => {
    const value = /^\d{1,9}$/.test(word) ? Number(word) : NaN;
    if (!(value >= least && value <= most)) throw refuse(key, word, `a whole number from ${least} to ${most}`);
    return value;
  };
  const numbers = (key: string, word: string, count: number, least: number, most: number) => {
    const all = word.split(".").map((each) => number(key, each, least, most));
    if (all.length !== count) throw refuse(key, word, `${count} numbers with points between`);
    return all;
  };
  take("tab", (word) => (found.tab = chosen("tab", TABS)(word)));
  take("series", (word) => (found.series = chosen("series", series(lab.rules.colours).map(({ key }) => key))(word)));
  take("games", (word) => (found.games = Number(chosen("games", GAMES.map(String))(word))));
  take("seed", (word) => (found.seed = checkSeed(word)));
  for (const side of ["a", "b"] as Side[]) {
    if (![...query.keys()].some((key) => key.startsWith(`${side}.`))) continue;
    const variant = (found[side] ??= usualVariant("B"));
    const colours = lab.rules.colours.length;
    take(`${side}.name`, (word) => (variant.name = oneLine(word, LIMITS.name)));
    take(`${side}.tower`, (word) => (variant.tower = chosen(`${side}.tower`, Object.keys(lab.tower))(word)));
    take(`${side}.cubes`, (word) => (variant.cubes = numbers(`${side}.cubes`, word, colours, 0, LIMITS.cubes)));
    take(`${side}.phases`, (word) => (variant.phases = numbers(`${side}.phases`, word, colours, 0, colours - 1)));
    take(`${side}.rounds`, (word) => (variant.rounds = number(`${side}.rounds`, word, 1, LIMITS.rounds)));
    take(`${side}.gold`, (word) => (variant.gold = number(`${side}.gold`, word, 1, LIMITS.gold)));
    take(`${side}.token`, (word) => (variant.token = number(`${side}.token`, word, 1, LIMITS.gold)));
    if (!variant.cubes.some(Boolean)) throw refuse(`${side}.cubes`, variant.cubes.join("."), "one cube or more in all");
    if (new Set(variant.phases).size < colours) throw refuse(`${side}.phases`, variant.phases.join("."), "each colour once");
  }
  take("whole", (word) => {
    const [side, ...rest] = word.split(".");
    const [game, drop] = numbers("whole", rest.join("."), 2, 0, LIMITS.game);
    found.whole = { side: chosen("whole", found.b ? ["a", "b"] : ["a"])(side) as Side, game, drop };
    const last = 1 + found[found.whole.side]!.rounds * lab.rules.colours.length;
    found.whole.drop = Math.min(drop, last - 1);
  });
  take("ship", (word) => (found.fight.ship = chosen("ship", Object.keys(lab.ship))(word)));
  take("fight", (word) => (found.fight.kind = chosen("fight", Object.keys(KINDS))(word)));
  take("forces", (word) => (found.fight.cubes = numbers("forces", word, 2, 0, LIMITS.force)));
  take("damage", (word) => (found.fight.damage = numbers("damage", word, 2, 0, 4)));
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
