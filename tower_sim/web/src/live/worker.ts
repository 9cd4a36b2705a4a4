// The physics of a page, in a worker. The page owns the past: a request names the state that it is of by its token, and
// nothing is lost with the worker. `physics` is what tower-sim/physics gives.
//
// It is asked {ask, id, ...} and answers {id, answer} or {id, error}, one after the other. While something moves it says
// {job, chunk}, then {job, ended}, {job, again} when a throw that did not come to rest is drawn again, or {job, failed}.

import * as physics from "../physics/index.js";
import type { Begun, Launch, LyingRow, PhysicsEvent, PhysicsModel, PhysicsState, Profile, Run, ThrownCube } from "../physics/index.js";
import { again } from "../replay/again";
import type { Document } from "../replay/record";
import type { Chunk } from "../scene/windows";
import type { Counts } from "./link";
import type { Lying, Past, Resting, State } from "./state";

const FIRST = 4; // windows in the first piece of what moves, so that it is seen at once
const PIECE = 10; // windows in the others
const MOST_ATTEMPTS = 5; // as everywhere: a throw that does not come to rest is drawn again from a child of its seed

interface Asked {
  profile: Profile; core: ArrayBuffer; token: string; number: number; counts: Counts; cubes: ThrownCube[]; numbers: number[]; seed: string; stream?: number[];
  strength: number; launch: Launch; windows: number; parts: Document["parts"];
}

/** A state that was read or made here, and by event what lay where on the board after it, [number, place]. */
interface Known { state: PhysicsState; lies: [number, string][][] }

interface Place { model: PhysicsModel; known: Map<string, Known> }

interface Job { number: number; before: Known; make(state: PhysicsState, attempt: number): Begun; run: Run; failures: string[]; passed: number; isHand: boolean; isEmpty: boolean; until: number; isClosed: boolean }

const places = new Map<string, Place>();
let here: Place;
let job: Job | null = null; // what moves

