// A cube tower without physics, drawn from a table of whole numbers; the algorithm is that of docs/surrogate.md.

/** @import { After, Cube, Luck, TowerOutcome, TowerState } from "./types.js" */
import { fault } from "./check.js";
import { covered } from "./covered.js";
import { call, lawOf, movedBy } from "./games.js";
import { drawing } from "./generator.js";
import { checkCubes, list, object, refused, whole } from "./words.js";

const OUT = -1;

/** Make a tower from a document of `surrogate export NAME --to json`; the modules of `towers` do it. */
export function towerOf(/** @type {any} */ MODEL) {
  const form = "a document of `tower-sim model export NAME --to json`, of a tower";
  object("document", MODEL, form);
  if (MODEL.schema !== "tower-sim/surrogate-table") throw fault("document.schema", MODEL.schema, `tower-sim/surrogate-table, ${form}`);
  if (MODEL.version !== 1) throw fault("document.version", MODEL.version, "1", "take the package of the same tower_sim");
  object("document.table", MODEL.table, form);
  list("document.covered", MODEL.covered, "rows of three numbers");
  for (const key of ["floors", "regions", "thresholds"]) list(`document.table.${key}`, MODEL.table[key], "what the export has");

  /** @type {<C extends string = string>() => TowerState<C>} */
  function empty() {
    return { drops: 0, cubes: [] };
  }

  /** @type {<C extends string, L extends Luck>(state: TowerState<C>, thrown: readonly Cube<C>[], generator: L) => TowerOutcome<C, L>} */
  function drop(state, thrown, generator) {
    checkDrop(state, thrown);
    return drawing(generator, (word) => moved(state, thrown, word));
  }

  /** @type {<C extends string, L extends Luck>(state: TowerState<C>, strength: number, generator: L) => TowerOutcome<C, L>} */
  function knock(state, strength, generator) {
    checkKnock(state, strength);
    return drawing(generator, (word) => moved(state, [], word, Math.max(Math.floor(100 * strength + 0.5), 1)));
  }

  /** @type {(state: unknown, path?: string) => asserts state is TowerState} */
  function check(state, path = "state") {
    checkState(state, path);
  }

  /** @type {(thrown: number, inside: number) => boolean} */
  function covers(thrown, inside) {
    whole("thrown", thrown, 0);
    whole("inside", inside, 0);
    return covered(MODEL.covered, thrown, inside);
  }

  /* SAMPLER */

  return Object.freeze({
    name: /** @type {string} */ (MODEL.apparatus),
    /** The digest of the tower's measures, and that of the fitted model. */
    digest: /** @type {string} */ (MODEL.apparatus_digest),
    model: /** @type {string} */ (MODEL.model),
    /** The floors' names, from top to bottom. */
    floors: Object.freeze(/** @type {string[]} */ ([...MODEL.table.regions])),
    /** Return the tower with no cube inside. */
    empty,
    /** Throw cubes. With none nothing moves and nothing is drawn, and the cubes inside grow older by a drop. */
    drop,
    /** Knock on the table with `strength`, the peak acceleration in g, from 0 to 5. No cube grows older. */
    knock,
    /** Refuse what is no state of this tower; `path` is what its message calls it. */
    check,
    /** Say whether the data that were fitted hold drops of so many cubes onto so many inside. */
    covers,
  });
}
