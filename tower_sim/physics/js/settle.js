// Settle: the world runs until every cube lies still, cubes that have emerged are taken out; as tower_sim/physics/settle.py and
// scene.py, with the loop cut where time passes, so that a page can go on window by window.

import { deepestOverlap } from "./cuboids.js";
import { GRAVITY, HOLD, SHAKING } from "./knock.js";

export const MOST_OVERLAP = 0.05; // edges by which cubes of a state may lie in each other or in a part

const CREEP_SECONDS = 1;
const FIRM_GOES = 3;

/**
 * Return what happens from cubes at rest on: `laid` are [number, pose], pressing as `touches` say; `launches` are made when their
 * time comes, after `check(launch, poses)`, and `shake` swings gravity. While `isOpen` more may be launched, and it does not end
 * for cubes that lie still.
 */
export function settling(engine, profile, places, { laid, touches, launches, shake = null, isOpen = false, check = () => undefined }) {
  const { settings, cube: { edge } } = profile;
  const waiting = [...launches];
  let numbers = [];
  let bodies = [];
  let passed = 0; // windows
  let goes = 0;
  let nearTheEnd = null;
  let lastAt = launches.length ? launches[launches.length - 1].at : 0;
  let status = null;
  let poses = [];
  let due = 0;
  const swept = [];
  let letGo = [];

  const add = (number, pose, velocity, spin) => {
    bodies.push(engine.add(pose, velocity, spin));
    numbers.push(number);
  };
  const end = () => settings.longest + lastAt;
  const wakeAll = () => bodies.forEach((body) => engine.wake(body));

  engine.clear();
  engine.setGravity([0, 0, -GRAVITY]);
  for (const [number, pose] of laid) add(number, pose);
  engine.lieStill();
  const bodyOf = new Map(numbers.map((number, i) => [number, bodies[i]]));
  engine.press(touches.map(([one, other, ...forces]) => [bodyOf.get(one) ?? null, other < 0 ? other : bodyOf.get(other) ?? null, ...forces]));
  if (shake && shake.strength >= HOLD) wakeAll();
  look();

  /** Tell whether no cube lies deeper in another or in a part than the door lets a state have it. */
  function isSound() {
    engine.lieStill();
    const most = MOST_OVERLAP * edge;
    return engine.overlap() < most / 2 || deepestOverlap(poses, edge, profile.boxes) <= most;
  }

  /** Take the cubes that have emerged out of the world. */
  function sweep() {
    const out = numbers.filter((_, i) => places.emerged(poses[i]));
    for (const number of out) {
      const i = numbers.indexOf(number);
      engine.remove(bodies[i]);
      numbers.splice(i, 1);
      bodies.splice(i, 1);
      swept.push(number);
    }
    if (out.length) poses = engine.poses();
  }

  /** Do what is to be done now, between two windows. */
  function look() {
    const time = passed * settings.window;
    while (waiting.length && waiting[0].at <= time + 1e-9) {
      check(waiting[0], engine.poses());
      const { cube, pose, velocity, spin } = waiting.shift();
      add(cube.id, pose, velocity, spin);
      letGo.push(cube.id);
    }
    poses = engine.poses();
    if (poses.some((pose) => places.escaped(pose))) return void (status = "escaped");
    if (profile.swept) sweep();
    const isShaking = shake !== null && time < SHAKING;
    if (engine.allSleep() && !waiting.length && !isShaking && !isOpen) {
      if (isSound()) return void (status = "settled");
      goes += 1;
      wakeAll();
    }
    if (isOpen && engine.allSleep()) return void (due = time + settings.window); // a hand takes its time
    if (time >= end() - CREEP_SECONDS && nearTheEnd === null) nearTheEnd = new Map(numbers.map((number, i) => [number, poses[i]]));
    if (time >= end()) return void (status = stopped());
    due = waiting.length ? waiting[0].at : nearTheEnd === null ? end() - CREEP_SECONDS : end();
  }

  /** Tell jams from motion: no cube lies too deep in anything, nor moved further than the bound in the last second. */
  function stopped() {
    if (!isSound()) return "timed_out";
    const bound = settings.creep * edge;
    const hasMoved = (number, i) => {
      const earlier = nearTheEnd.get(number);
      if (!earlier) return true;
      const [x, y, z] = [0, 1, 2].map((k) => poses[i][k] - earlier[k]);
      return Math.sqrt(x * x + y * y + z * z) > bound;
    };
    return numbers.some(hasMoved) ? "timed_out" : "jammed";
  }

  return {
    /** Go on by up to `windows` windows, fewer where something is due; `isFilmed` asks where the cubes are after each. */
    advance(windows, isFilmed) {
      if (status !== null) return { numbers: [], frames: new Float64Array(0), windows: 0, swept: [], let_go: [], done: true };
      const time = passed * settings.window;
      const isShaking = shake !== null && time < SHAKING;
      const most = isShaking ? 1 : Math.max(Math.ceil((due - time) / settings.window - 1e-6), 1);
      engine.setGravity(shake ? shake.gravity(time + settings.window / 2) : [0, 0, -GRAVITY]);
      const taken = engine.run(Math.min(most, windows), isFilmed);
      const shown = { numbers: [...numbers], frames: isFilmed ? engine.film(taken) : null, windows: taken, let_go: letGo };
      passed += taken;
      letGo = [];
      const before = swept.length;
      look();
      return { ...shown, swept: swept.slice(before), done: status !== null };
    },

    /** Let one more cube go now, and have it there at once. */
    launch(launch) {
      check(launch, poses);
      lastAt = launch.at;
      nearTheEnd = null;
      waiting.push(launch);
      look();
    },

    /** Go on to the end, as no more cubes will come. */
    close() {
      isOpen = false;
      if (status === null) look();
    },

    /** How many windows have passed. */
    passed: () => passed,
    /** How it ended, null before. */
    status: () => status,
    /** Where the cubes are that are there: [number, pose]. */
    there: () => numbers.map((number, i) => [number, poses[i]]),
    /** The numbers of the cubes that were swept away. */
    swept: () => swept,

    /** Let all lie where they are, as in the world that is made anew from the state; returns who touches whom, by number. */
    lieStill() {
      engine.lieStill();
      const numberOf = new Map(bodies.map((body, i) => [body, numbers[i]]));
      return engine.touches().map(([one, other, ...forces]) => [numberOf.get(one), other < 0 ? other : numberOf.get(other), ...forces]);
    },
  };
}
