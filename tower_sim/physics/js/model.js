// The physics of tower_sim: a profile opened as a model that drops, knocks and places, at once or window by window; the same
// bytes as Python's PhysicsModel (tower_sim/simulator.py). READ FIRST.
//
//   profile -> release -> settle -> landing -> outcome

/** @import { Advance, Begun, Launch, PhysicsOutcome, PhysicsState, Profile, Rng, ThrownCube, TimedLaunch } from "../../clients/npm/types.js" */
import { checkFree, checkedLaunch, checkedLaunches, rowOfLaunch } from "./by_hand.js";
import { instantiated } from "./core.js";
import { checkedCubes, checkedState, checkedStrength, checkedZone, doorOf, made } from "./door.js";
import { engineOf } from "./engine.js";
import { drawnShake } from "./knock.js";
import { putDown } from "./placing.js";
import { refuse, wrongly } from "./refuse.js";
import { release } from "./release.js";
import { settling } from "./settle.js";
import { shipPlaces } from "./ship.js";
import { cubeOf, dropsOf, frozen } from "./state.js";
import { towerPlaces } from "./towers.js";

const SCHEMA = "tower-sim/physics";
const VERSION = 1;
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
  const places = placesOf(profile);
  const core = await instantiated(bytes);
  const engine = engineOf(core, profile);
  const door = doorOf(profile, places);
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
    const { thrown, event, ...how } = started(what);
    return runOf(what.state, thrown, how, event);
  }

  const starts = {
    drop({ state, cubes, rng }) {
      const thrown = checkedCubes(door, state, cubes);
      const event = eventOf("drop", rng, thrown);
      return { thrown, launches: release(core, thrown, profile, rng), event };
    },
    knock({ state, strength, rng }) {
      checkedState(door, state);
      checkedStrength(strength);
      const event = eventOf("knock", rng, [], strength);
      return { thrown: [], launches: [], shake: drawnShake(core, strength, rng), event };
    },
    place({ state, cube, zone, rng }) {
      const thrown = checkedCubes(door, state, [cube], true);
      checkedZone(profile, zone);
      const event = eventOf("place", rng, thrown, 0, zone);
      const others = state.board.filter(([id]) => id !== thrown[0].id).map((row) => row.slice(5));
      const pose = putDown(core, profile, zone, others, rng);
      return { thrown, launches: [{ cube: thrown[0], at: 0, pose, velocity: [0, 0, 0], spin: [0, 0, 0] }], event };
    },
    hand({ state, launches }) {
      const check = (launch, poses) => checkFree(profile, launch, poses);
      const event = eventOf("hand", null, []);
      if (launches === undefined) {
        checkedState(door, state);
        return { thrown: [], launches: [], event, check, isOpen: true };
      }
      const thrown = checkedCubes(door, state, launches.map(({ cube }) => cube));
      return { thrown, launches: checkedLaunches(profile, places, thrown, launches), event, check };
    },
  };

  function runOf(state, thrown, how, event) {
    const isThrown = (row) => thrown.some(({ id }) => id === row[0]);
    const lying = state.board.filter((row) => !isThrown(row));
    const laid = [...state.residents, ...lying].map((row) => [row[0], row.slice(5)]);
    const settled = settling(engine, profile, places, { laid, touches: state.touches, ...how });
    const launches = [...how.launches];
    let outcome = null;
    const isOurs = () => {
      if (current !== run) throw new Error("this run is over: another was begun with its model");
    };
    const run = {
      /** Go on by up to `windows` windows: { numbers, frames, windows, swept, let_go, done }. @returns {Advance} */
      advance(windows = Infinity, isFilmed = true) {
        isOurs();
        return settled.advance(windows, isFilmed);
      },
      /** Let one more cube go now: { cube: { id, colour }, pose, velocity, spin }; of a throw by hand that is open. */
      launch(/** @type {Launch} */ given) {
        isOurs();
        if (!how.isOpen || settled.status() !== null) throw refuse("launch", "comes after the throw is over", "a throw that is open");
        const cube = checkedCubes(door, state, [...thrown, given.cube]).pop();
        if (lying.some(([id]) => id === cube.id)) {
          throw refuse("cubes", `have number ${cube.id}, which lies on the board`, "a cube that was taken off it");
        }
        const now = { ...given, windows: settled.passed() };
        const launch = checkedLaunch(profile, places, cube, now, launches.at(-1)?.at ?? 0);
        settled.launch(launch);
        thrown.push(cube);
        launches.push(launch);
      },
      /** Say that no more cubes come; it goes on until all lie still. */
      close() {
        isOurs();
        if (!launches.length) throw wrongly("launches", 0, "at least one");
        settled.close();
      },
      /** How many windows have passed. */
      passed: () => /** @type {number} */ (settled.passed()),
      /** Return what came of it, when it is done. @returns {PhysicsOutcome} */
      outcome() {
        if (outcome) return outcome;
        isOurs();
        if (settled.status() === null) throw new Error("the run is not done: advance until it is");
        return (outcome = outcomeOf(state, thrown, lying, settled, event, launches));
      },
    };
    current = run;
    return run;
  }

  function outcomeOf(state, thrown, lying, settled, event, launches) {
    const status = settled.status();
    const isLanding = status === "settled" || status === "jammed";
    const touches = isLanding ? settled.lieStill() : [];
    const there = settled.there();
    const found = places.find(there.map(([, pose]) => pose));
    const out = settled.out();
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
      knocked_out: event[0] === "knock" ? emerged : [], failures: [], extrapolated: false, missed: settled.missed(), state,
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
  });
}

/** Return where cubes of a profile are: { emerged(pose), escaped(pose), find(poses), ... }. */
export function placesOf(/** @type {Profile} */ profile) {
  const places = towerPlaces(profile) ?? shipPlaces(profile);
  if (!places) throw wrongly("profile.where", profile.where?.rule, "a rule that is known here");
  return places;
}

function completed(run) {
  while (!run.advance(Infinity, false).done);
  return run.outcome();
}

function eventOf(kind, rng, thrown, strength = 0, zone = "") {
  return [kind, rng ? rng.text() : "", thrown, [], strength, zone];
}
