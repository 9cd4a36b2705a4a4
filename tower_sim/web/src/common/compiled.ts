// Functions compiled from Python, as tower_sim/compiled/file.py passes their arguments: tables and numbers in, tables and a number out.

type Values = Float64Array | Uint8Array | Int16Array | Int32Array | Uint32Array | BigInt64Array;
type Kind = { new (length: number): Values; new (buffer: ArrayBuffer, at: number, length: number): Values; BYTES_PER_ELEMENT: number };

/** A table of numbers of one kind; `values` has its rows one after the other. */
export interface Table<V extends Values = Values> { shape: number[]; values: V }
export type Call = Compiled["call"];

const PAGE = 65536; // bytes
const BLOCK = 2048; // bytes of the list of tables
const aligned = (at: number) => Math.ceil(at / 16) * 16;
const product = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

function table<V extends Values>(kind: { new (length: number): V }, shape: number[], given: ArrayLike<number> = []): Table<V> {
  const values = new kind(product(shape));
  values.set(given as never);
  return { shape, values };
}

export const reals = (shape: number[], given?: ArrayLike<number>) => table(Float64Array, shape, given);
export const wholes = (shape: number[], given?: ArrayLike<number>) => table(Int32Array, shape, given);
export const words = (shape: number[], given?: ArrayLike<number>) => table(Uint32Array, shape, given);

/** Open a module of compiled functions. */
export async function openCompiled(module: BufferSource): Promise<Compiled> {
  const code = await WebAssembly.compile(module);
  const [about] = WebAssembly.Module.customSections(code, "tower_sim");
  return new Compiled((await WebAssembly.instantiate(code, {})).exports, JSON.parse(new TextDecoder().decode(about)));
}

export class Compiled {
  /** The values of the tables that are bound, by name; they are others after each call. */
  readonly bound: Record<string, Values> = {};
  private layout: { name: string; kind: Kind; at: number; length: number }[] = [];
  private memory: WebAssembly.Memory;
  private block: number;
  private end: number;
  private words = 0; // of the list that are of bound tables

  /** `about` is what the module says of itself. */
  constructor(private exports: WebAssembly.Exports, readonly about: any) {
    this.memory = exports.memory as WebAssembly.Memory;
    this.block = aligned((exports.__heap_base as WebAssembly.Global<"i32">).value);
    this.end = this.block + BLOCK;
  }

  /** Let every call begin with tables of the memory, all zeros. */
  bind(tables: { name: string; kind: Kind; shape: number[] }[]): void {
    let end = this.block + BLOCK;
    this.layout = tables.map(({ name, kind, shape }) => {
      const [at, length] = [end, product(shape)];
      end = aligned(at + kind.BYTES_PER_ELEMENT * length);
      return { name, kind, at, length };
    });
    this.end = end;
    this.reach(end);
    new Uint8Array(this.memory.buffer, this.block, end - this.block).fill(0);
    this.words = this.list(0, tables.flatMap(({ shape }, i) => [this.layout[i].at, ...shape]));
    this.see();
  }

  /** Call a function with tables and whole numbers, then numbers by themselves; what it writes into the tables is there when it returns. */
  call = (name: string, given: (Table | number)[] = [], ...numbers: number[]): number => {
    let end = this.end;
    const placed = given.flatMap((each) => {
      if (typeof each === "number") return [];
      const at = end;
      end = aligned(at + each.values.byteLength);
      return [{ at, ...each }];
    });
    this.reach(end);
    let next = 0;
    this.list(this.words, given.flatMap((each) => (typeof each === "number" ? [each] : [placed[next++].at, ...each.shape])));
    const views = placed.map(({ at, values }) => new (values.constructor as Kind)(this.memory.buffer, at, values.length));
    placed.forEach(({ values }, i) => views[i].set(values as never));
    const result = this.run(name, this.block, ...numbers);
    placed.forEach(({ values }, i) => values.set(views[i] as never));
    return result;
  };

  /** Run a function of numbers alone. */
  run(name: string, ...numbers: number[]): number {
    return (this.exports[name] as (...numbers: number[]) => number)(...numbers);
  }

  private list(behind: number, words: number[]): number {
    new BigInt64Array(this.memory.buffer, this.block + 8 * behind, words.length).set(words.map(BigInt));
    return behind + words.length;
  }

  private reach(end: number): void {
    const missing = Math.ceil((end - this.memory.buffer.byteLength) / PAGE);
    if (missing <= 0) return;
    this.memory.grow(missing);
    this.see();
  }

  private see(): void {
    for (const { name, kind, at, length } of this.layout) this.bound[name] = new kind(this.memory.buffer, at, length);
  }
}
