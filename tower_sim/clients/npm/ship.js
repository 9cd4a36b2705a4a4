// A combat ship and its board without physics: where cubes land, and what a Dead Reckoning battle comes to.

import { fault } from "./check.js";
import { drawing, fourWords } from "./generator.js";
import { WORD, checkCubes, list, object, oneOf, whole, words } from "./words.js";

const TABLE = "table"; // a cube there stays
const STEEPEST = 700; // logarithms never leave +-700, so that no exponential overflows
const KINDS = ["ship", "merchant", "building"];
const MOST_BATTLES = 1000000; // of one call

/** Make a ship from an exported document and what is printed on its zones; the modules of `ships` do it. */
export function shipOf(MODEL, PRINTED) {
  const { places } = MODEL.law;

  /** Return the board with no cube on it. */
  function empty() {
    return { cubes: [] };
  }

  /** Throw cubes through the ship; nothing that is given is changed. See Ship of the types. */
  function drop(state, thrown, generator) {
    checkDrop(state, thrown);
    return drawing(generator, (word) => dropped(state, thrown, word));
  }

  /** Play a battle by the default rulings, without abilities. See Ship of the types. */
  function play(setup, generator) {
    checkSetup(setup);
    return drawing(generator, (word) => battle.play(setup, PRINTED, battle.drawing(MODEL.law, word)));
  }

  /** Say what a battle comes to whose cubes lie where `cubes` say: [{ side, place }]. */
  function result(setup, cubes) {
    checkSetup(setup);
    list("cubes", cubes, "cubes { side, place }");
    for (const [i, cube] of cubes.entries()) {
      object(`cubes[${i}]`, cube, "a cube { side, place }");
      whole(`cubes[${i}].side`, cube.side, 0, 1);
      oneOf(`cubes[${i}].place`, cube.place, places);
    }
    return battle.resolved(setup, cubes.map(({ side, place }) => [side, PRINTED[place]]));
  }

  /** Play battles number first, first + 1, ... of a seed, and count. See Ship of the types. */
  function odds(setup, seed, count, first = 0) {
    checkSetup(setup);
    const four = fourWords(seed);
    whole("count", count, 1, MOST_BATTLES);
    whole("first", first, 0, WORD - 1 - count);
    return battle.add(battle.none(MODEL.law), setup, { law: MODEL.law, zones: PRINTED }, four, first, count);
  }

  /** Say whether the data that were fitted hold throws of so many cubes onto so many on the board. */
  function covered(thrown, lying) {
    whole("thrown", thrown, 0);
    whole("lying", lying, 0);
    return covers(thrown, lying);
  }

  /** Refuse what no battle can begin with. */
  function checkSetup(setup) {
    object("setup", setup, "an object { kind, sides: [{ cubes, damage }, { cubes, damage }] }");
    oneOf("setup.kind", setup.kind, KINDS);
    list("setup.sides", setup.sides, "two sides { cubes, damage }");
    if (setup.sides.length !== 2) throw fault("setup.sides", setup.sides, "a list of two sides { cubes, damage }");
    for (const [i, side] of setup.sides.entries()) {
      const isNonPlayer = i === 1 && setup.kind === "merchant";
      object(`setup.sides[${i}]`, side, "a side { cubes, damage }");
      whole(`setup.sides[${i}].cubes`, side.cubes, 0, isNonPlayer ? battle.NON_PLAYER : battle.SUPPLY);
      if (side.damage !== undefined) whole(`setup.sides[${i}].damage`, side.damage, 0, 4);
    }
    if (!setup.sides.some(({ cubes }) => cubes)) throw fault("setup.sides", setup.sides, "one cube or more in all");
  }

  /* SAMPLER */

  return Object.freeze({
    name: MODEL.apparatus,
    digest: MODEL.apparatus_digest,
    model: MODEL.model,
    places: Object.freeze([...places]),
    printed: PRINTED,
    empty,
    drop,
    battle: play,
    result,
    odds,
    covers: covered,
  });
}
