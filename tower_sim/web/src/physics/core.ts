// Core: an instance of core.wasm, and the tables that its functions work on, in its memory. The module says itself what they
// are: tower_sim/physics/core/arrays.py explains them.

const PAGE = 65536;
const ALIGNED = 16;
const WORDS = 128; // of the list of tables: more than all have

/** A table: its name, where it begins, its shape. */
type Listed = [name: string, at: number, shape: number[]];
export type Tables = Record<"whole" | "drop" | "marks" | "flags", BigInt64Array> & Record<"real" | "plan" | "cubes" | "bodies" | "hulls" | "rule", Float64Array>;
/** What the module says of itself: the shapes of its tables, which have whole numbers, and its numbers by name. */
interface Layout { shapes: [name: string, shape: (string | number)[]][]; wholes: string[]; names: Record<string, number> }
type Functions = Record<
  | "begin" | "cos" | "deepest_overlap" | "depth_of" | "find_places" | "go_on" | "lay_grid" | "let_go" | "lie_still" | "list_touches"
  | "put_down" | "sin" | "start" | "write_hulls" | "write_row", (...numbers: number[]) => number>;
type Exports = Functions & { memory: WebAssembly.Memory; __heap_base: WebAssembly.Global<"i32"> };
export type Core = Awaited<ReturnType<typeof instantiate>>;

const aligned = (at: number) => Math.ceil(at / ALIGNED) * ALIGNED;

/** Return an instance of the module in `bytes`: its functions, the `names` of places in tables, `worldOf`. */
export async function instantiate(bytes: BufferSource) {
  const module = await WebAssembly.compile(bytes);
  const [section] = WebAssembly.Module.customSections(module, "tower_sim");
  const { shapes, whole_numbers: wholes, names } = JSON.parse(new TextDecoder().decode(section));
  const exports = (await WebAssembly.instantiate(module, {})).exports as Exports;
  return { names, worldOf: (fixed: number, hulls: number, rule: readonly number[]) => worldOf(exports, { shapes, wholes, names }, fixed, hulls, rule), ...exports };
}

/**
 * Return a world with room for `fixed` rows that do not move and so many numbers of hulls, and the numbers of its rule.
 * `makeRoom(cubes)` gives it room for so many, and `tables` are its tables as typed arrays: they change with that. Functions take
 * `block`; those that list pairs are called again as long as `isShort` gives these more room.
 */
function worldOf({ memory, __heap_base: base }: Exports, { shapes, wholes, names }: Layout, fixed: number, hulls: number, rule: readonly number[]) {
  const block = aligned(base.value);
  const world = { block, cubes: 0, shapes: [] as Listed[], tables: {} as Tables, makeRoom, isShort, lend, hold };
  let words = 0; // of the world's own tables
  let end = 0;
  let pairs = 0;

  function makeRoom(cubes: number): void {
    if (cubes > world.cubes) grow(cubes, Math.max(pairs, names.PAIRS_A_CUBE * cubes));
  }

  /** Tell whether a function stopped because pairs need room; they have it now. */
  function isShort(): boolean {
    const needed = Number(world.tables.whole[names.SHORT]);
    if (needed) grow(world.cubes, needed + (needed >> 1));
    return needed > 0;
  }

  function grow(cubes: number, more: number): void {
    pairs = more;
    const before = world.tables;
    const kept = Object.entries(before).map(([name, table]) => [name as keyof Tables, table.slice(0, usedOf(before, name))] as const);
    const sizes: Record<string, number> = {
      rows: fixed + cubes, cubes, hulls, rule: rule.length, pairs, "pairs and one": pairs + 1, points: pairs * names.MOST_POINTS,
      cells: names.CELLS_A_ROW * fixed + names.MORE_CELLS + 1, listed: names.LISTED_A_ROW * fixed + names.MORE_LISTED,
    };
    const listed: Listed[] = [];
    let at = block + 8 * WORDS;
    for (const [name, [first, ...rest]] of shapes) {
      const shape = [sizes[first] ?? first, ...rest] as number[];
      listed.push([name, at, shape]);
      at = aligned(at + 8 * product(shape));
    }
    end = at;
    reach(end);
    new Uint8Array(memory.buffer, block, end - block).fill(0);
    list(0, listed.map(([, place, shape]) => [place, ...shape]));
    words = listed.reduce((sum, [, , shape]) => sum + 1 + shape.length, 0);
    world.shapes = listed;
    world.cubes = cubes;
    see();
    for (const [name, values] of kept) (world.tables[name] as Float64Array).set(values as Float64Array);
    world.tables.rule.set(rule);
    if (kept.length) world.tables.whole[names.ACTIVE] = 0n;
  }

  /** Return how many numbers of a table say something between two steps. */
  function usedOf(tables: Tables, name: string): number | undefined {
    const count = (place: number) => Number(tables.whole[place]);
    const width = product(shapes.find(([other]) => other === name)![1].slice(1) as number[]);
    if (name === "bodies" || name === "flags") return width * count(names.ROWS);
    if (name === "pairs" || name === "touches") return width * count(names.PAIRS);
    return ["whole", "real", "hulls", "grid", "cells", "listed", "drop", "plan", "cubes", "marks"].includes(name) ? undefined : 0;
  }

  function see() {
    world.tables = Object.fromEntries(world.shapes.map(([name, at, shape]) => {
      const kind = wholes.includes(name) ? BigInt64Array : Float64Array;
      return [name, new kind(memory.buffer, at, product(shape))];
    })) as Tables;
  }

  function list(behind: number, rows: number[][]): void {
    new BigInt64Array(memory.buffer, block, WORDS).set(rows.flat().map(BigInt), behind);
  }

  /** Make tables of reals for one call, of some shapes; they are good until the next are lent. */
  function lend(...given: number[][]): Float64Array<ArrayBuffer>[] {
    const rows: number[][] = [];
    let at = end;
    for (const shape of given) {
      rows.push([at, ...shape]);
      at = aligned(at + 8 * product(shape));
    }
    if (reach(at)) see();
    list(words, rows);
    return rows.map(([place, ...shape]) => new Float64Array(memory.buffer, place, product(shape)));
  }

  /** Lend tables that hold rows of numbers. */
  function hold(width: number, rows: number[][]): void {
    const [table] = lend([rows.length, width]);
    table.fill(0);
    rows.forEach((row, i) => table.set(row, i * width));
  }

  /** Let the memory reach so far; tell whether it grew. */
  function reach(bytes: number): boolean {
    const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE);
    if (missing > 0) memory.grow(missing);
    return missing > 0;
  }

  return world;
}

function product(shape: readonly number[]): number {
  return shape.reduce((a, b) => a * b, 1);
}
