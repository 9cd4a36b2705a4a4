// "Find me rules": a form for a wish, and what the search found. The rules become B, so that all else shows what they change.

import { capital } from "../common/text";
import { REGISTER } from "./figures";
import type { Found, Space, Wish } from "./find";
import type { Ask } from "./jobs";
import { wishWords } from "./say";
import { LIMITS, type Variant, change, lab, state } from "./state";
import { rows } from "./statistics";

const RELATIONS: [string, string][] = [["=", "about"], [">", "at least"], ["<", "at most"]];

const form = { key: "actions", relation: "=", number: "3" };
let ask: Ask;
let shown: () => void;
let share: () => void;
let wrong: (line: string) => void;

/** What was wished for, and what was found. */
export const wishes = {
  found: null as Found | null,
  told: [] as string[],
  isBusy: false,

  start(asking: Ask, showing: () => void, sharing: () => void, complain: (line: string) => void): void {
    [ask, shown, share, wrong] = [asking, showing, sharing, complain];
  },

  find(wish: Wish): void {
    const a = structuredClone(state.a);
    Object.assign(this, { isBusy: true, found: null, told: [] });
    shown();
    ask<Found>({ kind: "find", a, wish, space: spaceOf(a), seed: state.seed }, ({ result }) => {
      const found = result!;
      Object.assign(this, { isBusy: false, found, told: wishWords(wish, found, a, rows(found.sums, REGISTER, true), lab.rules.colours) });
      if (found.changed.length) change({ b: { ...found.variant, name: "Found" }, edit: "b", whole: { ...state.whole, side: "a", drop: 0 } });
      shown();
    }, (line) => {
      this.isBusy = false;
      wrong(line);
    });
  },
};

/** What may change: every number of the rules, from half to twice. */
function spaceOf(a: Variant): Space {
  const numbers = (value: number, most: number) => Array.from({ length: most }, (_, i) => i + 1).filter((each) => each >= value / 2 && each <= 2 * value && each !== value);
  const most = Math.max(...a.cubes);
  const cubes = numbers(most, LIMITS.cubes).map((count) => a.cubes.map((own) => own && own + count - most));
  return {
    cubes: cubes.filter((counts) => counts.every((count, k) => (a.cubes[k] ? count >= 1 : true))),
    rounds: numbers(a.rounds, LIMITS.rounds),
    gold: numbers(a.gold, LIMITS.gold),
    token: numbers(a.token, LIMITS.gold),
  };
}

function wished(): Wish {
  const value = Number(form.number);
  const [low, high] = [form.relation === "<" ? -Infinity : value, form.relation === ">" ? Infinity : value];
  return { key: form.key, low, high, target: form.relation === "=" ? value : null };
}

export function Wishes() {
  const set = (key: keyof typeof form) => ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) => {
    form[key] = currentTarget.value;
  };
  const submit = (event: Event) => {
    event.preventDefault();
    wishes.find(wished());
  };
  return (
    <form id="wish" class="wish" onSubmit={submit} aria-label="Find rules for a wish">
      <label for="wish-key">I want in a game</label>
      <div class="bar">
        <select id="wish-relation" aria-label="about, at least or at most" value={form.relation} onChange={set("relation")}>{RELATIONS.map(([key, words]) => <option value={key}>{words}</option>)}</select>
        <input id="wish-number" aria-label="Number" type="number" step="any" min={0} max={1000} required value={form.number} onInput={set("number")} />
        <select id="wish-key" value={form.key} onChange={set("key")}>{REGISTER.map(({ key, title }) => <option value={key}>{capital(title)}</option>)}</select>
      </div>
      <button type="submit" id="wish-find" class="main" disabled={wishes.isBusy}>{wishes.isBusy ? "Looking for rules ..." : "Find me rules"}</button>
      <div id="wish-told" role="status">{wishes.told.map((text) => <p class="note">{text}</p>)}</div>
      {wishes.found && wishes.found.changed.length > 0 && <div class="bar"><p class="note">These rules are B now.</p><button type="button" id="wish-share" onClick={() => share()}>Share them</button></div>}
    </form>
  );
}
