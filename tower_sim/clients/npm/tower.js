// A cube tower without physics, drawn from a table of whole numbers; the algorithm is that of docs/surrogate_portable.md.

import { fault } from "./check.js";
import { covered } from "./covered.js";
import { drawing } from "./generator.js";
import { WORD, checkCubes, list, object, refused, whole } from "./words.js";

const OUT = -1;

/** Make a tower from a document of `surrogate export NAME --to json`; the modules of `towers` do it. */
export function towerOf(MODEL) {
  const form = "a document of `tower-sim surrogate export NAME --to json`, of a tower";
  object("document", MODEL, form);
  if (MODEL.schema !== "tower-sim/surrogate-table") throw fault("document.schema", MODEL.schema, `tower-sim/surrogate-table, ${form}`);
  if (MODEL.version !== 1) throw fault("document.version", MODEL.version, "1", "take the package of the same tower_sim");
  object("document.table", MODEL.table, form);
  list("document.covered", MODEL.covered, "rows of three numbers");
  for (const key of ["floors", "regions", "thresholds"]) list(`document.table.${key}`, MODEL.table[key], "what the export has");

  /** Return the tower with no cube inside. */
  function empty() {
    return { drops: 0, cubes: [] };
  }

  /** Throw cubes; nothing that is given is changed. See Tower of the types. */
  function drop(state, thrown, generator) {
    checkDrop(state, thrown);
    return drawing(generator, (word) => dropped(state, thrown, word));
  }

  /** Refuse, with a RangeError, what is no state of this tower; `path` is what its message calls it. */
  function check(state, path = "state") {
    checkState(state, path);
  }

  /** Say whether the data that were fitted hold drops of so many cubes onto so many inside. */
  function covers(thrown, inside) {
    whole("thrown", thrown, 0);
    whole("inside", inside, 0);
    return covered(MODEL.covered, thrown, inside);
  }

  /* SAMPLER */

  return Object.freeze({
    name: MODEL.apparatus,
    digest: MODEL.apparatus_digest,
    model: MODEL.model,
    floors: Object.freeze([...MODEL.table.regions]),
    crowdFrom: MODEL.table.crowd_from,
    empty,
    drop,
    check,
    covers,
  });
}
