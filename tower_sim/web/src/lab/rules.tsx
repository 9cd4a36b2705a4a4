// The tab of house rules: controls of A and B, what a player will notice, the histogram, the figures.

import type { ComponentChildren } from "preact";
import { save } from "../common/browser";
import { Chip } from "../common/faces";
import { Field, Select, Table } from "../common/parts";
import { type Cell, csv, oneLine, plural, sumOf } from "../common/text";
import { Course, Histogram, Legend, type Shares, spanOf } from "./charts";
import { type Answer, Busy, Choice, Fold, OrderList, Slider, Sure, Lead } from "./controls";
import { REGISTER, byDrop, figureRows, overPhases, series } from "./figures";
import type { Jobs, Played } from "./jobs";
import { fileName, toml } from "./saved";
import { alone, beyondWords, degree, differs, exact, howSure, modelWords, percent } from "./say";
import { GAMES, LIMITS, type Side, type Tower, type Variant, change, changeVariant, lab, labelOf, listeners, nameOf, state, usualVariant } from "./state";
import type { Row } from "./statistics";
import { Wishes } from "./wish";

type Latest = Played & { done: number; games: number; a: Variant; b: Variant | null };
type FigureRow = (typeof REGISTER)[number] & Row;

export const rulesTab = {
  latest: null as Latest | null,
  jobs: null as Jobs | null,

  start(jobs: Jobs): void {
    this.jobs = jobs;
    const play = () => {
      const { a, b, seed, games } = state;
      jobs.ask<Played>({ kind: "rules", a, b, seed, games }, (result, done, all) => {
        this.latest = { ...result, done, games: all, a, b };
      });
    };
    listeners.unshift((keys) => {
      if (keys.some((key) => ["a", "b", "seed", "games"].includes(key))) play();
    });
    play();
  },

  /** The rows of figures, the most telling first. */
  rows(): FigureRow[] {
    const every = figureRows(this.latest!.rows);
    return [...every.filter((row) => !row.minor), ...every.filter((row) => row.minor)];
  },

  result() {
    return this.latest && { ...this.latest, rows: this.rows() };
  },

  table(): string {
    const latest = this.latest!;
    const sides: Side[] = latest.b ? ["a", "b"] : ["a"];
    const none = sides.map(() => null);
    const lines: Cell[][] = [["kind", "key", "title", "number", ...sides.map((side) => `${side}: ${nameOf(side, latest)}`), "difference", "low", "high", "p_adjusted"]];
    for (const row of this.rows()) {
      const more = latest.b ? [row.difference.mean, row.difference.low, row.difference.high, row.adjusted] : [null, row.a.low, row.a.high, null];
      lines.push(["mean over games", row.key, row.title, null, ...sides.map((side) => row[side].mean), ...more]);
    }
    for (const { key, title } of series(lab.rules.colours)) {
      const counts = latest.sides.map((side) => overPhases(side, key));
      const length = Math.max(...counts.map((each) => each.length));
      for (let i = 0; i < length; i++) lines.push(["phases", key, title, i, ...counts.map((each) => each[i] ?? 0), null, null, null, null]);
    }
    for (const [key, value] of [["games", latest.done], ["seed", state.seed]]) lines.push(["about", key, String(value), null, ...none, null, null, null, null]);
    return csv(lines);
  },
};

/** The names of what was played last, which need not be what is chosen by now. */
function namesOf(latest: Latest): string[] {
  return latest.b ? [labelOf("a", latest), labelOf("b", latest)] : [nameOf("a", latest)];
}

function answerOf(latest: Latest, found: FigureRow[]): Answer {
  const { a, b, done, sides } = latest;
  const isSame = b && JSON.stringify({ ...a, name: "" }) === JSON.stringify({ ...b, name: "" });
  const same = "A and B have the same rules and the same tower: from the same luck every game is the same. Change one of them.";
  const [lead, ...rest] = isSame ? [same] : b ? differs(found) : [alone(found)];
  const sure = [...rest, howSure(found.find(({ key }) => key === "actions")!, done, Boolean(b))].join(" ");
  return { sentences: [lead], sure, warnings: namesOf(latest).map((name, i) => beyondWords(name, sides[i].beyond)) };
}

export function towersPlayed(): Tower[] {
  const { latest } = rulesTab;
  return latest ? [...new Set([latest.a, latest.b].flatMap((variant) => (variant ? [variant.tower] : [])))].map((name) => lab.tower[name]) : [];
}

