// The tab of battles: two forces, the odds, where the cubes end.

import { battle } from "made/lab.js";
import { save } from "../common/browser";
import { Chip, type Paint } from "../common/faces";
import { Table } from "../common/parts";
import { type Cell, capital, csv, plainName, sumOf } from "../common/text";
import { Histogram, Legend, type Shares } from "./charts";
import { Busy, Choice, Fold, Slider, Sure, Lead } from "./controls";
import type { Jobs } from "./jobs";
import { beyondWords, percent, writeNumber } from "./say";
import { BUILDINGS, type Fight, KINDS, LIMITS, type Ship, change, lab, listeners, state } from "./state";
import { type Estimate, share } from "./statistics";

const BATTLES = 10000;

interface Odds {
  games: number; wins: number[]; sinks: number[]; means: Record<string, Estimate>[]; explosions: Record<string, number>; throws: number; beyond: number;
  strengths: Record<string, number>[]; places: Record<string, number>;
}

export const fightTab = {
  latest: null as Odds | null,
  jobs: null as Jobs | null,
  isDue: true, // what is chosen was not played yet
  note: "",

  start(jobs: Jobs): void {
    this.jobs = jobs;
    const play = () => {
      this.isDue = false;
      const { kind, cubes, damage, ship } = state.fight;
      const setup = { kind, sides: cubes.map((count, i) => ({ cubes: count, damage: damage[i] })) };
      jobs.ask<Odds>({ kind: "fight", setup, ship, seed: state.seed, games: BATTLES }, (result) => {
        this.latest = result;
      });
    };
    listeners.unshift((keys) => {
      this.isDue ||= keys.some((key) => ["fight", "seed"].includes(key));
      if (this.isDue && state.tab === "fight") play();
    });
    if (state.tab === "fight") play();
  },

  table(): string {
    const latest = this.latest!;
    const lines: Cell[][] = [["kind", "key", ...names()]];
    lines.push(["battles", "wins", ...latest.wins], ["battles", "ships sunk", ...latest.sinks]);
    for (const name of battle.NUMBERS) lines.push(["mean", name, ...latest.means.map((side) => side[name].mean)]);
    for (const [place, count] of Object.entries(latest.places)) lines.push(["cubes at the end", place, count, null]);
    for (const [count, times] of Object.entries(latest.explosions)) lines.push(["battles by explosions", count, times, null]);
    lines.push(["about", "battles", latest.games, null], ["about", "seed", state.seed, null]);
    return csv(lines);
  },
};

function paintsOf(): Paint[] {
  const [purple, green, black] = lab.sides;
  return [purple, state.fight.kind === "merchant" ? black : green];
}

function names(): string[] {
  return paintsOf().map(({ name }) => capital(name));
}

function set(part: Partial<Fight>): void {
  const fight = { ...state.fight, ...part };
  const isBattle = fight.cubes.some(Boolean);
  fightTab.note = isBattle ? "" : "A battle has one cube or more.";
  change(isBattle ? { fight } : { tab: state.tab }); // else the slider goes back
}

export function FightTab({ hidden }: { hidden: boolean }) {
  const { latest, jobs } = fightTab;
  const ship = lab.ship[state.fight.ship];
  const [attacker, defender] = names();
  const mean = (side: number, name: string) => latest!.means[side][name];
  const shares = latest && [0, 1].map((side) => {
    const counts = latest.strengths[side];
    return Array.from({ length: Math.max(...Object.keys(counts).map(Number)) + 1 }, (_, i) => (counts[i] ?? 0) / latest.games);
  });
  const sets: Shares[] = shares ? paintsOf().map((paint, side) => ({ name: names()[side], shares: shares[side], paint })) : [];
  const answer = latest && answerOf(latest, attacker, defender, [0, 1].map((side) => mean(side, "strength").mean));
  const bangs = latest && sumOf(Object.entries(latest.explosions).map(([count, times]) => Number(count) * times)) / latest.games;
  const interval = ({ mean: value, low, high }: { mean: number; low: number; high: number }) => `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
  return (
    <div id="panel-fight" role="tabpanel" aria-labelledby="tab-fight" class="columns" hidden={hidden}>
      <section class="panel side" aria-label="Forces"><div id="fight-controls" class="controls"><Forces /></div></section>
      <div class="seen">
        <Lead tab="fight" answer={answer} sets={sets} words="Strength at the end" />
        <section class="panel" aria-label="The chart">
          <Sure tab="fight" answer={answer} />
          <h2>Strength at the end</h2>
          <div id="fight-legend">{latest && <Legend sets={sets} />}</div>
          {latest && <Histogram id="fight-histogram" sets={sets} x="strength at the end" of="battles" words={`Strength at the end: ${attacker} ${writeNumber(mean(0, "strength").mean)}, ${defender} ${writeNumber(mean(1, "strength").mean)} on average`} />}
          <Busy tab="fight" label="Fighting battles" jobs={jobs} answer={answer} />
        </section>
        <section class="panel more" aria-label="Where cubes end">
          <div class="two">
            <div><h2>Where cubes end</h2>{latest && <Board ship={ship} places={latest.places} />}</div>
            <div id="fight-table" class="scroll" tabIndex={0} role="group" aria-label="Table of means">
              {latest && <Table caption="Means a battle (95 % intervals)" head={["figure", attacker, defender]} rows={battle.NUMBERS.map((name: string) => [lab.battle[name], interval(mean(0, name)), interval(mean(1, name))])} />}
            </div>
          </div>
          <div class="bar"><button type="button" id="fight-csv" onClick={() => save("tower-lab-battles.csv", fightTab.table(), "text/csv")}>Figures as CSV</button></div>
          <p id="fight-model" class="note">{bangs !== null && `On average ${writeNumber(bangs)} explosions a battle. The ship ${ship.name} here is a model without physics: a law of where cubes land, fitted to ${ship.drops.toLocaleString("en")} simulated throws of ${ship.runs.toLocaleString("en")} battles. ${ship.close || "How close it is to physics is not known here."}`}</p>
        </section>
      </div>
    </div>
  );
}

function answerOf(latest: Odds, attacker: string, defender: string, strength: number[]) {
  const { games } = latest;
  const wins = share(latest.wins[0], games);
  const part = (value: number) => (100 * value).toFixed(1);
  const sinks = latest.sinks.map((count) => count / games);
  const sunk = sinks.some(Boolean) ? `; ${attacker}'s ship sinks in ${percent(sinks[0])}${state.fight.kind === "ship" ? `, ${defender}'s in ${percent(sinks[1])}` : ""} of the battles` : "";
  const beyond = latest.throws ? latest.beyond / latest.throws : 0;
  return {
    sentences: [
      `${attacker} wins ${part(wins.share)} % (${part(wins.low)} to ${part(wins.high)} %) of the battles; a tie is ${attacker}'s, who attacks.`,
      `Strength is ${writeNumber(strength[0])} against ${writeNumber(strength[1])} on average${sunk}.`,
    ],
    sure: `${games.toLocaleString("en")} battles; the interval holds the true chance in 95 of 100 such counts, if the ship is as the model has it.`,
    warnings: [beyondWords("these battles", beyond).replace("drops of these", "throws of these")],
  };
}

