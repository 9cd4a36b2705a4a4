// Ask the page's declared games: node declared_asks.mjs FOLDER SAMPLER.mjs answers each line of JSON on standard input
// by one. An answer to what is refused is { error }. FOLDER has the scripts; a table is kept by its name and then named.
//   { do: "table", name, document }
//   { do: "play", tree, table, choices, seed, tower, pick }   a game with words of these streams; `tower` alone: of one
//   { do: "fed", tree, outs, choices, seed, pick }            a game with a tower that brings out what is listed
//   { do: "game", tree, table, choices, seed, game }           game number `game` of many, and what it says in words
//   { do: "many", tree, table, choices, seed, first, games, parts }   joined of so many parts
//   { do: "device" | "wrong", tree, choices }   { do: "usual", tree }   { do: "sampler", seed, first, games, rules }
//   { do: "worked", given, numbers, words, limit }             an expression, where names mean these
//   { do: "picked", seed, n, times }                           how often each number below n is picked
//   { do: "pick", drawn, n }                                   a number below n, picked by these words, and those left
//   { do: "covers", rows, drops }                              whether data cover drops: [thrown, inside]...
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, sampler] = process.argv.slice(2);
const { words, game } = await import(pathToFileURL(resolve(sampler)).href);
const OWN = ["declared_numbers", "declared_run", "declared_words", "declared"].map((name) => `${name}.js`);
const SHARED = ["pages/common", "surrogate/words", "surrogate/covered", "surrogate/many"];
const text = (name) => readFileSync(join(folder, name), "utf-8").replace(/^export /gm, "");
const inner = [...SHARED.map((name) => `../../${name}.js`), ...OWN].map(text).join("\n");

const RETURNED = "return { declared, declaredNumbers, declaredRun, declaredWords, covered };";

function load(before, fedTower) {
  return new Function("fedTower", ['"use strict";', inner, before, RETURNED].join("\n"))(fedTower);
}

const page = load("");

/** Return what makes a tower that brings out the cubes that are listed, drop by drop. */
function feeding(outs) {
  return (_, cubes) => {
    const floor = new Int8Array(cubes).fill(-1);
    const [hand, came] = [new Uint32Array(cubes), new Uint32Array(cubes)];
    let next = 0;
    const drop = (count) => {
      for (const cube of hand.subarray(0, count)) floor[cube] = 0;
      for (const cube of outs[next]) floor[cube] = -1;
      came.set(outs[next]);
      return outs[next++].length;
    };
    return {
      floors: 1,
      floor,
      hand,
      came,
      empty: () => (next = 0),
      drop,
      take: (cube) => (floor[cube] = -1),
    };
  };
}

const plainMany = (found) => ({
  ...found,
  figures: found.figures.map((x) => [...x]),
  shares: found.shares.map((x) => [...x]),
});

const ANSWERS = {
  play({ tree, table, choices, seed, tower, pick }) {
    const own = pick === undefined ? undefined : words(seed, pick);
    return page.declared.play(tree, table, choices, words(seed, tower), own);
  },
  game({ tree, table, choices, seed, game: number }) {
    const found = page.declared.game(tree, table, choices, { words, seed, game: number });
    const lines = found.throws.map((each) => page.declaredWords.line(tree, each));
    return { ...found, lines, summary: page.declaredWords.summary(tree, found) };
  },
  fed({ tree, outs, choices, seed, pick }) {
    return load("cubeTower = fedTower;", feeding(outs)).declared.play(tree, { covered: [] }, choices, null, words(seed, pick));
  },
  many({ tree, table, choices, seed, first, games, parts }) {
    const part = (i) => ({ words, seed, first: first + i * games, games });
    const all = Array.from({ length: parts }, (_, i) => page.declared.many(tree, table, choices, part(i)));
    return plainMany(page.declared.joined(all));
  },
  sampler: ({ seed, first, games, rules }) => Array.from({ length: games }, (_, i) => game(rules, seed, first + i)),
  device: ({ tree, choices }) => page.declared.device(tree, choices),
  wrong: ({ tree, choices }) => page.declared.wrong(tree, choices),
  usual: ({ tree }) => page.declared.usual(tree),
  worked({ given, numbers, words: said, limit }) {
    const value = (name) => (typeof numbers[name] === "string" ? half(numbers[name]) : numbers[name]);
    const scope = { limit, tables: new Map(), number: (name) => () => value(name), word: (name) => () => said[name] };
    const found = page.declaredNumbers.expression(given, scope).value();
    if (found === null) return null;
    return Object.is(found, -0) ? "-0" : page.declaredNumbers.written(found);
  },
  pick({ drawn, n }) {
    return [page.declaredRun.picker(() => drawn.shift()).one(n), drawn];
  },
  covers: ({ rows, drops }) => drops.map(([thrown, inside]) => page.covered(rows, thrown, inside)),
  picked({ seed, n, times }) {
    const pick = page.declaredRun.picker(words(seed, 0)).one;
    const counts = Array.from({ length: n }, () => 0);
    for (let i = 0; i < times; i++) counts[pick(n)]++;
    return counts;
  },
};

/** Return the fraction that is written "n/d". */
function half(written) {
  return page.declaredNumbers.fraction(...written.split("/").map(BigInt));
}

const tables = {};
for await (const line of createInterface({ input: process.stdin })) {
  const ask = JSON.parse(line);
  let answer = null;
  try {
    if (ask.do === "table") tables[ask.name] = ask.document;
    else answer = ANSWERS[ask.do]({ ...ask, table: tables[ask.table] });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    answer = { error: error.message };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
