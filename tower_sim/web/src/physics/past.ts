// The past of a state: whether its log leaves exactly the cubes that are there; as the checks of tower_sim/door.py.

import { refuse, wrongly } from "./refuse.js";
import type { CubeRow, PhysicsEvent, PhysicsState } from "./types.js";

export const DROPS = ["drop", "hand"]; // the kinds of events in which cubes are thrown in

export const MADE = "a state that the model has made";
const MOST_TOUCHES = 64; // of one cube

/** Return the error that a part of a state, `path` in it, has what none can have. */
export function impossible(path: string, what: string) {
  return refuse(`state.${path}`, `has ${what}`, MADE);
}

/** Return the cube of an event that put one down; refuse any other. */
export function placedCube([, , thrown]: PhysicsEvent): CubeRow {
  if (thrown.length !== 1) throw impossible("log", `${thrown.length} cubes placed at once`);
  return thrown[0];
}

const isSame = (one: CubeRow, other: CubeRow) => one.length === other.length && one.every((value, i) => value === other[i]);

/** Refuse a state whose log does not leave its cubes there, each since the drop it says. */
export function checkPast(state: PhysicsState, onBoard: boolean): void {
  const there = new Map<number, { cube: CubeRow; since: number }>(); // of each number its cube and since when
  const kinds = ["drop", "knock", "take", ...(onBoard ? ["place"] : []), "hand"];
  let drops = 0;
  for (const event of state.log) {
    const [kind, , thrown, emerged, , , launches = []] = event;
    if (!kinds.includes(kind)) throw wrongly("state.log", kind, `one of ${kinds.join(", ")}`);
    if (launches.length > 0 !== (kind === "hand")) throw impossible("log", `launches that do not fit an event of kind ${kind}`);
    if (kind === "place") placedCube(event);
    for (const cube of thrown) {
      const before = there.get(cube[0]);
      if (kind === "take") {
        there.delete(cube[0]);
        if (!before || !isSame(before.cube, cube)) throw impossible("log", `cube ${cube[0]} taken where it did not lie`);
        continue;
      }
      if (kind === "knock" || (before && !(onBoard && isSame(before.cube, cube)))) {
        throw impossible("log", `cube ${cube[0]} thrown while it was there, or by a knock`);
      }
      there.set(cube[0], { cube, since: drops });
    }
    for (const number of emerged) {
      if (!there.has(number)) throw impossible("log", `cube ${number} out, which was not there`);
      if (!onBoard) there.delete(number);
    }
    drops += DROPS.includes(kind) ? 1 : 0;
  }
  const rows = [...state.residents, ...state.board];
  const here = new Map(rows.map(([id, colour, edge, , since]) => [id, { cube: [id, colour, edge] as CubeRow, since }]));
  if (here.size < rows.length) throw impossible("residents", "a cube twice");
  const differs = (number: number) => {
    const [one, other] = [here.get(number), there.get(number)];
    return !one || !other || one.since !== other.since || !isSame(one.cube, other.cube);
  };
  const wrong = [...here.keys(), ...there.keys()].filter(differs);
  if (wrong.length) throw impossible("residents", `cube ${Math.min(...wrong)} in another place or since another drop than its log says`);
}

/** Refuse touches of what was not there after the last drop, knock or placing; there are so many fixed `solids`. */
export function checkTouches(state: PhysicsState, solids: number): void {
  const there = new Set([...state.residents, ...state.board].map(([id]) => id));
  for (let i = state.log.length - 1; i >= 0; i--) {
    const [kind, , thrown, emerged] = state.log[i];
    const isTake = kind === "take";
    for (const number of isTake ? thrown.map(([id]) => id) : emerged) there.add(number);
    if (!isTake) break;
  }
  const pairs = new Set<string>();
  const count = new Map([...there].map((number) => [number, 0]));
  for (const [cube, other] of state.touches) {
    for (const number of [cube, other]) {
      if (there.has(number)) count.set(number, count.get(number)! + 1);
      else if (number >= 0 || number === cube) throw impossible("touches", `cube ${number}, which did not lie there after the last drop`);
    }
    if (other < -solids) throw wrongly("state.touches", -1 - other, `a part from 0 to ${solids - 1}`);
    const pair = [Math.min(cube, other), Math.max(cube, other)].join();
    if (cube === other || pairs.has(pair)) throw impossible("touches", `cube ${cube} with itself, or twice with one other body`);
    pairs.add(pair);
  }
  for (const [number, touches] of count) {
    if (touches > MOST_TOUCHES) throw impossible("touches", `${touches} of cube ${number}, more than ${MOST_TOUCHES}`);
  }
}
