// Ask an exported sampler: node ask.mjs SAMPLER.mjs prints the answers to a JSON list of requests on standard input.
//   {"do": "vectors", "seed", "count"}           SHA-256 of so many conformance vectors, made here
//   {"do": "words", "seed", "stream", "count"}   the first words of a stream
//   {"do": "games", "rules", "seed", "count"}    games 0, 1, ...; no rules: the published
//   {"do": "drops", "state", "thrown", "seed", "count"}   how often each outcome; drop i draws from stream i
//   {"do": "one", "state", "thrown", "seed"}     the answer of `drop`, from stream 0
//   {"do": "refused", "call", "given"}           the message of the error when `call` is called with what is given;
//                                                there, {"js": "NaN"} stands for what that gives in JavaScript
//   {"do": "inside", "thrown", "word", "count"}  cubes inside after so many drops into an empty tower; `word` is JavaScript
//   {"do": "garbage"}                            what comes of every value of GARBAGE in every place of good arguments
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const sampler = await import(pathToFileURL(resolve(process.argv[2])).href);
const { drop, empty, words, game, MODEL } = sampler;
const MOST = [98, 9, 5, 3, 2]; // cubes inside, and thrown
const AGES = [10, 300];
const NOW = 1000; // drops before each vector's

function vector(number, seed) {
  const word = words(seed, number);
  let most = MOST[word() % MOST.length];
  let insideLeft = word() % (most + 1);
  most = MOST[word() % MOST.length];
  let thrownLeft = word() % (most + 1);
  const inside = [];
  const thrown = [];
  let cube = 0;
  while (insideLeft + thrownLeft > 0) {
    cube += 1 + (word() % 2);
    if (word() % (insideLeft + thrownLeft) < insideLeft) {
      insideLeft--;
      const floor = word() % MODEL.table.floors.length;
      const age = 1 + (word() % AGES[number % 2]);
      inside.unshift([cube, floor, age, word() % 2]);
    } else {
      thrownLeft--;
      thrown.unshift(cube);
    }
  }
  const own = [word(), word(), word(), word()];
  const stream = word();
  const cubes = inside.map(([id, floor, age, crowd]) => ({ id, floor, since: NOW - age, inCrowd: crowd === 1 }));
  const drawn = words(own, stream);
  const { landings } = drop({ drops: NOW, cubes }, thrown.map((id) => ({ id })), drawn);
  return { seed: own, stream, inside, thrown, ends: landings.map((each) => each.floor), next: drawn() };
}

const ANSWERS = {
  vectors({ seed, count }) {
    const digest = createHash("sha256");
    for (let i = 0; i < count; i++) digest.update(JSON.stringify(vector(i, seed)) + "\n");
    return digest.digest("hex");
  },
  words({ seed, stream, count }) {
    const word = words(seed, stream);
    return Array.from({ length: count }, () => word());
  },
  games({ plan, seed, count }) {
    return Array.from({ length: count }, (_, stream) => game(plan, seed, stream));
  },
  drops({ state, thrown, seed, count }) {
    const found = {};
    const before = JSON.stringify(state);
    for (let i = 0; i < count; i++) {
      const ends = drop(state, thrown, words(seed, i)).landings.map((each) => each.floor);
      found[ends] = (found[ends] ?? 0) + 1;
    }
    if (JSON.stringify(state) !== before) throw new Error("drop changed the state that it was given");
    return found;
  },
  one({ state, thrown, seed }) {
    return drop(state, thrown, words(seed, 0));
  },
  refused({ call, given }) {
    try {
      sampler[call](...given.map((each) => (each?.js ? eval(each.js) : each)));
    } catch (error) {
      const name = error.message.startsWith(`${error.path} is `) ? error.name : "an error without its field";
      return `${name}: ${error.message}`;
    }
    return null;
  },
  inside({ thrown, word, count }) {
    const drawn = eval(word);
    return Array.from({ length: count }, () => drop(empty(), thrown, drawn).state.cubes.length).reduce((a, b) => a + b);
  },
  garbage() {
    const found = [];
    for (const [call, make] of Object.entries(GOOD)) {
      for (const path of places(make())) {
        for (const value of GARBAGE) found.push([call, path.join("."), name(value), outcome(call, make(), path, value)]);
      }
    }
    return found;
  },
};

const GARBAGE = [
  undefined, null, true, false, 0, -0, -1, 1.5, NaN, Infinity, -Infinity, 2 ** 32, 2 ** 53, 1e300, 7n, "", "red", "7",
  Symbol("x"), [], [1], [[]], {}, { id: 1 }, () => 0.5, Math.random, new Map(), new Date(NaN), Object.create(null),
  "x".repeat(10000), new Array(5), new Proxy({}, {}), new Uint32Array(3),
];

const lying = (id, floor, since) => ({ id, colour: "red", floor, since, inCrowd: false });
const GOOD = {
  words: () => [[1, 2, 3, 4], 5],
  drop: () => [{ drops: 9, cubes: [lying(4, 0, 2), lying(5, 1, 8)] }, [{ id: 6, colour: "red" }], words([1, 2, 3, 4])],
  game: () => [{ cubes: [3, 2], throws: [-1, 1, 1] }, [1, 2, 3, 4], 5],
};

/** Yield the path of every argument and of everything in it. */
function* places(value, path = []) {
  if (path.length) yield path;
  if (typeof value === "object") for (const key of Object.keys(value)) yield* places(value[key], [...path, key]);
}

function name(value) {
  return typeof value === "symbol" ? "a symbol" : `${typeof value} ${Object.prototype.toString.call(value)}`;
}

/** Call with `value` at `path`: "fine" when all cubes are accounted for, else the error or what is wrong. */
function outcome(call, given, path, value) {
  const last = path.at(-1);
  path.slice(0, -1).reduce((inner, key) => inner[key], given)[last] = value;
  let made;
  try {
    made = sampler[call](...given);
    if (call === "words") made = made();
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
  if (call === "words") return Number.isInteger(made) ? "fine" : `a word is ${made}`;
  if (call === "drop") {
    const count = given[0].cubes.length + given[1].length;
    return made.landings.length === count && made.emerged.length + made.state.cubes.length === count ? "fine" : "lost";
  }
  const sum = (rows) => rows.flat().reduce((total, count) => total + count, 0);
  const kept = sum(made.thrown) - sum(made.emerged) === sum(made.inside.slice(-1));
  return kept && made.thrown.flat().every((count) => Number.isInteger(count)) ? "fine" : "lost";
}

const requests = JSON.parse(readFileSync(0, "utf-8"));
console.log(JSON.stringify(requests.map((request) => ANSWERS[request.do](request))));
