// Jobs that take a while, in a worker: first results after few games, then all. Where no worker can be made the page does
// them itself, a little at a time.

import { battle, seedWords } from "made/lab.js";
import { KEYS, type Summary, Tally } from "./figures";
import { type FindJob, find } from "./find";
import { type Games, openGames } from "./games";
import type { Laws, Variant } from "./state";
import { type Moments, add, moments } from "./statistics";

const FIRST = 250; // games before the first result
const STEP = 500; // games between two looks at whether the job is still wanted
const LOOK = 30; // ms between two such looks of a search

/** Whole games of A, or pairs of A and B from the same words. */
export interface RulesJob { kind: "rules"; a: Variant; b: Variant | null; seed: string; games: number }

/** Battles of two forces. */
export interface FightJob { kind: "fight"; setup: object; ship: string; seed: string; games: number }
export type Job = RulesJob | FightJob | FindJob;

/** What house rules came to so far. */
export interface Played { sums: Moments; sides: Summary[] }
export interface Told<T> { done: number; games: number; result: T | null }

interface Work { play(first: number, count: number): void; result(): unknown }

function workOf(laws: Laws, games: Games, job: RulesJob | FightJob): Work {
  const four: number[] = seedWords(job.seed);
  if (job.kind === "fight") {
    const odds = battle.none(laws.ships[job.ship].law);
    return { play: (first, count) => battle.add(odds, job.setup, laws.ships[job.ship], four, first, count), result: () => odds };
  }
  const sums = moments(KEYS.length);
  const sides: Tally[] = [];
  for (const variant of [job.a, job.b]) if (variant) sides.push(new Tally(games, laws.towers[variant.tower], variant, STEP, sides[0]?.player.end));
  return {
    play(first, count) {
      for (const side of sides) side.add(four, first, count);
      for (let game = 0; game < count; game++) {
        for (const side of sides) side.read(game);
        add(sums, sides[0].values, sides[1]?.values ?? null);
      }
    },
    result: () => ({ sums, sides: sides.map((side) => side.summary()) }),
  };
}

/** Do a job: `tell` what is done, the result whenever the number of games has doubled; stop when it is not wanted. */
async function doJob(laws: Laws, games: Games, job: Job, tell: (told: Told<unknown>) => void, isWanted: () => boolean): Promise<void> {
  if (job.kind === "find") {
    let looked = performance.now();
    const rest = async () => {
      if (performance.now() - looked < LOOK) return true;
      await pause();
      looked = performance.now();
      return isWanted();
    };
    const result = await find(laws, games, seedWords(job.seed), job, rest);
    if (result) tell({ done: 1, games: 1, result });
    return;
  }
  const work = workOf(laws, games, job);
  let told = 0;
  for (let done = 0; done < job.games; ) {
    const count = Math.min(done ? STEP : FIRST, job.games - done);
    work.play(done, count);
    done += count;
    const isDue = done >= 2 * told || done === job.games;
    if (isDue) told = done;
    tell({ done, games: job.games, result: isDue ? work.result() : null });
    await pause();
    if (!isWanted()) return;
  }
}

/** Let messages in. */
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
  let given: Promise<{ laws: Laws; games: Games }>;
  let latest = 0;
  self.onmessage = async ({ data }) => {
    if (data.laws) {
      given = openGames(data.wasm).then((games) => ({ laws: data.laws, games }));
      return;
    }
    latest = data.id;
    const isWanted = () => data.id === latest;
    try {
      const { laws, games } = await given;
      if (isWanted()) await doJob(laws, games, data, (told) => isWanted() && self.postMessage({ id: data.id, ...told }), isWanted);
    } catch (error) {
      self.postMessage({ id: data.id, wrong: (error as Error).message });
    }
  };
}

/** Asks for a job; of the newest one it tells the results, an older one is given up. */
export type Ask = <T>(job: Job, told: (told: Told<T>) => void, wrong: (line: string) => void) => void;

/** Return what asks for jobs of these laws; `source` is the text of the page's script, which is the worker's too. */
export function makeAsk(laws: Laws, wasm: ArrayBuffer, source: string): Ask {
  let worker: Worker | null = null;
  let number = 0;
  let listener: (data: any) => void = () => {};
  try {
    worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
    worker.postMessage({ laws, wasm });
    worker.onmessage = ({ data }) => data.id === number && listener(data);
    worker.onerror = () => (worker = null);
  } catch {
    worker = null; // this browser makes no worker of a page's own text
  }
  let games: Promise<Games> | null = null;
  return (job, told, wrong) => {
    number++;
    const own = number;
    listener = (data) => (data.wrong ? wrong(data.wrong) : told(data));
    if (worker) worker.postMessage({ id: own, ...job });
    else {
      games ??= openGames(wasm);
      const isWanted = () => own === number;
      games.then((opened) => doJob(laws, opened, job, (data) => isWanted() && told(data as never), isWanted)).catch((error) => wrong(error.message));
    }
  };
}
