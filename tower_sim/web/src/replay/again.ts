// Plays again what the log of a state holds, one event after the other, in the worker of the pages.

import * as physics from "../physics/index.js";
import type { Begun, LyingRow, PhysicsModel, PhysicsState } from "../physics/index.js";
import type { Vector } from "../scene/algebra";
import { Windows } from "../scene/windows";
import { type Document, type Doing, type Happened, INSIDE, type Lying } from "./record";

const PIECE = 50; // windows
const SHOVE = 0.02; // of an edge: a cube at rest that moves by less was not woken
const ORDER = ["knocked", "woken", "thrown", "rest", "out"]; // of events in one window

/** A part of a replay is { before, after }: the tokens of the states before its first event (null: an empty tower) and after its last. */
export function* again(model: PhysicsModel, parts: Document["parts"]): Generator<Doing> {
  for (const { before, after } of parts) {
    if (!after) continue; // nothing was thrown
    let state = before ? physics.readToken(before) : model.empty();
    const { log } = physics.readToken(after);
    for (const event of log.slice(state.log.length)) {
      const what = physics.asked(state, event);
      const [doing, next] = what.kind === "take" ? takeOut(state, what) : move(model, state, what);
      yield doing;
      state = next;
    }
    if (physics.tokenOf(state) !== after) throw new Error("the physics of this browser computes something else");
  }
}

function lying({ residents, board }: PhysicsState): Lying[] {
  const rows = (cubes: readonly LyingRow[], before: string): Lying[] => cubes.map(([id, , , place, , ...pose]) => [id, before + place, pose]);
  return [...rows(residents, INSIDE), ...rows(board, "")];
}

function takeOut(state: PhysicsState, { kind, numbers }: { kind: string; numbers: number[] }): [Doing, PhysicsState] {
  const next = physics.taken(state, numbers);
  const rest = [...lying(next), ...numbers.map((id): Lying => [id, "hand", null])];
  return [{ kind, strength: 0, thrown: [], start: lying(state), rest, pieces: [], events: [] }, next];
}

function move(model: PhysicsModel, state: PhysicsState, what: Begun): [Doing, PhysicsState] {
  const run = model.begin(what);
  const windows = new Windows();
  const letGo = new Map<number, number>();
  for (let done = false; !done; ) {
    const piece = run.advance(PIECE);
    for (const id of piece.let_go) letGo.set(id, windows.length);
    if (piece.windows) windows.add({ ...piece, frames: piece.frames! });
    done = piece.done;
  }
  const { status, landings, thrown, state: next } = run.outcome();
  if (!["settled", "jammed"].includes(status)) throw new Error(`a throw ends ${status} in this browser`);
  const isThrown = new Set(thrown.map(({ id }) => id));
  const start = lying(state).filter(([id]) => !isThrown.has(id));
  const rest = landings.map(({ cube, place, pose }): Lying => [cube, place, pose]);
  const { kind } = what;
  const strength = kind === "knock" ? what.strength : 0;
  const events = eventsOf(model, windows, { kind, start, rest, letGo });
  const pieces = windows.pieces.map(({ numbers, frames, windows: many, swept }) => ({ numbers, frames, windows: many, swept }));
  return [{ kind, strength, thrown: [...isThrown], start, rest, pieces, events }, next];
}

/** What happened, [windows passed, word, number, place]: cubes are thrown, woken, come to rest, come out. */
function eventsOf({ profile, emerged }: PhysicsModel, windows: Windows, { kind, start, rest, letGo }: { kind: string; start: Lying[]; rest: Lying[]; letGo: Map<number, number> }): Happened[] {
  const far = SHOVE * profile.cube.edge;
  const from = new Map(start.map((row) => [row[0], row]));
  const found: Happened[] = kind === "knock" ? [[0, "knocked", null]] : [];
  const isAway = (pose: Vector, other: Vector) => [0, 1, 2].some((i) => Math.abs(pose[i] - other[i]) > far);
  for (const [id, place, pose] of rest) {
    const seen: [number, Float64Array][] = []; // [windows passed, pose]
    for (let k = letGo.get(id) ?? 0; k < windows.length; k += 1) {
      const now = windows.poseAt(id, k);
      if (now) seen.push([k + 1, now]);
    }
    const before = from.get(id);
    if (letGo.has(id)) found.push([letGo.get(id)!, "thrown", id]);
    const woken = before && seen.find(([, now]) => isAway(now, before[2]!));
    if (woken) found.push([woken[0], "woken", id]);
    if (pose && (woken || letGo.has(id))) found.push([(seen.findLast(([, now]) => isAway(now, pose)) ?? [0])[0], "rest", id, place]);
    if (!place.startsWith(INSIDE) && !(before && !before[1].startsWith(INSIDE))) {
      const inside = seen.findLast(([, now]) => !emerged(now));
      found.push([inside ? inside[0] : letGo.get(id) ?? 0, "out", id, place]);
    }
  }
  return found.sort((a, b) => a[0] - b[0] || ORDER.indexOf(a[1]) - ORDER.indexOf(b[1]) || a[2]! - b[2]!);
}
