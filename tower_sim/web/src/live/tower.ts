// A tower as a page sees it. The page owns its past, a list of states; a worker computes what follows from the last of them.

import { wantsStillness } from "../common/browser";
import type { Ended, Lying, Move, Apparatus, State } from "./state";

import { type Pose, size, clamp, smooth } from "../scene/algebra";
import { Windows } from "../scene/windows";

const FALLS = 0.35; // s in which the tray is cleared
export const GRAVITY = 9.81; // m/s2
const BEHIND = 3; // windows by which a throw by hand is seen later than it is simulated
const WAKES = 2; // windows by which it is simulated further than now

type Hear = (hardness: number, place: ArrayLike<number>) => void;

export interface Launch { cube: { id: number; colour: string }; pose: Pose; velocity: number[]; spin: number[] }

/**
 * A tower played with. `tell(word, details)` is called when a throw begins ("throw"), a cube comes out ("out"), all lie
 * still ("rest"), something is drawn anew ("again"), failed ("failed"), or there is another state ("state"); `ask` when
 * something is to be drawn. Its asynchronous functions throw Errors whose message says what is wrong in one line.
 */
export class LiveTower {
  private worker: Worker | null = null;
  private waiting = new Map<number, { done: (answer: any) => void; fail: (error: Error) => void }>();
  private asked = 0;
  private number = 0;
  private opened: object | null = null; // what a new worker is to open
  private nothing!: State;
  steps: State[] = []; // the states that were here; the last is there now, and what moves follows from it
  play: Play | null = null;
  leaving: (Lying & { from: number })[] = [];
  apparatus!: Apparatus;
  isBoard = false;
  edge = 0;
  window = 0;

  constructor(private readonly makeWorker: () => Worker, readonly tell: (word: string, what: any) => void, readonly ask: () => void) {}

  /** The state that is there now: while something moves, the one before it. */
  get state(): State {
    return this.steps[this.steps.length - 1];
  }

  /** The last step, where a link can show it again: the counts and the seed thrown, and the token of the state before. */
  get last() {
    const { counts, cubes, seed } = this.state?.by ?? {}; // a link counts cubes, without the numbers that a game gives them
    return counts && !cubes ? { counts, seed: seed!, before: this.steps[this.steps.length - 2].token } : null;
  }

  private request(ask: string, what: object = {}): Promise<any> {
    this.asked += 1;
    const id = this.asked;
    return new Promise((done, fail) => {
      this.waiting.set(id, { done, fail });
      this.worker ??= this.openWorker();
      this.worker.postMessage({ ask, id, ...what });
    });
  }

  private openWorker(): Worker {
    const worker = this.makeWorker();
    worker.onmessage = ({ data }) => this.hear(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.terminate(`The physics does not start here: ${event.message || "no worker"}`);
    };
    if (this.opened) worker.postMessage({ ask: "open", ...this.opened });
    return worker;
  }

  /** Let the worker go, and refuse what waits for it. The past stays, and the next request begins another worker. */
  terminate(reason = "The physics was stopped."): void {
    this.worker?.terminate();
    this.worker = null;
    const { play } = this;
    this.drop();
    for (const { fail } of this.waiting.values()) fail(new Error(reason));
    this.waiting.clear();
    if (play) this.tell("failed", { what: play.what, failures: [], reason });
  }

  private hear({ id, answer, error, job, ...news }: any): void {
    if (id !== undefined) {
      const { done, fail } = this.waiting.get(id)!;
      this.waiting.delete(id);
      if (error === undefined) done(answer);
      else fail(new Error(error));
      return;
    }
    const { play } = this;
    if (!play || play.number !== job) return; // of what was undone
    if (news.chunk) for (const piece of news.chunk) play.add(piece);
    if (news.ended) play.ended = news.ended;
    if (news.again) {
      play.restart();
      this.tell("again", { status: news.again });
    }
    if (news.failed || news.broken) {
      this.drop();
      this.tell("failed", { what: play.what, failures: news.failed || [], reason: news.broken });
    }
    if (play.isHurried) this.tick(performance.now()); // where no picture is drawn, too
    this.ask();
  }

  /** Stand a tower there, with the `steps` that it had before or empty; `core` is the compiled physics. All must lie still. */
  async open(apparatus: Apparatus, core: ArrayBufferLike | Uint8Array, steps: State[] | null = null): Promise<void> {
    const { profile, seen, edge } = apparatus;
    this.apparatus = apparatus;
    this.isBoard = seen.kind === "board";
    this.edge = edge;
    this.window = profile.settings.window;
    this.leaving = [];
    this.steps = [];
    const asked = this.request("open", { profile, core });
    this.opened = { profile, core };
    this.nothing = await asked;
    this.steps = steps ?? [this.nothing];
    this.changed();
  }

  /** Refuse what a link says of a tower if it cannot be done: {token, counts, seed}; nothing changes. All must lie still. */
  check({ profile }: Apparatus, core: ArrayBuffer, link: object): Promise<void> {
    return this.request("check", { profile, core, ...link });
  }

