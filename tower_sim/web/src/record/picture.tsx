// The picture of a night, to save and send: its colours and its size are its own, whatever the page shows.

import type { ComponentChildren } from "preact";
import { canvasOf, find, saveBlob } from "../common/browser";
import { joinWords, plural, sumOf } from "../common/text";
import type { Expected } from "./law";
import { type Played, isHappening } from "./night";
import { night, paintOf, placeOf, rulesOf } from "./state";

const [WIDE, LEFT, RIGHT] = [1080, 64, 1016];
const [PAPER, INK, SOFT, LINE, MORE, LESS] = ["#fffefb", "#1c2025", "#565b63", "#d6d1c4", "#1d5ba6", "#b4530f"];

export interface Known { throw: Played; expected: Expected }

export function known(throws: Played[], expected: (Expected | null)[]): Known[] {
  return throws.flatMap((each, i) => (expected[i] ? [{ throw: each, expected: expected[i] }] : []));
}

/** How a player's throws went: cubes out, those that the model expected, the standard deviation of their difference. */
export interface Luck { name: string; throws: number; out: number; expected: number; sd: number; points: number; colours: number }

export function lucks(of: Known[], players: string[]): Luck[] {
  const names = new Set([...players, ...of.map((each) => each.throw.who)].filter(Boolean)); // some may have left
  return [...names].flatMap((name) => {
    const own = of.filter((each) => each.throw.who === name && (each.throw.number || !rulesOf(night!.head))); // a set-up gives nothing
    if (!own.length) return [];
    const variance = ({ expected: { chances, mean } }: Known) => chances.reduce((sum, p, k) => sum + p * (k - mean) ** 2, 0);
    const later = own.filter((each) => each.throw.number);
    return [{
      name, throws: own.length, out: sumOf(own.map((each) => sumOf(each.throw.out))), expected: sumOf(own.map((each) => each.expected.mean)),
      sd: Math.sqrt(sumOf(own.map(variance))), points: sumOf(later.map((each) => Math.max(...each.throw.out))),
      colours: sumOf(later.map((each) => each.throw.out.filter(Boolean).length)),
    }];
  });
}

/** The throw that the model expected least; null of no throw. */
export function strangest(of: Known[]): Known | null {
  return of.reduce<Known | null>((least, each) => (least && least.expected.tail <= each.expected.tail ? least : each), null);
}

export function sentences(throws: Played[], of: Known[]): string[] {
  const rules = rulesOf(night!.head);
  const found: string[] = [];
  const first = throws.find((each) => !each.number && !isHappening(each));
  if (first) found.push(`Of ${plural(sumOf(first.thrown), "cube")} of the ${rules ? "set-up" : "first throw"}, ${sumOf(first.after)} stayed in the tower.`);
  const later = throws.filter((each) => each.number && !isHappening(each));
  if (later.length) {
    const mean = (value: (each: Played) => number) => (sumOf(later.map(value)) / later.length).toFixed(1);
    found.push(`After that it kept ${mean((each) => sumOf(each.after))} cubes and gave ${mean((each) => sumOf(each.out))} a throw.`);
  }
  const odd = strangest(of);
  if (odd) found.push(`The strangest throw: ${placeOf(odd.throw, rules)}, with ${sumOf(odd.throw.out)} out where the model expected ${odd.expected.mean.toFixed(1)}. ${rarity(odd.expected.tail, of.length)}`);
  return found;
}

function rarity(tail: number, throws: number): string {
  const often = Math.max(Math.round(1 / tail), 1);
  return often < 2 ? "That is no surprise." : `About 1 throw in ${often} is as odd, and the night had ${throws}.`;
}

function lines(words: string, letters: number): string[] {
  return words.split(" ").reduce<string[]>((all, word) => (all.length && all[all.length - 1].length + word.length < letters ? [...all.slice(0, -1), `${all[all.length - 1]} ${word}`] : [...all, word]), []);
}

