// Ask the installed package: node clients_ask.mjs, in a project that has it, prints answers to a JSON list of requests.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const require = createRequire(resolve("project.cjs"));
const npm = require("tower-sim");
const towers = {
  amerigo: require("tower-sim/towers/amerigo").amerigo,
  "amerigo-club": require("tower-sim/towers/amerigo-club").amerigoClub,
  "amerigo-rulebook": require("tower-sim/towers/amerigo-rulebook").amerigoRulebook,
};
const { deadReckoning } = require("tower-sim/ships/dead-reckoning");
const { amerigo } = towers;
const places = { amerigo, deadReckoning };

const ANSWERS = {
  sampled: ({ tower, rules, seed, games }) => games.map((game) => npm.sampleGame(towers[tower], seed, game, rules)),
  commanded: ({ tower, rules, seed }) => npm.commandGame(towers[tower], seed, rules),
  dropped: ({ tower, state, thrown, generator }) => towers[tower].drop(state, thrown, generator),
  chances: ({ tower, state, options, draws, seed }) => npm.chances(towers[tower], state, options, draws, seed),
  rules: ({ given }) => npm.rulesOf(given),
  options: ({ given }) => npm.options(...given),
  phase: ({ emerged, rules }) => [
    npm.actionsAllowed(emerged, rules), npm.actionPoints(emerged), npm.goldForPassing(emerged, npm.rulesOf(rules).gold_divisor),
  ],
  words({ generator, count }) {
    const drawn = [];
    for (let i = 0; i < count; i++) {
      const one = npm.next(generator);
      drawn.push(one.word);
      generator = npm.load(npm.save(one.generator));
    }
    return { drawn, generator };
  },
  seeded: ({ seed, stream }) => npm.seeded(seed, stream),
  fork: ({ generator, number }) => npm.fork(generator, number),
  fourWords: ({ seed }) => npm.fourWords(seed),
  drops({ count }) {
    // The same game twice: in one go, and stopped after every drop, all of it through JSON; and with the words by hand.
    const whole = npm.playGame(amerigo, npm.seeded([5, 6, 7, 8], 2)).entries;
    let kept = { game: npm.newGame(), generator: npm.seeded([5, 6, 7, 8], 2) };
    let own = npm.seeded([5, 6, 7, 8], 2);
    const host = npm.fromWords(() => {
      const { word, generator } = npm.next(own);
      own = generator;
      return word;
    });
    const parts = [];
    while (!npm.isOver(kept.game)) {
      const before = JSON.stringify(kept);
      const { entry, ...after } = npm.playDrop(amerigo, kept.game, kept.generator);
      if (JSON.stringify(kept) !== before) throw new Error("playDrop changed what it was given");
      kept = JSON.parse(JSON.stringify(after));
      parts.push(entry);
    }
    return { whole, parts, hosted: npm.playGame(amerigo, host).entries };
  },
  battle: ({ setup, seed, stream }) => deadReckoning.battle(setup, npm.seeded(seed, stream)),
  result: ({ setup, cubes }) => deadReckoning.result(setup, cubes),
  odds: ({ setup, seed, count, first }) => deadReckoning.odds(setup, seed, count, first),
  board: ({ state, thrown, seed }) => deadReckoning.drop(state, thrown, npm.seeded(seed)),
  refused({ call, given }) {
    const [where, name] = call.includes(".") ? call.split(".") : [null, call];
    const asked = given.map((each) => (each?.js ? eval(each.js) : each));
    try {
      (where ? places[where] : npm)[name](...asked);
    } catch (error) {
      return [error.name, error.path, error.message];
    }
    return null;
  },
  garbage() {
    const found = [];
    for (const [call, [make, run]] of Object.entries(GOOD)) {
      for (const path of paths(make())) {
        for (const value of GARBAGE) {
          const given = make();
          path.slice(0, -1).reduce((inner, key) => inner[key], given)[path.at(-1)] = value;
          let outcome = "fine";
          try {
            run(...given);
          } catch (error) {
            const named = error instanceof RangeError && typeof error.path === "string" && error.message.startsWith(`${error.path} is `);
            outcome = named ? "RangeError" : `${error.name}: ${error.message}`;
          }
          found.push([call, path.join("."), outcome]);
        }
      }
    }
    return found;
  },
};

const GARBAGE = [
  undefined, null, true, false, 0, -0, -1, 1.5, NaN, Infinity, -Infinity, 2 ** 32, 2 ** 53, 1e300, 7n, "", "red", "7",
  Symbol("x"), [], [1], [[]], {}, { id: 1 }, () => 0.5, Math.random, new Map(), new Date(NaN), Object.create(null),
  "x".repeat(1000), new Array(5), new Proxy({}, {}), new Uint32Array(3), { __proto__: { id: 4 } },
];
const plain = () => npm.seeded([1, 2, 3, 4]);
const lying = (id, floor, since) => ({ id, colour: "blue", floor, since, inCrowd: false });
const tower = () => ({ drops: 9, cubes: [lying(4, 0, 2), lying(5, 1, 8)] });
const rules = () => ({ colours: ["blue", "red"], cubes: { blue: 7, red: 2 }, rounds: 2, rulings: { stand_in_tokens: "both" } });
const setup = () => ({ kind: "ship", sides: [{ cubes: 3, damage: 1 }, { cubes: 2, damage: 0 }] });
const counts = () => ({ blue: 2, red: 1 });
const GOOD = {
  drop: [() => [tower(), [{ id: 6, colour: "red" }], plain()], amerigo.drop],
  seeded: [() => [[1, 2, 3, 4], 5], npm.seeded],
  load: [() => [plain()], npm.load],
  fork: [() => [plain(), 3], npm.fork],
  fourWords: [() => ["7"], npm.fourWords],
  playDrop: [() => [{ index: 2, tower: tower() }, plain(), rules()], (...given) => npm.playDrop(amerigo, ...given)],
  options: [() => [counts(), rules(), "red", { extra: counts(), once: counts(), exchange: ["red", "blue"], gold: true }], npm.options],
  gold: [() => [counts(), 3], npm.goldForPassing],
  board: [() => [{ cubes: [{ id: 1, colour: "red", place: "table" }] }, [{ id: 2 }], plain()], deadReckoning.drop],
  battle: [() => [setup(), plain()], deadReckoning.battle],
  chances: [() => [tower(), [counts()], 3, "7"], (state, options, draws, seed) => npm.chances(amerigo, state, options, typeof draws === "number" && draws > 9 ? 9 : draws, seed)],
  result: [() => [setup(), [{ side: 0, place: "table" }]], deadReckoning.result],
  odds: [() => [setup(), 7, 2, 1], (given, seed, count, first) => deadReckoning.odds(given, seed, typeof count === "number" && count > 5 ? 5 : count, first)],
};

/** Yield the path of every argument and of everything in it. */
function* paths(value, path = []) {
  if (path.length) yield path;
  if (typeof value === "object" && value !== null) for (const key of Object.keys(value)) yield* paths(value[key], [...path, key]);
}

const requests = JSON.parse(readFileSync(0, "utf-8"));
console.log(JSON.stringify(requests.map((request) => ANSWERS[request.do](request))));
