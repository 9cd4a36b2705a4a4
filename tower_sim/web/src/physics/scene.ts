// Scene: an apparatus and its cubes in the tables of the core, which runs a drop by itself, window by window; as
// tower_sim/physics/scene.py. Metres, seconds, radians; a pose is x y z and a unit quaternion x y z w.

import type { CheckedLaunch } from "./by_hand.js";
import { reals, type Table } from "../common/compiled.js";
import type { Core } from "./core.js";
import { pcg64OfText } from "./pcg64.js";
import type { Pose, Profile, Rng, Status } from "./types.js";

const STATUSES: Record<string, Status> = { SETTLED: "settled", JAMMED: "jammed", TIMED_OUT: "timed_out", ESCAPED_FROM: "escaped" };
const PER_CUBE = 32; // draws of a throw, about

/** A cube's number, and where it lies. */
export type Laid = readonly [id: number, pose: Pose];
/** How a drop runs: `shake` is a knock, its strength (g) and direction; `isOpen` lets more cubes come; `isChecked` has launches whose places must be free. */
export interface How { shake?: readonly number[]; isOpen?: boolean; isChecked?: boolean }
export type Scene = ReturnType<typeof sceneOf>;

/** Return the scene of a profile (see tower_sim/physics/plain.py) in an instance of the core; `clear` comes first. */
export function sceneOf(core: Core, profile: Profile) {
  const { names } = core;
  const { boxes, hulls, surfaces, zones, regions } = profile;
  const fixed = boxes.length + hulls.length;
  const corners = (faces: readonly (readonly number[])[]) => faces.reduce((sum, face) => sum + face.length, 0);
  const room = hulls.reduce((sum, { vertices, faces }) => sum + 5 + 3 * vertices.length + 7 * faces.length + 8 * corners(faces), 1);
  const { tables, width, call, makeRoom, untilDone } = core.worldOf(fixed, room, profile.rule);
  makeRoom(8);
  setReal();
  for (const place of [names.FIXED, names.ROWS]) tables.whole[place] = BigInt(fixed);
  boxes.forEach(({ centre, half, turn, surface }, row) => {
    const { friction, restitution } = surfaces[surface];
    call("write_row", [], row, ...centre, ...turn, ...half, friction, restitution, 0);
  });
  const numbers = hulls.flatMap(({ surface, vertices, faces, least_cosines: cosines = [] }) => {
    const { friction, restitution } = surfaces[surface];
    return [friction, restitution, vertices.length, faces.length, cosines.length, ...cosines, ...vertices.flat(), ...faces.flatMap((face) => [face.length, ...face])];
  });
  call("write_hulls", [reals([numbers.length], numbers)], boxes.length);
  call("lay_grid");
  const PLACES: Record<number, string> = { [names.LOST]: "lost", [names.DOORWAY]: "doorway", [names.TRAY]: "tray", [names.TABLE]: "table", [names.BORDER]: "border" };
  let ids: number[] = []; // of all cubes that were ever there, by their numbers in the tables
  let known: number[] = []; // the state of each when it was last asked

  const drop = (place: number) => Number(tables.drop[place]);
  const setDrop = (place: number, value: number) => (tables.drop[place] = BigInt(value));
  const rows = () => Array.from({ length: Number(tables.whole[names.ROWS]) - fixed }, (_, i) => fixed + i);
  const numberIn = (row: number) => Number(tables.flags[width.flags * row + names.NUMBER]);
  const states = () => ids.map((_, k) => Number(tables.marks[width.marks * k + names.STATE]));
  const writeCube = (k: number, row: readonly number[]) => tables.cubes.set(row, names.CUBE_COLUMNS * k);
  const touchTable = (touches: readonly (readonly number[])[]) => {
    const number = new Map(ids.map((id, k) => [id, k]));
    const table = reals([touches.length, names.TOUCH]);
    touches.forEach(([one, other, ...forces], i) => {
      const row = [number.get(one) ?? names.GONE, other < 0 ? other : number.get(other) ?? names.GONE, forces.length / 3, ...forces];
      table.values.set(row, names.TOUCH * i);
    });
    return table;
  };

  function setReal(): void {
    tables.real.set(profile.real.map((number) => number ?? -Infinity));
  }

  /** Make room for more cubes in the next drop, and return the number of the first of them. */
  function expect(more: number): number {
    makeRoom(ids.length + more);
    setDrop(names.LAUNCHES, ids.length + more - drop(names.LAID));
    return ids.length;
  }

  /** Let a function of the core draw: it takes uniform numbers, and `rng` then goes on behind those that it used. */
  function draw(rng: Rng, number: number, how: (draws: Table) => number): number {
    for (;;) {
      const copy = pcg64OfText(rng.text())!;
      const used = how(reals([number], Array.from({ length: number }, copy.random)));
      if (used <= number) {
        for (let i = 0; i < used; i++) rng.random();
        return used;
      }
      number = 2 * used;
    }
  }

  /** Write cubes at rest, [number, pose], of which so many lie inside; begin from them, pressing as `touches` say. */
  function lay(laid: readonly Laid[], inside: number, touches: readonly (readonly number[])[]): void {
    ids = laid.map(([id]) => id);
    makeRoom(ids.length);
    for (const name of ["whole", "drop", "marks"] as const) tables[name].fill(0n);
    tables.flags.fill(0n, 0, width.flags * fixed);
    setReal();
    tables.plan.set(profile.plan);
    for (const place of [names.FIXED, names.ROWS]) tables.whole[place] = BigInt(fixed);
    setDrop(names.RUN, names.ALONE);
    setDrop(names.IS_SWEPT, profile.swept ? 1 : 0);
    setDrop(names.HAS_BOARD, profile.board ? 1 : 0);
    setDrop(names.LAID, ids.length);
    setDrop(names.INSIDE, inside);
    laid.forEach(([, pose], k) => writeCube(k, [...pose, ...new Array(names.CUBE_COLUMNS - 7).fill(0)]));
    untilDone(() => call("begin", [touchTable(touches)]));
    known = states();
  }

  /** Return the places of cubes at poses: { place, touches, on }, `on` the rows of those they lie on. */
  function find(poses: readonly ArrayLike<number>[]) {
    const many = poses.length;
    const given = [reals([many, 7], poses.flatMap((pose) => Array.from(pose))), ...[2, zones.length + 1, many].map((columns) => reals([many, columns]))];
    call("find_places", given);
    const [, places, touched, on] = given.map(({ values }) => values);
    return poses.map((_, i) => {
      const at = places[2 * i];
      const place = at >= names.ZONES ? `zone:${zones[at - names.ZONES].name}` : PLACES[at] ?? `inside:${regions[at].name}`;
      if (!zones.length) return { place, touches: [], on: [], did: places[2 * i + 1] };
      const row = [...touched.subarray((zones.length + 1) * i, (zones.length + 1) * (i + 1))];
      const below = [...on.subarray(many * i, many * (i + 1))].flatMap((lies, j) => (lies ? [j] : []));
      return { place, touches: row.slice(0, row.indexOf(-1)).map((k) => zones[k].name), on: below, did: places[2 * i + 1] };
    });
  }

  const did = (pose: ArrayLike<number>, what: number) => (find([pose])[0].did & what) !== 0;

  return {
    lay,
    find,
    emerged: (pose: ArrayLike<number>) => did(pose, names.EMERGED),
    escaped: (pose: ArrayLike<number>) => did(pose, names.ESCAPED),
    missed: (pose: ArrayLike<number>) => did(pose, names.MISSED),
    mostOverlap: names.MOST_OVERLAP * profile.cube.edge,

    /** Let the hand throw so many cubes in the next drop; returns which of them each launch lets go. */
    throwCubes(many: number, rng: Rng): number[] {
      const first = expect(many);
      draw(rng, 64 + PER_CUBE * many, (draws) => call("let_go", [draws]));
      return Array.from({ length: many }, (_, i) => Number(tables.marks[width.marks * (first + i) + names.WHICH]));
    },

    /** Let a hand put one cube down in a zone. */
    putDown(zone: string, rng: Rng): void {
      expect(1);
      const k = zones.findIndex(({ name }) => name === zone);
      if (!draw(rng, 600, (draws) => call("put_down", [draws], k))) throw new Error(`no place in zone ${zone} holds a cube flat`);
    },

    /** Let a cube go in the next drop, or now in one that is open. */
    launch({ cube, pose, windows, velocity, spin }: CheckedLaunch): void {
      writeCube(expect(1), [...pose, windows, ...velocity, ...spin]);
      ids.push(cube.id);
    },

    /** Say the numbers of the cubes that the core lets go in the next drop. */
    name: (given: readonly number[]) => ids.push(...given),

    /** Start the drop. */
    start({ shake, isOpen = false, isChecked = false }: How): void {
      tables.plan.set(shake ?? [-1, 0, 0], names.STRENGTH);
      setDrop(names.IS_OPEN, isOpen ? 1 : 0);
      setDrop(names.IS_CHECKED, isChecked ? 1 : 0);
      call("start");
      this.goOn(0, false);
    },

    /** Go on by up to `windows` windows; `film` has the poses after each, if it is asked for, until a cube comes or goes. */
    goOn(windows: number, isFilmed: boolean) {
      const many = rows().length;
      const shown = rows().map((row) => ids[numberIn(row)]);
      const frames = isFilmed ? new Float64Array(7 * many * windows) : null;
      let taken = 0;
      untilDone(() => {
        const film = reals([isFilmed ? windows - taken : 0, many, 7]);
        const more = call("go_on", [film], windows - taken, 0, 0);
        frames?.set(film.values.subarray(0, 7 * many * more), 7 * many * taken);
        taken += more;
      });
      return { numbers: shown, frames: frames && frames.slice(0, 7 * many * taken), windows: taken };
    },

    /** Return the cubes that came and that were taken away since this was last asked. */
    changes() {
      const now = states();
      const are = (state: string) => ids.filter((_, k) => now[k] === names[state] && known[k] !== now[k]);
      const found = { let_go: are("THERE"), gone: [...are("SWEPT"), ...are("CLEARED")] };
      known = now;
      return found;
    },

    /** Let the cube go whose launch was written last, in a drop that is open; return how deep (m) it would be in another body. */
    letGo({ windows }: CheckedLaunch): number {
      const deep = call("depth_of", [], ids.length - 1);
      if (deep > this.mostOverlap) {
        ids.pop();
        setDrop(names.LAUNCHES, ids.length - drop(names.LAID));
        return deep;
      }
      setDrop(names.IS_NEAR_THE_END, 0);
      tables.plan[names.LAST_AT] = windows * profile.settings.window;
      setDrop(names.IS_DUE, 1);
      this.goOn(0, false);
      return 0;
    },

    /** Say that no more cubes come. */
    close() {
      setDrop(names.IS_OPEN, 0);
      setDrop(names.IS_DUE, 1);
      this.goOn(0, false);
    },

    /** How many windows have passed. */
    passed: () => drop(names.PASSED_WINDOWS),
    /** How it ended: a word, null before; `taken` has the depth (m) of a cube whose place was not free. */
    status: () => Object.entries(STATUSES).find(([name]) => names[name] === drop(names.STATUS))?.[1] ?? null,
    taken: () => (drop(names.STATUS) === names.TAKEN ? { id: ids[drop(names.LAID) + drop(names.NEXT)], deep: tables.plan[names.DEPTH] } : null),
    /** Where the cubes are that are there: [number, pose]. */
    there: () => rows().map((row): Laid => [ids[numberIn(row)], [...tables.bodies.subarray(names.COLUMNS * row, names.COLUMNS * row + 7)]]),
    /** How often a cube missed the opening. */
    misses: () => drop(names.MISSES),

    /** Where the cubes are that were taken away: { place, pose (null: swept) } by number. */
    out() {
      const now = states();
      const at = (k: number) => names.CUBE_COLUMNS * k + names.OUT_POSE;
      const cleared = ids.flatMap((id, k) => (now[k] === names.CLEARED ? [[id, [...tables.cubes.subarray(at(k), at(k) + 7)]] as const] : []));
      const found = find(cleared.map(([, pose]) => pose));
      const swept = ids.flatMap((id, k) => (now[k] === names.SWEPT ? [[id, { place: "tray", pose: null }] as const] : []));
      return new Map<number, { place: string; pose: Pose | null }>([...swept, ...cleared.map(([id, pose], i) => [id, { place: found[i].place, pose }] as const)]);
    },

    /** Let all lie where they are, as in the world that is made anew from the state; returns who touches whom, by number. */
    lieStill() {
      untilDone(() => call("lie_still"));
      const table = reals([Number(tables.whole[names.PAIRS]), names.TOUCH]);
      return Array.from({ length: call("list_touches", [table]) }, (_, i) => {
        const [one, other, points, ...forces] = table.values.subarray(names.TOUCH * i, names.TOUCH * (i + 1));
        return [ids[one], other < 0 ? other : ids[other], ...forces.slice(0, 3 * points).map((force) => force + 0)];
      });
    },

    /** Return how deep (m) a cube lies in another or in a part at most, of cubes at rest. */
    deepest(laid: readonly Laid[]): number {
      lay(laid, laid.length, []);
      return call("deepest_overlap");
    },
  };
}