const asks: Record<string, (what: Asked) => object | Promise<object>> = {
  async open(what) {
    here = await placeOf(what);
    return stateOf(here, { state: here.model.empty(), lies: [] });
  },

  /** Refuse what a link says of a profile's tower if it cannot be done; nothing changes. */
  async check({ token, counts, seed, ...what }) {
    const place = await placeOf(what);
    const state = token ? findState(place, token).state : place.model.empty();
    if (counts) place.model.begin({ kind: "drop", state, cubes: giveNumbers(state, counts), rng: physics.pcg64(seed, [0]) });
    return {};
  },

  read: ({ token }) => stateOf(here, findState(here, token)),

  take({ token, numbers }) {
    const before = findState(here, token);
    return stateSince(before, physics.taken(before.state, numbers));
  },

  stop() {
    job = null;
    return {};
  },

  /** Throw counts by colour, [[colour, number], ...], or the cubes given, with the model's own hand; `stream` is of a game. */
  drop({ token, number, counts, cubes, seed, stream = [] }) {
    const before = findState(here, token);
    const thrown = cubes || giveNumbers(before.state, counts);
    begin(number, before, (state, attempt) => ({ kind: "drop", state, cubes: thrown, rng: physics.pcg64(seed, [...stream, attempt]) }));
    return { cubes: thrown };
  },

  /** Knock on the table; drawn as `tower-sim throw --knock` does without cubes. */
  knock({ token, number, strength, seed, stream = [1] }) {
    begin(number, findState(here, token), (state, attempt) => ({ kind: "knock", state, strength, rng: physics.pcg64(seed, [...stream, attempt]) }));
    return {};
  },

  /** Do again what the logs of states hold, for a replay: {take} for each event. */
  async again({ parts, ...what }) {
    const { model } = await placeOf(what);
    for (const take of again(model, parts)) postMessage({ take }, { transfer: take.pieces.map(({ frames }) => frames.buffer) });
    return {};
  },

  /** A throw by hand: `launch`es come while it runs, up to the window that `until` says, and end with `close`. */
  hand({ token, number }) {
    begin(number, findState(here, token), (state) => ({ kind: "hand", state }));
    Object.assign(job!, { isHand: true, isEmpty: true, isClosed: false });
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

async function placeOf({ profile, core }: Pick<Asked, "profile" | "core">): Promise<Place> {
  const key = `${profile.name} ${profile.digest}`;
  if (!places.has(key)) places.set(key, { model: await physics.openPhysics(profile, core), known: new Map() });
  return places.get(key)!;
}

/** Return the state of a token; one that is new here is looked through, and with a board played again, to know what lay where. */
function findState({ model, known }: Place, token: string): Known {
  if (!known.has(token)) {
    const state = physics.readToken(token);
    model.begin({ kind: "drop", state, cubes: [], rng: physics.pcg64("0") });
    let found: Known = { state: model.empty(), lies: [] };
    if (state.board.length) for (const event of state.log) found = after(found, physics.stepAgain(model, found.state, event));
    known.set(token, { state, lies: found.lies });
  }
  return known.get(token)!;
}

/** Return cubes of counts by colour, [[colour, number], ...], with the numbers that a state has free. */
function giveNumbers(state: PhysicsState, counts: Counts): { id: number; colour: string }[] {
  let id = physics.nextId(state);
  return counts.flatMap(([colour, many]) => Array.from({ length: many }, () => ({ id: id++, colour })));
}

function begin(number: number, before: Known, make: Job["make"]): void {
  const run = here.model.begin(make(before.state, 0));
  job = { number, before, make, run, failures: [], passed: 0, isHand: false, isEmpty: false, until: 0, isClosed: true };
  go();
}

let isGoing = false;

/** Go on with what moves, a piece at a time, so that one can be heard between them. */
function go() {
  if (isGoing) return;
  isGoing = true;
  setTimeout(() => {
    isGoing = false;
    if (!job) return;
    const { number } = job;
    try {
      step(job);
    } catch (error) {
      job = null;
      postMessage({ job: number, broken: (error as Error).message });
    }
  });
}

function step(mine: Job): void {
  const most = mine.isHand && !mine.isClosed ? mine.until - mine.passed : mine.passed ? PIECE : FIRST;
  if (most <= 0) return;
  const chunk: Chunk[] = [];
  let done = false;
  for (let k = Math.min(most, PIECE); k > 0 && !done; k -= 1) { // a window at a time: cubes may go in each
    const { numbers, frames, windows, swept, done: isDone } = mine.run.advance(1);
    chunk.push({ numbers, frames: frames!, windows, swept });
    mine.passed += windows;
    done = isDone;
  }
  postMessage({ job: mine.number, chunk }, { transfer: chunk.map(({ frames }) => frames.buffer) });
  if (done) end(mine);
  else go();
}

function end(mine: Job): void {
  const outcome = mine.run.outcome();
  const { status } = outcome;
  if (["settled", "jammed"].includes(status)) {
    job = null;
    const emerged = outcome.emerged.map(({ id }) => id);
    const isThere = (cube: number) => !here.model.profile.board && emerged.includes(cube);
    const tray = outcome.landings.flatMap(({ cube: id, colour, pose }) => (pose && isThere(id) ? [{ id, colour, pose }] : []));
    postMessage({ job: mine.number, ended: { ...stateSince(mine.before, outcome.state, tray), status, emerged } });
    return;
  }
  mine.failures.push(status);
  if (mine.isHand || mine.failures.length === MOST_ATTEMPTS) {
    job = null;
    postMessage({ job: mine.number, failed: mine.failures });
    return;
  }
  mine.run = here.model.begin(mine.make(mine.before.state, mine.failures.length));
  mine.passed = 0;
  postMessage({ job: mine.number, again: status });
  go();
}

function after({ lies }: Known, state: PhysicsState): Known {
  const more = [...lies];
  more[state.log.length - 1] = state.board.map(([id, , , place]) => [id, place]);
  return { state, lies: more };
}

function stateSince(before: Known, state: PhysicsState, tray: Lying[] = []): State {
  return stateOf(here, after(before, state), tray, before.state.log.length);
}

/** What a page has to know of a state: [id, colour, place, pose] of its cubes, its token, what made it `since` an event. */
function stateOf({ known }: Place, found: Known, tray: Lying[] = [], since = 0): State {
  const { state, lies } = found;
  const token = physics.tokenOf(state);
  known.set(token, found);
  const rows = (cubes: readonly LyingRow[]): Resting[] => cubes.map(([id, colour, , place, , ...pose]) => [id, colour, place, pose]);
  const event = ([kind, , thrown, emerged, strength]: PhysicsEvent, i: number): Past => ({ kind, thrown: thrown.map(([id, colour]) => [id, colour]), emerged: [...emerged], strength, lies: lies[i] || [] });
  return { token, next: physics.nextId(state), inside: rows(state.residents), board: rows(state.board), tray, events: state.log.map(event).slice(since) };
}

let turn: Promise<void> = Promise.resolve();

onmessage = ({ data: { ask, id, ...what } }) => {
  turn = turn.then(async () => {
    try {
      postMessage({ id, answer: await asks[ask](what) });
    } catch (error) {
      postMessage({ id, error: (error as Error).message });
    }
  });
};
