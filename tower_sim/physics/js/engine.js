// Engine: what the scene speaks to; it lays numbers into the tables and lets the compiled functions run; as CoreEngine in
// tower_sim/physics/core/engine.py. Metres, kilograms, seconds, radians; poses are x y z and a unit quaternion x y z w.

import { BODY, MOST_WINDOWS, REAL, SIZES, WHOLE, tablesIn } from "./core.js";

const SKIN = 0.4; // edges
const PAD = 0.01;
const FAR = 0.6;
const TOUCHING_GAP = 0.002;
const CORRECTIONS = 8;
const NANO = 1e-9;
const ROOM = 64; // cubes, to begin with
const { COLUMNS, FLAGS, MOST_POINTS } = SIZES;

/** Return the engine of a profile (see tower_sim/physics/plain.py) in an instance of the core; `clear` comes first. */
export function engineOf(core, profile) {
  const { boxes, hulls, surfaces, between, cube, settings } = profile;
  const fixed = boxes.length + hulls.length;
  const starts = [];
  const numbers = [0];
  for (const hull of hulls) {
    starts.push(numbers.length);
    for (const number of hull.numbers) numbers.push(number);
  }
  const world = tablesIn(core, fixed, numbers, profile.calm.flat(2));
  world.make(ROOM);
  let bodies = [];
  let next = 0;

  const whole = (place) => world.views.whole[2 * place];
  const setWhole = (place, value) => (world.views.whole[2 * place] = value);
  const rowOf = (body) => fixed + bodies.indexOf(body);
  const pairOf = (k) => [0, 2, 4].map((c) => world.views.pairs[6 * k + c]);
  const boundsOf = (row, half) => {
    const axes = world.views.bodies.subarray(COLUMNS * row + BODY.AXES);
    return [0, 3, 6].map((c) => Math.abs(axes[c]) * half[0] + Math.abs(axes[c + 1]) * half[1] + Math.abs(axes[c + 2]) * half[2]);
  };

  /** Write a body that does not move into a row: its shape, and the pair of a cube with it. */
  function write(row, pose, half, pair) {
    const at = COLUMNS * row;
    const { views } = world;
    views.bodies.fill(0, at, at + COLUMNS);
    views.bodies.set(pose, at + BODY.POSITION);
    views.bodies.set(half, at + BODY.HALF);
    views.bodies[at + BODY.RADIUS] = Math.sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    views.bodies[at + BODY.FRICTION] = pair.friction;
    views.bodies[at + BODY.RESTITUTION] = pair.restitution;
    views.flags.fill(0, 2 * FLAGS * row, 2 * FLAGS * (row + 1));
    core.face_row(world.block, row);
  }

  boxes.forEach((box, row) => {
    write(row, [...box.centre, ...box.turn], box.half, surfaces[box.surface]);
    world.views.bodies.set(boundsOf(row, box.half), COLUMNS * row + BODY.BOUNDS);
  });
  hulls.forEach((hull, k) => {
    const row = boxes.length + k;
    write(row, [...hull.centre, 0, 0, 0, 1], hull.half, surfaces[hull.surface]);
    world.views.bodies.set(hull.half, COLUMNS * row + BODY.BOUNDS);
    world.views.bodies[COLUMNS * row + BODY.SHAPE] = starts[k];
  });
  const standing = world.views.bodies.slice(0, COLUMNS * fixed);

  return {
    /** Empty the world and set it up as the settings say. */
    clear() {
      const { views } = world;
      const { edge } = cube;
      views.whole.fill(0);
      views.flags.fill(0, 0, 2 * FLAGS * fixed);
      views.bodies.set(standing);
      setWhole(WHOLE.FIXED, fixed);
      setWhole(WHOLE.ROWS, fixed);
      [bodies, next] = [[], 0];
      views.real.fill(0);
      const said = {
        EDGE: edge, SKIN: SKIN * edge, PAD: PAD * edge, FAR: FAR * edge, RESTITUTION_SPEED: settings.restitution_speed,
        SLOP: settings.slop * edge, PATCH_RADIUS: settings.patch * edge, TRAVEL: settings.step_travel,
        PASSED_TRAVEL: settings.passed_travel, PASSED: profile.passed ?? -Infinity, LONGEST_STEP: settings.timestep,
        WINDOW: settings.window, QUIET_SPEED: settings.quiet_speed, QUIET_SPIN: settings.quiet_spin,
        QUIET_WINDOWS: Math.ceil(settings.quiet_time / settings.window - 1e-9), TOUCHING_GAP: TOUCHING_GAP * edge,
        CORRECTIONS, ITERATIONS: settings.iterations, TOLERANCE: settings.residual, RELAXATION_TIME: settings.relaxation,
      };
      for (const [name, value] of Object.entries(said)) views.real[REAL[name]] = value;
    },

    setGravity(gravity) {
      world.views.real.set(gravity, REAL.GRAVITY_X);
    },

    /** Add a cube, awake, with a velocity and a spin; returns the body's number in this world. */
    add(pose, velocity = [0, 0, 0], spin = [0, 0, 0]) {
      const row = whole(WHOLE.ROWS);
      if (row === fixed + world.cubes) {
        world.make(2 * bodies.length);
        setWhole(WHOLE.ACTIVE, 0);
      }
      const half = cube.edge / 2;
      write(row, pose, [half, half, half], between);
      const table = world.views.bodies.subarray(COLUMNS * row);
      table[BODY.INV_MASS] = 1 / cube.mass;
      table[BODY.INV_INERTIA] = 1 / ((cube.mass * cube.edge * cube.edge) / 6);
      table.set([...velocity, ...spin], BODY.VELOCITY);
      table[BODY.MOBILE] = 1;
      world.views.flags[2 * FLAGS * row] = 1;
      setWhole(WHOLE.ROWS, row + 1);
      setWhole(WHOLE.STALE, 1);
      bodies.push(next);
      return next++;
    },

    /** Put all cubes to sleep where they are; what is known then is what poses and touches say. */
    lieStill: () => core.lie_still(world.block),

    /** Return which bodies touch, after lieStill: [body, body or -1 - k for fixed part k, forces in nN ...]. */
    touches() {
      const found = [];
      for (let pair = 0; pair < whole(WHOLE.PAIRS); pair++) {
        const [a, b, points] = pairOf(pair);
        if (points === 0) continue;
        const row = [bodies[a - fixed], b < fixed ? -1 - b : bodies[b - fixed]];
        for (let k = 0; k < points; k++) {
          for (let c = 3; c < 6; c++) row.push(evenly(world.views.touches[6 * (MOST_POINTS * pair + k) + c] / NANO));
        }
        found.push(row);
      }
      return found;
    },

    /** Let bodies at rest press on each other as touches say; what touched a body that is gone (null) wakes up. */
    press(touches) {
      const row = (body) => {
        if (body === null) return undefined;
        if (body < 0) return body >= -fixed ? -1 - body : undefined;
        return bodies.includes(body) ? rowOf(body) : undefined;
      };
      const places = new Map();
      for (let pair = 0; pair < whole(WHOLE.PAIRS); pair++) {
        const [a, b, points] = pairOf(pair);
        places.set(a * (fixed + world.cubes) + b, [pair, points]);
      }
      const left = new Set();
      for (const [one, other, ...forces] of touches) {
        const [a, b] = [row(one), row(other)];
        if (a === undefined || b === undefined) {
          for (const each of [one, other]) if (each !== null && each >= 0 && bodies.includes(each)) left.add(each);
          continue;
        }
        const [pair, points] = places.get(a * (fixed + world.cubes) + b) ?? [0, 0];
        if (!points || 3 * points !== forces.length) continue;
        forces.forEach((force, i) => {
          world.views.touches[6 * (MOST_POINTS * pair + Math.floor(i / 3)) + 3 + (i % 3)] = force * NANO;
        });
      }
      for (const body of [...left].sort((a, b) => a - b)) core.wake_row(world.block, rowOf(body));
    },

    wake: (body) => core.wake_row(world.block, rowOf(body)),

    /** Take a cube out of the world; what touched it wakes up. */
    remove(body) {
      core.take_out(world.block, rowOf(body));
      bodies.splice(bodies.indexOf(body), 1);
    },

    /** Take up to `windows` windows, and at least one; returns how many. With `isFilmed` the film has them. */
    run(windows, isFilmed) {
      const most = Math.min(windows, MOST_WINDOWS);
      const film = new Int32Array(core.memory.buffer, world.filmWord, 4);
      film.set([isFilmed ? most : 0, 0, bodies.length, 0]);
      return core.take_windows(world.block, most, 0, 0);
    },

    /** Return where the cubes are after each of the windows taken, numbers of shape (windows, cubes, 7). */
    film: (windows) => new Float64Array(core.memory.buffer, world.film, 7 * windows * bodies.length).slice(),

    /** Tell whether all cubes sleep. */
    allSleep() {
      for (let row = fixed; row < whole(WHOLE.ROWS); row++) if (world.views.flags[2 * FLAGS * row] !== 0) return false;
      return true;
    },

    /** Return how deep (m) the deepest contact of the last step is, or of all after lieStill. */
    overlap: () => core.deepest(world.block),

    /** Return the poses of all cubes, in the order in which they were added. */
    poses: () => bodies.map((_, i) => [...world.views.bodies.subarray(COLUMNS * (fixed + i), COLUMNS * (fixed + i) + 7)]),
  };
}

/** Return the nearest whole number, of two the even one, and never -0. */
function evenly(x) {
  const low = Math.floor(x);
  const over = x - low;
  return (over > 0.5 || (over === 0.5 && low % 2 !== 0) ? low + 1 : low) + 0;
}
