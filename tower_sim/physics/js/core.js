// Core: an instance of core.wasm, and the tables that its functions work on, in its memory. The places in them are those of
// tower_sim/physics/core/arrays.py, where they are explained.

export const WHOLE = { FIXED: 0, ROWS: 1, PAIRS: 2, ACTIVE: 3, STALE: 4, STEPS: 5, VISITS: 6 };
export const REAL = {
  GRAVITY_X: 0, EDGE: 3, SKIN: 4, PAD: 5, FAR: 6, TOLERANCE: 7, ITERATIONS: 8, RESTITUTION_SPEED: 9, SLOP: 10,
  RELAXATION_TIME: 11, PATCH_RADIUS: 12, TRAVEL: 13, PASSED: 14, PASSED_TRAVEL: 15, LONGEST_STEP: 16, WINDOW: 17,
  QUIET_SPEED: 18, QUIET_SPIN: 19, QUIET_WINDOWS: 20, TOUCHING_GAP: 21, CORRECTIONS: 22,
};
export const BODY = {
  POSITION: 0, TURN: 3, AXES: 7, HALF: 16, VELOCITY: 19, SPIN: 22, INV_MASS: 31, INV_INERTIA: 32, MOBILE: 33, FRICTION: 34,
  RESTITUTION: 35, BOUNDS: 40, RADIUS: 43, SHAPE: 54,
};
export const SIZES = { WHOLES: 7, REALS: 23, COLUMNS: 55, FLAGS: 4, MOST_POINTS: 8, CONTACT: 28, ROOM: 801 };
export const MOST_WINDOWS = 25; // of one call, as Python has it: so many the film has room for

const PAGE = 65536;
const TABLES = ["whole", "real", "bodies", "flags", "pairs", "touches", "known_pairs", "known_touches", "meets", "todo", "contacts", "room"];

/** Return an instance of the module in `bytes`: its functions, its memory, where free memory begins. */
export async function instantiated(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  return instance.exports;
}

/**
 * Return tables for a world with `fixed` rows that do not move: `make(cubes)` gives it room for so many cubes, and `views` are
 * the tables as typed arrays; whole numbers are pairs of 32 bits, the low one first. They change with each `make`.
 */
export function tablesIn(core, fixed, hulls, calm) {
  const base = Math.ceil(core.__heap_base.value / 16) * 16;
  const block = base;
  const hullsAt = block + 64 * 8;
  const calmAt = hullsAt + 8 * hulls.length;
  const free = Math.ceil((calmAt + 8 * calm.length) / 16) * 16;
  const world = { block, cubes: 0, views: {}, make };
  grow(core, free);
  new Float64Array(core.memory.buffer, hullsAt, hulls.length).set(hulls);
  new Float64Array(core.memory.buffer, calmAt, calm.length).set(calm);

  function make(cubes) {
    const rows = fixed + cubes;
    const pairs = (cubes * (cubes - 1)) / 2 + cubes * fixed;
    const shapes = {
      whole: [SIZES.WHOLES], real: [SIZES.REALS], bodies: [rows, SIZES.COLUMNS], flags: [rows, SIZES.FLAGS], pairs: [pairs, 3],
      touches: [pairs, SIZES.MOST_POINTS, 6], known_pairs: [pairs, 3], known_touches: [pairs, SIZES.MOST_POINTS, 6],
      meets: [pairs, 3 + 4 * SIZES.MOST_POINTS], todo: [pairs + 1, 7], contacts: [pairs * SIZES.MOST_POINTS, SIZES.CONTACT],
      room: [SIZES.ROOM],
    };
    const kept = world.cubes ? copied(world) : null;
    const words = [];
    const places = {};
    let at = free;
    for (const name of TABLES) {
      places[name] = at;
      words.push(at, ...shapes[name]);
      at += 8 * shapes[name].reduce((a, b) => a * b);
    }
    world.film = at;
    grow(core, at + 8 * 7 * MOST_WINDOWS * cubes);
    words.push(hullsAt, hulls.length, calmAt, calm.length / 6, 6, at, 0, cubes, 7);
    world.filmWord = block + 8 * (words.length - 3);
    world.cubes = cubes;
    const { buffer } = core.memory;
    const wholes = (name, length) => new Int32Array(buffer, places[name], 2 * length);
    const reals = (name, length) => new Float64Array(buffer, places[name], length);
    world.views = {
      whole: wholes("whole", SIZES.WHOLES), real: reals("real", SIZES.REALS), bodies: reals("bodies", rows * SIZES.COLUMNS),
      flags: wholes("flags", rows * SIZES.FLAGS), pairs: wholes("pairs", pairs * 3), touches: reals("touches", pairs * SIZES.MOST_POINTS * 6),
    };
    const written = new Int32Array(buffer, block, 2 * words.length);
    words.forEach((word, i) => written.set([word, 0], 2 * i));
    if (kept) for (const [name, values] of Object.entries(kept)) world.views[name].set(values);
  }

  return world;
}

/** Return what a world's tables say between two steps, apart from its memory. */
function copied({ views }) {
  const { whole, bodies, pairs, touches } = views;
  const [rows, known] = [whole[2 * WHOLE.ROWS], whole[2 * WHOLE.PAIRS]];
  const flags = views.flags.slice(0, 2 * SIZES.FLAGS * rows);
  return {
    whole: whole.slice(), real: views.real.slice(), bodies: bodies.slice(0, SIZES.COLUMNS * rows), flags,
    pairs: pairs.slice(0, 6 * known), touches: touches.slice(0, SIZES.MOST_POINTS * 6 * known),
  };
}

function grow(core, bytes) {
  const missing = Math.ceil((bytes - core.memory.buffer.byteLength) / PAGE);
  if (missing > 0) core.memory.grow(missing);
}
