// A combat ship and its board without physics: where cubes land, and what a Dead Reckoning battle comes to.

/** @import { After, BattleSetup, BoardCube, BoardState, Cube, Luck, Seed } from "./types.js" */
import { fault } from "./check.js";
import { drawing, fourWords } from "./generator.js";
import { WORD, checkCubes, list, object, oneOf, whole, words } from "./words.js";

const TABLE = "table"; // a cube there stays
const STEEPEST = 700; // logarithms never leave +-700, so that no exponential overflows
const KINDS = ["ship", "merchant", "building"];
const MOST_BATTLES = 1000000; // of one call

/** Make a ship from an exported document and what is printed on its zones; the modules of `ships` do it. */
export function shipOf(/** @type {any} */ MODEL, /** @type {Readonly<Record<string, Readonly<Record<string, string | number>>>>} */ PRINTED) {
  const { places } = MODEL.law;

  /** @type {<C extends string = string>() => BoardState<C>} */
  function empty() {
    return { cubes: [] };
  }

  /** @type {<C extends string, L extends Luck>(state: BoardState<C>, thrown: readonly Cube<C>[], generator: L) => { state: BoardState<C>, landings: BoardCube<C>[], generator: After<L> }} */
  function drop(state, thrown, generator) {
    checkDrop(state, thrown);
    return drawing(generator, (word) => dropped(state, thrown, word));
  }

  /** @template {Luck} L */
  function play(/** @type {BattleSetup} */ setup, /** @type {L} */ generator) {
    checkSetup(setup);
    return drawing(generator, (/** @type {() => number} */ word) => battle.play(setup, PRINTED, battle.drawing(MODEL.law, word)));
  }

  function result(/** @type {BattleSetup} */ setup, /** @type {readonly { readonly side: 0 | 1, readonly place: string }[]} */ cubes) {
    checkSetup(setup);
    list("cubes", cubes, "cubes { side, place }");
    for (const [i, cube] of cubes.entries()) {
      object(`cubes[${i}]`, cube, "a cube { side, place }");
      whole(`cubes[${i}].side`, cube.side, 0, 1);
      oneOf(`cubes[${i}].place`, cube.place, places);
    }
    return battle.resolved(setup, cubes.map(({ side, place }) => [side, PRINTED[place]]));
  }

  function odds(/** @type {BattleSetup} */ setup, /** @type {Seed} */ seed, /** @type {number} */ count, first = 0) {
    checkSetup(setup);
    const four = fourWords(seed);
    whole("count", count, 1, MOST_BATTLES);
    whole("first", first, 0, WORD - 1 - count);
    return /** @type {ReturnType<typeof battle.none>} */ (battle.add(battle.none(MODEL.law), setup, { law: MODEL.law, zones: PRINTED }, four, first, count));
  }

  /** @type {(thrown: number, lying: number) => boolean} */
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
    name: /** @type {string} */ (MODEL.apparatus),
    digest: /** @type {string} */ (MODEL.apparatus_digest),
    model: /** @type {string} */ (MODEL.model),
    /** Where a cube can be: "zone:..." for each zone, "border", "table". */
    places: Object.freeze(/** @type {string[]} */ ([...places])),
    /** What is printed on each zone, by place. */
    printed: PRINTED,
    /** Return the board with no cube on it. */
    empty,
    /** Throw cubes; one that lay on the board is taken off it first. `landings` has first those that lay there. */
    drop,
    /** Play a battle by the default rulings, without abilities. Cubes are numbered from 0, side by side. */
    battle: play,
    /** Say what a battle comes to whose cubes lie at these places, on a real board too. A tie is the attacker's. */
    result,
    /** Play battles number `first` and following of a seed, and add up: divide by `games`. */
    odds,
    /** Say whether the data that were fitted hold throws of so many cubes onto so many on the board. */
    covers: covered,
  });
}
