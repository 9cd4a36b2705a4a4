// The picture of a night, to save and send: its colours and its size are its own, whatever the page shows.

import type { ComponentChildren } from "preact";
import { canvasOf, find, saveBlob } from "../common/browser";
import { joinWords, plural, sumOf } from "../common/text";
import type { Expected } from "./law";
import { type Played, type Rules, colourOf, isHappening } from "./night";
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
  const which = odd && throws.at(-1)!.game > 1 ? ` of ${rules ? "game" : "series"} ${odd.throw.game}` : "";
  if (odd) found.push(`The strangest throw: ${placeOf(odd.throw, rules)}${which}, with ${sumOf(odd.throw.out)} out where the model expected ${odd.expected.mean.toFixed(1)}. ${rarity(odd.expected.tail, of.length)}`);
  return found;
}

function rarity(tail: number, throws: number): string {
  const often = Math.max(Math.round(1 / tail), 1);
  const share = often > 1e6 ? "Fewer than 1 throw in 1,000,000" : `About 1 throw in ${often.toLocaleString("en")}`;
  return often < 2 ? "That is no surprise." : `${share} is as odd, and the night had ${throws}.`;
}

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
const [, ruler] = canvasOf(1, 1);

/** The width of a text, with room for another font where the picture is looked at. */
function widthOf(text: string, size: number, weight = 400): number {
  ruler.font = `${weight} ${size}px ${FONT}`;
  return 1.08 * ruler.measureText(text).width;
}

/** A text in lines of at most so many pixels; a word that is wider is broken. */
function lines(text: string, size: number, width: number): string[] {
  const fits = (line: string) => widthOf(line, size) <= width;
  return text.split(" ").flatMap((word) => (fits(word) ? [word] : [...word].reduce<string[]>(([...all], sign) => (fits(`${all.at(-1) ?? ""}${sign}`) ? [...all.slice(0, -1), `${all.at(-1) ?? ""}${sign}`] : [...all, sign]), [])))
    .reduce<string[]>((all, word) => (all.length && fits(`${all.at(-1)} ${word}`) ? [...all.slice(0, -1), `${all.at(-1)} ${word}`] : [...all, word]), []);
}

/** The name of a throw under its bar. */
function shortName(each: Played, rules: Rules | null): string {
  if (isHappening(each)) return joinWords(each.marks) || "nothing thrown";
  if (!rules) return String(each.number + 1);
  return each.number ? `${Math.ceil(each.phase / rules.phases.length)} ${rules.colours[colourOf(rules, each.phase)]}` : "set-up";
}

const [MOST, NAME] = [36, 17]; // throws in a row of bars, and the size of their names