  private changed(): void {
    this.tell("state", this.state);
    this.ask();
  }

  private step(state: State): void {
    this.steps.push(state);
    this.leaving = [];
    this.changed();
  }

  async read(token: string): Promise<void> {
    await this.finish();
    this.step(await this.request("read", { token }));
  }

  async take(cubes: number[]): Promise<void> {
    await this.finish();
    const { token, events } = this.state;
    const state = await this.request("take", { token, numbers: cubes });
    this.step({ ...state, events: [...events, ...state.events] });
  }

  async empty(): Promise<void> {
    await this.finish();
    this.step(this.nothing);
  }

  /** Take back the last of what was done, whether it still moves or not; returns whether there was anything. */
  undo(): boolean {
    if (!this.canUndo) return false;
    if (this.play) this.drop();
    else this.steps.pop();
    this.leaving = [];
    this.changed();
    return true;
  }

  get canUndo(): boolean {
    return this.play !== null || this.steps.length > 1;
  }

  /** What moves is no more: whoever waits for its end need not. */
  private drop(): void {
    const { play } = this;
    if (!play) return;
    this.play = null;
    this.leaving = [];
    this.worker?.postMessage({ ask: "stop" });
    for (const done of play.after) done();
  }

  /** Begin to move: "drop" {counts or cubes, seed}, "knock" {strength, seed}, "hand" {}. */
  async move(kind: string, what: Omit<Move, "kind">): Promise<Play> {
    await this.finish();
    this.number += 1;
    const play = new Play(this.number, { kind, ...what }, this.window);
    const { token, inside, board, tray } = this.state;
    play.know([...inside, ...board].map(([id, colour]) => ({ id, colour })));
    const from = performance.now();
    this.leaving = wantsStillness() ? [] : tray.map((cube) => ({ ...cube, from }));
    this.play = play;
    try {
      const { cubes } = await this.request(kind, { token, number: play.number, ...what });
      if (cubes) play.know(cubes);
    } catch (error) {
      if (this.play === play) this.drop();
      throw error;
    }
    this.tell("throw", play.what);
    this.ask();
    return play;
  }

  /** Let go another cube of a throw by hand, now: {cube: {id, colour}, pose, velocity, spin}. */
  async launch(play: Play, launch: Launch): Promise<void> {
    await this.request("launch", { number: play.number, launch });
    play.know([launch.cube]);
    play.launched += 1;
  }

  /** No more cubes come. If none was let go, nothing moves. */
  async close(play: Play): Promise<void> {
    play.isOpen = false;
    const { isEmpty } = await this.request("close", { number: play.number });
    if (isEmpty && this.play === play) this.drop();
  }

  /** See at once how what moves ends; a promise. */
  finish(): Promise<void> {
    const { play } = this;
    if (!play) return Promise.resolve();
    if (play.isOpen) this.close(play);
    play.isHurried = true;
    const over = new Promise<void>((done) => {
      play.after.push(done);
    });
    this.tick(performance.now());
    return over;
  }

  get moves() {
    return this.play !== null || this.leaving.length > 0;
  }

  /** Let time pass to `at` (ms); `hear` is called with the hardness (m/s) and the place of each impact. */
  tick(at: number, hear: Hear = () => {}): void {
    this.leaving = this.leaving.filter(({ from }) => at - from < 1000 * FALLS);
    const { play } = this;
    if (!play) return;
    if (play.what.kind === "hand" && play.isOpen) {
      play.began ??= at;
      this.request("until", { number: play.number, windows: Math.ceil((at - play.began) / 1000 / this.window) + WAKES });
    }
    play.pass(at, wantsStillness() || play.isHurried, hear);
    for (const cube of play.left()) {
      if (!this.apparatus.profile.swept) play.lying.push(cube); // else it is taken away at the exit
      this.tell("out", { id: cube.id, colour: cube.colour });
    }
    if (play.isOver && this.play === play) this.end(play);
  }

  private end(play: Play): void {
    this.play = null;
    const { status, emerged, ...after } = play.ended!;
    const state: State = { ...after, events: [...this.state.events, ...after.events], by: play.what };
    this.steps.push(state);
    try {
      for (const id of emerged) if (!play.gone.has(id)) this.tell("out", { id, colour: play.colours.get(id) });
      this.tell("rest", { what: play.what, status, emerged, ...state });
      this.changed();
    } finally {
      for (const done of play.after) done(); // whoever waits goes on, whatever went wrong in what was told
    }
  }

  /** The cubes to draw at a time (ms): {cube, colour: a name, pose, size}. */
  drawn(at: number) {
    const { play, state } = this;
    const cubes: { cube: number; colour: string; pose: Pose; size: number }[] = [];
    const add = (cube: number, colour: string, pose: Pose, size = 1) => cubes.push({ cube, colour, pose, size });
    const moving = play ? play.poses() : null;
    if (moving) for (const [id, pose] of moving) add(id, play!.colours.get(id)!, pose);
    else if (state) for (const [id, colour, , pose] of [...state.inside, ...state.board]) add(id, colour, pose);
    for (const { id, colour, pose } of this.tray) add(id, colour, pose);
    for (const each of this.leaving) {
      const part = smooth(at - each.from, 0, 1000 * FALLS);
      const pose = [...each.pose];
      pose[2] += 6 * this.edge * part;
      add(each.id, each.colour, pose, 1 - part);
    }
    return cubes;
  }

