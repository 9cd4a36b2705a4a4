// The tower of a page, in a worker: its physics, its state, what can be undone. `physics` is what tower-sim/physics gives.
//
// It is asked {ask, id, ...} and answers {id, told} or {id, error}. While something moves it says {job, chunk}, then
// {job, ended}, {job, again} when a throw that did not come to rest is drawn again, or {job, failed}.

import * as physics from "physics";
import type { Chunk } from "../scene/windows";
import type { Counts } from "./link";
import type { Cube, Past, Resting, State } from "./state";

const FIRST = 4; // windows in the first piece of what moves, so that it is seen at once
const PIECE = 10; // windows in the others
const MOST_ATTEMPTS = 5; // as everywhere: a throw that does not come to rest is drawn again from a child of its seed

interface Job { number: number; make(attempt: number): object; run: any; attempt: number; failures: string[]; passed: number; isHand: boolean; isEmpty: boolean; until: number; isClosed: boolean }

/** A state of the physics, as the npm package types it; what is asked comes from a page. */
type Kept = any;

let model: any = null;
let now: Kept = null; // the state
let past: Kept[] = []; // the states before it, for undo
const lies: [number, string][][] = []; // by event: what lay where on the board after it, [number, place]
let job: Job | null = null; // what moves

const asks: Record<string, (what: any) => object | Promise<object>> = {
  async open({ profile, core }) {
    job = null;
    model = await physics.openPhysics(profile, core);
    past = [];
    now = model.empty();
    return told();
  },

  /** Refuse what a link says of a profile's tower if it cannot be done; nothing changes. */
  async check({ profile, core, token, isEmpty, counts, seed }) {
    const other = await physics.openPhysics(profile, core);
    const state = token ? readFor(other, token) : isEmpty ? other.empty() : now;
    if (counts) other.begin({ kind: "drop", state, cubes: numbered(state, counts), rng: physics.pcg64(seed, [0]) });
    return {};
  },

  /** Take the state of a token; nothing is lost where it is none of this tower's. */
  async read({ token }) {
    return changed(readFor(model, token));
  },

  empty: () => changed(model.empty()),

  take: ({ cubes }) => changed(physics.taken(now, cubes)),

  undo() {
    job = null;
    if (past.length) now = past.pop();
    return told();
  },

  /** Do no more of what moves; the state stays what it was before it began. */
  stop() {
    job = null;
    return told();
  },

  /** Throw counts by colour, [[colour, number], ...], or the cubes given, with the model's own hand; `stream` is of a game. */
  drop({ number, counts, cubes, seed, stream = [] }) {
    const state = now;
    const thrown = cubes || numbered(state, counts);
    begin(number, (attempt) => ({ kind: "drop", state, cubes: thrown, rng: physics.pcg64(seed, [...stream, attempt]) }));
    return { cubes: thrown };
  },

  /** Knock on the table; drawn as `tower-sim throw --knock` does without cubes. */
  knock({ number, strength, seed, stream = [1] }) {
    const state = now;
    begin(number, (attempt) => ({ kind: "knock", state, strength, rng: physics.pcg64(seed, [...stream, attempt]) }));
    return {};
  },

  place({ number, cube, zone, seed }) {
    const state = now;
    begin(number, (attempt) => ({ kind: "place", state, cube, zone, rng: physics.pcg64(seed, [attempt]) }));
    return {};
  },

  /** A throw by hand: `launch`es come while it runs, up to the window that `until` says, and end with `close`. */
  hand({ number }) {
    const state = now;
    begin(number, () => ({ kind: "hand", state }));
    Object.assign(job!, { isHand: true, isEmpty: true, until: 0 });
    return {};
  },

  launch({ number, launch }) {
    if (!job || job.number !== number) throw new Error("this throw is over; begin another");
    job.run.launch(launch);
    job.isEmpty = false;
    return {};
  },

  until({ number, windows }) {
    if (job && job.number === number) job.until = windows;
    go();
    return {};
  },

  close({ number }) {
    if (!job || job.number !== number) return {};
    const { isEmpty } = job;
    if (isEmpty) job = null;
    else {
      job.run.close();
      job.isClosed = true;
      go();
    }
    return { isEmpty };
  },
};

