// What happened in a tower, read as a game asks for it: a game is played by its rules from its start, in a stand-in for the
// tower that gives what came out then. Where the past ends is what comes next.
//
// A game that can be played along is { name, title, colours, fields, isFor(apparatus), wrong(choices), course(past, begun, apparatus) }:
// `fields` are its choices, [{name, says, is, of} or {name, says, is, from, to}], and `wrong` says in a line what is not
// allowed of some. A course is { play(), lines, stream, next(due), sum() }: play() plays it as far as the past goes, `lines`
// are sentences, one for each throw, `stream` is what the next one is drawn from, as `tower-sim play` has it; next() says
// what is to be done, sum() what it came to so far.


import type { Past as Event, Apparatus } from "./state";

export interface Piece { id: number; colour: string }
export type Choices = Record<string, string | number>;

/** A choice of a game: one of some words, or a whole number of a range; `is` as usual. */
export type Field = { name: string; says: string } & ({ is: string; of: string[]; from?: undefined; to?: undefined } | { is: number; of?: undefined; from: number; to: number });

export interface Playable {
  name: string; title: string; colours: string[]; fields: Field[]; isFor(apparatus: Apparatus): boolean; wrong(choices: Choices): string;
  course(past: Past, begun: Begun, apparatus: Apparatus): Course;
}
export interface Begun { game: Playable; choices: Choices; seed: string }
export interface Course { play(): void; readonly lines: string[]; readonly stream: number[]; next(due: Awaited): string; sum(): string }

const NOT_OF_GAME = "What was done last is not of this game: undo it, or stop playing along.";

/** What a game waits for: cubes to throw, or a knock (g). */
export class Awaited {
  constructor(readonly cubes: Piece[], readonly knock = 0) {}
}

class Strange extends Error {}

/** The past of a tower that was empty, `events` as the worker tells them, read once from its start. */
export class Past {
  at = 0;
  inside = new Map<number, Piece>();
  colours = new Map<number, string>();
  released: number[] = [];

  constructor(readonly events: Event[]) {}

  next(): Event | null {
    if (this.at === this.events.length) return null;
    const event = this.events[this.at];
    this.at += 1;
    for (const [id, colour] of event.thrown) {
      this.colours.set(id, colour);
      if (event.kind === "take") this.inside.delete(id);
      else this.inside.set(id, this.cube(id));
    }
    for (const id of event.emerged) this.inside.delete(id);
    return event;
  }

  cube(id: number): Piece {
    return { id, colour: this.colours.get(id)! };
  }

  /**
   * Throw cubes, {id, colour}; return the numbers of those that came out.
   *
   * A hand may throw them one after the other. Throws Awaited when they were not thrown yet, Strange when others were.
   */
  thrown(cubes: Piece[]): number[] {
    const left = new Map(cubes.map((cube) => [cube.id, cube]));
    const came: number[] = [];
    while (left.size) {
      const event = this.next();
      if (!event) throw new Awaited([...left.values()]);
      const { kind, thrown, emerged } = event;
      const isTaken = kind === "take" && thrown.every(([id]) => left.has(id)); // from the board into the hand
      const isThrow = kind === "drop" || kind === "hand";
      if (kind === "knock") this.released.push(...emerged);
      else if (isThrow && thrown.every(([id, colour]) => left.get(id)?.colour === colour)) {
        for (const [id] of thrown) left.delete(id);
        came.push(...emerged);
      } else if (!isTaken) throw new Strange(NOT_OF_GAME);
    }
    return came.sort((a, b) => a - b);
  }

  /** Knock with a strength (g); throws Awaited when nobody did yet. */
  shaken(strength: number): void {
    const event = this.next();
    if (!event) throw new Awaited([], strength);
    if (event.kind !== "knock") throw new Strange(NOT_OF_GAME);
  }

  /** Where the cubes on the board lay after what was read last: [number, place]. */
  lies(): [number, string][] {
    return this.events[this.at - 1].lies;
  }

  /** The numbers of cubes that knocks brought out since one asked last. */
  knocked(): number[] {
    while (this.events[this.at]?.kind === "knock") this.released.push(...this.next()!.emerged);
    return this.released.splice(0);
  }

  /** The game is over: throws Strange when more was thrown. */
  end(): void {
    for (let event = this.next(); event; event = this.next()) if (!["knock", "take"].includes(event.kind)) throw new Strange(NOT_OF_GAME);
  }
}

/** What a game that was `begun`, {choices, seed}, is by now in an apparatus: {course, due: Awaited or null, trouble: a line or ""}. */
export function courseOf(game: Playable, events: Event[], begun: Begun, apparatus: Apparatus): { course: Course; due: Awaited | null; trouble: string } {
  const past = new Past(events);
  const course = game.course(past, begun, apparatus);
  try {
    course.play();
    past.end();
    return { course, due: null, trouble: "" };
  } catch (error) {
    if (error instanceof Awaited) return { course, due: error, trouble: "" };
    if (error instanceof Strange || error instanceof RangeError) return { course, due: null, trouble: error.message };
    throw error;
  }
}
