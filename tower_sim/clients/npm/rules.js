// Amerigo as far as the tower decides it: what is thrown when, which actions that allows, action points, gold. The keys of
// rules are those of a rules file of tower_sim; docs/amerigo.md there says which line of the rulebook each rule is from.

/** @import { After, Counts, Cube, FullRules, Game, Luck, Options, Rules, Seed, Tokens, Tower } from "./types.js" */
import { aTower, checkCounts, fault, keys } from "./check.js";
import { total } from "./counts.js";
import { checkedSeed, seeded, fourWords } from "./generator.js";
import { numpyWords } from "./numpy.js";
import { PUBLISHED } from "./published.js";
import { WORD, list, object, oneOf, whole } from "./words.js";

export const LIMITS = { cubes: 500, drops: 10000, colours: 100, divisor: 1000 }; // of house rules

const RULINGS = { stand_in_tokens: ["carried_out", "chosen", "both"], stand_in_exchange: ["not_there", "there"] }; // defaults first

/** The published rules. A copy with other values is a house rule; a key left out keeps the published value. @type {FullRules} */
export const AMERIGO = /* @__PURE__ */ Object.freeze({
  ...PUBLISHED,
  rulings: /* @__PURE__ */ Object.freeze({ stand_in_tokens: "carried_out", stand_in_exchange: "not_there" }),
});

/** Return rules with every key, cubes as an object by colour; RangeError for what no game can have. @returns {FullRules} */
export function rulesOf(/** @type {Rules} */ given = {}) {
  object("rules", given, "an object with some of the keys of AMERIGO");
  keys("rules", given, Object.keys(AMERIGO));
  const rules = { ...AMERIGO, ...given };
  const { colours } = rules;
  if (given.colours !== undefined && given.phases === undefined) rules.phases = [];
  checkWords("rules.colours", colours);
  if (!colours.length || colours.length > LIMITS.colours || new Set(colours).size < colours.length || colours.includes("setup")) {
    throw fault("rules.colours", colours, `1 to ${LIMITS.colours} different words, none of them setup`);
  }
  checkWords("rules.phases", rules.phases);
  for (const [i, phase] of rules.phases.entries()) oneOf(`rules.phases[${i}]`, phase, colours);
  const phases = rules.phases.length ? [...rules.phases] : [...colours];
  const cubes = cubesOf(rules.cubes, colours);
  whole("rules.rounds", rules.rounds, 0, Math.floor((LIMITS.drops - 1) / phases.length));
  for (const key of ["gold_divisor", "gold_divisor_with_token"]) whole(`rules.${key}`, rules[key], 1, LIMITS.divisor);
  if (!["", ...colours].includes(rules.substitute)) {
    throw fault("rules.substitute", rules.substitute, `"" for none, or one of ${colours.join(", ")}`);
  }
  object("rules.rulings", rules.rulings, "an object of rulings by name");
  const rulings = { ...AMERIGO.rulings, ...rules.rulings };
  keys("rules.rulings", rulings, Object.keys(RULINGS));
  for (const [name, choice] of Object.entries(rulings)) oneOf(`rules.rulings.${name}`, choice, RULINGS[name]);
  return { ...rules, colours: [...colours], phases, cubes, rulings };
}

/** Return how many drops a game has: the set-up and every phase of every round. @returns {number} */
export function dropsOf(/** @type {Rules} */ rules = AMERIGO) {
  return dropsIn(rulesOf(rules));
}

/** Return the game before its set-up: { index, tower }. It is plain data; `index` numbers the next drop. @returns {Game} */
export function newGame() {
  return { index: 0, tower: { drops: 0, cubes: [] } };
}

/** Say whether the last phase of the last round is done. @returns {boolean} */
export function isOver(/** @type {Game} */ game, /** @type {Rules} */ rules = AMERIGO) {
  checkGame(game, Number.MAX_SAFE_INTEGER);
  return game.index >= dropsOf(rules);
}

/** Return the cubes that the next drop of a game throws; none when the storage space of its colour is empty. @returns {Cube[]} */
export function nextThrow(/** @type {Game} */ game, /** @type {Rules} */ rules = AMERIGO) {
  return thrownBy(game, rulesOf(rules));
}

/**
 * Do the next drop of a game in `tower`. What is given is not changed.
 * @template {Luck} L
 * @returns {{ game: Game, entry: Entry, generator: After<L> }}
 */
export function playDrop(/** @type {Tower} */ tower, /** @type {Game} */ game, /** @type {L} */ generator, /** @type {Rules} */ rules = AMERIGO) {
  const full = rulesOf(rules);
  aTower("tower", tower);
  checkGame(game, dropsIn(full) - 1);
  tower.check(game.tower, "game.tower");
  const thrown = thrownBy(game, full);
  // With nothing to throw there is no drop: no cube grows older, and no word is drawn.
  const idle = { state: game.tower, emerged: [], generator };
  const { state, emerged, generator: after } = thrown.length ? tower.drop(game.tower, thrown, generator) : idle;
  return { game: { index: game.index + 1, tower: state }, entry: entryOf(game.index, thrown, emerged, state, full), generator: after };
}

