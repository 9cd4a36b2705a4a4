// Ask an exported sampler: node ask.mjs SAMPLER.mjs prints the answers to a JSON list of requests on standard input.
//   {"do": "vectors", "seed", "count"}           SHA-256 of so many conformance vectors, made here
//   {"do": "words", "seed", "stream", "count"}   the first words of a stream
//   {"do": "games", "rules", "seed", "count"}    games 0, 1, ...; no rules: the published
//   {"do": "drops", "state", "thrown", "seed", "count"}   how often each outcome; drop i draws from stream i
//   {"do": "one", "state", "thrown", "seed"}     the answer of `drop`, from stream 0
//   {"do": "refused", "call", "given"}           the message of the error when `call` is called with what is given
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const sampler = await import(pathToFileURL(resolve(process.argv[2])).href);
const { drop, words, game, AMERIGO, MODEL } = sampler;
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
  games({ rules = AMERIGO, seed, count }) {
    return Array.from({ length: count }, (_, stream) => game(rules, seed, stream));
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
      sampler[call](...given);
    } catch (error) {
      return `${error.name}: ${error.message}`;
    }
    return null;
  },
};

const requests = JSON.parse(readFileSync(0, "utf-8"));
console.log(JSON.stringify(requests.map((request) => ANSWERS[request.do](request))));
