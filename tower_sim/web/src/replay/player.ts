// Time: where it is, whether it runs, and the jumps to what comes next.

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
