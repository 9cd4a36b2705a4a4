// A battle of Dead Reckoning, played along on the ship's board: battle.js has the rules (the default rulings, no abilities); here
// cubes stuck in the ship are shaken out, and what lies where is what was noted after each throw.

import { battle } from "made/battle.js";
import { quote } from "./link";
import type { Apparatus } from "./state";
import { byColour, countsWords } from "./words";
import { capital, joinWords, plainName, plural } from "../common/text";
import type { Awaited, Begun, Choices, Course, Past, Playable } from "./course";

const SIDES = ["purple", "green"]; // the first is active
const SHAKE = 1; // g
const SHAKES = 10; // in a row; a cube still stuck then is taken out by hand and thrown again
const KINDS = ["ship", "merchant", "building"];

export function battleGame(): Playable {
  const most = battle.SUPPLY;
  return {
    name: "dead_reckoning",
    title: "A battle of Dead Reckoning",
    colours: SIDES,
    fields: [
      { name: "kind", says: "what fights", is: "ship", of: KINDS },
      ...SIDES.map((side, i) => ({ name: side, says: `cubes of ${side}`, is: 4 - i, from: 0, to: most })),
    ],
    isFor: (apparatus) => Object.values(apparatus.printed).some(({ kind }) => kind === "explosive"),
    wrong: (choices) => wrongBattle(choices, most),
    course: (past, begun, apparatus) => new BattleCourse(past, begun, apparatus),
  };
}

/** What is not allowed of the choices of a battle, in a line; "" of none. */
function wrongBattle({ kind, ...given }: Choices, most: number): string {
  const cubes = given as Record<string, number>;
  if (!KINDS.includes(String(kind))) return `what fights is ${quote(kind)}; allowed are ${KINDS.join(", ")}; choose one`;
  for (const side of SIDES) {
    const limit = side === SIDES[1] && kind === "merchant" ? battle.NON_PLAYER : most;
    if (!Number.isInteger(cubes[side]) || cubes[side] < 0 || cubes[side] > limit) return `cubes of ${side} are ${quote(cubes[side])}; allowed is 0 to ${limit}; take another number`;
  }
  return cubes.purple + cubes.green ? "" : "there is no cube in the battle; allowed is one or more; give a side some";
}

class BattleCourse implements Course {
  zones: Apparatus["printed"];
  setup: { kind: string | number; sides: { cubes: string | number }[] };
  lines: string[] = [];
  steps = 0;
  name = "";
  lies = new Map<number, string>();
  result: any = null;

  constructor(readonly past: Past, { choices }: Begun, { printed }: Apparatus) {
    this.zones = printed;
    this.setup = { kind: choices.kind, sides: SIDES.map((side) => ({ cubes: choices[side] })) };
  }

  play() {
    this.result = battle.play(this.setup, this.zones, (thrown: number[], staying: [number, string][]) => this.draw(thrown, staying)).result;
  }

  sideOf(id: number): number {
    return id < battle.SUPPLY ? 0 : 1;
  }

  /** Where cubes that stay, then those thrown, lie after they were thrown; see battle.play. */
  draw(thrown: number[], staying: [number, string][]): string[] {
    const { past } = this;
    const bang = thrown.some((id) => this.zones[this.lies.get(id)!]?.kind === "explosive");
    this.name = !this.lines.length ? "Throw" : bang ? "Explosion" : "Thrown again";
    past.thrown(thrown.map((id) => ({ id, colour: SIDES[this.sideOf(id)] })));
    this.steps += 1;
    for (let shakes = 0; past.inside.size && shakes < SHAKES; shakes += 1) {
      this.name = "Shake";
      past.shaken(SHAKE);
      this.steps += 1;
    }
    const stuck = [...past.inside.keys()];
    this.lies = new Map([...past.lies(), ...stuck.map((id): [number, string] => [id, "inside"])]);
    const placesOf = (side: number) => joinWords(thrown.filter((id) => this.sideOf(id) === side).map((id) => placeName(this.lies.get(id)!)));
    const parts = SIDES.map((name, side) => [name, placesOf(side)]).filter(([, places]) => places);
    this.lines.push(`${this.name === "Shake" ? "Shaken out" : this.name}: ${parts.map(([name, places]) => `${name} in ${places}`).join("; ")}.`);
    return [...staying.map(([id]) => id), ...thrown].map((id) => this.lies.get(id)!);
  }

  get stream() {
    return [0, this.steps];
  }

  next({ cubes, knock }: Awaited): string {
    if (knock) return "A cube is stuck in the ship: shake it out by a knock.";
    const why = ({ Explosion: "Cubes in an explosive zone are thrown again, each with one more", "Thrown again": "Cubes that lie in no zone are thrown again" } as Record<string, string>)[this.name] || "The battle begins";
    return `${why}: ${countsWords(byColour(cubes.map(({ id, colour }) => [id, colour])))} to throw.`;
  }

  sum() {
    const lying = [...this.lies].map(([id, place]) => [this.sideOf(id), this.zones[place]]);
    const { sides, winner, sunk } = this.result || battle.resolved(this.setup, lying);
    const sentences = sides.map(({ strength, coins, cargo, choice, damage_taken: taken }: any, i: number) => (
      `${SIDES[i]} has ${strength} strength, ${plural(coins, "coin")}, ${cargo} cargo${choice ? `, ${choice} of coin or cargo` : ""}, and takes ${taken} damage`
    ));
    const end = this.result ? `. ${capital(SIDES[winner])} wins${sides[0].strength === sides[1].strength ? ": a tie goes to the active side" : ""}${sunk.length ? `; ${joinWords(sunk.map((side: number) => SIDES[side]))} sinks` : ""}` : "";
    return `${sentences.join("; ")}${end}.`;
  }
}

function placeName(place: string): string {
  return plainName(place.replace("zone:", ""));
}
