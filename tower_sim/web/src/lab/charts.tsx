// Pictures as SVG: bars of shares, curves over a game; tables.

import { Component, type ComponentChildren, createRef } from "preact";
import type { Paint } from "../common/faces";

/** What a chart tells of one side: shares by number; its bars are painted as A's and B's, or by `paint`. */
export interface Shares { name: string; shares: ArrayLike<number>; paint?: Paint }
export interface Points { name: string; points: { mean: number; low: number; high: number }[] }

export interface Span { from: number; to: number }

/** Return a step of 1, 2 or 5 times a power of ten that cuts a length into about so many parts. */
function niceStep(length: number, parts: number): number {
  const raw = length / parts;
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find((step) => step * power >= raw)!;
}

let hatchings = 0;

/**
 * What the bars of each side are painted with, as attributes, and the definitions that these need. The second is hatched, so
 * that it is told from the first by more than its colour.
 */
function fills(sets: Shares[]): { fill: object[]; defs: ComponentChildren } {
  const id = `hatching-${++hatchings}`; // of this chart alone: one in a part that is hidden paints nothing
  const fill = sets.map(({ paint }, k) => {
    const line = paint ? { stroke: "var(--ink)" } : {};
    if (k) return { fill: `url(#${id})`, ...line };
    return paint ? { fill: paint.rgb, ...line } : { class: "bar-a" };
  });
  const paint = sets[1]?.paint;
  const defs = sets.length > 1 && (
    <defs>
      <pattern id={id} width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width={6} height={6} {...(paint ? { fill: paint.rgb } : { class: "fill-b" })} />
        <line x1={0} y1={0} x2={0} y2={6} {...(paint ? { stroke: paint.ink, "stroke-width": 2 } : { class: "hatch-b" })} />
      </pattern>
    </defs>
  );
  return { fill, defs };
}

interface Frame { left: number; right: number; top: number; bottom: number }
interface ChartProps { id: string; height: number; words: string; x: string; y: string; draw: (frame: Frame) => ComponentChildren }

/** A chart as wide as there is room, its axes named; the name of the upright axis stands over it. */
class Chart extends Component<ChartProps, { width: number }> {
  box = createRef<HTMLDivElement>();
  state = { width: 600 };
  watch: ResizeObserver | null = null;

  componentDidMount() {
    const measure = () => {
      const width = Math.max(this.box.current?.clientWidth ?? 0, 240);
      if (width !== this.state.width) this.setState({ width });
    };
    this.watch = new ResizeObserver(measure);
    this.watch.observe(this.box.current!);
    measure();
  }

  componentWillUnmount() {
    this.watch?.disconnect();
  }

  render({ id, height, words, x, y, draw }: ChartProps, { width }: { width: number }) {
    const frame = { left: 46, right: width - 8, top: 34, bottom: height - 40 };
    return (
      <div id={id} class="chart" ref={this.box}>
        <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={words}>
          <text x={2} y={12} class="soft axis-name">{y}</text>
          <text x={(frame.left + frame.right) / 2} y={height - 6} class="middle soft axis-name">{x}</text>
          {draw(frame)}
        </svg>
      </div>
    );
  }
}

function levels({ left, right, top, bottom }: Frame, most: number, write: (value: number) => string) {
  const step = niceStep(most, 4);
  const values = Array.from({ length: Math.floor((most * 1.0001) / step) + 1 }, (_, i) => i * step);
  return values.map((value) => {
    const y = bottom - (value / most) * (bottom - top);
    return <><line x1={left} x2={right} y1={y} y2={y} class={value ? "grid" : "axis"} /><text x={left - 6} y={y + 4} class="end">{write(value)}</text></>;
  });
}

export function spanOf(sets: Shares[]): Span {
  const seen = (i: number) => sets.some(({ shares }) => (shares[i] ?? 0) > 0.0004);
  let [from, to] = [0, Math.max(...sets.map(({ shares }) => shares.length)) - 1];
  while (to > 1 && !seen(to)) to--;
  while (from < to - 1 && !seen(from) && to - from > 20) from++;
  return { from, to };
}

function mostOf(sets: Shares[]): number {
  return Math.max(...sets.flatMap(({ shares }) => Array.from(shares)));
}

