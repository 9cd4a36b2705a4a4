// Scene: an apparatus and its cubes in the tables of an instance of core.wasm, which lays cubes, lets them go, drops them window
// by window, and says where they are; as tower_sim/physics/scene.py. The module says itself what its tables are:
// tower_sim/physics/core/arrays.py explains them. Metres, seconds, radians; a pose is x y z and a unit quaternion x y z w.

import { openCompiled, reals, type Table } from "../common/compiled.js";
import { pcg64OfText } from "./pcg64.js";
import { refuse, wrongly } from "./refuse.js";
import type { LyingRow, Pose, Profile, Rng, Status } from "./types.js";

type Tables = Record<"whole" | "drop" | "marks" | "flags", BigInt64Array> & Record<"real" | "plan" | "rule", Float64Array>;
/** Where a cube is; one that was swept away or lost has no pose. */
export interface Seen { readonly id: number; readonly place: string; readonly pose: Pose | null; readonly touches: readonly string[]; readonly on: readonly number[] }
export type Scene = Awaited<ReturnType<typeof openScene>>;

const STATUSES: Record<string, Status> = { SETTLED: "settled", JAMMED: "jammed", TIMED_OUT: "timed_out", ESCAPED_FROM: "escaped" };
const PER_CUBE = 32; // draws of a throw, about
const NO_KNOCK = [-1, 0, 0];