  private get tray(): Lying[] {
    return (this.play ? this.play.lying : this.state?.tray) ?? [];
  }

  isOut([x, , z]: Pose): boolean {
    const { exit } = this.apparatus.profile;
    return exit !== null && x > exit.x && z < exit.top;
  }

  counts(): Map<string, { inside: number; out: number }> {
    const found = new Map<string, { inside: number; out: number }>();
    const row = (colour: string) => {
      if (!found.has(colour)) found.set(colour, { inside: 0, out: 0 });
      return found.get(colour)!;
    };
    const { play, state } = this;
    const moving = play ? play.poses() : null;
    const onBoard = new Set(state ? state.board.map(([id]) => id) : []);
    if (moving) for (const [id, pose] of moving) row(play!.colours.get(id)!)[onBoard.has(id) || this.isOut(pose) ? "out" : "inside"] += 1;
    else if (state) {
      for (const [, colour] of state.inside) row(colour).inside += 1;
      for (const [, colour] of state.board) row(colour).out += 1;
    }
    for (const { colour } of this.tray) row(colour).out += 1;
    return found;
  }
}

/** What moves, as it is played: pieces of windows, in each the same cubes. */
export class Play extends Windows {
  colours = new Map<number, string>();
  after: (() => void)[] = [];
  lying: Lying[] = []; // what came out so far
  gone = new Set<number>();
  ended: Ended | null = null;
  launched = 0;
  isOpen: boolean;
  isHurried = false;
  began: number | null = null;
  time = 0;
  last: number | null = null;
  at = 0;

  constructor(readonly number: number, readonly what: Move, readonly window: number) {
    super();
    this.isOpen = what.kind === "hand";
  }

  restart(): void {
    this.empty();
    Object.assign(this, { time: 0, last: null, at: 0, lying: [] });
    this.gone.clear();
  }

  know(cubes: { id: number; colour: string }[]): void {
    for (const { id, colour } of cubes) this.colours.set(id, colour);
  }

  /** Let time pass to `at` (ms); it waits where nothing is simulated yet. */
  pass(at: number, isStill: boolean, hear: Hear): void {
    const since = this.last === null ? 0 : Math.min((at - this.last) / 1000, 0.1);
    this.last = at;
    if (isStill) {
      this.time = this.length * this.window;
      this.at = Math.max(this.length - 1, 0);
      return;
    }
    const end = (this.length - (this.isOpen ? BEHIND : 0)) * this.window;
    this.time = this.length ? Math.min(this.time + since, Math.max(end, this.time)) : 0;
    const to = Math.min(Math.floor(this.time / this.window), this.length - 1);
    for (; this.at < to; this.at += 1) this.listen(this.at, hear);
  }

  /** Hear the impacts in window `k`: where a velocity changes by more than gravity changes it. */
  listen(k: number, hear: Hear): void {
    const piece = this.pieceOf(k + 1);
    if (!piece || k < 1) return;
    for (const id of piece.numbers) {
      const [a, b, c] = [this.poseAt(id, k - 1), this.poseAt(id, k), this.poseAt(id, k + 1)];
      if (!a || !b || !c) continue;
      const change = [0, 1, 2].map((i) => (c[i] - 2 * b[i] + a[i]) / this.window);
      change[2] += GRAVITY * this.window;
      const hardness = size(change);
      if (hardness > 0.12) hear(hardness, b);
    }
  }

  /** The cubes that were taken out since one asked last: {id, colour, pose}. */
  left(): Lying[] {
    const found: Lying[] = [];
    const passed = this.time / this.window + 1e-6;
    for (const piece of this.pieces) {
      if (piece.isPassed || passed < piece.first + piece.windows) continue;
      piece.isPassed = true;
      for (const id of piece.swept) {
        if (this.gone.has(id)) continue;
        this.gone.add(id);
        let k = piece.first + piece.windows - 1;
        while (k > 0 && !this.poseAt(id, k)) k -= 1;
        const last = this.poseAt(id, k);
        if (last) found.push({ id, colour: this.colours.get(id)!, pose: [...last] });
      }
    }
    return found;
  }

  get isOver() {
    return this.ended !== null && this.time >= this.length * this.window - 1e-6;
  }

  /** Where each cube is now: [id, pose]; null before anything is simulated. */
  poses(): [number, Pose][] | null {
    if (!this.length) return null;
    const passed = this.time / this.window;
    const piece = this.pieceOf(clamp(Math.floor(passed - 1), 0, this.length - 1));
    return piece!.numbers.filter((id) => !this.gone.has(id)).map((id) => [id, this.poseAfter(id, passed)!]);
  }
}
