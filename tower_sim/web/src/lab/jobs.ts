// Jobs that take a while, in a worker: first results after few games, then all. Where no worker can be made the page does
// them itself, a little at a time.

import { battle, seedWords } from "made/lab.js";
import { KEYS, type Summary, Tally } from "./figures";
import { type FindJob, find } from "./find";
import { type Compiled, openCompiled } from "../common/compiled";
import type { Laws, Variant } from "./state";
import { type Estimate, Pairs, type Row, estimate } from "./statistics";

const FIRST = 250; // games before the first result
const STEP = 500; // games between two looks at whether the job is still wanted
const LOOK = 30; // ms between two such looks of a search

/** Whole games of A, or pairs of A and B from the same words. */
export interface RulesJob { kind: "rules"; a: Variant; b: Variant | null; seed: string; games: number }

export interface FightJob { kind: "fight"; setup: object; ship: string; seed: string; games: number }
export type Job = RulesJob | FightJob | FindJob;

export interface Played { rows: Row[]; sides: Summary[] }
export interface Report<T> { done: number; games: number; result: T | null }

interface Work { play(first: number, count: number): void; result(): unknown }

function workOf(laws: Laws, compiled: Compiled, job: RulesJob | FightJob): Work {
  const four: number[] = seedWords(job.seed);
  if (job.kind === "fight") {
    const odds = battle.none(laws.ships[job.ship].law);
    const meanOf = ({ sum, squares }: { sum: number; squares: number }) => estimate(compiled, sum, squares, odds.games);
    const means = (): Record<string, Estimate>[] => odds.sides.map((side: object) => Object.fromEntries(Object.entries(side).map(([name, sums]) => [name, meanOf(sums)])));
    return { play: (first, count) => battle.add(odds, job.setup, laws.ships[job.ship], four, first, count), result: () => ({ ...odds, means: means() }) };
  }
  const pairs = new Pairs(compiled, KEYS.length);
  const sides = [job.a, job.b].flatMap((variant) => (variant ? [new Tally(compiled, laws.towers[variant.tower], variant)] : []));
  return {
    play(first, count) {
      for (const side of sides) side.add(four, first, count);
      for (let game = 0; game < count; game++) {
        for (const side of sides) side.read(game);
        pairs.add(sides[0].values, sides[1]?.values);
      }
    },
    result: () => ({ rows: pairs.rows(), sides: sides.map((side) => side.summary()) }),
  };
}

/** Do a job: `tell` what is done, the result whenever the number of games has doubled; stop when it is not wanted. */
async function doJob(laws: Laws, compiled: Compiled, job: Job, tell: (report: Report<unknown>) => void, isWanted: () => boolean): Promise<void> {
  if (job.kind === "find") {
    let looked = performance.now();
    const rest = async () => {
      if (performance.now() - looked < LOOK) return;
      await pause();
      looked = performance.now();
      if (!isWanted()) throw new Error("the search is given up");
    };
    return tell({ done: 1, games: 1, result: await find(laws, compiled, seedWords(job.seed), job, rest) });
  }
  const work = workOf(laws, compiled, job);
  let reported = 0;
  for (let done = 0; done < job.games; ) {
    const count = Math.min(done ? STEP : FIRST, job.games - done);
    work.play(done, count);
    done += count;
    const isDue = done >= 2 * reported || done === job.games;
    if (isDue) reported = done;
    tell({ done, games: job.games, result: isDue ? work.result() : null });
    await pause();
    if (!isWanted()) return;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(0);
  });
}

/** Be a worker: the first message is the lab's laws, every other a job, which ends the one before. */
export function startWorker(): void {
  let given: Promise<{ laws: Laws; compiled: Compiled }>;
  let latest = 0;
  self.onmessage = async ({ data }) => {
    if (data.laws) {
      given = openCompiled(data.wasm).then((compiled) => ({ laws: data.laws, compiled }));
      return;
    }
    latest = data.id;
    const isWanted = () => data.id === latest;
    try {
      const { laws, compiled } = await given;
      if (isWanted()) await doJob(laws, compiled, data, (report) => isWanted() && self.postMessage({ id: data.id, ...report }), isWanted);
    } catch (error) {
      self.postMessage({ id: data.id, wrong: (error as Error).message });
    }
  };
}

export interface Progress { done: number; games: number; isBusy: boolean }

/** Does the newest job that it is asked for, an older one is given up; it says how far it is. */
export class Jobs {
  progress: Progress = { done: 0, games: 1, isBusy: false };
  private worker: Worker | null = null;
  private compiled: Promise<Compiled> | null = null;
  private number = 0;
  private hear: (message: any) => void = () => {};

  /** `source` is the text of the page's script, which is the worker's too; `render` shows what has changed. */
  constructor(readonly laws: Laws, readonly wasm: ArrayBuffer, source: string, readonly render: () => void, readonly complain: (line: string) => void) {
    try {
      this.worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
      this.worker.postMessage({ laws, wasm });
      this.worker.onmessage = ({ data }) => data.id === this.number && this.hear(data);
      this.worker.onerror = () => (this.worker = null);
    } catch {
      this.worker = null; // this browser makes no worker of a page's own text
    }
  }

  /** Ask for a job; `take` is called with each result, and how many of the games it has. */
  ask<T>(job: Job, take: (result: T, done: number, games: number) => void): void {
    const id = ++this.number;
    const { laws, render, complain } = this;
    this.progress.isBusy = true;
    this.hear = ({ wrong, done, games, result }) => {
      this.progress = wrong ? { ...this.progress, isBusy: false } : { done, games, isBusy: done < games };
      if (wrong) return complain(wrong);
      if (result) take(result, done, games);
      return render();
    };
    if (this.worker) return this.worker.postMessage({ id, ...job });
    this.compiled ??= openCompiled(this.wasm);
    const isWanted = () => id === this.number;
    const hear = (message: object) => isWanted() && this.hear(message);
    this.compiled.then((compiled) => doJob(laws, compiled, job, hear, isWanted)).catch((error) => hear({ wrong: error.message }));
  }
}