/** How often each number comes: sides (A, then B), over numbers from 0, as shares of `of`. */
export function Histogram({ id, sets, x, of, words }: { id: string; sets: Shares[]; x: string; of: string; words: string }) {
  const { from, to } = spanOf(sets);
  const most = mostOf(sets) * 1.08 || 1;
  const { fill, defs } = fills(sets);
  const draw = (frame: Frame) => {
    const { left, right, top, bottom } = frame;
    const slot = (right - left) / (to - from + 1);
    const wide = Math.min((slot * 0.84) / sets.length, 60);
    const every = Math.max(1, Math.ceil(22 / slot));
    const bars = Array.from({ length: to - from + 1 }, (_, at) => {
      const i = from + at;
      const middle = left + (at + 0.5) * slot;
      return sets.map(({ shares }, k) => {
        const share = shares[i] ?? 0;
        const high = (share / most) * (bottom - top);
        const begin = middle + (k - sets.length / 2) * wide;
        return [
          <rect x={begin + 0.5} y={bottom - high} width={Math.max(wide - 1, 1)} height={high} {...fill[k]} />,
          wide >= 34 && share >= 0.005 && <text x={begin + wide / 2} y={bottom - high - 4} class="middle small">{`${(100 * share).toFixed(0)} %`}</text>,
          !k && at % every === 0 && <text x={middle} y={bottom + 16} class="middle">{i}</text>,
        ];
      });
    });
    return <>{defs}{levels(frame, most, (value) => `${Math.round(100 * value)} %`)}{bars}</>;
  };
  return <Chart id={id} height={300} words={words} x={x} y={`share of ${of}`} draw={draw} />;
}

/** Means over a game with the band of nine in ten games. */
export function Course({ id, sets, x, y, words }: { id: string; sets: Points[]; x: string; y: string; words: string }) {
  const drops = Math.max(...sets.map(({ points }) => points.length));
  const most = Math.max(1, ...sets.flatMap(({ points }) => points.map((point) => point.high))) * 1.05;
  const draw = (frame: Frame) => {
    const { left, right, top, bottom } = frame;
    const at = (i: number) => left + ((i + 0.5) / drops) * (right - left);
    const height = (value: number) => bottom - (value / most) * (bottom - top);
    const every = Math.max(1, Math.ceil(drops / ((right - left) / 26)));
    const curves = sets.map(({ points }, k) => {
      const there = points.flatMap((point, i) => (Number.isFinite(point.mean) ? [{ ...point, x: at(i) }] : []));
      const line = (key: "mean" | "low" | "high") => there.map((point) => `${point.x},${height(point[key])}`);
      return <><polygon points={[...line("high"), ...line("low").reverse()].join(" ")} class={k ? "band-b" : "band-a"} /><polyline points={line("mean").join(" ")} class={k ? "line-b" : "line-a"} /></>;
    });
    const numbers = Array.from({ length: Math.ceil(drops / every) }, (_, i) => <text x={at(i * every)} y={bottom + 16} class="middle">{i * every}</text>);
    return <>{levels(frame, most, String)}{curves}{numbers}</>;
  };
  return <Chart id={id} height={240} words={words} x={x} y={y} draw={draw} />;
}

/** What tells the sides of a chart apart: their names, each beside what its bars are painted with. */
export function Legend({ sets }: { sets: Shares[] }) {
  return (
    <p class="legend">
      {sets.map(({ name }, k) => {
        const { fill, defs } = fills(sets);
        return <span><svg class="swatch" viewBox="0 0 14 14" aria-hidden="true">{defs}<rect width={14} height={14} rx={3} {...fill[k]} /></svg>{name}</span>;
      })}
    </p>
  );
}

export function Strip({ sets }: { sets: Shares[] }) {
  const { from, to } = spanOf(sets);
  const [width, height] = [150, 46];
  const { fill, defs } = fills(sets);
  const most = mostOf(sets) || 1;
  const wide = width / (to - from + 1) / sets.length;
  const bars = sets.flatMap(({ shares }, k) => Array.from({ length: to - from + 1 }, (_, i) => {
    const high = ((shares[from + i] ?? 0) / most) * height;
    return <rect x={(i * sets.length + k) * wide} y={height - high} width={wide * 0.9} height={high} {...fill[k]} />;
  }));
  return <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height}>{defs}{bars}</svg>;
}
