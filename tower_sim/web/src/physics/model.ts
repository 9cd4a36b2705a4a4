// The physics of tower_sim: a profile opened as a model that drops, knocks and places, at once or window by window; the same
// bytes as Python's PhysicsModel (tower_sim/simulator.py).
//
//   profile -> scene -> outcome

import { checkCubes, checkState, checkStrength, doorOf, markSound } from "./door.js";
import { checkWhole } from "./numbers.js";
import { refuse, wrongly } from "./refuse.js";
import { openScene } from "./scene.js";
import { cubeOf, dropsOf, freeze } from "./state.js";
import type { Begun, CubeRow, EdgedCube, LyingRow, PhysicsEvent, PhysicsLanding, PhysicsModel, PhysicsOutcome, PhysicsState, Profile, Run, TimedLaunch } from "./types.js";

const SCHEMA = "tower-sim/physics";
const VERSION = 3;
const MOST_WINDOWS = 25; // of one call: so many a film has room for
const INSIDE = "inside:";

/**
 * Open a profile, a document of `tower_sim.physics.plain.document`, with the bytes of core.wasm.
 *
 * A model does one thing after the other: what was begun is over when the next begins. Everything follows from the arguments.
 */
export async function openPhysics(profile: Profile, bytes: BufferSource): Promise<PhysicsModel> {
  if (profile?.schema !== SCHEMA || profile.version !== VERSION) {
    throw wrongly("profile", profile?.schema, `a document of ${SCHEMA}, version ${VERSION}`);
  }
  const scene = await openScene(profile, bytes);
  const door = doorOf(profile, scene);
  let current: Run | null = null;

  const drop: PhysicsModel["drop"] = (state, cubes, rng) => complete(begin({ kind: "drop", state, cubes, rng }));
  const knock: PhysicsModel["knock"] = (state, strength, rng) => complete(begin({ kind: "knock", state, strength, rng }));
  const place: PhysicsModel["place"] = (state, cube, zone, rng) => complete(begin({ kind: "place", state, cube, zone, rng }));
  const throwByHand: PhysicsModel["throwByHand"] = (state, launches) => complete(begin({ kind: "hand", state, launches }));

  /** Look through what is asked, and return the cubes that are thrown. */
  function check(what: Begun): EdgedCube[] {
    const { kind, state } = what;
    if (kind === "drop") return checkCubes(door, state, what.cubes);
    if (kind === "hand" && what.launches) return checkCubes(door, state, what.launches.map(({ cube }) => cube));
    if (kind === "place") return checkCubes(door, state, [what.cube]);
    if (kind !== "knock" && kind !== "hand") throw wrongly("kind", kind, "drop, knock, place or hand");
    checkState(door, state);
    if (kind === "knock") checkStrength(what.strength);
    return [];
  }

  function begin(what: Begun): Run {
    const { kind, state } = what;
    const thrown = check(what);
    const isOpen = kind === "hand" && what.launches === undefined;
    const rng = "rng" in what ? what.rng.text() : "";
    const launches: number[][] = [];
    const isThrown = (row: LyingRow) => thrown.some(({ id }) => id === row[0]);
    const lying = state.board.filter((row) => !isThrown(row));
    const launch = (cubes: readonly EdgedCube[], given: readonly TimedLaunch[]) => {
      if (!cubes.length) throw wrongly("launches", 0, "one for each cube, at least one");
      const rows = given.map(rowOfLaunch);
      scene.launch(cubes.map(({ id }) => id), rows);
      launches.push(...rows);
    };
    current = null;
    scene.lay(state.residents, lying, state.touches);
    if (kind === "drop") scene.throwCubes(thrown.map(({ id }) => id), what.rng);
    if (kind === "place") scene.putDown(thrown[0].id, what.zone, what.rng);
    if (kind === "hand" && !isOpen) launch(thrown, what.launches!);
    scene.start(kind === "knock" ? what.strength : null, kind === "knock" ? what.rng : null, isOpen);
    scene.refuseTaken();
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
        scene.refuseTaken();
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
        launch([cube], [{ ...given, windows: scene.passed() }]);
        letGoBefore = [...letGoBefore, ...scene.changes().let_go];
        thrown.push(cube);
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
        const more: [number[][]?] = kind === "hand" ? [launches] : [];
        const strength = kind === "knock" ? what.strength : 0;
        const zone = kind === "place" ? what.zone : "";
        const eventOf = (emerged: readonly number[]): PhysicsEvent => [kind, rng, thrown.map(rowOfCube), emerged, strength, zone, ...more];
        return (outcome = outcomeOf(state, lying, thrown, eventOf));
      },
    };
    current = run;
    return run;
  }

  function outcomeOf(state: PhysicsState, lying: readonly LyingRow[], thrown: readonly EdgedCube[], eventOf: (emerged: readonly number[]) => PhysicsEvent): PhysicsOutcome {
    const status = scene.status();
    if (status === null) throw new Error("the run is not done: advance until it is");
    const isLanding = status === "settled" || status === "jammed";
    const touches = isLanding ? scene.lieStill() : [];
    const { seen, there } = scene.read();
    const seenOf = new Map(seen.map((each) => [each.id, each]));
    const cubes = [...state.residents.map(cubeOf), ...lying.map(cubeOf), ...thrown];
    const landings = cubes.map(({ id: cube, colour }): PhysicsLanding => {
      const { place, pose, touches: zones, on } = seenOf.get(cube)!;
      return { cube, colour, place, pose, touches: zones, on };
    });
    const before = new Set(lying.map(([id]) => id));
    const byNumber = (isWanted: (landing: PhysicsLanding) => boolean) => cubes.filter((_, i) => isWanted(landings[i])).sort((a, b) => a.id - b.id);
    const emerged = byNumber(({ place, cube }) => !place.startsWith(INSIDE) && !before.has(cube));
    const inside = byNumber(({ place }) => place.startsWith(INSIDE));
    const event = eventOf(emerged.map(({ id }) => id));
    const outcome: PhysicsOutcome = {
      model: "physics", apparatus: profile.name, status, thrown, lying: lying.map(cubeOf), landings, emerged, inside,
      knocked_out: event[0] === "knock" ? emerged : [], failures: [], extrapolated: false, missed: scene.misses(), state,
    };
    if (!isLanding) return freeze(outcome);
    const since = new Map([...state.residents, ...lying].map((row) => [row[0], row[4]]));
    const cubeWith = new Map(cubes.map((cube) => [cube.id, cube]));
    const residents: LyingRow[] = [];
    const board: LyingRow[] = [];
    for (const { id, place, pose } of seen.slice(0, there)) {
      const isInside = place.startsWith(INSIDE);
      const row: LyingRow = [...rowOfCube(cubeWith.get(id)!), isInside ? place.slice(INSIDE.length) : place, since.get(id) ?? dropsOf(state), ...pose!];
      if (isInside) residents.push(row);
      else if (profile.board) board.push(row);
    }
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

function rowOfCube({ id, colour, edge }: EdgedCube): CubeRow {
  return [id, colour, edge];
}

/** Return a launch as the log of a state has it. */
function rowOfLaunch({ windows, pose, velocity, spin }: TimedLaunch): number[] {
  const row = [windows, ...(pose ?? []), ...(velocity ?? []), ...(spin ?? [])];
  if (row.length !== 14 || !row.every(Number.isFinite)) throw wrongly("launches", row, "14 numbers (windows; m; quaternion; m/s; rad/s)");
  return row;
}
