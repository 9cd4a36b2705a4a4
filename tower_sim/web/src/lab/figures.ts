// What whole games of Amerigo come to, by the figures of the game: FIGURES, which Python writes from its register.

import { FIGURES, covered } from "made/lab.js";
import { capital } from "../common/text";
import type { Compiled } from "../common/compiled";
import { Player } from "./games";
import type { Variant } from "./state";
import type { Row } from "./statistics";

/** A figure as Python tells it: `of` is its value at a drop, `where` and `among` which drops count. */
interface Figure {
  key: string; title: string; unit: string; at: "setup" | "phases"; take: "mean" | "sum" | "most"; isWhole: boolean; minor: boolean; sentence: string;
  of(at: At, rules: object): number; where(at: At, rules: object): boolean; among(at: At, rules: object): number;
}

/** What is looked at in a drop: cubes of all colours, those of the colours thrown (`own`), how many colours came out, the most of one. */
type At = Record<"thrown" | "out" | "inside" | "before" | "own" | "own_out" | "colours" | "lead", number>;

export interface Summary { games: number; drops: number; sizes: Record<string, number>; counts: Record<string, Uint32Array>; beyond: number }
export interface Series { key: string; title: string; of: string; x: string }

export const REGISTER: Figure[] = FIGURES;

export const KEYS = REGISTER.map(({ key }) => key);

/** Return the figures with what the games say of each, in the order of the register. */
export function figureRows(rows: Row[]): (Figure & Row)[] {
  return REGISTER.map((figure, i) => ({ ...figure, ...rows[i] }));
}

const OF_PHASES = REGISTER.filter((figure) => figure.at === "phases" && figure.take === "mean" && figure.isWhole);

/** What can be looked at phase by phase: [{ key, title, of, x }], `of` what is counted; those of a colour last. */
export function series(colours: string[]): Series[] {
  const one = (key: string, of: string, when: string) => ({ key, title: capital(of), of, x: / in (a phase|play)$/.test(of) ? of : `${of} ${when}` });
  return [
    ...OF_PHASES.map(({ key, title, unit }) => {
      const plain = title.replace(/^mean /, "");
      return one(key, plain.split(" ").includes(unit) ? plain : `${unit} ${plain}`, "in a phase");
    }),
    ...colours.map((colour, k) => one(`out ${k}`, `${colour} cubes out`, "in a phase")),
    ...colours.map((colour, k) => one(`inside ${k}`, `${colour} cubes inside`, "after a phase")),
  ];
}

/** Counts games of a variant: `add` plays some, then `read` takes one of them into account; `values` are its figures, as KEYS. */
export class Tally {
  values = new Float64Array(KEYS.length);
  player: Player;
  private below = new Float64Array(KEYS.length); // what the means are taken over
  private sizes: Record<string, number> = {}; // by key the largest number that its counts have room for; it grows
  private counts: Record<string, Uint32Array> = {};
  private outs: Uint32Array[]; // of the counts, by colour
  private insides: Uint32Array[];
  private beyondAt: Uint8Array;
  private rules: object;
  private at: At = { thrown: 0, out: 0, inside: 0, before: 0, own: 0, own_out: 0, colours: 0, lead: 0 }; // the drop looked at
  private played = 0;
  private beyond = 0;

  constructor(compiled: Compiled, document: any, readonly variant: Variant) {
    this.player = new Player(compiled, document.table, variant);
    const { drops, colours, cubes } = this.player;
    const open = (key: string, size: number) => [this.sizes[key], this.counts[key]] = [size, new Uint32Array(drops * (size + 1))];
    for (const { key } of OF_PHASES) open(key, colours);
    variant.cubes.forEach((count, k) => [`out ${k}`, `inside ${k}`].forEach((key) => open(key, count)));
    [this.outs, this.insides] = ["out", "inside"].map((place) => variant.cubes.map((_, k) => this.counts[`${place} ${k}`]));
    this.beyondAt = Uint8Array.from({ length: (cubes + 1) ** 2 }, (_, i) => Number(!covered(document.covered, Math.floor(i / (cubes + 1)), i % (cubes + 1))));
    this.rules = { gold_divisor: variant.gold, gold_divisor_with_token: variant.token };
  }

