// The physics of tower_sim: a profile opened as a model that drops, knocks and places, at once or window by window; the same
// bytes as Python's PhysicsModel (tower_sim/simulator.py).
//
//   profile -> scene -> outcome

import { type CheckedLaunch, checkLaunch, checkLaunches, rowOfLaunch, tooDeep } from "./by_hand.js";
import { openCore } from "./core.js";
import { checkCubes, checkState, checkStrength, checkZone, doorOf, markSound } from "./door.js";
import { checkWhole } from "./numbers.js";
import { refuse, wrongly } from "./refuse.js";
import { type How, type Laid, sceneOf } from "./scene.js";
import { cubeOf, dropsOf, freeze, poseOf } from "./state.js";
import type { Begun, CubeRow, EdgedCube, LyingRow, PhysicsEvent, PhysicsLanding, PhysicsModel, PhysicsOutcome, PhysicsState, Profile, Run } from "./types.js";

const SCHEMA = "tower-sim/physics";
const VERSION = 3;
const MOST_WINDOWS = 25; // of one call: so many a film has room for
const INSIDE = "inside:";

/** A run that begins: `rng` is the text of what it draws from, `letGo` writes the cubes into the scene. */
interface Started extends How { kind: Begun["kind"]; thrown: EdgedCube[]; rng?: string; strength?: number; zone?: string; launches?: CheckedLaunch[]; letGo?: () => void }

/**
 * Open a profile, a document of `tower_sim.physics.plain.document`, with the bytes of core.wasm.
 *
 * A model does one thing after the other: what was begun is over when the next begins. Everything follows from the arguments.
 */