export function Picture({ throws, expected }: { throws: Played[]; expected: (Expected | null)[] }) {
  const { head } = night!;
  const rules = rulesOf(head);
  const of = known(throws, expected);
  const own = lucks(of, head.players);
  const text = sentences(throws, of).flatMap((sentence) => lines(sentence, 56));
  const drawn: ComponentChildren[] = [];
  let y = 96;
  const write = (text: string, size: number, fill = INK, x = LEFT, more = {}) => drawn.push(<text x={x} y={y} font-size={size} fill={fill} {...more}>{text}</text>);
  write("Game night", 60, INK, LEFT, { "font-weight": 700 });
  y += 48;
  write([head.date, rules?.title ?? "Free throws", plural(throws.length, "throw"), ...(head.players.length ? [joinWords(head.players)] : [])].join(" · "), 28, SOFT);
  y += 26;
  for (const line of text) {
    y += 42;
    write(line, 31);
  }
  const slot = (RIGHT - LEFT) / Math.max(throws.length, 12);
  const most = Math.max(6, ...throws.map((each) => sumOf(each.after)));
  const size = Math.min(slot * 0.92, 400 / most);
  y += 70;
  write("Cubes inside after each throw", 28, INK, LEFT, { "font-weight": 600 });
  const floor = y + 24 + most * size;
  throws.forEach((each, i) => {
    let up = 0;
    const x = LEFT + (i + 0.5) * slot - size / 2;
    each.after.forEach((cubes, c) => {
      const paint = paintOf(head.colours[c]);
      for (let k = 0; k < cubes; k++) drawn.push(<rect x={x} y={floor - ++up * size} width={size - 1.5} height={size - 1.5} rx={size / 8} fill={paint.rgb} stroke={INK} stroke-width={1} />);
    });
  });
  drawn.push(<line x1={LEFT} x2={RIGHT} y1={floor + 1} y2={floor + 1} stroke={INK} stroke-width={2} />);
  y = floor + 76;
  write("Cubes out, more or fewer than the model expected", 28, INK, LEFT, { "font-weight": 600 });
  const off = of.map((each) => sumOf(each.throw.out) - each.expected.mean);
  const reach = Math.max(3, ...off.map(Math.abs));
  const middle = y + 24 + 110;
  of.forEach((each, i) => {
    const high = Math.max((Math.abs(off[i]) / reach) * 105, 1.5);
    drawn.push(<rect x={LEFT + (throws.indexOf(each.throw) + 0.12) * slot} y={off[i] > 0 ? middle - high : middle} width={slot * 0.76} height={high} rx={3} fill={off[i] > 0 ? MORE : LESS} />);
  });
  drawn.push(<line x1={LEFT} x2={RIGHT} y1={middle} y2={middle} stroke={INK} stroke-width={2} />);
  y = middle + 110 + 20;
  if (own.length) {
    y += 56;
    write("Luck of each player's throws", 28, INK, LEFT, { "font-weight": 600 });
    const far = Math.max(4, ...own.map(({ out, expected }) => Math.abs(out - expected)));
    for (const { name, throws: many, out, expected } of own) {
      y += 52;
      const luck = out - expected;
      const wide = Math.max((Math.abs(luck) / far) * 140, 3);
      write(name, 28);
      write(`${plural(many, "throw")}, ${out} out`, 24, SOFT, 330);
      drawn.push(<rect x={luck > 0 ? 750 : 750 - wide} y={y - 24} width={wide} height={28} rx={4} fill={luck > 0 ? MORE : LESS} />);
      write(`${luck > 0 ? "+" : "−"}${Math.abs(luck).toFixed(1)}`, 28, INK, RIGHT, { "text-anchor": "end", "font-weight": 600 });
    }
  }
  y += 70;
  drawn.push(<line x1={LEFT} x2={RIGHT} y1={y - 36} y2={y - 36} stroke={LINE} stroke-width={2} />);
  write("Recorded and compared with the model by tower_sim", 24, SOFT);
  const high = y + 48;
  const words = `A picture of the night. ${sentences(throws, of).join(" ")}`;
  return (
    <svg id="picture" xmlns="http://www.w3.org/2000/svg" viewBox={`0 0 ${WIDE} ${high}`} width={WIDE} height={high} role="img" aria-label={words} font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif">
      <rect width={WIDE} height={high} fill={PAPER} />
      {drawn}
    </svg>
  );
}

async function pictureFile(isPng: boolean): Promise<Blob> {
  const svg = find("picture") as unknown as SVGSVGElement;
  const text = new XMLSerializer().serializeToString(svg);
  const blob = new Blob([text], { type: "image/svg+xml" });
  if (!isPng) return blob;
  const { width, height } = svg.viewBox.baseVal;
  const [canvas, context] = canvasOf(width, height);
  const image = new Image(width, height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  context.drawImage(image, 0, 0);
  return new Promise((resolve, reject) => canvas.toBlob((png) => (png ? resolve(png) : reject(new Error("no picture"))), "image/png"));
}

export async function savePicture(isPng: boolean): Promise<void> {
  saveBlob(`game-night-${night!.head.date}.${isPng ? "png" : "svg"}`, await pictureFile(isPng));
}

/** Whether this browser hands pictures to other programs, as phones do. */
export const canShare = typeof navigator.canShare === "function" && navigator.canShare({ files: [new File([""], "a.png", { type: "image/png" })] });

export async function sharePicture(): Promise<void> {
  await navigator.share({ files: [new File([await pictureFile(true)], `game-night-${night!.head.date}.png`, { type: "image/png" })] });
}
