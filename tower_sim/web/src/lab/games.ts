// Whole games of a tower by games.wasm, the compiled kernel of tower_sim/surrogate/kernel.py, which says what its tables are.

import { type Compiled, type Table, bytes, longs, shorts, wholes, words } from "../common/compiled";
import type { Variant } from "./state";

/** What the drops of a game throw: the set-up all, then round by round a colour a phase. */
export function throwsOf(variant: Variant): number[] {
  return [-1, ...Array.from({ length: variant.rounds }, () => variant.phases).flat()];
}

/**
 * What plays games of one tower: `table` is that of an exported document. play(seed, first, count) plays so many games into
 * `thrown`, `emerged` and `inside`, counts at [(game * drops + drop) * colours + colour].
 */
export class Player {
  drops: number;
  colours: number;
  cubes: number;
  floors: number;
  thrown!: Int16Array;
  emerged!: Int16Array;
  inside!: Int16Array;
  private law: (Table | number)[];
  private colour: Table;
  private low: Table;
  private throws: number[];
  private work: Table[];

  constructor(readonly compiled: Compiled, table: any, variant: Variant) {
    const ends = variant.cubes.reduce((sums, count) => [...sums, sums[sums.length - 1] + count], [0]);
    this.throws = throwsOf(variant);
    [this.drops, this.colours, this.cubes, this.floors] = [this.throws.length, variant.cubes.length, ends[ends.length - 1], table.floors.length];
    const { cubes, drops, floors } = this;
    const longer = (values: any[], length: number) => Array.from({ length }, (_, i) => values[Math.min(i, values.length - 1)]);
    const by = (names: string[], length: number): any[] => names.flatMap((name) => table.floors.flatMap((floor: any) => longer(floor[name], length)));
    const effects = table.floors[0].arriving_effect[0].length;
    const lying = by(["arriving_lying", "lying_lying"], cubes + 1);
    const onto = by(["arriving_effect", "lying_effect"], cubes + 1).flatMap((row, i) => row.map((effect: number) => effect + lying[i]));
    const { thresholds } = table;
    const chances = [...thresholds.slice(1).reverse().map((value: number) => 2 ** 32 - value), ...thresholds];
    const hasEffect = table.floors.map((floor: any) => Number([...floor.arriving_effect, ...floor.lying_effect].some((row) => row.some(Boolean))));
    this.law = [
      longs([2, floors, cubes + 1], by(["arriving_thrown", "lying_thrown"], cubes + 1)), wholes([2, floors, cubes + 1, effects], onto),
      wholes([floors, cubes + 1], by(["arriving_fresh"], cubes + 1)), wholes([2 * floors, drops + 1], by(["age", "crowd"], drops + 1)),
      wholes([floors], table.floors.map((floor: any) => floor.pushed)), bytes([floors], hasEffect), words([chances.length], chances),
      32 - Math.log2(effects), table.crowd_from, table.fresh_to,
    ];
    this.colour = words([cubes], variant.cubes.flatMap((count, k) => Array<number>(count).fill(k)));
    this.low = longs([ends.length], ends);
    const shapes = [[cubes], [cubes], [cubes], [cubes + 1], [cubes + 1], [floors], [floors], [drops, floors], [floors], [floors]];
    this.work = [...shapes.map((shape) => words(shape)), longs([floors]), longs([4])];
  }

  play(seed: number[], first: number, count: number, drops = this.drops): void {
    const counts = [0, 1, 2].map(() => shorts([count, drops, this.colours]));
    const plan = longs([drops], this.throws.slice(0, drops));
    this.compiled.call("play", [...this.law, longs([4], seed), this.colour, this.low, plan, ...counts, ...this.work], first | 0, 0);
    [this.thrown, this.emerged, this.inside] = counts.map(({ values }) => values);
  }

  /** Return the floor of every cube after every drop of a game, `floors` for out: the game is played to each of its drops. */
  floorsAfter(seed: number[], game: number): Uint32Array[] {
    return Array.from({ length: this.drops }, (_, drop) => {
      this.play(seed, game, 1, drop + 1);
      return (this.work[0].values as Uint32Array).slice();
    });
  }
}