function Forces() {
  const { fight } = state;
  const [attacker, defender] = names();
  const marks = paintsOf().map((paint) => <Chip paint={paint} />);
  const kindChosen = (kind: string) => {
    const most = kind === "merchant" ? battle.NON_PLAYER : LIMITS.force;
    const other = kind === "building" ? 5 : Math.min(fight.cubes[1], most);
    set({ kind, cubes: [fight.cubes[0], other], damage: [fight.damage[0], 0] });
  };
  const force = (side: number, label: string, most: number) => <Slider label={label} least={0} most={most} value={fight.cubes[side]} mark={marks[side]} changed={(count) => set({ cubes: fight.cubes.map((old, i) => (i === side ? count : old)) })} />;
  const damage = (side: number, label: string) => <Slider key={`damage ${side}`} label={label} least={0} most={4} value={fight.damage[side]} changed={(value) => set({ damage: fight.damage.map((old, i) => (i === side ? value : old)) })} />;
  const buildings: [string, string][] = BUILDINGS.map((cubes, i) => [String(cubes), `${["a garrison", "a fort", "both"][i]}: ${cubes} cubes`]);
  return (
    <>
      {lab.ships.length > 1 && <Choice label="Ship" options={lab.ships.map(({ name }) => [name, name])} value={fight.ship} changed={(ship) => set({ ship })} />}
      <Choice label={`${attacker} attacks`} options={Object.entries(KINDS)} value={fight.kind} changed={kindChosen} />
      {force(0, `Cubes of ${attacker}`, LIMITS.force)}
      {fight.kind === "building"
        ? <Choice label={`${defender} defends`} options={buildings} value={String(fight.cubes[1])} changed={(value) => set({ cubes: [fight.cubes[0], Number(value)] })} />
        : force(1, `Cubes of ${defender}`, fight.kind === "merchant" ? battle.NON_PLAYER : LIMITS.force)}
      <Fold title="Damage before the battle" open={fight.damage.some(Boolean)}>{damage(0, attacker)}{fight.kind === "ship" && damage(1, defender)}</Fold>
      <p id="fight-note" class="note" role="status">{fightTab.note}</p>
      <p class="note">By the default rulings and without abilities: cubes on a border or the table are thrown again, those in an explosive zone too, each with one more of its colour.</p>
    </>
  );
}

/** The board: each zone as dark as its share of the cubes. */
function Board({ ship, places }: { ship: Ship; places: Record<string, number> }) {
  const all = Math.max(sumOf(Object.values(places)), 1);
  const [x0, x1, y0, y1] = ship.bounds.map((value) => 1000 * value);
  const parts = ship.zones.map(({ name }) => places[`zone:${name}`] / all);
  const most = Math.max(...parts, 0.01);
  const written = parts.map((part) => `${(100 * part).toFixed(1)} %`);
  return (
    <svg id="board" role="img" viewBox={`${x0 - 1} ${-y1 - 1} ${x1 - x0 + 2} ${y1 - y0 + 2}`} aria-label={`The board from above: of the cubes at the end ${ship.zones.map(({ name }, i) => `${written[i]} in ${plainName(name)}`).join(", ")}`}>
      <rect x={x0} y={-y1} width={x1 - x0} height={y1 - y0} class="beyond" />
      {ship.zones.map((zone, i) => {
        const corners = zone.corners.map(([x, y]) => [1000 * x, -1000 * y]);
        const [x, y] = [0, 1].map((axis) => sumOf(corners.map((corner) => corner[axis])) / corners.length);
        const wide = Math.max(...corners.map((corner) => corner[0])) - Math.min(...corners.map((corner) => corner[0]));
        return (
          <g>
            <polygon points={corners.map((corner) => corner.join(",")).join(" ")} class="zone" fill-opacity={0.05 + 0.5 * (parts[i] / most)} />
            <text x={x} y={y - 1} class="zone-name" font-size={Math.min(4.6, (1.6 * wide) / zone.words.length)}>{zone.words}</text>
            <text x={x} y={y + 6} class="zone-share">{written[i]}</text>
          </g>
        );
      })}
    </svg>
  );
}
