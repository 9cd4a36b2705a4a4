// A draw of a log of verifiable draws that physics has made, made again: as tower_sim/service/verifiable/redraw.py and states.py.

import { dropDocument } from "./physics/document.js";
import { sha256 } from "./physics/sha256.js";
import { readToken, stateText, eventText } from "./physics/state.js";

const ASKED = ["do", "apparatus", "model", "cubes", "state", "knock"];
const UNSAID = ["engine", "accuracy"];

/** Return the one of the physics models that has made a drop, undefined where none has, or it cannot be made again here. */
export function physicsOf(models, { asked, by }) {
  const others = Object.keys(asked).filter((key) => !ASKED.includes(key) && !(UNSAID.includes(key) && asked[key] === null));
  if (asked.do !== "drop" || (asked.model ?? "physics") !== "physics" || others.length) return undefined;
  return models.find(({ profile: { name, digest, cube } }) => name === asked.apparatus && by.model === digest && by.edge === cube.edge);
}

/**
 * Make a drop again: undefined when it comes out the same, else what is wrong. `known` are states by their hashes, `left` those that
 * a draw has left, and both grow; `brought` is called for a state that none had left.
 */
export function redrawnByPhysics(model, { asked, answer }, seed, { known, left }, brought, sorted) {
  let before = { model: "physics", state: model.empty(), past: "" };
  if (asked.state != null) {
    let name = asked.state;
    if (name.length !== 64) {
      const state = readToken(name);
      const traced = { model: "physics", state, past: pastAfter("", state.log) };
      name = hashOfState(traced);
      if (!known.has(name)) known.set(name, traced);
    }
    if (!left.has(name)) brought();
    before = known.get(name);
    if (before === undefined) {
      return `its draw cannot be made again here: no line before it tells the state ${name.slice(0, 16)}... that it began with, or not rightly`;
    }
    if (before.model !== "physics") return "it began with a tower of another model";
  }
  const knock = asked.knock == null ? null : Number(asked.knock);
  const { state: token, ...expected } = dropDocument(model, { cubes: asked.cubes ?? {}, seed, state: before.state, knock });
  const state = readToken(token);
  const after = { model: "physics", state, past: pastAfter(before.past, state.log.slice(before.state.log.length)) };
  const hash = hashOfState(after);
  known.set(hash, after);
  left.add(hash);
  const { state: said, ...told } = answer;
  if (told.seed !== expected.seed) return "its seed is not the one that the secret and the words give";
  const places = new Map((told.landings ?? []).map(({ cube, place }) => [cube, place]));
  for (const { cube, place } of expected.landings) {
    if (places.get(cube) !== place) {
      return `its draw came out otherwise when it was made again: the log says that cube ${cube} is at ${places.get(cube)}, and drawn again it is at ${place}`;
    }
  }
  if (sorted(told) !== sorted(expected) || said !== hash) {
    return "its draw came out otherwise when it was made again: its counts or its state are others";
  }
  return undefined;
}

function pastAfter(before, events) {
  return events.reduce((past, event) => sha256(past + eventText(event)), before);
}

function hashOfState({ state, past }) {
  return sha256(stateText({ ...state, log: past }));
}
