// The physics of tower_sim: a profile opened as a model that drops, knocks and places, at once or window by window; the same
// bytes as Python's PhysicsModel (tower_sim/simulator.py). READ FIRST.
//
//   profile -> scene -> outcome

/** @import { Advance, Begun, Launch, PhysicsOutcome, PhysicsState, Pose, Profile, Rng, ThrownCube, TimedLaunch } from "../../clients/npm/types.js" */
import { checkedLaunch, checkedLaunches, rowOfLaunch, tooDeep } from "./by_hand.js";
import { instantiated } from "./core.js";
import { checkedCubes, checkedState, checkedStrength, checkedZone, doorOf, made } from "./door.js";
import { refuse, wrongly } from "./refuse.js";
import { sceneOf } from "./scene.js";
import { cubeOf, dropsOf, frozen } from "./state.js";

const SCHEMA = "tower-sim/physics";
const VERSION = 2;
const MOST_WINDOWS = 25; // of one call: so many a film has room for
const INSIDE = "inside:";

/**
 * Open a profile, a document of `tower_sim.physics.plain.document`, with the bytes of core.wasm.
 *
 * A model does one thing after the other: what was begun is over when the next begins. Everything follows from the arguments.
 */
export async function openPhysics(/** @type {Profile} */ profile, /** @type {BufferSource} */ bytes) {
  if (profile?.schema !== SCHEMA || profile.version !== VERSION) {
    throw wrongly("profile", profile?.schema, `a document of ${SCHEMA}, version ${VERSION}`);
  }
  const core = await instantiated(bytes);
  const scene = sceneOf(core, profile);
  const door = doorOf(profile, scene);
  let current = null;

  /** @type {(state: PhysicsState, cubes: readonly ThrownCube[], rng: Rng) => PhysicsOutcome} */
  const drop = (state, cubes, rng) => completed(begin({ kind: "drop", state, cubes, rng }));
  /** @type {(state: PhysicsState, strength: number, rng: Rng) => PhysicsOutcome} */
  const knock = (state, strength, rng) => completed(begin({ kind: "knock", state, strength, rng }));
  /** @type {(state: PhysicsState, cube: ThrownCube, zone: string, rng: Rng) => PhysicsOutcome} */
  const place = (state, cube, zone, rng) => completed(begin({ kind: "place", state, cube, zone, rng }));
  /** @type {(state: PhysicsState, launches: readonly TimedLaunch[]) => PhysicsOutcome} */
  const throwByHand = (state, launches) => completed(begin({ kind: "hand", state, launches }));

  function begin(/** @type {Begun} */ what) {
    const started = starts[what.kind];
    if (!started) throw wrongly("kind", what.kind, "drop, knock, place or hand");
    const { thrown, event, letGo, ...how } = started(what);
    return runOf(what.state, thrown, letGo, how, event);
  }

  const starts = {
    drop({ state, cubes, rng }) {
      const thrown = checkedCubes(door, state, cubes);
      const letGo = () => scene.name(scene.throwCubes(thrown.length, rng).map((i) => thrown[i].id));
      return { thrown, event: eventOf("drop", rng, thrown), letGo };
    },
    knock({ state, strength, rng }) {
      checkedState(door, state);
      checkedStrength(strength);
      const event = eventOf("knock", rng, [], strength);
      const angle = 2 * Math.PI * rng.random();
      return { thrown: [], event, letGo: () => {}, shake: [strength, core.cos(angle), core.sin(angle)] };
    },
    place({ state, cube, zone, rng }) {
      const thrown = checkedCubes(door, state, [cube], true);
      checkedZone(profile, zone);
      const letGo = () => {
        scene.putDown(zone, rng);
        scene.name([thrown[0].id]);
      };
      return { thrown, event: eventOf("place", rng, thrown, 0, zone), letGo };
    },
    hand({ state, launches }) {
      const event = eventOf("hand", null, []);
      if (launches === undefined) {
        checkedState(door, state);
        return { thrown: [], event, letGo: () => {}, isOpen: true };
      }
      const thrown = checkedCubes(door, state, launches.map(({ cube }) => cube));
      const checked = checkedLaunches(profile, scene, thrown, launches);
      return { thrown, launches: checked, event, letGo: () => checked.forEach(scene.launch), isChecked: true };
    },
  };

  function runOf(state, thrown, letGo, { launches: timed = [], ...how }, event) {
    const isThrown = (row) => thrown.some(({ id }) => id === row[0]);
    const lying = state.board.filter((row) => !isThrown(row));
    const laid = [...state.residents, ...lying].map((row) => [row[0], row.slice(5)]);
    scene.lay(laid, state.residents.length, state.touches);
    letGo();
    scene.start(how);
    refuseTaken();
    let { let_go: letGoBefore } = scene.changes();
    const launches = [...timed];
    let outcome = null;
    const isOurs = () => {
      if (current !== run) throw new Error("this run is over: another was begun with its model");
    };
    const run = {
      /** Go on by up to `windows` windows: { numbers, frames, windows, swept, let_go, done }. @returns {Advance} */
      advance(windows = Infinity, isFilmed = true) {
        isOurs();
        if (scene.status() !== null) return { numbers: [], frames: new Float64Array(0), windows: 0, swept: [], let_go: [], done: true };
        const shown = { ...scene.goOn(Math.min(windows, MOST_WINDOWS), isFilmed), let_go: letGoBefore };
        refuseTaken();
        const { let_go: next, gone } = scene.changes();
        letGoBefore = next;
        return { ...shown, swept: gone, done: scene.status() !== null };
      },
      /** Let one more cube go now: { cube: { id, colour }, pose, velocity, spin }; of a throw by hand that is open. */
      launch(/** @type {Launch} */ given) {
        isOurs();
        if (!how.isOpen || scene.status() !== null) throw refuse("launch", "comes after the throw is over", "a throw that is open");
        const cube = checkedCubes(door, state, [...thrown, given.cube]).pop();
        if (lying.some(([id]) => id === cube.id)) {
          throw refuse("cubes", `have number ${cube.id}, which lies on the board`, "a cube that was taken off it");
        }
        const now = { ...given, windows: scene.passed() };
        const launch = checkedLaunch(profile, scene, cube, now, launches.at(-1)?.at ?? 0);
        scene.launch(launch);
        const deep = scene.letGo(launch);
        if (deep) throw tooDeep(cube.id, deep);
        letGoBefore = [...letGoBefore, ...scene.changes().let_go];
        thrown.push(cube);
        launches.push(launch);
      },
      /** Say that no more cubes come; it goes on until all lie still. */
      close() {
        isOurs();
        if (!launches.length) throw wrongly("launches", 0, "at least one");
        scene.close();
      },
      /** How many windows have passed. */
      passed: () => /** @type {number} */ (scene.passed()),
      /** Return what came of it, when it is done. @returns {PhysicsOutcome} */
      outcome() {
        if (outcome) return outcome;
        isOurs();
        if (scene.status() === null) throw new Error("the run is not done: advance until it is");
        return (outcome = outcomeOf(state, thrown, lying, event, launches));
      },
    };
    current = run;
    return run;
  }

  /** Refuse a cube whose place was not free when it was let go. */
  function refuseTaken() {
    const taken = scene.taken();
    if (taken) throw tooDeep(taken.id, taken.deep);
  }

  function outcomeOf(state, thrown, lying, event, launches) {
    const status = scene.status();
    const isLanding = status === "settled" || status === "jammed";
    const touches = isLanding ? scene.lieStill() : [];
    const there = scene.there();
    const found = scene.find(there.map(([, pose]) => pose));
    const out = scene.out();
    const rowOf = new Map(there.map(([number], i) => [number, i]));
    const cubes = [...state.residents.map(cubeOf), ...lying.map(cubeOf), ...thrown];
    const landings = cubes.map((cube) => {
      const i = rowOf.get(cube.id);
      if (i === undefined) {
        const { place, pose } = out.get(cube.id) ?? { place: "lost", pose: null };
        return { cube: cube.id, colour: cube.colour, place, pose, touches: [], on: [] };
      }
      const { place, touches: zones, on } = found[i];
      return { cube: cube.id, colour: cube.colour, place, pose: there[i][1], touches: zones, on: on.map((j) => there[j][0]) };
    });
    const before = new Set(lying.map(([id]) => id));
    const byNumber = (isWanted) => cubes.filter((_, i) => isWanted(landings[i])).sort((a, b) => a.id - b.id);
    const emerged = byNumber(({ place, cube }) => !place.startsWith(INSIDE) && !before.has(cube));
    const inside = byNumber(({ place }) => place.startsWith(INSIDE));
    const outcome = {
      model: "physics", apparatus: profile.name, status, thrown, lying: lying.map(cubeOf), landings, emerged, inside,
      knocked_out: event[0] === "knock" ? emerged : [], failures: [], extrapolated: false, missed: scene.misses(), state,
    };
    if (!isLanding) return frozen(outcome);
    const since = new Map([...state.residents, ...lying].map((row) => [row[0], row[4]]));
    const rest = landings.filter(({ cube, pose }) => pose && rowOf.has(cube)).sort((a, b) => rowOf.get(a.cube) - rowOf.get(b.cube));
    const edges = new Map(cubes.map(({ id, edge }) => [id, edge]));
    const rowOfLanding = ({ cube, colour, place, pose }) => (
      [cube, colour, edges.get(cube), place, since.get(cube) ?? dropsOf(state), ...pose]
    );
    const rows = rest.map(rowOfLanding);
    const isInside = (row) => row[3].startsWith(INSIDE);
    const residents = rows.filter(isInside).map((row) => [...row.slice(0, 3), row[3].slice(INSIDE.length), ...row.slice(4)]);
    const [kind, rng, , , strength, zone] = event;
    const more = kind === "hand" ? [launches.map(rowOfLaunch)] : [];
    const plain = thrown.map(({ id, colour, edge }) => [id, colour, edge]);
    const numbers = emerged.map(({ id }) => id);
    outcome.state = made(door, {
      ...state, residents, log: [...state.log, [kind, rng, plain, numbers, strength, zone, ...more]],
      board: profile.board ? rows.filter((row) => !isInside(row)) : [], touches,
    });
    return frozen(outcome);
  }

  const { name: apparatus, digest } = profile;
  /** @type {() => PhysicsState} */
  const empty = () => made(door, { model: "physics", apparatus, digest, residents: [], log: [], board: [], touches: [] });
  return Object.freeze({
    name: "physics",
    profile,
    empty,
    drop,
    /** Knock on the table; `strength` is the peak acceleration in g. */
    knock,
    /** Put a cube down by hand on a zone of a board. */
    place,
    /** Let cubes go where, when and how fast somebody held them. */
    throwByHand,
    /** Begin one of these, to go on with it window by window. */
    begin,
    /** Tell whether a cube at a pose has come out. @type {(pose: Pose) => boolean} */
    emerged: scene.emerged,
  });
}

function completed(run) {
  while (!run.advance(Infinity, false).done);
  return run.outcome();
}

function eventOf(kind, rng, thrown, strength = 0, zone = "") {
  return [kind, rng ? rng.text() : "", thrown, [], strength, zone];
}
