// The tab of one whole game, drop by drop, in a drawing of the tower: one of the games that are counted on the first tab.

import { Component } from "preact";
import { seedWords } from "made/lab.js";
import { find, wantsStillness } from "../common/browser";
import { Chip } from "../common/faces";
import { Field, Select, Table } from "../common/parts";
import type { Compiled } from "../common/compiled";
import { Player, throwsOf } from "./games";
import { dropWords } from "./say";
import { LIMITS, type Side, type State, type Tower, type Variant, change, lab, labelOf, listeners, state } from "./state";

/** Where a cube is drawn: the floor's number, "tray" or "hand", and the place there. */
type Spot = [where: number | string, place: number];
interface Step { phase: number; thrown: number[]; out: number[] }
interface Game { key: string; tower: Tower; variant: Variant; colourOf: number[]; steps: Step[]; spots: (Spot | null)[][] }

export const wholeTab = {
  compiled: null as Compiled | null, // the compiled kernel, once it is there
  game: null as Game | null,
  timer: 0,

  start(compiled: Compiled, render: () => void): void {
    this.compiled = compiled;
    listeners.unshift(() => {
      if (state.tab !== "whole") this.stop();
    });
    render();
  },

  chosen(): Game | null {
    const variant = state[state.whole.side] ?? state.a;
    const key = JSON.stringify([variant, state.whole.game, state.seed]);
    if (this.compiled && this.game?.key !== key) this.game = play(this.compiled, variant, state.whole.game, key);
    return this.game;
  },

  move(part: Partial<State["whole"]>): void {
    change({ whole: { ...state.whole, ...part } });
  },

  next(): void {
    if (state.whole.drop < this.game!.steps.length - 1) this.move({ drop: state.whole.drop + 1 });
    else {
      this.stop();
      this.move({});
    }
  },

  run(): void {
    this.timer = window.setInterval(() => this.next(), wantsStillness() ? 1200 : 1700);
    this.move(state.whole.drop === this.game!.steps.length - 1 ? { drop: 0 } : {});
  },

  stop(): void {
    clearInterval(this.timer);
    this.timer = 0;
  },

  figures() {
    const game = this.chosen();
    return game && { thrown: game.steps.map((step) => step.thrown), out: game.steps.map((step) => step.out), spots: game.spots };
  },
};

function play(compiled: Compiled, variant: Variant, number: number, key: string): Game {
  const tower = lab.tower[variant.tower];
  const player = new Player(compiled, tower.document.table, variant);
  const floors = player.placesAfter(seedWords(state.seed), number);
  const colourOf = variant.cubes.flatMap((count, k) => Array<number>(count).fill(k));
  const cubes = colourOf.map((_, cube) => cube);
  const isOut = (drop: number, cube: number) => drop < 0 || floors[drop][cube] < 0;
  const steps = throwsOf(variant).map((phase, drop) => {
    const thrown = cubes.filter((cube) => (phase < 0 || colourOf[cube] === phase) && isOut(drop - 1, cube));
    const out = cubes.filter((cube) => isOut(drop, cube) && (!isOut(drop - 1, cube) || thrown.includes(cube)));
    return { phase, thrown, out };
  });
  return { key, tower, variant, colourOf, steps, spots: spotsOf(tower.document.table.floors.length, floors, steps) };
}

/** Return where every cube is drawn after every drop; one that stays on its floor stays there. */
function spotsOf(count: number, floors: Int32Array[], steps: Step[]): (Spot | null)[][] {
  const found: (Spot | null)[][] = [];
  floors.forEach((at, drop) => {
    const before = found[drop - 1];
    const now: (Spot | null)[] = Array(at.length).fill(null);
    const taken = Array.from({ length: count }, () => new Set<number>());
    at.forEach((floor, cube) => {
      const spot = before?.[cube];
      if (floor < 0 || spot?.[0] !== floor) return;
      now[cube] = spot;
      taken[floor].add(spot[1]);
    });
    at.forEach((floor, cube) => {
      if (floor < 0 || now[cube]) return;
      let place = 0;
      while (taken[floor].has(place)) place++;
      taken[floor].add(place);
      now[cube] = [floor, place];
    });
    steps[drop].out.forEach((cube, i) => (now[cube] = ["tray", i]));
    found.push(now);
  });
  return found;
}

