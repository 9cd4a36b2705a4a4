// Whole games of a tower by games.wasm, the compiled kernel of tower_sim/surrogate/kernel.py, which says what its tables are.

import type { Variant } from "./state";

export type Games = WebAssembly.Exports & { memory: WebAssembly.Memory; __heap_base: WebAssembly.Global; play(words: number, first: number, shift: number): void };
type Table = Uint8Array | Int16Array | Int32Array | Uint32Array | BigInt64Array;
type Kind<T extends Table> = { new (buffer: ArrayBuffer, at: number, length: number): T; BYTES_PER_ELEMENT: number };

const PAGE = 65536; // bytes
const aligned = (at: number) => Math.ceil(at / 16) * 16;

export async function openGames(bytes: BufferSource): Promise<Games> {
  return (await WebAssembly.instantiate(bytes, {})).instance.exports as Games;
}

/** What the drops of a game throw: the set-up all, then round by round a colour a phase. */
export function throwsOf(variant: Variant): number[] {
  return [-1, ...Array.from({ length: variant.rounds }, () => variant.phases).flat()];
}

/**
 * What plays games of one tower: `table` is that of an exported document. play(seed, first, count) plays so many games, up to
 * `most`, into `thrown`, `emerged` and `inside`, counts at [(game * drops + drop) * colours + colour].
 */
export class Player {
  drops: number;
  colours: number;
  cubes: number;
  floors: number;
  thrown!: Int16Array;
  emerged!: Int16Array;
  inside!: Int16Array;
  /** Where free memory begins behind this player: another may begin there. */
  end: number;
  private words: number; // where the list of tables is, as the kernel takes it
  private lists: { values: number[]; rows: number }; // of the list: its words, where those of the counts begin
  private seed: number;
  private place: number;
  private phases: { at: number; slot: number };
  private counts: number[] = [];

  constructor(readonly games: Games, table: any, variant: Variant, readonly most: number, begin = games.__heap_base.value) {
    const throws = throwsOf(variant);
    const low = variant.cubes.reduce((sums, count) => [...sums, sums[sums.length - 1] + count], [0]);
    [this.drops, this.colours, this.cubes, this.floors] = [throws.length, variant.cubes.length, low[low.length - 1], table.floors.length];
    const { cubes, drops, floors, colours } = this;
    const list: number[] = [];
    this.words = aligned(begin);
    this.end = this.words + 8 * 128;
    const put = <T extends Table>(Kind: Kind<T>, shape: number[], values: ArrayLike<number> | ArrayLike<bigint> | null = null): number => {
      const length = shape.reduce((a, b) => a * b);
      const at = this.end;
      this.end = aligned(at + length * Kind.BYTES_PER_ELEMENT);
      const missing = this.end - games.memory.buffer.byteLength;
      if (missing > 0) games.memory.grow(Math.ceil(missing / PAGE));
      new Uint8Array(games.memory.buffer, at, this.end - at).fill(0);
      if (values) new Kind(games.memory.buffer, at, length).set(values as never);
      list.push(at, ...shape);
      return at;
    };
    const longer = (values: any[], length: number) => Array.from({ length }, (_, i) => values[Math.min(i, values.length - 1)]);
    const by = (names: string[], length: number): any[] => names.flatMap((name) => table.floors.flatMap((floor: any) => longer(floor[name], length)));
    const effects = table.floors[0].arriving_effect[0].length;
    const lying = by(["arriving_lying", "lying_lying"], cubes + 1);
    const onto = by(["arriving_effect", "lying_effect"], cubes + 1).flatMap((row, i) => row.map((effect: number) => effect + lying[i]));
    const { thresholds } = table;
    const chances = [...thresholds.slice(1).reverse().map((value: number) => 2 ** 32 - value), ...thresholds];
    const hasEffect = table.floors.map((floor: any) => Number([...floor.arriving_effect, ...floor.lying_effect].some((row) => row.some(Boolean))));
    put(BigInt64Array, [2, floors, cubes + 1], by(["arriving_thrown", "lying_thrown"], cubes + 1).map(BigInt));
    put(Int32Array, [2, floors, cubes + 1, effects], onto);
    put(Int32Array, [floors, cubes + 1], by(["arriving_fresh"], cubes + 1));
    put(Int32Array, [2 * floors, drops + 1], by(["age", "crowd"], drops + 1));
    put(Int32Array, [floors], table.floors.map((floor: any) => floor.pushed));
    put(Uint8Array, [floors], hasEffect);
    put(Uint32Array, [chances.length], chances);
    list.push(32 - Math.log2(effects), table.crowd_from, table.fresh_to);
    this.seed = put(BigInt64Array, [4]);
    put(Uint32Array, [cubes], variant.cubes.flatMap((count, k) => Array(count).fill(k)));
    put(BigInt64Array, [low.length], low.map(BigInt));
    this.phases = { slot: list.length + 1, at: put(BigInt64Array, [drops], throws.map(BigInt)) };
    const rows = list.length;
    for (let i = 0; i < 3; i += 1) this.counts.push(put(Int16Array, [most, drops, colours]));
    this.place = put(Uint32Array, [cubes]);
    for (const shape of [[cubes], [cubes], [cubes + 1], [cubes + 1], [floors], [floors], [drops, floors], [floors], [floors]]) put(Uint32Array, shape);
    put(BigInt64Array, [floors]);
    put(BigInt64Array, [4]);
    this.lists = { values: list, rows };
  }

  play(seed: number[], first: number, count: number, drops = this.drops): void {
    const { games: { memory, play }, colours, counts } = this;
    const { values, rows } = this.lists;
    const list = [...values];
    list[this.phases.slot] = drops;
    for (let i = 0; i < 3; i += 1) [list[rows + 4 * i + 1], list[rows + 4 * i + 2]] = [count, drops];
    new BigInt64Array(memory.buffer, this.words, list.length).set(list.map(BigInt));
    new BigInt64Array(memory.buffer, this.seed, 4).set(seed.map(BigInt));
    [this.thrown, this.emerged, this.inside] = counts.map((at) => new Int16Array(memory.buffer, at, count * drops * colours).fill(0));
    play(this.words, first | 0, 0);
  }

  /** Return the floor of every cube after every drop of a game, `floors` for out: the game is played to each of its drops. */
  floorsAfter(seed: number[], game: number): Uint32Array[] {
    return Array.from({ length: this.drops }, (_, drop) => {
      this.play(seed, game, 1, drop + 1);
      return new Uint32Array(this.games.memory.buffer, this.place, this.cubes).slice();
    });
  }
}
