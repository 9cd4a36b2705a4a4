// What the page was given, and what is chosen on it.

const IS_PAGE = typeof document !== "undefined";
const LIMITS = { cubes: 30, rounds: 12, gold: 10, name: 60, game: 99999, force: 29 };
const GAMES = [2000, 20000, 100000];
const TABS = ["rules", "whole", "fight"];

/** Return the lab's document with every table whole: { towers, ships, rules, ... }, towers and ships by name too. */
function opened(data) {
  for (const tower of data.towers) tower.document.table.thresholds ??= data.thresholds;
  const byName = (list) => Object.fromEntries(list.map((each) => [each.name, each]));
  return { ...data, tower: byName(data.towers), ship: byName(data.ships) };
}

const lab = IS_PAGE ? opened(dataOf("lab")) : null;

/** Return what the worker needs of it. */
function laws() {
  const towers = Object.fromEntries(lab.towers.map((tower) => [tower.name, tower.document]));
  const ships = Object.fromEntries(lab.ships.map((ship) => [ship.name, { law: ship.document.law, zones: printed(ship) }]));
  return { towers, ships };
}

/** Return what is printed on each zone of a ship's board, by place. */
function printed(ship) {
  return Object.fromEntries(ship.zones.map((zone) => [`zone:${zone.name}`, zone.printed]));
}

/** Return the published game as a variant: `cubes` by colour, `phases` numbers of colours. */
function usualVariant(name) {
  const { colours, phases, cubes, rounds, gold_divisor: gold, gold_divisor_with_token: token } = lab.rules;
  const count = (colour) => (typeof cubes === "number" ? cubes : cubes[colour]);
  return {
    name, tower: lab.first, cubes: colours.map(count), phases: phases.map((phase) => colours.indexOf(phase)), rounds, gold,
    token,
  };
}

function usualState() {
  return {
    tab: "rules", a: usualVariant("A"), b: null, edit: "a", series: "actions", seed: "7", games: 20000,
    whole: { side: "a", game: 0, drop: 0 },
    fight: { ship: lab.ships[0]?.name ?? "", kind: "ship", cubes: [6, 4], damage: [0, 0] },
  };
}

/** What is chosen now; only `change` changes it. */
const state = IS_PAGE ? usualState() : null;
const listeners = [];

/** Take on part of a state and tell the page what; with `isWhole` the controls are built anew too. */
function change(part, isWhole = false) {
  steps.keep(part);
  taken(part, isWhole);
}

function taken(part, isWhole) {
  Object.assign(state, part);
  for (const listener of listeners) listener([...Object.keys(part), ...(isWhole ? ["all"] : [])]);
}

/** What was chosen before, to go back to. Where the page looks (tab, figure, drop) is no step of its own. */
const steps = (() => {
  const CHOSEN = ["a", "b", "seed", "games", "fight"];
  const WITH = [...CHOSEN, "tab", "edit", "whole"]; // what goes back with it
  const MOMENT = 800; // ms: the same thing changed again so soon, as by a slider that is dragged, is the same step
  const MOST = 200;
  const [past, future] = [[], []];
  let last = { what: "", at: -MOMENT };

  /** Before a part is taken on: keep what is chosen now, if that changes. */
  function keep(part) {
    const what = CHOSEN.filter((key) => key in part).flatMap((key) => differing(key, state[key], part[key])).join(" ");
    if (!what) return;
    const isSame = what === last.what && performance.now() - last.at < MOMENT;
    last = { what, at: performance.now() };
    future.length = 0;
    if (!isSame) past.push(now());
    if (past.length > MOST) past.shift();
  }

  /** Return the paths of what differs in two values; lists are one thing. */
  function differing(path, x, y) {
    const isTable = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
    if (!isTable(x) || !isTable(y)) return JSON.stringify(x) === JSON.stringify(y) ? [] : [path];
    return [...new Set([...Object.keys(x), ...Object.keys(y)])].flatMap((key) => differing(`${path}.${key}`, x[key], y[key]));
  }

  function now() {
    return copied(Object.fromEntries(WITH.map((key) => [key, state[key]])));
  }

  function go(from, to) {
    if (!from.length) return;
    to.push(now());
    last = { what: "", at: -MOMENT };
    taken(from.pop(), true);
  }

  return {
    keep,
    undo: () => go(past, future),
    redo: () => go(future, past),
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
  };
})();

/** Change the variant that is edited. */
function changeVariant(part, side = state.edit) {
  change({ [side]: { ...state[side], ...part } });
}

/** Return a copy that shares nothing. */
function copied(value) {
  return JSON.parse(JSON.stringify(value));
}

/** Return the name that a variant, of what is chosen or was played, goes by in sentences and files. */
function nameOf(side, of = state) {
  return of[side].name.trim() || side.toUpperCase();
}

/** A variant as a legend names it: "A", or "A: Published" where it has a name. */
function labelOf(side, of = state) {
  const letter = side.toUpperCase();
  return nameOf(side, of) === letter ? letter : `${letter}: ${nameOf(side, of)}`;
}
