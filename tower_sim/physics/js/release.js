// Release: a hand lets cubes go - where, how turned, how fast, and when; as tower_sim/physics/release.py.

import { disc, normals, order, turn, uniform } from "./draws.js";
import { GRAVITY } from "./knock.js";

const TRIES = 20; // places that are tried before a poured cube waits
const ALOFT = 60; // cubes let go before: older ones are far below

/** Draw how the hand of a profile lets `cubes` go, in the order of time: [{ cube, at, pose, velocity, spin }]; s, m, rad. */
export function release(core, cubes, { hand, rim, cube: { edge }, settings: { window } }, rng) {
  const numbers = order(rng, cubes.length);
  const cell = edge * Math.sqrt(3) * 1.001; // holds a cube however it is turned
  const low = rim + hand.height + cell / 2;
  const placeOf = hand.rate ? poured(hand, cell, window, rng) : handful(core, cubes.length, hand, cell, rng);
  return numbers.map((number, i) => {
    const [at, x, y, level] = placeOf(i);
    const pose = [x, y, low + level * cell, ...turn(rng)];
    const drawn = normals(core, rng, 6);
    const velocity = drawn.slice(0, 3).map((each) => hand.speed * each);
    velocity[2] -= hand.fall;
    const spin = drawn.slice(3).map((each) => hand.spin * each);
    return { cube: cubes[number], at, pose, velocity, spin };
  });
}

/** Return what draws the place of cube i: uniform over the hand's circle, a cell away from where those before have fallen to. */
function poured(hand, cell, window, rng) {
  const radius = Math.max(hand.spread / 2 - cell / 2, 0);
  const every = 1 / (hand.rate * window); // windows between two cubes
  let falling = [];
  let now = 0;

  /** Draw a free place; null if there is none in so many tries. Own motions, which are small, are left out. */
  function free() {
    for (let k = 0; k < TRIES; k++) {
      const [a, b] = disc(rng);
      const [x, y] = [radius * a, radius * b];
      const isNear = ([then, u, v]) => {
        const passed = (now - then) * window;
        const down = passed * (hand.fall + (GRAVITY / 2) * passed);
        return (x - u) * (x - u) + (y - v) * (y - v) + down * down < cell * cell;
      };
      if (!falling.some(isNear)) return [x, y];
    }
    return null;
  }

  return (i) => {
    now = Math.max(now, Math.ceil(i * every - 1e-9));
    let place;
    while (!(place = free())) now += 1;
    falling = [...falling.slice(-ALOFT), [now, ...place]];
    return [now * window, ...place, 0];
  };
}

/** Fill a stack, layer on layer from below; the places of the last layer are chosen at random. Returns what tells the place of cube i. */
function handful(core, number, hand, cell, rng) {
  const places = [];
  for (let level = 0; places.length < number; level++) {
    for (const [x, y] of layer(core, hand, cell, rng).slice(0, number - places.length)) places.push([0, x, y, level]);
  }
  return (i) => places[i];
}

/** Return the cells of a randomly shifted and turned lattice inside the hand's circle, in random order. */
function layer(core, hand, cell, rng) {
  const radius = Math.max(hand.spread / 2 - cell / 2, 0);
  const right = uniform(rng, 0, cell);
  const back = uniform(rng, 0, cell);
  const angle = uniform(rng, 0, Math.PI / 2);
  const reach = Math.ceil(radius / cell) + 1;
  const [cos, sin] = [core.cos(angle), core.sin(angle)];
  const turned = [];
  for (let i = -reach; i <= reach; i++) {
    for (let j = -reach; j <= reach; j++) {
      const [x, y] = [i * cell + right, j * cell + back];
      if (x * x + y * y <= radius * radius) turned.push([cos * x - sin * y, sin * x + cos * y]);
    }
  }
  const mixed = order(rng, turned.length).map((k) => turned[k]);
  return mixed.length ? mixed : [[0, 0]];
}
