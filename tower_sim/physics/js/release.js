// Release: a hand lets cubes go - where, how turned, how fast, and when; as tower_sim/physics/release.py.

import { normals, order, turn, uniform } from "./draws.js";

/** Draw how the hand of a profile lets `cubes` go, in the order of time: [{ cube, at, pose, velocity, spin }]; s, m, rad. */
export function release(core, cubes, { hand, rim, cube: { edge } }, rng) {
  const numbers = order(rng, cubes.length);
  const cell = edge * Math.sqrt(3) * 1.001;
  const { places, levels } =
    hand.interval > 0
      ? { places: cubes.map(() => layer(core, hand, cell, rng)[0]), levels: cubes.map(() => 0) }
      : handful(core, cubes.length, hand, cell, rng);
  return numbers.map((number, i) => {
    const [x, y] = places[i];
    const z = rim + hand.height + cell / 2 + levels[i] * cell;
    const pose = [x, y, z, ...turn(rng)];
    const drawn = normals(core, rng, 6);
    const velocity = drawn.slice(0, 3).map((each) => hand.speed * each);
    const spin = drawn.slice(3).map((each) => hand.spin * each);
    return { cube: cubes[number], at: i * hand.interval, pose, velocity, spin };
  });
}

/** Fill layer on layer from below; the places of the last layer are chosen at random. */
function handful(core, number, hand, cell, rng) {
  const places = [];
  const levels = [];
  for (let level = 0; places.length < number; level++) {
    for (const place of layer(core, hand, cell, rng).slice(0, number - places.length)) {
      places.push(place);
      levels.push(level);
    }
  }
  return { places, levels };
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
