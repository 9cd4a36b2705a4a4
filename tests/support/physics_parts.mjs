// Asks parts of the physics in JavaScript: what is packed, how numbers and words are written, what is refused, and which field is named.

import { readFileSync } from "node:fs";

const { physics, core, profiles, state, texts = [], numbers = [], words = [], steps = [], draws = [] } = JSON.parse(readFileSync(0, "utf8"));
const { openPhysics, packed: packedOf, pcg64, pythonJson, pythonReal, readToken, unpacked } = await import(physics);

const packed = texts.map(packedOf);
const same = packed.map((bytes, i) => new TextDecoder().decode(unpacked(bytes, 1e8)) === texts[i]);
const refused = [];
const found = (act) => {
  try {
    return act();
  } catch (error) {
    return error instanceof RangeError ? error.message : String(error.stack);
  }
};
if (steps.length) {
  const bytes = readFileSync(core);
  const tower = await openPhysics(profiles.amerigo, bytes);
  const ship = await openPhysics(profiles.dead_reckoning, bytes);
  const good = readToken(state);
  for (const { token, cubes, strength, zone, hand } of steps) {
    try {
      if (token !== undefined) tower.knock(readToken(token), 0, pcg64(1));
      else if (cubes) tower.drop(good, cubes.map(([id, colour, edge]) => ({ id, colour, edge })), pcg64(1));
      else if (strength !== undefined) tower.knock(good, strength, pcg64(1));
      else if (zone) ship.place(ship.empty(), { id: 0, colour: "red" }, zone, pcg64(1));
      else {
        const of = ([windows, ...row], i) => ({
          cube: { id: 100 + i, colour: "red" }, windows, pose: row.slice(0, 7), velocity: row.slice(7, 10), spin: row.slice(10),
        });
        tower.throwByHand(good, hand.map(of));
      }
      refused.push(["nothing", ""]);
    } catch (error) {
      refused.push(error instanceof RangeError ? [error.path, error.message] : ["", String(error.stack)]);
    }
  }
}
console.log(JSON.stringify({
  packed: packed.map((bytes) => Buffer.from(bytes).toString("hex")),
  same,
  numbers: numbers.map(pythonReal),
  words: words.map((word) => pythonJson(word)),
  refused,
  drawn: draws.map(([seed, key]) => found(() => pcg64(seed, key).text())),
}));
