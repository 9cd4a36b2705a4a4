// What the tab keeps of the page through a reload: the past of each tower, the game that is played along, what still moves.

import { recall, remember } from "../common/browser";
import { readBegun } from "./along";
import type { Live } from "./live";
import type { Apparatus, Move, State } from "./state";

const KEY = "live";

/** A state with the events since the one before it; all its events where that is none of its past. */
interface Step { state: State; isMore: boolean }
interface Kept { here: string; hash: string; pasts: { name: string; digest: string; steps: Step[] }[]; game: string | null; moving: Move | null }

/** Keep all that is there now; where the browser has no room for every Undo, the latest of them. */
export function keep(live: Live): void {
  const { apparatus, tower, along, data } = live;
  const past = ({ name }: Apparatus) => (name === apparatus!.name ? tower.steps : live.kept.get(name)) ?? [];
  const moving = tower.play?.what.kind === "hand" ? null : tower.play?.what ?? null;
  for (let most = 200; most >= 1; most = Math.floor(most / 4)) {
    const pasts = data.towers.map((each) => ({ name: each.name, digest: each.profile.digest, steps: pack(past(each).slice(-most)) }));
    const kept: Kept = { here: apparatus!.name, hash: live.followed, pasts, game: along.text, moving };
    if (remember(KEY, JSON.stringify(kept), "sessionStorage")) return;
  }
}

/** Bring back what the tab keeps, if anything. */
export async function restore(live: Live): Promise<void> {
  const kept: Kept = JSON.parse(recall(KEY, "sessionStorage") ?? "null");
  const here = live.data.towers.find(({ name }) => name === kept?.here);
  if (!here) return;
  for (const { name, digest, steps } of kept.pasts) {
    const isSame = live.data.towers.some((each) => each.name === name && each.profile.digest === digest);
    if (isSame && steps.length) live.kept.set(name, unpack(steps));
  }
  const last = live.kept.get(here.name)?.at(-1);
  if (!last) return;
  live.followed = kept.hash;
  await live.tower.check(here, live.core, { token: last.token });
  await live.open(here);
  if (kept.game) live.along.set(readBegun(kept.game, here));
  if (kept.moving) await live.tower.move(kept.moving.kind, kept.moving);
}

function pack(steps: State[]): Step[] {
  return steps.map((state, i) => {
    const before = steps[i - 1]?.events ?? [];
    const isMore = before.every((event, k) => event === state.events[k]);
    return { state: { ...state, events: isMore ? state.events.slice(before.length) : state.events }, isMore };
  });
}

function unpack(steps: Step[]): State[] {
  const states: State[] = [];
  for (const { state, isMore } of steps) states.push({ ...state, events: [...(isMore ? states.at(-1)?.events ?? [] : []), ...state.events] });
  return states;
}
