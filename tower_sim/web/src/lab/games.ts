// Whole games of a tower by games.wasm: what their plan is, and the counts that come of it.

import { lawOf, playedBy } from "made/lab.js";
import type { Compiled } from "../common/compiled";
import { sumOf } from "../common/text";
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
  thrown!: Int16Array;
  emerged!: Int16Array;
  inside!: Int16Array;
  private law: Int32Array;
  private throws: number[];

  constructor(readonly compiled: Compiled, table: any, readonly variant: Variant) {
    this.law = lawOf(table);
    this.throws = throwsOf(variant);
    [this.drops, this.colours, this.cubes] = [this.throws.length, variant.cubes.length, sumOf(variant.cubes)];
  }

  /** Return the places of all cubes after the last game, -1 for outside. */
  play(seed: number[], first: number, count: number, drops = this.drops): Int32Array {
    const plan = { cubes: this.variant.cubes, throws: this.throws.slice(0, drops) };
    const { places, ...counts } = playedBy(this.compiled.call, this.law, plan, seed, first, count);
    Object.assign(this, counts);
    return places;
  }

  /** Return the places of all cubes after every drop of a game, which is played to each of its drops. */
  placesAfter(seed: number[], game: number): Int32Array[] {
    return Array.from({ length: this.drops }, (_, drop) => this.play(seed, game, 1, drop + 1));
  }
}