/** Return the state of a token, looked through as one of a model's; with a board it is played again, to note what lay where. */
function readFor(model: any, token: string): Kept {
  const state = physics.readToken(token);
  model.begin({ kind: "drop", state, cubes: [], rng: physics.pcg64("0") });
  if (state.board.length) state.log.reduce((before: Kept, event: unknown) => noted(physics.stepAgain(model, before, event)), model.empty());
  return state;
}

/** Return cubes of counts by colour, [[colour, number], ...], with the numbers that a state has free. */
function numbered(state: Kept, counts: Counts): { id: number; colour: string }[] {
  let id = physics.nextId(state);
  return counts.flatMap(([colour, many]) => Array.from({ length: many }, () => ({ id: id++, colour })));
}

function begin(number: number, make: Job["make"]): void {
  const run = model.begin(make(0));
  job = { number, make, run, attempt: 0, failures: [], passed: 0, isHand: false, isEmpty: false, until: 0, isClosed: true };
  go();
}

let isGoing = false;

/** Go on with what moves, a piece at a time, so that one can be heard between them. */
function go() {
  if (isGoing) return;
  isGoing = true;
  setTimeout(() => {
    isGoing = false;
    if (job) step(job).catch((error) => fail(error));
  });
}

async function step(mine: Job): Promise<void> {
  const most = mine.isHand && !mine.isClosed ? mine.until - mine.passed : mine.passed ? PIECE : FIRST;
  if (most <= 0) return;
  const chunk: Chunk[] = [];
  let done = false;
  for (let k = Math.min(most, PIECE); k > 0 && !done; k -= 1) { // a window at a time: cubes may go in each
    const { numbers, frames, windows, swept, done: isDone } = mine.run.advance(1);
    chunk.push({ numbers, frames, windows, swept });
    mine.passed += windows;
    done = isDone;
  }
  postMessage({ job: mine.number, chunk }, { transfer: chunk.map(({ frames }) => frames.buffer) });
  if (done) await end(mine);
  else go();
}

async function end(mine: Job): Promise<void> {
  const outcome = mine.run.outcome();
  if (["settled", "jammed"].includes(outcome.status)) {
    past.push(now);
    now = outcome.state;
    job = null;
    const emerged = outcome.emerged.map(({ id }: { id: number }) => id);
    postMessage({ job: mine.number, ended: { ...told(), status: outcome.status, emerged } });
    return;
  }
  mine.failures.push(outcome.status);
  if (mine.isHand || mine.failures.length === MOST_ATTEMPTS) {
    job = null;
    postMessage({ job: mine.number, failed: mine.failures });
    return;
  }
  mine.run = model.begin(mine.make(mine.failures.length));
  mine.passed = 0;
  postMessage({ job: mine.number, again: outcome.status });
  go();
}

function fail(error: Error): void {
  const number = job ? job.number : null;
  job = null;
  postMessage({ job: number, broken: error.message });
}

/** Make another state the one of now; the one before can be had again. */
function changed(state: Kept): State {
  job = null;
  past.push(now);
  now = state;
  return told();
}

/** Note what lies where on the board after the last event of a state; returns the state. */
function noted(state: Kept): Kept {
  lies.length = Math.max(state.log.length, 0);
  if (state.log.length) lies[state.log.length - 1] = state.board.map(([id, , , place]: any) => [id, place]);
  return state;
}

/** What a page has to know of the state: [id, colour, place, pose] of its cubes, its token, what made it. */
function told(): State {
  const rows = (cubes: any[]): Resting[] => cubes.map(([id, colour, , place, , ...pose]) => [id, colour, place, pose]);
  noted(now);
  const event = ([kind, , thrown, emerged, strength]: any, i: number): Past => ({ kind, thrown: thrown.map(([id, colour]: Cube) => [id, colour]), emerged, strength, lies: lies[i] || [] });
  const events = now.log.map(event);
  return { token: physics.tokenOf(now), next: physics.nextId(now), inside: rows(now.residents), board: rows(now.board), events, undo: past.length };
}

onmessage = async ({ data: { ask, id, ...what } }) => {
  try {
    postMessage({ id, told: await asks[ask](what) });
  } catch (error) {
    postMessage({ id, error: (error as Error).message });
  }
};
