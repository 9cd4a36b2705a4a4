// A game that is played along with the tower: what was begun, what comes next. view.tsx shows it.

import { capital, joinWords } from "../common/text";
import { amerigoGame } from "./along_amerigo";
import { battleGame } from "./along_battle";
import { type Awaited, type Begun, type Choices, type Course, type Playable, courseOf } from "./course";
import { anySeed, decode, quote, seedText } from "./link";
import { keep } from "./kept";
import type { Live } from "./live";
import type { House, Apparatus } from "./state";
import { byColour } from "./words";

let games = [amerigoGame(), battleGame()];

export function playBy(house: House | undefined): void {
  games = [amerigoGame(house), battleGame()];
}

function gameOf(tower: Apparatus): Playable | undefined {
  return games.find((game) => game.isFor(tower));
}

export class Along {
  begun: Begun | null = null;
  here: Playable | undefined;
  form: { choices: Record<string, string>; seed: string } = { choices: {}, seed: "" };
  now: { course: Course; due: Awaited | null; trouble: string } | null = null;
  launched = new Set<number>(); // numbers of cubes that the hand let go in this throw

  constructor(readonly live: Live) {}

  get isOn(): boolean {
    return this.begun !== null;
  }

  get due(): Awaited | null {
    return this.now && this.now.due;
  }

  /** Offer the game that a tower plays; none is begun. */
  open(tower: Apparatus): void {
    this.begun = null;
    this.here = gameOf(tower);
    this.fill();
  }

  private fill(): void {
    const fields = this.here ? this.here.fields : [];
    const { choices, seed } = this.begun ?? { choices: {} as Choices, seed: anySeed() };
    this.form = { choices: Object.fromEntries(fields.map(({ name, is }) => [name, String(choices[name] ?? is)])), seed };
    this.read();
  }

  private readForm(): Begun {
    const game = this.here!;
    const valueOf = (name: string, isWord: boolean) => (isWord ? this.form.choices[name] : Number(this.form.choices[name] || NaN));
    return checkBegun(game, Object.fromEntries(game.fields.map(({ name, of }) => [name, valueOf(name, Boolean(of))])), this.form.seed.trim());
  }

  /** Begin a game with an empty tower, or stop playing along; the tower stays then. */
  toggle(): Promise<void> {
    return this.live.run(async () => {
      const begun = this.isOn ? null : this.readForm();
      this.set(begun);
      if (begun) await this.live.tower.empty();
    });
  }

  set(begun: Begun | null): void {
    this.begun = begun;
    this.live.hand.remove();
    this.live.complain("");
    this.live.dress();
    this.fill();
    keep(this.live);
  }

  /** Read the game from what happened in the tower: undo and links need nothing else. */
  read(): void {
    const { state } = this.live.tower;
    this.now = this.begun && state ? courseOf(this.begun.game, state.events, this.begun, this.live.apparatus!) : null;
    this.launched.clear();
    this.live.ask();
  }

  take(): Promise<void> | undefined {
    if (!this.due) return undefined;
    return this.live.run(async () => {
      await this.live.tower.finish();
      const { due, live } = this;
      if (!due) return;
      const { inside, board } = live.tower.state;
      const there = new Set([...inside, ...board].map(([id]) => id));
      const lifted = due.cubes.map(({ id }) => id).filter((id) => there.has(id));
      if (lifted.length) await live.tower.take(lifted);
      live.hand.remove();
      for (const { colour } of due.cubes) live.hand.add(colour);
      live.ask();
    });
  }

  /** Do what comes next: throw the cubes, with their numbers, as `tower-sim play` does it by the seed of the game. */
  async act(): Promise<void> {
    const { live } = this;
    await live.tower.finish();
    if (!this.due) return;
    const { due } = this;
    const { seed } = this.begun!;
    const { stream } = this.now!.course;
    live.hand.remove();
    const counts = byColour(due.cubes.map(({ id, colour }) => [id, colour]));
    if (due.knock) await live.tower.move("knock", { strength: due.knock, seed, stream });
    else if (due.cubes.length) await live.tower.move("drop", { counts, cubes: due.cubes, seed, stream });
  }

  /** The number of the next cube of a colour that the hand lets go; undefined where the game has none. */
  numberOf(colour: string): number | undefined {
    return this.due?.cubes.find((cube) => cube.colour === colour && !this.launched.has(cube.id))?.id;
  }

  /** What is played, for a link: "dead_reckoning:5:kind=merchant", without the choices that are as usual; null of nothing. */
  get text(): string | null {
    if (!this.begun) return null;
    const { game, choices, seed } = this.begun;
    const own = game.fields.filter(({ name, is }) => choices[name] !== is).map(({ name }) => `${encodeURIComponent(name)}=${encodeURIComponent(choices[name])}`);
    return [encodeURIComponent(game.name), seed, ...(own.length ? [own.join(",")] : [])].join(":");
  }
}

/** What the text of a link says of a game for a tower; throws an Error whose message says what is wrong. */
export function readBegun(text: string, tower: Apparatus): Begun {
  const [name, seed = "", own = "", ...more] = text.split(":");
  const game = gameOf(tower);
  if (game?.name !== decode(name) || more.length) throw new Error(`The link is of the game ${quote(decode(name))}, which is not played in ${tower.name} here; allowed is ${game?.name ?? "none"}; open it in a page that has it.`);
  const choices: Choices = Object.fromEntries(game.fields.map((field) => [field.name, field.is]));
  for (const part of own ? own.split(",") : []) {
    const [key, value = ""] = part.split("=").map(decode);
    const field = game.fields.find((each) => each.name === key);
    if (!field) throw new Error(`The link sets ${quote(key)}, which ${game.title} has not; allowed is ${joinWords(game.fields.map((each) => each.name)) || "no choice"}; copy it again, whole.`);
    choices[key] = field.of ? value : Number(value || NaN);
  }
  return checkBegun(game, choices, seed);
}

function checkBegun(game: Playable, choices: Choices, seed: string): Begun {
  const digits = seedText(seed);
  const wrong = game.wrong(choices);
  if (wrong) throw new Error(`${capital(wrong)}.`);
  return { game, choices, seed: digits };
}