/**
 * Play a whole game in `tower`: an entry a drop, the set-up first.
 * @template {Luck} L
 * @returns {{ entries: Entry[], generator: After<L> }}
 */
export function playGame(/** @type {Tower} */ tower, /** @type {L} */ generator, /** @type {Rules} */ rules = AMERIGO) {
  return played(tower, rulesOf(rules), () => generator, (after) => (generator = after));
}

/** Play game number `game` of Python's sample_games(model, rules, games, seed): entries, the same cube by cube. @returns {Entry[]} */
export function sampleGame(/** @type {Tower} */ tower, /** @type {Seed} */ seed, game = 0, /** @type {Rules} */ rules = AMERIGO) {
  whole("game", game, 0, WORD - 1);
  return playGame(tower, seeded(fourWords(seed), game), rules).entries;
}

/** Play the game of `tower-sim play amerigo --model surrogate --seed SEED`: entries, the same cube by cube. @returns {Entry[]} */
export function commandGame(/** @type {Tower} */ tower, /** @type {Seed} */ seed, /** @type {Rules} */ rules = AMERIGO) {
  const number = checkedSeed(seed);
  return played(tower, rulesOf(rules), (index) => numpyWords(number, [index, 0, 0])).entries;
}

function played(tower, rules, generatorOf, keep = () => undefined) {
  const drops = dropsIn(rules);
  const entries = [];
  let game = newGame();
  let generator;
  while (game.index < drops) {
    const done = playDrop(tower, game, generatorOf(game.index), rules);
    ({ game, generator } = done);
    keep(generator);
    entries.push(done.entry);
  }
  return { entries, generator };
}

/** Return how many drops a game has; `rules` have every key. */
function dropsIn(rules) {
  return 1 + rules.rounds * rules.phases.length;
}

function checkGame(game, last) {
  object("game", game, "an object { index, tower }, as of newGame()");
  whole("game.index", game.index, 0, last, "the game is over after its last drop: begin one with newGame()");
}

function thrownBy(game, rules) {
  checkGame(game, dropsIn(rules) - 1);
  object("game.tower", game.tower, "the state of a tower");
  list("game.tower.cubes", game.tower.cubes, "cubes");
  const all = rules.colours.flatMap((colour) => Array.from({ length: rules.cubes[colour] }, () => colour));
  const inside = new Set();
  for (const [i, cube] of game.tower.cubes.entries()) {
    const path = `game.tower.cubes[${i}]`;
    object(path, cube, "a cube");
    whole(`${path}.id`, cube.id, 0, all.length - 1, "cubes of a game are numbered from 0 in the order of the colours");
    if (cube.colour !== all[cube.id]) throw fault(`${path}.colour`, cube.colour, `${all[cube.id]}, the colour of cube ${cube.id}`);
    inside.add(cube.id);
  }
  const phase = phaseOf(game.index, rules);
  return all
    .map((colour, id) => ({ id, colour }))
    .filter(({ id, colour }) => !inside.has(id) && (phase === "setup" || colour === phase));
}

function phaseOf(/** @type {number} */ index, /** @type {FullRules} */ rules) {
  return index ? rules.phases[(index - 1) % rules.phases.length] : "setup";
}

/** @typedef {ReturnType<typeof entryOf>} Entry */

/** What a drop did and what it allows before any token; `round` is from 1, 0 for the set-up. */
function entryOf(/** @type {number} */ index, thrown, emerged, state, /** @type {FullRules} */ rules) {
  const counted = (cubes) => {
    /** @type {Counts} */
    const counts = Object.fromEntries(rules.colours.map((colour) => [colour, 0]));
    for (const { colour } of cubes) counts[colour]++;
    return counts;
  };
  const out = counted(emerged);
  const isPhase = index > 0;
  return {
    index,
    round: Math.ceil(index / rules.phases.length),
    phase: phaseOf(index, rules),
    skipped: !emerged.length,
    thrown: counted(thrown),
    emerged: out,
    inside: counted(state.cubes),
    actions: isPhase ? actionsAllowed(out, rules) : [],
    actionPoints: isPhase ? actionPoints(out) : 0,
    gold: isPhase ? goldForPassing(out, rules.gold_divisor) : 0,
    goldWithToken: isPhase ? goldForPassing(out, rules.gold_divisor_with_token) : 0,
  };
}

/** Return the colours that emerged, in colour order: each allows its action. @returns {string[]} */
export function actionsAllowed(/** @type {Readonly<Counts>} */ emerged, /** @type {Rules} */ rules = AMERIGO) {
  const { colours } = rulesOf(rules);
  checkCounts("emerged", emerged, colours);
  return colours.filter((colour) => countOf(emerged, colour) > 0);
}

