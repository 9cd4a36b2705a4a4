// The marks over the time line.

import { themeColour } from "../common/browser";
import type { Recorded } from "./record";

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
