// What can be done with a state beside throwing: cubes taken out of it, and its whole past done again; as tower_sim/drops/repeat.py.

import { pcg64OfText } from "./pcg64.js";
import { impossible, wrongly } from "./refuse.js";
import { cubeOf, freeze } from "./state.js";
import type { Begun, CubeRow, LyingRow, PhysicsEvent, PhysicsModel, PhysicsState } from "./types.js";

/** Return the state after cubes, by number, were taken off the board or out by hand. */
export function taken(state: PhysicsState, numbers: readonly number[]): PhysicsState {
  const rows = [...state.residents, ...state.board];
  const strange = numbers.find((number) => !rows.some(([id]) => id === number));
  if (strange !== undefined) throw wrongly("cubes", strange, "the number of a cube that is there");
  const isGone = ([id]: LyingRow) => numbers.includes(id);
  const thrown = rows.filter(isGone).map(([id, colour, edge]): CubeRow => [id, colour, edge]).sort((a, b) => a[0] - b[0]);
  const left = (cubes: readonly LyingRow[]) => cubes.filter((row) => !isGone(row));
  const log: PhysicsEvent[] = [...state.log, ["take", "", thrown, [], 0, ""]];
  return freeze({ ...state, residents: left(state.residents), log, board: left(state.board) });
}

/** Do again, from the empty tower, everything in the log of a state; the result equals the state. */
export function redone(model: PhysicsModel, state: PhysicsState): PhysicsState {
  return state.log.reduce((before, event) => stepAgain(model, before, event), model.empty());
}

/** Do one event of a log again, in the state that was before it; returns the one after it. */
export function stepAgain(model: PhysicsModel, before: PhysicsState, event: PhysicsEvent): PhysicsState {
  const what = asked(before, event);
  if (what.kind === "take") return taken(before, what.numbers);
  const run = model.begin(what);
  while (!run.advance(Infinity, false).done);
  return run.outcome().state;
}

/** Return what `begin` of a model is asked for one event of a log, in the state that was before it; {kind: "take", numbers} of cubes that were taken. */
export function asked(state: PhysicsState, event: PhysicsEvent): Begun | { kind: "take"; numbers: number[] } {
  const [kind, text, thrown, , strength, zone, rows = []] = event;
  const cubes = thrown.map(cubeOf);
  if (kind === "take") return { kind, numbers: cubes.map(({ id }) => id) };
  if (kind === "hand") {
    const of = ([windows, ...row]: readonly number[], i: number) => (
      { cube: cubes[i], windows, pose: row.slice(0, 7), velocity: row.slice(7, 10), spin: row.slice(10) }
    );
    return { kind, state, launches: rows.map(of) };
  }
  const rng = pcg64OfText(text);
  if (!rng) throw wrongly("state.log", text, "a generator as hexadecimal state:increment:buffered");
  if (kind === "knock") return { kind, state, strength, rng };
  if (kind === "drop") return { kind, state, cubes, rng };
  if (kind === "place" && cubes.length !== 1) throw impossible("log", `${cubes.length} cubes placed at once`);
  if (kind === "place") return { kind, state, cube: cubes[0], zone, rng };
  throw wrongly("state.log", kind, "an event of this model");
}