/** Return the scene of a profile (see tower_sim/physics/plain.py) in an instance of the module in `bytes`. */
export async function openScene(profile: Profile, bytes: BufferSource) {
  const compiled = await openCompiled(bytes);
  const { call } = compiled;
  const { shapes, whole_numbers: wholes, names }: { shapes: [name: string, shape: [string | number, ...number[]]][]; whole_numbers: string[]; names: Record<string, number> } = compiled.about;
  const tables = compiled.bound as Tables;
  const width = Object.fromEntries(shapes.map(([name, [, columns = 1]]) => [name, columns]));
  const { boxes, hulls, surfaces, zones, regions, rule } = profile;
  const fixed = boxes.length + hulls.length;
  const corners = (faces: readonly (readonly number[])[]) => faces.reduce((sum, face) => sum + face.length, 0);
  const room = hulls.reduce((sum, { vertices, faces }) => sum + 5 + 3 * vertices.length + 7 * faces.length + 8 * corners(faces), 1);
  const PLACES: Record<number, string> = { [names.LOST]: "lost", [names.DOORWAY]: "doorway", [names.TRAY]: "tray", [names.TABLE]: "table", [names.BORDER]: "border" };
  let [cubes, pairs] = [0, 0]; // room for so many

  const drop = (place: number) => Number(tables.drop[place]);
  const setDrop = (place: number, value: number) => (tables.drop[place] = BigInt(value));
  const idOf = (cube: number) => Number(tables.marks[width.marks * cube + names.ID]);
  const idsThere = () => Array.from({ length: Number(tables.whole[names.ROWS]) - fixed }, (_, i) => idOf(Number(tables.flags[width.flags * (fixed + i) + names.NUMBER])));
  const allCubes = () => drop(names.LAID) + drop(names.LAUNCHES);
  const rowsOf = ({ shape: [, columns], values }: Table<Float64Array>, number: number) => Array.from({ length: number }, (_, i) => [...values.subarray(columns * i, columns * (i + 1))]);

  function makeRoom(more: number): void {
    if (more > cubes) grow(more, Math.max(pairs, names.PAIRS_A_CUBE * more));
  }

  /** Put the world into tables with room for so many cubes and pairs: rows that it has begin them. */
  function grow(...more: [cubes: number, pairs: number]): void {
    const kept = Object.entries(tables).map(([name, values]) => [name, values.slice()] as const);
    [cubes, pairs] = more;
    const sizes: Record<string, number> = {
      rows: fixed + cubes, cubes, hulls: room, rule: rule.length, pairs, "pairs and one": pairs + 1, points: pairs * names.MOST_POINTS,
      cells: names.CELLS_A_ROW * fixed + names.MORE_CELLS + 1, listed: names.LISTED_A_ROW * fixed + names.MORE_LISTED,
    };
    compiled.bind(shapes.map(([name, [first, ...rest]]) => ({ name, kind: wholes.includes(name) ? BigInt64Array : Float64Array, shape: [sizes[first] ?? first, ...rest] })));
    for (const [name, values] of kept) tables[name as keyof Tables].set(values as never);
    tables.whole[names.ACTIVE] = 0n;
  }

  /** Call a function again as long as it stops because pairs need room; return what it then returns. */
  function untilDone(run: () => number): number {
    for (;;) {
      const result = run();
      const needed = Number(tables.whole[names.SHORT]);
      if (!needed) return result;
      grow(cubes, needed + (needed >> 1));
    }
  }

  /** Let a function of the core let go of cubes: it takes uniform numbers, and `rng` then goes on behind those that it used. */
  function draw(rng: Rng, ids: readonly number[], number: number, how: (ids: Table, draws: Table) => number): number {
    makeRoom(allCubes() + ids.length);
    for (;;) {
      const copy = pcg64OfText(rng.text())!;
      const used = how(reals([ids.length], ids), reals([number], Array.from({ length: number }, copy.random)));
      if (used <= number) {
        for (let i = 0; i < used; i++) rng.random();
        return used;
      }
      number = 2 * used;
    }
  }

  /** Lay cubes to rest, inside and on a board, pressing as `touches` say. */
  function lay(inside: readonly LyingRow[], outside: readonly LyingRow[], touches: readonly (readonly number[])[]): void {
    const laid = [...inside, ...outside];
    makeRoom(laid.length);
    const pressing = reals([touches.length, names.TOUCH]);
    touches.forEach(([one, other, ...forces], i) => pressing.values.set([one, other, forces.length / 3, ...forces], names.TOUCH * i));
    const rows = reals([laid.length, 8], laid.flatMap(([id, , , , , ...pose]) => [id, ...pose]));
    untilDone(() => call("lay", [rows, pressing], inside.length));
  }

  /** Go on by up to `windows` windows; `frames` has the poses after each, if they are asked for, until a cube comes or goes. */
  function goOn(windows: number, isFilmed: boolean) {
    const numbers = idsThere();
    const film = reals([isFilmed ? windows : 0, numbers.length, 7]);
    const taken = untilDone(() => call("go_on", [film], windows, 0, 0));
    return { numbers, frames: isFilmed ? film.values.slice(0, 7 * numbers.length * taken) : null, windows: taken };
  }

  /** Return the error that a cube is let go so deep (m) in another or in a part. */
  const tooDeep = (id: number) => refuse("launches.pose", `puts cube ${id} ${tables.plan[names.DEPTH]} m deep into another or into a part`, "a free place, such as a higher one");

  makeRoom(8);
  tables.real.set(profile.real.map((number) => number ?? -Infinity));
  tables.plan.set(profile.plan);
  tables.rule.set(rule);
  setDrop(names.RUN, names.ALONE);
  setDrop(names.IS_SWEPT, profile.swept ? 1 : 0);
  setDrop(names.HAS_BOARD, profile.board ? 1 : 0);
  const boxRows = boxes.flatMap(({ centre, turn, half, surface }) => [...centre, ...turn, ...half, surfaces[surface].friction, surfaces[surface].restitution]);
  const hullNumbers = hulls.flatMap(({ surface, vertices, faces, least_cosines: cosines = [] }) => {
    const { friction, restitution } = surfaces[surface];
    return [friction, restitution, vertices.length, faces.length, cosines.length, ...cosines, ...vertices.flat(), ...faces.flatMap((face) => [face.length, ...face])];
  });
  call("build", [reals([boxes.length, 12], boxRows), reals([hullNumbers.length], hullNumbers)]);

  return {
    lay,
    goOn,
    mostOverlap: names.MOST_OVERLAP * profile.cube.edge,
    emerged: (pose: ArrayLike<number>) => (call("did", [], pose[0], pose[1], pose[2]) & names.EMERGED) !== 0,

    /** Let the hand throw cubes in the next drop. */
    throwCubes: (ids: readonly number[], rng: Rng) => draw(rng, ids, 64 + PER_CUBE * ids.length, (...given) => call("let_go", given)),

    /** Let a hand put a cube down in a zone; refuse one that the board has not, and any where there is no board. */
    putDown(id: number, zone: string, rng: Rng): void {
      const k = zones.findIndex(({ name }) => name === zone);
      if (k < 0) throw wrongly("zone", zone, zones.length ? `one of ${zones.map(({ name }) => name).join(", ")}` : "an apparatus with a board");
      if (!draw(rng, [id], 600, (...given) => call("put_down", given, k))) throw new Error(`no place in zone ${zone} holds a cube flat`);
    },

    /** Let cubes go in the next drop, or now in one that is open, by rows as the log of a state has them; refuse what no hand does. */
    launch(ids: readonly number[], rows: readonly (readonly number[])[]): void {
      makeRoom(allCubes() + ids.length);
      const code = call("launch", [reals([ids.length, 15], rows.flatMap((row, i) => [ids[i], ...row]))], 1);
      const [i, problem] = [Math.floor(code / names.MOST_PROBLEMS), code % names.MOST_PROBLEMS];
      if (problem === names.DEEP) throw tooDeep(ids[i]);
      const [windows, ...numbers] = rows[i];
      const problems: Record<number, [string, unknown, string]> = {
        [names.UNTIMELY]: ["windows", windows, `whole windows of ${profile.settings.window} s, not before the last launch, up to ${names.LATEST} s`],
        [names.TURNED]: ["pose", numbers.slice(3, 7), "a unit quaternion"],
        [names.FAST]: ["velocity", numbers.slice(7), `up to ${names.FASTEST} m/s and ${names.MOST_SPIN} rad/s along each axis`],
        [names.AWAY]: ["pose", numbers.slice(0, 3), "a place over or in the apparatus (m)"],
      };
      if (problem) throw wrongly(`launches.${problems[problem][0]}`, problems[problem][1], problems[problem][2]);
      if (drop(names.IS_OPEN)) goOn(0, false);
    },

    /** Start the drop, with a knock of a strength (g) in a direction drawn from `rng`; `isOpen` lets more cubes come. */
    start(strength: number | null, rng: Rng | null, isOpen: boolean): void {
      const angle = strength === null ? 0 : 2 * Math.PI * rng!.random();
      call("start", [], ...(strength === null ? NO_KNOCK : [strength, compiled.run("cos", angle), compiled.run("sin", angle)]), isOpen ? 1 : 0);
      goOn(0, false);
    },

    /** Say that no more cubes come. */
    close() {
      setDrop(names.IS_OPEN, 0);
      setDrop(names.IS_DUE, 1);
      goOn(0, false);
    },

    /** Refuse a cube whose place was not free when it was let go. */
    refuseTaken() {
      if (drop(names.STATUS) === names.TAKEN) throw tooDeep(idOf(drop(names.LAID) + drop(names.NEXT)));
    },

    /** Return the cubes that came and that were taken away since this was last asked. */
    changes() {
      const table = reals([allCubes(), 2]);
      const found = rowsOf(table, call("changes", [table]));
      const are = (state: number) => found.filter(([, now]) => now === state).map(([id]) => id);
      return { let_go: are(names.THERE), gone: [...are(names.SWEPT), ...are(names.CLEARED)] };
    },

    /** How many windows have passed. */
    passed: () => drop(names.PASSED_WINDOWS),
    /** How it ended, null before. */
    status: () => Object.entries(STATUSES).find(([name]) => names[name] === drop(names.STATUS))?.[1] ?? null,
    /** How often a cube missed the opening. */
    misses: () => drop(names.MISSES),

    /** Return where all cubes are that were ever there, and how many of them, the first, still are, in the engine's order. */
    read(): { seen: Seen[]; there: number } {
      const many = allCubes();
      const given = [2, 7, 2, zones.length + 1, many].map((columns) => reals([many, columns]));
      const there = call("read", given);
      const [states, poses, places, touched, on] = given.map((table) => rowsOf(table, many));
      const seen = states.map(([id, state], i): Seen => {
        const [at] = places[i];
        const place = at >= names.ZONES ? `zone:${zones[at - names.ZONES].name}` : PLACES[at] ?? `inside:${regions[at].name}`;
        const pose = state === names.THERE || state === names.CLEARED ? poses[i] : null;
        if (!zones.length) return { id, place, pose, touches: [], on: [] };
        return { id, place, pose, touches: touched[i].slice(0, touched[i].indexOf(-1)).map((k) => zones[k].name), on: on[i].flatMap((lies, j) => (lies ? [states[j][0]] : [])) };
      });
      return { seen, there };
    },

    /** Let all lie where they are, as in the world that is made anew from the state; returns who touches whom, by number. */
    lieStill() {
      untilDone(() => call("lie_still"));
      const table = reals([Number(tables.whole[names.PAIRS]), names.TOUCH]);
      return rowsOf(table, call("list_touches", [table])).map(([one, other, points, ...forces]) => [one, other, ...forces.slice(0, 3 * points).map((force) => force + 0)]);
    },

    /** Return how deep (m) a cube lies in another or in a part at most, of cubes at rest. */
    deepest(laid: readonly LyingRow[]): number {
      lay(laid, [], []);
      return call("deepest_overlap");
    },
  };
}
