// What a night is of: the form with which it begins, and in which that is changed later.

import { recall, remember } from "../common/browser";
import { Chip } from "../common/faces";
import { Field, Select } from "../common/parts";
import { MOST_NAMES, readColours, readPlayers, wordsOfNames } from "./names";
import { FREE, type Head } from "./night";
import { COUNTS, MINE, data, model, paintOf, today } from "./state";

/** What is typed: `colours` chosen of those that the page knows, `more` others; `names` of the players that there are, `players` others. */
interface Form { game: string; tower: string; edge: string; cubes: string; colours: string[]; more: string; names: string[]; players: string }

const KEY = "form";
const towersOf = ({ tower }: Form) => [...new Set([...data.towers.map(({ name }) => name), MINE, tower])];
const palette = data.paints.map(({ name }) => name);
const empty: Form = { game: data.game.name, tower: data.towers[0].name, edge: "", cubes: "", colours: palette, more: "", names: [], players: "" };
const form = recallForm();
let changing: Form | null = null;

function recallForm(): Form {
  try {
    const kept = { ...empty, ...JSON.parse(recall(KEY)!) };
    const isSame = Object.entries(empty).every(([key, value]) => typeof value === typeof kept[key] && Array.isArray(value) === Array.isArray(kept[key]));
    if (isSame && towersOf(empty).includes(kept.tower) && [data.game.name, FREE].includes(kept.game)) return kept;
  } catch {
    // nothing that this page wrote
  }
  return { ...empty };
}

function formOf({ game, tower, edge, colours, counts, players }: Head): Form {
  const isFree = game === FREE;
  const chosen = isFree ? colours : palette;
  const cubes = !isFree && new Set(counts).size === 1 && counts[0] !== COUNTS[0] ? String(counts[0]) : "";
  return { game, tower, edge: edge === model(tower).edge ? "" : String(edge), cubes, colours: palette.filter((name) => chosen.includes(name)), more: chosen.filter((name) => !palette.includes(name)).join(", "), names: players, players: "" };
}

/** The names of the players that there were, as they are now, then new ones; `renamed` has those that changed. */
function playersOf({ names, players }: Form, before: string[]): { all: string[]; renamed: Record<string, string> } {
  const all: string[] = [];
  const renamed: Record<string, string> = {};
  names.forEach((name, i) => {
    const now = readPlayers(name, all);
    all.push(...now);
    if (now.length && now[0] !== before[i]) renamed[before[i]] = now[0];
  });
  return { all: [...all, ...readPlayers(players, all)], renamed };
}

interface Props {
  show(): void; begin(head: Head, isInside: boolean): void;
  /** What the night is of, to be changed; null where one begins. */
  before: Head | null; change(head: Head, renamed: Record<string, string>): boolean;
  back: (() => void) | null;
}

export function Begin({ show, begin, before, change, back }: Props) {
  if (!before) changing = null;
  const now = before ? (changing ??= formOf(before)) : form;
  const set = (part: Partial<Form>) => {
    Object.assign(now, part);
    if (!before) remember(KEY, JSON.stringify(form));
    show();
  };
  const fill = (key: keyof Form) => ({ currentTarget }: { currentTarget: HTMLInputElement }) => set({ [key]: currentTarget.value });
  const isFree = now.game === FREE;
  const colours = isFree ? [...now.colours, ...readColours(now.more, now.colours)] : data.game.colours;
  const players = playersOf(now, before?.players ?? []);
  const edge = model(now.tower).edge;
  const leave = () => {
    changing = null;
    back?.();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const usual = before?.game === now.game ? before.counts : COUNTS;
    const counts = isFree ? colours.map(() => 0) : now.cubes ? colours.map(() => Number(now.cubes)) : usual;
    const head: Head = { game: now.game, tower: now.tower, edge: Number(now.edge) || edge, colours, counts, players: players.all, date: before?.date ?? today() };
    if (before && change(head, players.renamed)) changing = null;
    if (!before) begin(head, (event.submitter as HTMLElement | null)?.id === "begin-inside");
  };
  const isWrong = !colours.length || Math.max(colours.length, players.all.length) > MOST_NAMES;
  return (
    <form class="panel begin" onSubmit={submit}>
      {before ? <h2>What the night is of</h2> : <p class="lead">Write down what your tower does tonight. After each throw you see what the model expected.</p>}
      <Field label="Game"><Select id="game" value={now.game} options={[[data.game.name, data.game.title], [FREE, "Another game"]]} changed={(game) => set({ game })} /></Field>
      {isFree && (
        <div class="colours" role="group" aria-label="Colours of the cubes">
          {palette.map((name) => <button type="button" id={`colour-${name}`} aria-pressed={now.colours.includes(name)} onClick={() => set({ colours: palette.filter((other) => (other === name) !== now.colours.includes(other)) })}><Chip paint={paintOf(name)} />{name}</button>)}
        </div>
      )}
      {isFree && <Field label="Other colours"><input type="text" id="colours" autocomplete="off" placeholder="pink, grey" value={now.more} onInput={fill("more")} /></Field>}
      {isFree && (now.more || !colours.length) && <p class="note" id="colours-read" role="status">{colours.length ? wordsOfNames(colours, "colour", now.more) : "Choose a colour or write one."}</p>}
      <Field label="Tower"><Select id="tower" value={now.tower} options={towersOf(now).map((name) => [name])} changed={(tower) => set({ tower })} /></Field>
      <Field label="Edge of a cube, in mm"><input type="number" id="edge" inputMode="decimal" min={1} max={100} step="any" placeholder={String(edge)} value={now.edge} onInput={fill("edge")} /></Field>
      {!isFree && <Field label="Cubes of each colour"><input type="number" id="cubes" inputMode="numeric" min={1} max={60} placeholder={String(COUNTS[0])} value={now.cubes} onInput={fill("cubes")} /></Field>}
      {now.names.map((name, i) => <Field label={`Player ${i + 1}`}><input type="text" id={`player-${i + 1}`} autocomplete="off" value={name} onInput={({ currentTarget }) => set({ names: now.names.map((other, j) => (i === j ? currentTarget.value : other)) })} /></Field>)}
      <Field label={now.names.length ? "Who joins" : "Players, if you like"}><input type="text" id="players" autocomplete="off" placeholder="Ann, Bo, Cy" value={now.players} onInput={fill("players")} /></Field>
      {players.all.length > 0 && <p class="note" id="players-read" role="status">{wordsOfNames(players.all, "player", [...now.names, now.players].join())}</p>}
      <div class="bar">
        <button type="submit" class="main big" id={before ? "change-now" : "begin"} disabled={isWrong}>{before ? "Change it" : isFree ? "Begin" : "Begin with the empty tower"}</button>
        {!before && <button type="submit" class="big" id="begin-inside" disabled={isWrong}>Begin with cubes inside</button>}
        {back && <button type="button" id="back" class="big" onClick={leave}>Back to the night</button>}
      </div>
      {!before && <p class="note">{`Nothing leaves this page: it has no server. The night stays in this browser until you begin another. Made by ${data.program}.`}</p>}
    </form>
  );
}