export function WholeTab({ hidden }: { hidden: boolean }) {
  const game = hidden ? null : wholeTab.chosen();
  if (!game) return <div id="panel-whole" role="tabpanel" aria-labelledby="tab-whole" class="columns whole" hidden={hidden} />;
  const last = game.steps.length - 1;
  const drop = Math.min(state.whole.drop, last);
  const number = (value: string) => Math.min(Math.max(Math.round(Number(value)) || 0, 0), LIMITS.game);
  return (
    <div id="panel-whole" role="tabpanel" aria-labelledby="tab-whole" class="columns whole" hidden={hidden}>
      <section class="panel drawing" aria-label="The tower">
        <Drawing key={game.key} game={game} drop={drop} />
        <p class="note">The model knows on which floor a cube lies, not where on it: that is drawn as there is room.</p>
      </section>
      <section class="panel" aria-label="The game">
        <Lead game={game} drop={drop} />
        <div class="bar">
          <button type="button" id="whole-back" disabled={drop === 0} onClick={() => wholeTab.move({ drop: drop - 1 })}>Back</button>
          <button type="button" id="whole-play" class="main" onClick={() => { if (wholeTab.timer) { wholeTab.stop(); wholeTab.move({}); } else wholeTab.run(); }}>{wholeTab.timer ? "Pause" : "Play"}</button>
          <button type="button" id="whole-next" disabled={drop === last} onClick={() => wholeTab.next()}>Next drop</button>
        </div>
        <div class="field slider"><label for="whole-drop">Drop</label><input type="range" id="whole-drop" min={0} max={last} step={1} value={drop} onInput={({ currentTarget }) => wholeTab.move({ drop: Number(currentTarget.value) })} /><output for="whole-drop">{`${drop} of ${last}`}</output></div>
        {state.b && <Field label="Rules"><Select id="whole-side" value={state.whole.side} options={(["a", "b"] as Side[]).map((side) => [side, labelOf(side)])} changed={(side) => wholeTab.move({ side: side as Side, drop: 0 })} /></Field>}
        <div class="bar">
          <div class="field"><label for="whole-game">Game number</label><input type="number" id="whole-game" min={0} max={LIMITS.game} step={1} value={state.whole.game} onChange={({ currentTarget }) => wholeTab.move({ game: number(currentTarget.value), drop: 0 })} /></div>
          <button type="button" id="whole-another" onClick={() => wholeTab.move({ game: (state.whole.game + 1) % (LIMITS.game + 1), drop: 0 })}>Another game</button>
        </div>
        <Counts game={game} drop={drop} />
        <p class="note">It is one of the games that the tab House rules counts, from the same seed.</p>
      </section>
    </div>
  );
}

function perColour({ colourOf }: Game, cubes: number[]): number[] {
  return lab.rules.colours.map((_: string, k: number) => cubes.filter((cube) => colourOf[cube] === k).length);
}

function insideAfter({ spots }: Game, drop: number): number[] {
  return spots[drop].flatMap((spot, cube) => (spot && spot[0] !== "tray" ? [cube] : []));
}

function Lead({ game, drop }: { game: Game; drop: number }) {
  const { phase, thrown, out } = game.steps[drop];
  const counts = { phase, thrown: thrown.length, came: perColour(game, out), inside: perColour(game, insideAfter(game, drop)) };
  return <p id="whole-words" class="lead told" role="status">{dropWords(game.variant, drop, counts, lab.rules.colours).join(" ")}</p>;
}

