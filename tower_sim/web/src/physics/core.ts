// Core: an instance of core.wasm, and the tables that its functions work on, in its memory. The module says itself what they
// are: tower_sim/physics/core/arrays.py explains them.

import { openCompiled } from "../common/compiled.js";

export type Tables = Record<"whole" | "drop" | "marks" | "flags", BigInt64Array> & Record<"real" | "plan" | "cubes" | "bodies" | "hulls" | "rule", Float64Array>;
export type Core = Awaited<ReturnType<typeof openCore>>;

/** Between two steps these say something: the first so far as there are rows or pairs. */
const BY_ROWS = ["bodies", "flags"];
const BY_PAIRS = ["pairs", "touches"];
const WHOLE = ["whole", "real", "hulls", "grid", "cells", "listed", "drop", "plan", "cubes", "marks"];

/** Return an instance of the module in `bytes`: the `names` of places in tables, `run` for functions of numbers, `worldOf`. */
export async function openCore(bytes: BufferSource) {
  const compiled = await openCompiled(bytes);
  const { shapes, whole_numbers: wholes, names }: { shapes: [name: string, shape: [string | number, ...number[]]][]; whole_numbers: string[]; names: Record<string, number> } = compiled.about;
  const tables = compiled.bound as Tables;
  const width = Object.fromEntries(shapes.map(([name, [, columns = 1]]) => [name, columns]));

  /**
   * Return a world with room for `fixed` rows that do not move and so many numbers of hulls, and the numbers of its rule.
   * `makeRoom(cubes)` gives it room for so many. Functions that list pairs are called again as long as these need more room.
   */
  function worldOf(fixed: number, hulls: number, rule: readonly number[]) {
    let [cubes, pairs] = [0, 0];

    function makeRoom(more: number): void {
      if (more > cubes) grow(more, Math.max(pairs, names.PAIRS_A_CUBE * more));
    }

    function grow(room: number, more: number): void {
      const kept = cubes ? shapes.map(([name]) => [name, tables[name as "real"].slice(0, usedOf(name))] as const) : [];
      [cubes, pairs] = [room, more];
      const sizes: Record<string, number> = {
        rows: fixed + cubes, cubes, hulls, rule: rule.length, pairs, "pairs and one": pairs + 1, points: pairs * names.MOST_POINTS,
        cells: names.CELLS_A_ROW * fixed + names.MORE_CELLS + 1, listed: names.LISTED_A_ROW * fixed + names.MORE_LISTED,
      };
      compiled.bind(shapes.map(([name, [first, ...rest]]) => ({ name, kind: wholes.includes(name) ? BigInt64Array : Float64Array, shape: [sizes[first] ?? first, ...rest] })));
      for (const [name, values] of kept) tables[name as "real"].set(values);
      tables.rule.set(rule);
      if (kept.length) tables.whole[names.ACTIVE] = 0n;
    }

    /** Return how many numbers of a table say something between two steps. */
    function usedOf(name: string): number | undefined {
      if (BY_ROWS.includes(name)) return width[name] * Number(tables.whole[names.ROWS]);
      if (BY_PAIRS.includes(name)) return width[name] * Number(tables.whole[names.PAIRS]);
      return WHOLE.includes(name) ? undefined : 0;
    }

    /** Call a function again as long as it stops because pairs need room. */
    function untilDone(call: () => void): void {
      for (;;) {
        call();
        const needed = Number(tables.whole[names.SHORT]);
        if (!needed) return;
        grow(cubes, needed + (needed >> 1));
      }
    }

    return { tables, width, call: compiled.call, makeRoom, untilDone };
  }

  return { names, worldOf, run: (name: "cos" | "sin" | "log", x: number) => compiled.run(name, x) };
}
