// Amerigo, played along: made/lib/rules.js has the rules in JavaScript; here they are only asked.

import { AMERIGO, isOver, newGame, options, playDrop, rulesOf } from "made/lib/rules.js";
import type { Awaited, Course, Past, Piece, Playable } from "./course";
import type { House } from "./state";
import { byColour, countsWords } from "./words";
import { joinWords, plural, sumOf } from "../common/text";

interface Entry { index: number; round: number; phase: string; thrown: Record<string, number>; emerged: Record<string, number>; skipped: boolean; actionPoints: number; gold: number }

/** Amerigo by the published rules, or by those of a rules file: a link of a game names them by their digest. */
export function amerigoGame(house?: House): Playable {
  const rules = house?.rules ?? AMERIGO;
  const { colours } = rules;
  return {
    name: house ? `amerigo-${house.digest}` : "amerigo",
    title: house ? `Amerigo by ${house.name}` : "Amerigo",
    colours,
    fields: [],
    isFor: (apparatus) => apparatus.seen.kind !== "board",
    wrong: () => "",
    course: (past) => new AmerigoCourse(past, rules),
  };
}

class AmerigoCourse implements Course {
  game: any = newGame();
  entries: Entry[] = [];
  waiting: Piece[] = []; // a knock's cubes wait for the next throw

  constructor(readonly past: Past, readonly rules: any) {}

  play() {
    const { past } = this;
    const seen = () => ({ drops: 0, cubes: [...past.inside.values()] });
    const drop = (_: unknown, own: Piece[]) => {
      const cubes = new Map([...own, ...this.waiting].map((cube) => [cube.id, cube]));
      const came = past.thrown([...cubes.values()].sort((a, b) => a.id - b.id));
      this.waiting = [];
      return { state: seen(), emerged: came.map((id) => past.cube(id)), generator: null };
    };
    while (!isOver(this.game, this.rules)) {
      const { game, entry } = playDrop({ check() {}, drop }, this.game, null, this.rules);
      this.entries.push(entry);
      this.waiting.push(...past.knocked().map((id) => past.cube(id)));
      this.game = { ...game, tower: seen() };
    }
  }

  get lines() {
    return this.entries.map((entry) => entryWords(entry, this.rules));
  }

  get stream() {
    return [this.game.index, 0];
  }

  next({ cubes }: Awaited): string {
    const { index } = this.game;
    const { rounds, phases } = rulesOf(this.rules);
    const name = index ? `Round ${Math.ceil(index / phases.length)} of ${rounds}, ${phases[(index - 1) % phases.length]} phase` : "Set-up";
    return `${name}: ${countsWords(byColour(cubes.map(({ id, colour }) => [id, colour])))} to throw.`;
  }

  sum() {
    const phases = this.entries.slice(1);
    const total = (of: (entry: Entry) => number) => sumOf(phases.map(of));
    const out = plural(total(({ emerged }) => sumOf(Object.values(emerged))), "cube");
    const points = plural(total(({ actionPoints }) => actionPoints), "action point");
    return `${plural(phases.length, "phase")}, ${total(({ skipped }) => Number(skipped))} of them skipped; ${out} came out, ${points} in all, or ${total(({ gold }) => gold)} gold for passing every time.`;
  }
}

function entryWords(entry: Entry, rules: any): string {
  const name = entry.index ? `Round ${entry.round}, ${entry.phase} phase` : "Set-up";
  if (!sumOf(Object.values(entry.thrown))) return `${name}: no ${entry.phase} cube is outside; the phase is skipped.`;
  if (!entry.index) return `${name}: ${plural(sumOf(Object.values(entry.emerged)), "cube")} came out.`;
  if (entry.skipped) return `${name}: no cube came out; the phase is skipped.`;
  const { choices, gold } = options(entry.emerged, rules);
  return `${name}: ${countsWords(Object.entries(entry.emerged))} came out. Choose one action: ${joinWords(choices.map(({ action }: { action: string }) => action))}, with ${plural(entry.actionPoints, "action point")}; or pass for ${gold} gold.`;
}