function Counts({ game, drop }: { game: Game; drop: number }) {
  const { thrown, out } = game.steps[drop];
  const columns = [thrown, out, insideAfter(game, drop)].map((cubes) => perColour(game, cubes));
  return (
    <div id="whole-table" class="scroll">
      <Table caption="Cubes now" head={["colour", "thrown", "out", "inside"]} rows={lab.rules.colours.map((colour: string, k: number) => [[<Chip paint={lab.paints[k]} />, colour], ...columns.map((counts) => String(counts[k]))])} />
    </div>
  );
}

/** The tower, and every cube where it is; after the drop before it, cubes fall there. */
class Drawing extends Component<{ game: Game; drop: number }> {
  before = -1;

  componentDidMount() {
    this.place();
  }

  componentDidUpdate() {
    this.place();
  }

  place(): void {
    const { game, drop } = this.props;
    const step = game.steps[drop];
    const falls = this.before === drop - 1 && drop > 0 && !wantsStillness();
    if (this.before === drop) return;
    this.before = drop;
    const order = new Map(step.thrown.map((cube, i) => [cube, i]));
    const isOut = new Set(step.out);
    [...find("tower").querySelectorAll<SVGElement>(".cube")].forEach((element, cube) => {
      const spot = game.spots[drop][cube];
      const hand: Spot = ["hand", order.get(cube) ?? 0];
      const earlier = game.spots[drop - 1]?.[cube];
      const to = corner(game.tower, spot ?? hand);
      element.style.transform = shift(to);
      element.style.opacity = spot ? "1" : "0";
      element.classList.toggle("new", order.has(cube));
      for (const running of element.getAnimations()) running.cancel();
      const from = order.has(cube) ? corner(game.tower, hand) : spot && earlier ? corner(game.tower, earlier) : null;
      if (!falls || !from || String(from) === String(to)) return;
      const way = isOut.has(cube) ? [from, exitOf(game.tower), to] : [from, to];
      const timing = { duration: isOut.has(cube) ? 900 : 600, delay: order.has(cube) ? 150 : 450, easing: "ease-in", fill: "backwards" as const };
      element.animate(way.map((at) => ({ transform: shift(at) })), timing);
    });
  }

  render() {
    const { tower: { drawn, edge }, colourOf } = this.props.game;
    const [left, bottom, right, top] = drawn.bounds;
    const [x, , end, y] = drawn.extent;
    return (
      <svg id="tower" role="img" aria-label="The tower cut open, with the cubes that lie in it and came out of it" viewBox={`${left - 4} ${-top - 4} ${right - left + 8} ${top - bottom + 8}`}>
        <image href={drawn.picture} x={x} y={-y} width={end - x} height={y - drawn.extent[1]} />
        <line x1={left - 4} x2={right + 4} y1={0} y2={0} class="axis" />
        {colourOf.map((k) => (
          <g class="cube">
            <rect width={edge} height={edge} rx={0.8} fill={lab.paints[k].rgb} class="face" />
            <text x={edge / 2} y={edge * 0.73} fill={lab.paints[k].ink} font-size={edge * 0.66} class="letter">{lab.paints[k].letter}</text>
          </g>
        ))}
      </svg>
    );
  }
}

function shift([x, y]: number[]): string {
  return `translate(${x}px, ${y}px)`;
}

/** The upper left corner of a cube that is drawn at a place; with more cubes than places they overlap. */
function corner({ drawn, edge }: Tower, [where, number]: Spot): number[] {
  const list = where === "tray" ? drawn.tray : where === "hand" ? drawn.hand : drawn.floors[where as number];
  const [x, z] = list[number % list.length] ?? [0, 0];
  const over = Math.floor(number / list.length) * 0.3 * edge;
  return [x + over, -z - edge - over];
}

/** The way out, at the foot of the tower, by which all come into the tray. */
function exitOf({ drawn: { tray }, edge }: Tower): number[] {
  return [Math.min(...tray.map(([x]) => x)) - 1.6 * edge, -Math.min(...tray.map(([, z]) => z)) - edge];
}