/** Return the action points: how many cubes the most numerous colour has, 0 when none emerged. @returns {number} */
export function actionPoints(/** @type {Readonly<Counts>} */ emerged) {
  checkCounts("emerged", emerged);
  return Math.max(0, ...Object.values(emerged));
}

/** Return the gold for passing: one for every `divisor` cubes in the central area, rounded up. @returns {number} */
export function goldForPassing(/** @type {Readonly<Counts>} */ emerged, /** @type {number} */ divisor = AMERIGO.gold_divisor) {
  checkCounts("emerged", emerged);
  whole("divisor", divisor, 1);
  return Math.ceil(total(emerged) / divisor);
}

/**
 * Say what a player may choose: one of `choices`, or pass for `gold`, or spend a token for `victoryPoints`.
 *
 * `marker` is the colour under the player's marker (null: not yet moved), for which the substitute's cubes stand in when
 * it is absent. `tokens` are { extra, once, exchange, gold, victoryPoints }, those left out not there. Where the rulebook
 * is silent, `rules.rulings` decide.
 * @returns {Options}
 */
export function options(/** @type {Readonly<Counts>} */ emerged, /** @type {Rules} */ rules = AMERIGO, /** @type {string | null} */ marker = null, /** @type {Tokens} */ tokens = {}) {
  const full = rulesOf(rules);
  const { colours, substitute, rulings } = full;
  const present = actionsAllowed(emerged, full);
  if (marker !== null) oneOf("marker", marker, colours);
  const { extra, once, exchange, gold, victoryPoints } = checkedTokens(tokens, colours);
  const cubesFor = new Map(present.map((colour) => [colour, colour]));
  const standsIn = marker !== null && !present.includes(marker) && present.includes(substitute);
  if (standsIn) cubesFor.set(marker, substitute);
  const takesIt = rulings.stand_in_exchange === "there";
  const there = exchange.filter((colour) => (takesIt ? cubesFor.has(colour) : present.includes(colour)));
  for (const action of there.length ? exchange : []) {
    if (!cubesFor.has(action)) cubesFor.set(action, cubesFor.get(there[0]));
  }
  const points = actionPoints(emerged);
  const choices = colours.filter((action) => cubesFor.has(action)).map((action) => {
    const both = { carried_out: [action], chosen: [substitute], both: [action, substitute] }[rulings.stand_in_tokens];
    const paying = standsIn && action === marker ? both : [action];
    const added = (counts) => paying.reduce((all, colour) => all + countOf(counts, colour), 0);
    return { action, cubes: cubesFor.get(action), points: points + added(extra), once: added(once) };
  });
  return {
    choices,
    gold: goldForPassing(emerged, gold ? full.gold_divisor_with_token : full.gold_divisor),
    victoryPoints: victoryPoints ? total(emerged) : 0,
  };
}

function checkedTokens(given, colours) {
  object("tokens", given, "an object { extra, once, exchange, gold, victoryPoints }");
  const tokens = { extra: {}, once: {}, exchange: [], gold: false, victoryPoints: false };
  keys("tokens", given, Object.keys(tokens));
  for (const [key, value] of Object.entries(given)) if (value !== undefined) tokens[key] = value;
  checkCounts("tokens.extra", tokens.extra, colours);
  checkCounts("tokens.once", tokens.once, colours);
  list("tokens.exchange", tokens.exchange, "colours");
  for (const [i, colour] of tokens.exchange.entries()) oneOf(`tokens.exchange[${i}]`, colour, colours);
  for (const key of ["gold", "victoryPoints"]) {
    if (typeof tokens[key] !== "boolean") throw fault(`tokens.${key}`, tokens[key], "true or false");
  }
  return tokens;
}

function cubesOf(cubes, colours) {
  if (typeof cubes === "number") {
    whole("rules.cubes", cubes, 1, Math.floor(LIMITS.cubes / colours.length));
    return Object.fromEntries(colours.map((colour) => [colour, cubes]));
  }
  object("rules.cubes", cubes, "a whole number from 1, or an object with a number for every colour");
  keys("rules.cubes", cubes, colours);
  for (const colour of colours) {
    whole(`rules.cubes.${colour}`, Object.hasOwn(cubes, colour) ? cubes[colour] : undefined, 0, LIMITS.cubes);
  }
  const all = total(cubes);
  if (all < 1 || all > LIMITS.cubes) throw fault("rules.cubes", cubes, `1 to ${LIMITS.cubes} cubes in all`);
  return Object.fromEntries(colours.map((colour) => [colour, cubes[colour]]));
}

function checkWords(path, words) {
  list(path, words, "words");
  for (const [i, word] of words.entries()) {
    if (typeof word !== "string" || !word) throw fault(`${path}[${i}]`, word, "a word");
  }
}

function countOf(counts, colour) {
  return Object.hasOwn(counts, colour) ? counts[colour] : 0;
}