export function RulesTab({ hidden, seedNote }: { hidden: boolean; seedNote: ComponentChildren }) {
  const { latest, jobs } = rulesTab;
  const found = latest ? rulesTab.rows() : [];
  const answer = latest && answerOf(latest, found);
  const { title, of, x } = series(lab.rules.colours).find(({ key }) => key === state.series)!;
  const names = latest ? namesOf(latest) : [];
  const sets: Shares[] = (latest?.sides ?? []).map((side, i) => {
    const counts = overPhases(side, state.series);
    const all = sumOf(counts);
    return { name: names[i], shares: counts.map((count) => count / all) };
  });
  const means = sets.map(({ shares }) => exact(sumOf(Array.from(shares, (share, i) => share * i)), 0.05));
  const words = `${title}, how often each number comes in the phases: ${sets.map(({ name }, i) => `${name}, mean ${means[i]}`).join("; ")}`;
  const courses = (latest?.sides ?? []).map((side, i) => ({ name: names[i], points: byDrop(side, state.series) }));
  if (!/^(inside|out)/.test(state.series)) for (const { points } of courses) points[0] = { mean: NaN, low: 0, high: 0 }; // the set-up is no phase
  const saveToml = (side: Side) => save(`${fileName(nameOf(side))}.toml`, toml(state[side]!), "application/toml");
  return (
    <div id="panel-rules" role="tabpanel" aria-labelledby="tab-rules" class="columns" hidden={hidden}>
      <section class="panel side" aria-label="Rules"><Wishes /><Controls /></section>
      <div class="seen">
        <Lead tab="rules" answer={answer} sets={sets} words={`${title}: ${means.map((mean, i) => `${latest?.b ? `${"AB"[i]} ` : ""}${mean}`).join(", ")} on average`} />
        <section class="panel" aria-label="The chart">
          <Sure tab="rules" answer={answer} />
          <div class="bar chart-head">
            <h2 id="chart-title">{title}</h2>
            <span class="spread" />
            <label for="series" class="hidden">Figure</label>
            <Select id="series" value={state.series} options={series(lab.rules.colours).map((each) => [each.key, each.title])} changed={(key) => change({ series: key })} />
          </div>
          <div id="legend">{latest?.b && <Legend sets={sets} />}</div>
          {sets.length > 0 && <Histogram id="histogram" sets={sets} x={x} of="phases" words={words} />}
          <Busy tab="rules" label="Playing games" jobs={jobs} answer={answer} />
        </section>
        <section class="panel more" aria-label="Figures">
          <h2>Through the game</h2>
          {courses.length > 0 && <Course id="course" sets={courses} x="drop" y={of} words={`${title} after each drop of a game`} />}
          <p class="note">The line is the mean after each drop (0 is the set-up), the band holds nine games in ten.</p>
          <div id="figures" class="scroll" tabIndex={0} role="group" aria-label="Table of figures">{latest && <FiguresTable found={found} isPaired={Boolean(latest.b)} />}</div>
          <details><summary>The histogram as a table</summary><div id="histogram-table" class="scroll">{sets.length > 0 && <SharesTable title={title} sets={sets} />}</div></details>
          <h2>Take it with you</h2>
          <div class="bar">
            <button type="button" id="save-csv" onClick={() => save("tower-lab.csv", rulesTab.table(), "text/csv")}>Figures as CSV</button>
            <button type="button" id="save-toml-a" onClick={() => saveToml("a")}>Rules of A as TOML</button>
            {state.b && <button type="button" id="save-toml-b" onClick={() => saveToml("b")}>Rules of B as TOML</button>}
          </div>
          <p class="note">The TOML is what <code>tower-sim compare FILE</code> and <code>tower-sim play amerigo --rules FILE</code> read.</p>
          <div class="bar">
            <Field label="Games"><Select id="games" value={String(state.games)} options={GAMES.map((count) => [String(count), count.toLocaleString("en")])} changed={(games) => change({ games: Number(games) })} /></Field>
            {seedNote}
          </div>
          <p id="model-short" class="note">{towersPlayed().map(modelWords).join(" ")}</p>
        </section>
      </div>
    </div>
  );
}

