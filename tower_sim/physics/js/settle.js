// Settle: the world runs until every cube lies still, what came out is cleared away, until nothing more comes; as tower_sim/physics/settle.py and
// scene.py, with the loop cut where time passes, so that a page can go on window by window.

import { deepestOverlap } from "./cuboids.js";
import { GRAVITY, HOLD, SHAKING } from "./knock.js";

export const MOST_OVERLAP = 0.05; // edges by which cubes of a state may lie in each other or in a part

const CREEP_SECONDS = 1;
const MOST_MISSES = 3; // a cube

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
  let nearTheEnd = null;
  let lastAt = launches.length ? launches[launches.length - 1].at : 0;
  let status = null;
  let poses = [];
  let due = 0;
  const out = new Map(); // of the cubes that were taken away: { place, pose (null: not at rest) } by number
  let gone = []; // their numbers since the last time it was asked
  let letGo = [];
  const again = [];
  let misses = 0;
  const ever = new Set(); // the numbers of all cubes

  const add = (number, pose, velocity, spin) => {
    bodies.push(engine.add(pose, velocity, spin));
    numbers.push(number);
    ever.add(number);
  };
  const launch = ({ cube, pose, velocity, spin }) => {
    add(cube.id, pose, velocity, spin);
    letGo.push(cube.id);
  };
  const remove = (number) => {
    const i = numbers.indexOf(number);
    engine.remove(bodies[i]);
    numbers.splice(i, 1);
    bodies.splice(i, 1);
  };
  const away = (number, place, pose) => {
    out.set(number, { place, pose });
    gone.push(number);
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

  /** Take the cubes out of the world that are `where(pose)`: [number, pose]. */
  function takeOut(where) {
    const taken = numbers.map((number, i) => [number, poses[i]]).filter(([, pose]) => where(pose));
    for (const [number] of taken) remove(number);
    if (taken.length) poses = engine.poses();
    return taken;
  }

  /** Catch the cubes that fall beside the opening at the top; each is then let fall from half as far from the middle. */
  function catchMissed() {
    for (const [number, [x, y, , ...turn]] of takeOut(places.missed)) {
      const pose = [x / 2, y / 2, profile.rim + profile.hand.height + edge, ...turn];
      again.push({ cube: { id: number }, pose, velocity: [0, 0, 0], spin: [0, 0, 0] });
      misses += 1;
    }
  }

  /** Take the cubes out of the world that lie outside a tower; tell whether there were any. */
  function clear() {
    if (profile.board) return false;
    const taken = takeOut(places.emerged);
    const found = places.find(taken.map(([, pose]) => pose));
    taken.forEach(([number, pose], i) => away(number, found[i].place, pose));
    return taken.length > 0;
  }

  /** Do what is to be done now, between two windows. */
  function look() {
    for (;;) if (!looked()) return;
  }

  /** Do it once; tell whether it is to be done again before time passes. */
  function looked() {
    const time = passed * settings.window;
    while (waiting.length && waiting[0].at <= time + 1e-9) {
      check(waiting[0], engine.poses());
      launch(waiting.shift());
    }
    poses = engine.poses();
    catchMissed();
    if (misses > MOST_MISSES * ever.size || poses.some((pose) => places.escaped(pose))) return void (status = "escaped");
    if (profile.swept) for (const [number] of takeOut(places.emerged)) away(number, "tray", null);
    const isShaking = shake !== null && time < SHAKING;
    if (engine.allSleep() && !waiting.length && !isShaking && !isOpen) {
      if (isSound()) {
        if (again.length) launch(again.shift());
        else if (!clear()) return void (status = "settled");
        [lastAt, nearTheEnd] = [time, null];
        return true;
      }
      wakeAll();
    }
    if (isOpen && engine.allSleep()) return void (due = time + settings.window); // a hand takes its time
    if (time >= end() - CREEP_SECONDS && nearTheEnd === null) nearTheEnd = new Map(numbers.map((number, i) => [number, poses[i]]));
    if (time >= end()) return void (status = again.length ? "timed_out" : stopped());
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
      [letGo, gone] = [[], []];
      look();
      return { ...shown, swept: gone, done: status !== null };
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
    /** Where the cubes lay that were taken away, { place, pose } by number, and how often one missed. */
    out: () => out,
    missed: () => misses,

    /** Let all lie where they are, as in the world that is made anew from the state; returns who touches whom, by number. */
    lieStill() {
      engine.lieStill();
      const numberOf = new Map(bodies.map((body, i) => [body, numbers[i]]));
      return engine.touches().map(([one, other, ...forces]) => [numberOf.get(one), other < 0 ? other : numberOf.get(other), ...forces]);
    },
  };
}