export async function openPhysics(profile: Profile, bytes: BufferSource): Promise<PhysicsModel> {
  if (profile?.schema !== SCHEMA || profile.version !== VERSION) {
    throw wrongly("profile", profile?.schema, `a document of ${SCHEMA}, version ${VERSION}`);
  }
  const core = await openCore(bytes);
  const scene = sceneOf(core, profile);
  const door = doorOf(profile, scene);
  let current: Run | null = null;

  const drop: PhysicsModel["drop"] = (state, cubes, rng) => complete(begin({ kind: "drop", state, cubes, rng }));
  const knock: PhysicsModel["knock"] = (state, strength, rng) => complete(begin({ kind: "knock", state, strength, rng }));
  const place: PhysicsModel["place"] = (state, cube, zone, rng) => complete(begin({ kind: "place", state, cube, zone, rng }));
  const throwByHand: PhysicsModel["throwByHand"] = (state, launches) => complete(begin({ kind: "hand", state, launches }));

  /** Look through what is asked, and return what begins it. */
  function start(what: Begun): Started {
    const { kind, state } = what;
    if (kind === "drop") {
      const thrown = checkCubes(door, state, what.cubes);
      const letGo = () => scene.name(scene.throwCubes(thrown.length, what.rng).map((i) => thrown[i].id));
      return { kind, thrown, rng: what.rng.text(), letGo };
    }
    if (kind === "knock") {
      const { strength, rng } = what;
      checkState(door, state);
      checkStrength(strength);
      const text = rng.text();
      const angle = 2 * Math.PI * rng.random();
      return { kind, thrown: [], rng: text, strength, shake: [strength, core.run("cos", angle), core.run("sin", angle)] };
    }
    if (kind === "place") {
      const { zone, rng } = what;
      const thrown = checkCubes(door, state, [what.cube]);
      checkZone(profile, zone);
      const letGo = () => {
        scene.putDown(zone, rng);
        scene.name([thrown[0].id]);
      };
      return { kind, thrown, rng: rng.text(), zone, letGo };
    }
    if (kind !== "hand") throw wrongly("kind", kind, "drop, knock, place or hand");
    if (what.launches === undefined) {
      checkState(door, state);
      return { kind, thrown: [], isOpen: true };
    }
    const thrown = checkCubes(door, state, what.launches.map(({ cube }) => cube));
    const launches = checkLaunches(profile, scene, thrown, what.launches);
    return { kind, thrown, launches, letGo: () => launches.forEach(scene.launch), isChecked: true };
  }

  function begin(what: Begun): Run {
    const { state } = what;
    const event = start(what);
    const { thrown, isOpen } = event;
    const launches = [...(event.launches ?? [])];
    const isThrown = (row: LyingRow) => thrown.some(({ id }) => id === row[0]);
    const lying = state.board.filter((row) => !isThrown(row));
    const laid = [...state.residents, ...lying].map((row): Laid => [row[0], poseOf(row)]);
    scene.lay(laid, state.residents.length, state.touches);
    event.letGo?.();
    scene.start(event);
    refuseTaken();
    let { let_go: letGoBefore } = scene.changes();
    let outcome: PhysicsOutcome | null = null;
    const isOurs = () => {
      if (current !== run) throw new Error("this run is over: another was begun with its model");
    };
    const run: Run = {
      advance(windows = Infinity, isFilmed = true) {
        isOurs();
        if (windows !== Infinity) checkWhole("windows", windows, 0);
        if (scene.status() !== null) return { numbers: [], frames: new Float64Array(0), windows: 0, swept: [], let_go: [], done: true };
        const shown = { ...scene.goOn(Math.min(windows, MOST_WINDOWS), isFilmed), let_go: letGoBefore };
        refuseTaken();
        const { let_go: next, gone } = scene.changes();
        letGoBefore = next;
        return { ...shown, swept: gone, done: scene.status() !== null };
      },
      launch(given) {
        isOurs();
        if (!isOpen || scene.status() !== null) throw refuse("launch", "comes after the throw is over", "a throw that is open");
        const cube = checkCubes(door, state, [...thrown, given.cube]).pop()!;
        if (lying.some(([id]) => id === cube.id)) {
          throw refuse("cubes", `have number ${cube.id}, which lies on the board`, "a cube that was taken off it");
        }
        const now = { ...given, windows: scene.passed() };
        const launch = checkLaunch(profile, scene, cube, now, launches.at(-1)?.at ?? 0);
        scene.launch(launch);
        const deep = scene.letGo(launch);
        if (deep) throw tooDeep(cube.id, deep);
        letGoBefore = [...letGoBefore, ...scene.changes().let_go];
        thrown.push(cube);
        launches.push(launch);
      },
      close() {
        isOurs();
        if (!launches.length) throw wrongly("launches", 0, "at least one");
        scene.close();
      },
      passed: scene.passed,
      outcome() {
        if (outcome) return outcome;
        isOurs();
        return (outcome = outcomeOf(state, lying, { ...event, launches }));
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

  function outcomeOf(state: PhysicsState, lying: readonly LyingRow[], { kind, thrown, rng = "", strength = 0, zone = "", launches = [] }: Started): PhysicsOutcome {
    const status = scene.status();
    if (status === null) throw new Error("the run is not done: advance until it is");
    const isLanding = status === "settled" || status === "jammed";
    const touches = isLanding ? scene.lieStill() : [];
    const there = scene.there();
    const found = scene.find(there.map(([, pose]) => pose));
    const out = scene.out();
    const rowOf = new Map(there.map(([number], i) => [number, i]));
    const cubes = [...state.residents.map(cubeOf), ...lying.map(cubeOf), ...thrown];
    const landings = cubes.map((cube): PhysicsLanding => {
      const i = rowOf.get(cube.id);
      if (i === undefined) {
        const { place, pose } = out.get(cube.id) ?? { place: "lost", pose: null };
        return { cube: cube.id, colour: cube.colour, place, pose, touches: [], on: [] };
      }
      const { place, touches: zones, on } = found[i];
      return { cube: cube.id, colour: cube.colour, place, pose: there[i][1], touches: zones, on: on.map((j) => there[j][0]) };
    });
    const before = new Set(lying.map(([id]) => id));
    const byNumber = (isWanted: (landing: PhysicsLanding) => boolean) => cubes.filter((_, i) => isWanted(landings[i])).sort((a, b) => a.id - b.id);
    const emerged = byNumber(({ place, cube }) => !place.startsWith(INSIDE) && !before.has(cube));
    const inside = byNumber(({ place }) => place.startsWith(INSIDE));
    const outcome: PhysicsOutcome = {
      model: "physics", apparatus: profile.name, status, thrown, lying: lying.map(cubeOf), landings, emerged, inside,
      knocked_out: kind === "knock" ? emerged : [], failures: [], extrapolated: false, missed: scene.misses(), state,
    };
    if (!isLanding) return freeze(outcome);
    const since = new Map([...state.residents, ...lying].map((row) => [row[0], row[4]]));
    const rest = landings.filter(({ cube }) => rowOf.has(cube)).sort((a, b) => rowOf.get(a.cube)! - rowOf.get(b.cube)!);
    const edges = new Map(cubes.map(({ id, edge }) => [id, edge]));
    const rowOfLanding = ({ cube, colour, place, pose }: PhysicsLanding): LyingRow => (
      [cube, colour, edges.get(cube)!, place, since.get(cube) ?? dropsOf(state), ...pose!]
    );
    const rows = rest.map(rowOfLanding);
    const isInside = (row: LyingRow) => row[3].startsWith(INSIDE);
    const residents = rows.filter(isInside).map(([id, colour, edge, place, ...more]): LyingRow => [id, colour, edge, place.slice(INSIDE.length), ...more]);
    const more: [number[][]?] = kind === "hand" ? [launches.map(rowOfLaunch)] : [];
    const plain = thrown.map(({ id, colour, edge }): CubeRow => [id, colour, edge]);
    const event: PhysicsEvent = [kind, rng, plain, emerged.map(({ id }) => id), strength, zone, ...more];
    const board = profile.board ? rows.filter((row) => !isInside(row)) : [];
    return freeze({ ...outcome, state: markSound(door, { ...state, residents, log: [...state.log, event], board, touches }) });
  }

  const { name: apparatus, digest } = profile;
  const empty = () => markSound(door, { model: "physics", apparatus, digest, residents: [], log: [], board: [], touches: [] });
  return Object.freeze({
    name: "physics",
    profile,
    empty,
    drop,
    knock,
    place,
    throwByHand,
    begin,
    emerged: scene.emerged,
  });
}

function complete(run: Run): PhysicsOutcome {
  while (!run.advance(Infinity, false).done);
  return run.outcome();
}