function Controls() {
  const side = state.edit;
  const variant = state[side]!;
  const { colours } = lab.rules;
  const compare = (isOn: boolean) => {
    const b = isOn ? { ...structuredClone(state.a), name: "B" } : null;
    change({ b, edit: b ? "b" : "a", whole: { ...state.whole, side: "a", drop: 0 } });
  };
  const setCubes = (cubes: number[]) => {
    if (cubes.some(Boolean)) changeVariant({ cubes });
    else change({ edit: side }); // the slider goes back
  };
  const isEven = variant.cubes.every((count) => count === variant.cubes[0]);
  const all = sumOf(variant.cubes);
  const number = (label: string, key: "rounds" | "gold" | "token", most: number) => <Slider label={label} least={1} most={most} value={variant[key]} changed={(value) => changeVariant({ [key]: value })} />;
  const other = side === "b" ? "a" : "b";
  const copyFrom = (from: Variant) => changeVariant({ ...structuredClone(from), name: variant.name });
  return (
    <>
      <div class="field"><input type="checkbox" id="compare" checked={Boolean(state.b)} onChange={({ currentTarget }) => compare(currentTarget.checked)} /><label for="compare">Compare with a second variant (B)</label></div>
      <div id="edits" class="bar edits" role="group" aria-label="Which variant the controls change" hidden={!state.b}>
        {(["a", "b"] as Side[]).map((each) => <button type="button" id={`edit-${each}`} aria-pressed={each === side} onClick={() => change({ edit: each })}>{`Change ${each.toUpperCase()}`}</button>)}
      </div>
      <div id="controls" class="controls">
        <div class="field"><label for="control-name">Name</label><input id="control-name" type="text" maxLength={LIMITS.name} value={variant.name} onInput={({ currentTarget }) => changeVariant({ name: oneLine(currentTarget.value, LIMITS.name) })} /></div>
        <Choice label="Tower" options={lab.towers.map(({ name }) => [name, name])} value={variant.tower} changed={(tower) => changeVariant({ tower })} />
        <Slider label="Cubes of every colour" least={0} most={LIMITS.cubes} value={Math.round(all / colours.length)} words={isEven ? String(variant.cubes[0]) : "mixed"} changed={(count) => setCubes(colours.map(() => count))} />
        <Fold title="Cubes of each colour" open={!isEven}>
          {colours.map((colour: string, k: number) => (
            <Slider key={colour} label={colour} least={0} most={LIMITS.cubes} value={variant.cubes[k]} mark={<Chip paint={lab.paints[k]} />} changed={(count) => setCubes(variant.cubes.map((old, i) => (i === k ? count : old)))} />
          ))}
        </Fold>
        <p id="cubes-note" class="note" role="status">{`${plural(all, "cube")} in all`}</p>
        {number("Rounds", "rounds", LIMITS.rounds)}
        {number("Cubes for one gold", "gold", LIMITS.gold)}
        {number("Cubes for one gold, with the token", "token", LIMITS.gold)}
        <Fold title="Order of the colours">
          <p class="note">Each phase throws the cubes of one colour that are outside.</p>
          <OrderList label="Order of the colours in a round" items={variant.phases.map((k) => ({ id: k, words: colours[k], mark: <Chip paint={lab.paints[k]} /> }))} changed={(phases) => changeVariant({ phases })} />
        </Fold>
        <div class="bar">
          <button type="button" onClick={() => copyFrom(usualVariant(""))}>Published rules</button>
          {state.b && <button type="button" onClick={() => copyFrom(state[other]!)}>{`Copy ${other.toUpperCase()} here`}</button>}
        </div>
      </div>
    </>
  );
}

function FiguresTable({ found, isPaired }: { found: FigureRow[]; isPaired: boolean }) {
  if (isPaired) {
    const cells = (row: FigureRow) => {
      const { low, high, half, mean } = row.difference;
      const means = [row.a.mean, row.b.mean].map((value) => exact(value, half || row.a.half));
      const interval = row.isConstant ? "-" : `${exact(low, half, true)} to ${exact(high, half, true)}`;
      return [row.title, ...means, exact(mean, half, true), interval, degree(row)];
    };
    return <Table caption="Means over games" head={["figure", "A", "B", "B - A", "95 % interval", "how sure"]} rows={found.map(cells)} />;
  }
  const interval = ({ a }: FigureRow) => (a.half > 1e-9 ? [a.low, a.high].map((value) => exact(value, a.half)).join(" to ") : "always");
  return <Table caption="Means over games" head={["figure", "mean", "95 % interval"]} rows={found.map((row) => [row.title, exact(row.a.mean, row.a.half), interval(row)])} />;
}

function SharesTable({ title, sets }: { title: string; sets: Shares[] }) {
  const { from, to } = spanOf(sets);
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  return <Table caption={`${title}: share of the phases`} head={["number", ...sets.map(({ name }) => name)]} rows={numbers.map((i) => [String(i), ...sets.map(({ shares }) => percent(shares[i] ?? 0))])} />;
}
