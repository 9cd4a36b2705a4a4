// What is painted once, on a canvas, and lies on ground and board: the dark under the shape, the zones' names.

import { type Seen, type Solid, boundsOf } from "./solids";
import { type GL, Vertices, textureOf } from "./gl";
import { canvasOf } from "../common/browser";
import { plainName } from "../common/text";

/** The soft dark where a shape stands: {canvas, box: x, y, width, depth in metres}. */
export function contactOf(solids: Solid[]) {
  const { low, high } = boundsOf(solids);
  const around = 0.35 * Math.max(high[0] - low[0], high[1] - low[1]);
  const box = [low[0] - around, low[1] - around, high[0] - low[0] + 2 * around, high[1] - low[1] + 2 * around];
  const side = 256;
  const [canvas, context] = canvasOf(side, side);
  context.fillStyle = "#000";
  context.fillRect(0, 0, side, side);
  context.shadowColor = "rgb(255 255 255 / 55%)";
  context.shadowBlur = side / 14;
  context.shadowOffsetX = 2 * side; // the shape itself is drawn outside: its shadow alone is kept
  context.fillStyle = "#fff";
  for (const { vertices } of solids) {
    if (Math.min(...vertices.map((vertex) => vertex[2])) > 0.01) continue;
    const [left, wide] = spanOf(vertices.map((vertex) => ((vertex[0] - box[0]) / box[2]) * side - 2 * side));
    const [top, tall] = spanOf(vertices.map((vertex) => side - ((vertex[1] - box[1]) / box[3]) * side));
    context.fillRect(left, top, wide, tall);
  }
  return { canvas, box };
}

/** Where numbers begin, and how far they reach from there. */
function spanOf(numbers: number[]): [number, number] {
  const least = Math.min(...numbers);
  return [least, Math.max(...numbers) - least];
}

/** The zones of a board as flat shapes just over its floor, with their names printed on; null where there are none. */
export function openZones(gl: GL, apparatus: Seen) {
  const { zones, floor } = apparatus;
  if (!zones.length) return null;
  const data: number[] = [];
  zones.slice(0, 32).forEach((zone, index) => {
    for (let k = 1; k + 1 < zone.corners.length; k += 1) {
      for (const corner of [zone.corners[0], zone.corners[k], zone.corners[k + 1]])
        data.push(...corner, floor! + 2e-4, index);
    }
  });
  const [[left, wide], [low, deep]] = [0, 1].map((k) => spanOf(zones.flatMap((zone) => zone.corners.map((corner) => corner[k]))));
  const box = [left, low, wide, deep];
  const vertices = new Vertices(gl, [["a_at", 3], ["a_zone", 1]], new Float32Array(data));
  return { vertices, box, print: textureOf(gl, printOf(zones, box)) };
}

/** The board as it is printed: a pale ground a zone, and its name, to be read from the side of high x. */
function printOf(zones: Seen["zones"], box: number[]): HTMLCanvasElement {
  const scale = 1024 / Math.max(box[2], box[3]);
  const [canvas, context] = canvasOf(Math.round(box[2] * scale), Math.round(box[3] * scale));
  context.fillStyle = "#e9dfc8";
  context.fillRect(0, 0, canvas.width, canvas.height);
  const shades = ["#e6d9bc", "#dfe0cf", "#e2d5cc", "#d8dcd6"];
  zones.forEach((zone, index) => {
    const corners = zone.corners.map(([x, y]) => [(x - box[0]) * scale, canvas.height - (y - box[1]) * scale]);
    context.fillStyle = shades[index % shades.length];
    context.beginPath();
    corners.forEach((corner) => context.lineTo(corner[0], corner[1]));
    context.fill();
    const [[left, wide], [top, tall]] = [0, 1].map((k) => spanOf(corners.map((corner) => corner[k])));
    printName(context, plainName(zone.name), [left + wide / 2, top + tall / 2], 0.86 * tall, 0.86 * wide);
  });
  return canvas;
}

/** Print words around a middle, a line a few words, turned so that lines run along y; as large as there is room. */
function printName(context: CanvasRenderingContext2D, words: string, [x, y]: number[], wide: number, tall: number): void {
  context.save();
  context.translate(x, y);
  context.rotate(-Math.PI / 2);
  context.fillStyle = "rgb(60 44 28 / 85%)";
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let points = 46; points >= 12; points -= 2) {
    context.font = `600 ${points}px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif`;
    const lines = linesOf(context, String(words), wide);
    const isTooLarge = lines.length * points * 1.2 > tall || lines.some((line) => context.measureText(line).width > wide);
    if (points > 12 && isTooLarge) continue;
    lines.forEach((line, i) => context.fillText(line, 0, (i - (lines.length - 1) / 2) * points * 1.2, wide));
    break;
  }
  context.restore();
}

/** Words in lines that are no wider than that, as far as single words allow. */
function linesOf(context: CanvasRenderingContext2D, words: string, wide: number): string[] {
  const lines: string[] = [];
  for (const word of words.split(/[\s_]+/)) {
    const longer = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length && context.measureText(longer).width <= wide) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
