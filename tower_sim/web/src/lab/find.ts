// A wish in, rules out, as `tower-sim compare --wish` does it: many ways are tried with equal luck, the best few are played
// afresh to choose one, and that one once more, beside A, to be judged: only these last games are told.

import type { Compiled } from "../common/compiled";
import { KEYS, Tally } from "./figures";
import type { Laws, Variant } from "./state";
import { Pairs, type Row } from "./statistics";

/** The wish that the mean of a figure lies from `low` to `high`; `target` is the one number that was wished for. */
export interface Wish { key: string; low: number; high: number; target: number | null }

/** What may change, by the key of a variant: its other values. */
export type Space = { [key in "cubes" | "rounds" | "gold" | "token"]: Variant[key][] };
export interface FindJob { kind: "find"; a: Variant; wish: Wish; space: Space; seed: string }
export type Verdict = "met" | "missed" | "open";

/** What a search found: the rules, what pairs of fresh games of A and of them say of each figure, how many ways were tried, and their least and most mean. */
export interface Found { variant: Variant; changed: string[]; rows: Row[]; games: number; tried: number; least: number; most: number; beyond: number }

export const NEAR = 0.05; // "about" allows this share of the number on either side; of 0, this share of the sd over games
const [SEARCHED, CHOSEN, JUDGED] = [1 << 24, 1 << 25, 1 << 26]; // the first games of each stage: the page shows those from 0
const [FIRST, MORE, CHOOSE, JUDGE] = [80, 520, 1500, 5000]; // games
const [BEAM, MOST, SURE] = [6, 120, 2.6]; // ways that are changed again; ways in all; standard errors inside a wish
const BATCH = 500;

interface Tried { variant: Variant; changed: string[]; pairs: Pairs; rows: Row[] }

/** Return the ends of what meets a wish; `sd` is the figure's over games. */
export function border({ low, high, target }: Wish, sd: number): [number, number] {
  if (target === null) return [low, high];
  const slack = NEAR * (Math.abs(target) || sd);
  return [target - slack, target + slack];
}

/** Return what the interval of a mean says of a wish. */
export function verdictOf(wish: Wish, { low, high, sd }: Row["a"]): Verdict {
  const [least, most] = border(wish, sd);
  if (least <= low && high <= most) return "met";
  return high < least || low > most ? "missed" : "open";
}

/** Do the search; `pause` is awaited now and then, and rejects when it is not wanted any more. */
export async function find(laws: Laws, compiled: Compiled, words: number[], job: FindJob, pause: () => Promise<void>): Promise<Found> {
  const { a, wish, space } = job;
  const at = KEYS.indexOf(wish.key);
  const of = ({ rows }: Tried, i = at) => rows[i].a;
  const tallyOf = (variant: Variant) => new Tally(compiled, laws.towers[variant.tower], variant);
  const play = (tried: Tried, first: number, count: number) => {
    const side = tallyOf(tried.variant);
    for (let from = 0; from < count; from += BATCH) {
      const some = Math.min(BATCH, count - from);
      side.add(words, first + from, some);
      for (let game = 0; game < some; game++) {
        side.read(game);
        tried.pairs.add(side.values);
      }
    }
    tried.rows = tried.pairs.rows();
    return tried;
  };
  const start = (variant: Variant, changed: string[], first = SEARCHED, count = FIRST) => play({ variant, changed, pairs: new Pairs(compiled, KEYS.length), rows: [] }, first, count);
  const base = play(start(a, []), SEARCHED + FIRST, MORE);
  const spread = KEYS.map((_, i) => of(base, i).sd);
  const scale = Math.max(...[wish.low, wish.high].filter(Number.isFinite).map(Math.abs), spread[at]) || 1;
  const distance = (tried: Tried) => Math.max(wish.low - of(tried).mean, of(tried).mean - wish.high, 0) / scale;
  const noise = (tried: Tried) => of(tried).sd / Math.sqrt(tried.pairs.n) / scale;
  const cost = (tried: Tried) => {
    const moved = spread.map((sd, i) => (i === at || !sd ? 0 : (of(tried, i).mean - of(base, i).mean) / sd));
    return Math.hypot(...moved);
  };
  const seems = (tried: Tried, errors: number) => {
    const [least, most] = border(wish, of(tried).sd);
    const slack = errors * noise(tried) * scale;
    return of(tried).mean >= least - slack && of(tried).mean <= most + slack;
  };
  const nearest = (some: Tried[], most: number) =>
    [...some].sort((x, y) => Number(seems(y, 2)) - Number(seems(x, 2)) || distance(x) - distance(y) || cost(x) - cost(y)).slice(0, most);

  const tried = [base];
  const change = async (from: Tried[], keys: (keyof Space)[]) => {
    const level: Tried[] = [];
    for (const { variant, changed } of from) {
      for (const key of keys.filter((each) => !changed.includes(each))) {
        for (const value of space[key]) {
          if (tried.length >= MOST) return level;
          const both = { ...variant, [key]: value };
          if (tried.some((each) => JSON.stringify(each.variant) === JSON.stringify(both))) continue;
          const one = start(both, [...changed, key]);
          tried.push(one);
          level.push(one);
          await pause();
        }
      }
    }
    return level;
  };
  const keys = Object.keys(space) as (keyof Space)[];
  const single = await change([base], keys);
  const moving = keys.filter((key) => single.some((each) => each.changed[0] === key && Math.abs(of(each).mean - of(base).mean) > 1e-9 * scale));
  const double = await change(nearest(single.filter((each) => moving.includes(each.changed[0] as keyof Space)), BEAM), moving);
  const going = [base, ...[single, double].flatMap((level) => nearest(level, 3))];
  for (const each of going.slice(1)) {
    play(each, SEARCHED + FIRST, MORE);
    await pause();
  }
  const finalists = [base, ...[1, 2].flatMap((changes) => nearest(going.filter(({ changed }) => changed.length === changes), 1 + changes))];
  const again: Tried[] = [];
  for (const { variant, changed } of finalists) {
    again.push(start(variant, changed, CHOSEN, CHOOSE));
    await pause();
  }
  const sure = again.filter((each) => seems(each, -SURE));
  const able = sure.length ? sure : again.filter((each) => seems(each, 2)).length ? again.filter((each) => seems(each, 2)) : again;
  const least = able.reduce((x, y) => (distance(y) < distance(x) ? y : x));
  const near = able.filter((each) => each === least || distance(each) <= distance(least) + Math.hypot(noise(each), noise(least)) / 2);
  const best = near.reduce((x, y) => (y.changed.length - x.changed.length || cost(y) - cost(x)) < 0 ? y : x);

  const pairs = new Pairs(compiled, KEYS.length);
  const [first, second] = [a, best.variant].map(tallyOf);
  for (let from = 0; from < JUDGE; from += BATCH) {
    for (const side of [first, second]) side.add(words, JUDGED + from, BATCH);
    for (let game = 0; game < BATCH; game++) {
      for (const side of [first, second]) side.read(game);
      pairs.add(first.values, second.values);
    }
    await pause();
  }
  const means = tried.map((each) => of(each).mean);
  return { variant: best.variant, changed: best.changed, rows: pairs.rows(), games: pairs.n, tried: tried.length, least: Math.min(...means), most: Math.max(...means), beyond: second.summary().beyond };
}