  private count(key: string, drop: number, number: number): void {
    const size = this.sizes[key];
    if (number > size) {
      const room = (this.sizes[key] = Math.max(number, 2 * size));
      const { drops } = this.player;
      const wider = new Uint32Array(drops * (room + 1));
      for (let i = 0; i < drops; i++) wider.set(this.counts[key].subarray(i * (size + 1), (i + 1) * (size + 1)), i * (room + 1));
      this.counts[key] = wider;
    }
    this.counts[key][drop * (this.sizes[key] + 1) + number]++;
  }

  private look(drop: number, from: number): void {
    const { at, variant, player: { colours, thrown, emerged, inside } } = this;
    at.thrown = at.out = at.inside = at.own = at.own_out = at.colours = at.lead = 0;
    for (let k = 0; k < colours; k++) {
      const [into, out, left] = [thrown[from + k], emerged[from + k], inside[from + k]];
      at.thrown += into;
      at.out += out;
      at.inside += left;
      if (out) at.colours++;
      if (into) {
        at.own += out + left;
        at.own_out += out;
      } else if (out > at.lead) at.lead = out;
      const room = drop * (variant.cubes[k] + 1);
      this.outs[k][room + out]++;
      this.insides[k][room + left]++;
    }
    at.before = at.inside + at.out - at.thrown;
  }

  add(seed: number[], first: number, count: number): void {
    this.player.play(seed, first, count);
  }

  read(number: number): void {
    const { values, below, at, rules, player: { drops, colours, cubes } } = this;
    values.fill(0);
    below.fill(0);
    for (let drop = 0; drop < drops; drop++) {
      this.look(drop, (number * drops + drop) * colours);
      this.beyond += this.beyondAt[at.thrown * (cubes + 1) + at.before];
      for (const { key, of } of OF_PHASES) this.count(key, drop, Number(of(at, rules)));
      for (let i = 0; i < REGISTER.length; i++) {
        const figure = REGISTER[i];
        if ((drop === 0) !== (figure.at === "setup") || !figure.where(at, rules)) continue;
        const value = Number(figure.of(at, rules));
        if (figure.take === "most") values[i] = below[i] ? Math.max(values[i], value) : value;
        else values[i] += value;
        below[i] = figure.take === "mean" ? below[i] + Number(figure.among(at, rules)) : 1;
      }
    }
    for (let i = 0; i < values.length; i++) values[i] /= below[i] || 1;
    this.played++;
  }

  summary(): Summary {
    const { played, sizes, counts, player: { drops } } = this;
    return { games: played, drops, sizes, counts, beyond: this.beyond / (played * drops) };
  }
}

/** Return how often each number came in the phases: of counts by drop, those of every drop but the set-up. */
export function overPhases(summary: Summary, key: string): Float64Array {
  const size = summary.sizes[key] + 1;
  const sums = new Float64Array(size);
  for (let i = size; i < summary.counts[key].length; i++) sums[i % size] += summary.counts[key][i];
  return sums;
}

/** Return the mean and the 5 % and 95 % points of a number after each drop. */
export function byDrop(summary: Summary, key: string): { mean: number; low: number; high: number }[] {
  const size = summary.sizes[key] + 1;
  return Array.from({ length: summary.drops }, (_, drop) => {
    const counts = summary.counts[key].subarray(drop * size, (drop + 1) * size);
    let sum = 0;
    let seen = 0;
    let [low, high] = [-1, -1];
    counts.forEach((count, number) => {
      sum += count * number;
      seen += count;
      if (low < 0 && seen >= 0.05 * summary.games) low = number;
      if (high < 0 && seen >= 0.95 * summary.games) high = number;
    });
    return { mean: sum / summary.games, low, high };
  });
}