export function Picture({ throws, expected }: { throws: Played[]; expected: (Expected | null)[] }) {
  const { head } = night!;
  const rules = rulesOf(head);
  const of = known(throws, expected);
  const own = lucks(of, head.players);
  const drawn: ComponentChildren[] = [];
  let y = 96;
  const write = (text: string, size: number, fill = INK, x = LEFT, more = {}) => drawn.push(<text x={x} y={y} font-size={size} fill={fill} {...more}>{text}</text>);
  const writeLines = (text: string, size: number, step: number, fill = INK) => {
    for (const line of lines(text, size, RIGHT - LEFT)) {
      write(line, size, fill);
      y += step;
    }
  };
  write("Game night", 60, INK, LEFT, { "font-weight": 700 });
  y += 48;
  const count = throws.filter((each) => !isHappening(each)).length;
  writeLines([head.date, rules?.title ?? "Another game", plural(count, "throw"), ...(head.players.length ? [joinWords(head.players)] : [])].join(" · "), 28, 38, SOFT);
  y += 30;
  for (const sentence of sentences(throws, of)) writeLines(sentence, 31, 42);
  y += 28;
  writeLines("Cubes inside after each throw; below, cubes out more or fewer than the model expected", 28, 38);
  const slot = (RIGHT - LEFT) / Math.min(Math.max(throws.length, 12), MOST);
  const most = Math.max(6, ...throws.map((each) => sumOf(each.after)));
  const size = Math.min(slot * 0.92, 400 / most);
  const offs = throws.map((each, i) => (expected[i] ? sumOf(each.out) - expected[i].mean : null));
  const reach = Math.max(3, ...offs.map((off) => Math.abs(off ?? 0)));
  for (let from = 0; from < throws.length; from += MOST) {
    const row = throws.slice(from, from + MOST);
    const names = row.map((each) => lines(shortName(each, rules), NAME, 190)[0]);
    const floor = y + Math.max(...row.map((each) => sumOf(each.after))) * size;
    const middle = floor + Math.max(...names.map((name) => widthOf(name, NAME))) + 20 + 90;
    row.forEach((each, i) => {
      const at = LEFT + (i + 0.5) * slot;
      const off = offs[from + i];
      let up = 0;
      each.after.forEach((cubes, c) => {
        for (let k = 0; k < cubes; k++) drawn.push(<rect x={at - size / 2} y={floor - ++up * size} width={size - 1.5} height={size - 1.5} rx={size / 8} fill={paintOf(head.colours[c]).rgb} stroke={INK} stroke-width={1} />);
      });
      drawn.push(<text x={-(floor + 10)} y={at + NAME / 3} transform="rotate(-90)" text-anchor="end" font-size={NAME} fill={isHappening(each) ? LESS : INK}>{names[i]}</text>);
      if (each.begins && i) drawn.push(<line x1={at - slot / 2} x2={at - slot / 2} y1={floor + 4} y2={middle - 90} stroke={INK} stroke-width={2} />);
      if (off === null) return;
      const high = Math.max((Math.abs(off) / reach) * 86, 1.5);
      drawn.push(<rect x={at - slot * 0.38} y={off > 0 ? middle - high : middle} width={slot * 0.76} height={high} rx={3} fill={off > 0 ? MORE : LESS} />);
    });
    const isKnown = offs.slice(from, from + MOST).some((off) => off !== null);
    for (const line of isKnown ? [floor + 1, middle] : [floor + 1]) drawn.push(<line x1={LEFT} x2={RIGHT} y1={line} y2={line} stroke={INK} stroke-width={2} />);
    y = middle + (isKnown ? 120 : -40);
  }
  if (own.length) {
    y += 40;
    write("Luck of each player's throws", 28, INK, LEFT, { "font-weight": 600 });
    y += 52;
    const far = Math.max(4, ...own.map(({ out, expected }) => Math.abs(out - expected)));
    for (const { name, throws: many, out, expected } of own) {
      const luck = out - expected;
      const wide = Math.max((Math.abs(luck) / far) * 180, 3);
      writeLines(name, 28, 36);
      write(`${plural(many, "throw")}, ${out} out`, 24, SOFT);
      drawn.push(<rect x={luck > 0 ? 650 : 650 - wide} y={y - 22} width={wide} height={26} rx={4} fill={luck > 0 ? MORE : LESS} />);
      write(`${luck > 0 ? "+" : "−"}${Math.abs(luck).toFixed(1)}`, 28, INK, RIGHT, { "text-anchor": "end", "font-weight": 600 });
      y += 56;
    }
  }
  y += 20;
  drawn.push(<line x1={LEFT} x2={RIGHT} y1={y - 36} y2={y - 36} stroke={LINE} stroke-width={2} />);
  write("Recorded and compared with the model by tower_sim", 24, SOFT);
  const high = y + 48;
  const words = `A picture of the night. ${sentences(throws, of).join(" ")}`;
  return (
    <svg id="picture" xmlns="http://www.w3.org/2000/svg" viewBox={`0 0 ${WIDE} ${high}`} width={WIDE} height={high} role="img" aria-label={words} font-family={FONT}>
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
