// Drops and whole games by the functions of tower_sim/surrogate/kernel.py, which are compiled: here their tables are filled and
// read. It is a part of each sampler's module. A table is { values, shape }, a typed array and its shape.

const LISTS = [
  "arriving_thrown", "arriving_lying", "arriving_fresh", "arriving_effect", "pushed", "lying_thrown", "lying_lying", "lying_effect",
  "age", "crowd",
];
const OLDEST = 1 << 20; // drops
const tableOf = (values, ...shape) => ({ values, shape: shape.length ? shape : [values.length] });
const workFor = () => tableOf(new BigInt64Array(18 * 12), 18, 12); // what a drop works in

const laws = new WeakMap(); // by table of an exported document
let exports_ = null;

/** Return the compiled functions; `GAMES` is their module. */
function compiled() {
  exports_ ??= new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(atob(GAMES), (letter) => letter.charCodeAt(0)))).exports;
  return exports_;
}

/** Call a compiled function with tables, which it may change, and numbers. */
function call(name, tables, ...numbers) {
  const { memory, __heap_base: block, [name]: run } = compiled();
  let end = block.value + 1024; // behind the list of tables
  const places = tables.map(({ values }) => [end, (end += 8 * Math.ceil(values.byteLength / 8))][0]);
  memory.grow(Math.max(Math.ceil((end - memory.buffer.byteLength) / 65536), 0));
  const list = tables.flatMap(({ shape }, i) => [places[i], ...shape]);
  new BigInt64Array(memory.buffer, block.value, list.length).set(list.map(BigInt));
  const views = tables.map(({ values }, i) => new values.constructor(memory.buffer, places[i], values.length));
  tables.forEach(({ values }, i) => views[i].set(values));
  const found = run(block.value, ...numbers);
  tables.forEach(({ values }, i) => values.set(views[i]));
  return found;
}

/** Return a table of an exported document as the functions take it: kernel.py says what lies where. */
function lawOf(table) {
  if (!laws.has(table)) {
    const { floors, thresholds, crowd_from, fresh_to, knock_from = 0, knocks = [] } = table;
    const lists = [thresholds, ...floors.flatMap((floor) => LISTS.map((name) => [floor[name]].flat(2))), ...knocks];
    const all = [floors.length, crowd_from, fresh_to, knock_from, ...lists.flatMap((list) => [list.length - 1, ...list])];
    laws.set(table, Int32Array.from(all));
  }
  return laws.get(table);
}

/**
 * Return where each cube is after a drop, or after a knock of `step` hundredths of g: the number of a floor, -1 for outside.
 *
 * `cubes`, in the order of their numbers, are [place, age in drops, whether many were thrown with it]; each that is outside is
 * thrown. `call` calls a compiled function with tables and numbers; `word` is asked for as many words as that takes.
 */
function movedBy(call, law, cubes, word, step) {
  const before = [(cube) => cube[0], (cube) => -Math.min(cube[1], OLDEST), (cube) => Number(cube[2]), () => 0].flatMap((of) => cubes.map(of));
  const words = [];
  for (;;) {
    const after = Int32Array.from(before);
    const taken = call("move", [tableOf(law), tableOf(Uint32Array.from(words)), tableOf(after, 4, cubes.length), workFor()], step);
    if (taken >= 0) return after.subarray(0, cubes.length);
    for (let left = taken; left < 0; left++) words.push(word());
  }
}

/**
 * Play games number `first` and following of a plan, as `game` takes one: counts of cubes `thrown`, `emerged` and `inside`, by
 * game, throw and colour, and the `places` of all cubes after the last throw.
 */
function playedBy(call, law, { cubes, throws }, seed, first, games) {
  const colour = Int32Array.from(cubes.flatMap((count, k) => Array(count).fill(k)));
  const all = colour.length;
  const size = games * throws.length * cubes.length;
  const counts = new Int16Array(3 * size);
  const places = new Int32Array(4 * all);
  const words = new Uint32Array(2 * law[0] * (all + 1) + 2 * all); // twice as many as a drop takes at most
  const given = [law, Uint32Array.from(seed), colour, Int32Array.from(throws)].map((each) => tableOf(each));
  const made = [tableOf(counts, 3, games, throws.length, cubes.length), tableOf(places, 4, all), tableOf(words), workFor()];
  call("play", [...given, ...made], first | 0, 0);
  const [thrown, emerged, inside] = [0, 1, 2].map((i) => counts.subarray(i * size, (i + 1) * size));
  return { thrown, emerged, inside, places: places.subarray(0, all) };
}
