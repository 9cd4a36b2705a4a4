// "Find me rules": a form for a wish, and what the search found. The rules become B, so that all else shows what they change.

import { capital } from "../common/text";
import { REGISTER, figureRows } from "./figures";
import type { Found, Space, Wish } from "./find";
import type { Jobs } from "./jobs";
import { wishWords } from "./say";
import { find } from "../common/browser";
import { Select } from "../common/parts";
import { LIMITS, type Variant, change, lab, state } from "./state";

const MOST = 1000; // of a wish
const RELATIONS = [["=", "about"], [">", "at least"], ["<", "at most"]];

const form = { key: "actions", relation: "=", number: "3" };
export const wishes = {
  found: null as Found | null,
  isB: false, // whether what was found has become B
  lines: [] as string[],
  jobs: null as Jobs | null,
  share: () => {},

  start(jobs: Jobs, share: () => void): void {
    Object.assign(this, { jobs, share });
  },

  find(wish: Wish): void {
    const { jobs } = this;
    const a = structuredClone(state.a);
    const chosen = JSON.stringify([a, state.b]);
    Object.assign(this, { found: null, isB: false, lines: [] });
    jobs!.ask<Found>({ kind: "find", a, wish, space: spaceOf(a), seed: state.seed }, (found) => {
      Object.assign(this, { found, lines: wishWords(wish, found, a, figureRows(found.rows), lab.rules.colours) });
      if (found.changed.length && JSON.stringify([state.a, state.b]) === chosen) this.take();
    });
    jobs!.render();
  },

  /** Make B of what was found. */
  take(): void {
    this.isB = true;
    change({ b: { ...this.found!.variant, name: "Found" }, edit: "b", whole: { ...state.whole, side: "a", drop: 0 } });
  },

  refuse(line: string): void {
    Object.assign(this, { found: null, lines: [line] });
    this.jobs?.render();
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

function readForm(): Wish {
  const value = Number(form.number);
  const [low, high] = [form.relation === "<" ? -Infinity : value, form.relation === ">" ? Infinity : value];
  return { key: form.key, low, high, target: form.relation === "=" ? value : null };
}

export function Wishes() {
  const isBusy = wishes.jobs?.progress.isBusy ?? false;
  const submit = (event: Event) => {
    event.preventDefault();
    const number = find<HTMLInputElement>("wish-number");
    if (number.checkValidity()) return wishes.find(readForm());
    wishes.refuse(`The wish ${number.value ? `is for ${number.value}` : "has no number"}; allowed is a number from 0 to ${MOST}; write one.`);
    number.focus();
  };
  return (
    <form id="wish" class="wish" onSubmit={submit} noValidate aria-label="Find rules for a wish">
      <label for="wish-key">I want in a game</label>
      <div class="bar">
        <Select id="wish-relation" aria-label="about, at least or at most" value={form.relation} options={RELATIONS} changed={(relation) => (form.relation = relation)} />
        <input id="wish-number" aria-label="Number" type="number" step="any" min={0} max={MOST} required value={form.number} onInput={({ currentTarget }) => (form.number = currentTarget.value)} />
        <Select id="wish-key" value={form.key} options={REGISTER.map(({ key, title }) => [key, capital(title)])} changed={(key) => (form.key = key)} />
      </div>
      <button type="submit" id="wish-find" class="main" disabled={isBusy}>{isBusy ? "Looking for rules ..." : "Find me rules"}</button>
      <div id="wish-told" role="status">{wishes.lines.map((text) => <p class="note">{text}</p>)}</div>
      {wishes.found && wishes.found.changed.length > 0 && <div class="bar">{wishes.isB
        ? <><p class="note">These rules are B now.</p><button type="button" id="wish-share" onClick={() => wishes.share()}>Share them</button></>
        : <><p class="note">You changed rules meanwhile: they stay.</p><button type="button" id="wish-take" onClick={() => wishes.take()}>Make B of what was found</button></>}</div>}
    </form>
  );
}
