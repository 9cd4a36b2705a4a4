// Time: where it is, whether it runs, and the jumps to what comes next.

import { themeColour } from "../common/browser";
import { clamp } from "../scene/algebra";
import { type Moment, type Recorded, momentAt } from "./record";
import { eventWords, sentenceAt } from "./words";

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  time = 0;
  playing = false;
  last: number | null = null;
  speed: number;

  /** `changed` is called whenever something else is to be seen, `tell` with a sentence. */
  constructor(readonly record: Recorded, readonly changed: () => void, readonly tell: (sentence: string) => void) {
    this.speed = record.header.steps.length > 1 ? 0.5 : 0.25; // cubes are through in a second
  }

  get moment(): Moment {
    return momentAt(this.record, this.time);
  }

  seek(time: number | string): void {
    this.time = clamp(Number(time) || 0, 0, this.record.duration);
    this.changed();
  }

  play(): void {
    if (this.record.isWhole && this.time >= this.record.duration - 1e-9) this.time = 0;
    this.playing = true;
    this.last = null;
    this.changed();
  }

  pause(): void {
    this.playing = false;
    this.changed();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Go on by the time that passed since the last picture; `now` in milliseconds. */
  tick(now: number): void {
    if (!this.playing) return;
    const passed = this.last === null ? 0 : Math.min(now - this.last, 250) / 1000;
    this.last = now;
    this.time += passed * (this.time < this.moment.take.end ? this.speed : Math.max(1, this.speed));
    if (this.time >= this.record.duration) {
      this.time = this.record.duration;
      this.playing = !this.record.isWhole; // else it waits for what comes
    }
  }

  stopAt(time: number | string): void {
    this.playing = false;
    this.seek(time);
  }

  frame(by: number): void {
    const { rate } = this.record;
    const { begin } = this.moment.take;
    this.stopAt(begin + (Math.round((this.time - begin) * rate) + by) / rate);
  }

  /** Go to the next (1) or previous (-1) event, and say what it is. */
  event(by: number): void {
    const { events, duration } = this.record;
    const next = by > 0 ? events.find(({ time }) => time > this.time + 1e-6) : events.findLast(({ time }) => time < this.time - 1e-6);
    this.stopAt(next?.time ?? (by > 0 ? duration : 0));
    if (!next) return;
    const same = events.filter(({ time }) => Math.abs(time - next.time) < 1e-6);
    this.tell(same.slice(0, 3).map((event) => eventWords(this.record, event)).join(" "));
  }

  /** Go to the beginning of the next (1) or this or the previous step (-1); it goes on playing if it did. */
  step(by: number): void {
    const { beginnings, duration } = this.record;
    const early = this.playing ? 0.7 : 1e-6;
    this.seek(by > 0 ? beginnings.find((time) => time > this.time + 1e-6) ?? duration : beginnings.findLast((time) => time < this.time - early) ?? 0);
    this.tell(sentenceAt(this.record, this.moment));
  }

  faster(by: number): void {
    const at = SPEEDS.indexOf(this.speed);
    this.speed = SPEEDS[clamp(at + by, 0, SPEEDS.length - 1)];
    this.changed();
  }
}

const NARROW = 40; // pixels: in a narrower step single events are not told apart

/**
 * Draw the marks over the time line: every second step is shaded, with its number where there is room; in each its
 * events, those that come out taller; in narrow steps a column instead, as tall as cubes came out.
 */
export function drawMarks(record: Recorded, canvas: HTMLCanvasElement): void {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d")!;
  const colour = (name: string, alpha: number) => `rgb(${themeColour(name).join(" ")} / ${alpha})`;
  const [soft, strong, shade, ink] = [colour("--soft", 0.6), colour("--accent", 0.9), colour("--soft", 0.22), colour("--ink", 0.85)];
  const x = (time: number) => (time / record.duration) * width;
  const bar = (time: number, tall: number, wide: number) => context.fillRect(x(time) - wide / 2, height - tall, wide, tall);
  context.clearRect(0, 0, width, height);
  context.font = `${10 * ratio}px system-ui, sans-serif`;
  context.textBaseline = "top";
  const ends = [...record.beginnings.slice(1), record.duration];
  const outs = record.beginnings.map(() => 0);
  for (const { word, take } of record.events) if (word === "out") outs[take.stepIndex] += 1;
  const most = Math.max(1, ...outs);
  let free = 0; // where the last number ends
  record.beginnings.forEach((begin, i) => {
    const [left, wide] = [x(begin), x(ends[i] - begin)];
    context.fillStyle = shade;
    if (i % 2) context.fillRect(left, 0, wide, height);
    if (wide < NARROW * ratio) {
      context.fillStyle = strong;
      const tall = 0.6 * height * Math.sqrt(outs[i] / most); // else a set-up would dwarf all others
      context.fillRect(left + 0.2 * wide, height - tall, Math.max(1, 0.6 * wide), tall);
    }
    const number = (record.header.steps[i].title.match(/\d+/) || [""])[0];
    if (record.beginnings.length < 2 || left < free) return;
    context.fillStyle = ink;
    context.fillText(number, left + 2 * ratio, 0);
    free = left + context.measureText(number).width + 8 * ratio;
  });
  for (const { word, time, take } of record.events) {
    const { stepIndex } = take;
    if (x(ends[stepIndex] - record.beginnings[stepIndex]) < NARROW * ratio) continue;
    context.fillStyle = word === "out" ? strong : soft;
    if (word === "out") bar(time, 0.55 * height, 1.5 * ratio);
    else bar(time, 0.3 * height, ratio);
  }
}
