// What the page says in words: the plain sentence, events, what a step is called.

import { momentAt, countsAt, summed } from "./record";
import { lyingAt } from "./zones";
import { capital, counted, listed, plainName } from "../common/text";
import type { Event, Moment, Recorded, Row, Take } from "./record";

export const KEYS = [
  ["Space", "play or pause"],
  ["← →", "a quarter of a second back or on"],
  [", .", "a frame back or on"],
  ["P N", "previous or next event"],
  ["[ ]", "previous or next drop"],
  ["Home End", "to the beginning or the end"],
  ["< >", "slower or faster"],
  ["A D W S", "turn the picture (also the arrows, when the picture has the focus; with shift they move it)"],
  ["+ − 0", "zoom in, zoom out, reset the view"],
  ["C", "cut it open: from the side, from the front, from above, no more"],
  ["M", "mark a cube, or the next one (with shift the one before); Esc marks none"],
  ["F", "follow the cube that is marked, or no more"],
  ["T", "light or dark"],
  ["?", "this help"],
];

/** "7 blue cubes", "4 blue and 2 red cubes"; one colour after the other as the header has them. */
export function cubeWords(record: Recorded, cubes: number[]): string {
  const counts = record.header.colours.map(() => 0);
  for (const cube of cubes) counts[record.colourOf.get(cube)!] += 1;
  const words = counts.flatMap((count, i) => (count ? [`${count} ${record.header.colours[i].name}`] : []));
  if (words.length > 4) return counted(cubes.length, "cube");
  return words.length ? `${listed(words)} ${cubes.length === 1 ? "cube" : "cubes"}` : "no cube";
}

/** What a take does, as a phrase. */
function takeWords(record: Recorded, take: Take): string {
  if (take.kind === "none") return "nothing moves";
  if (take.kind === "knock") return `a knock of ${take.strength} g on the table`;
  if (take.kind === "take") return `${cubeWords(record, take.rest.filter(([, place]) => place === "hand").map(([cube]) => cube))} taken away`;
  if (take.kind === "place") return `${cubeWords(record, take.thrown)} put on the board`;
  return `${cubeWords(record, take.thrown)} thrown`;
}

/** What is out and inside, as a page of a tower or of a board calls it. */
function whereWords(record: Recorded) {
  return record.isBoard ? { out: "on the board", inside: "in the ship" } : { out: "out", inside: "inside" };
}

/** "3 in hand, 5 out, 6 inside" of rows of countsAt. */
function countWords(record: Recorded, rows: Row[]): string {
  const { out, inside } = whereWords(record);
  const hand = summed(rows, "hand");
  return `${hand ? `${hand} in hand, ` : ""}${summed(rows, "out")} ${out}, ${summed(rows, "inside")} ${inside}`;
}

/** The plain sentence of a moment: which drop, what is thrown, how many are in the hand, out and inside. */
export function sentenceAt(record: Recorded, moment: Moment): string {
  const { take } = moment;
  const { steps } = record.header;
  const which = steps.length > 1 ? `${steps[take.stepIndex].title}: ` : "";
  return capital(`${which}${takeWords(record, take)}, ${countWords(record, countsAt(record, moment))}.`);
}

/** The takes of a step. */
export function takesOf(record: Recorded, index: number): Take[] {
  return record.takes.filter((take) => take.stepIndex === index);
}

/** What became of a step in the end, in short: thrown, out, inside. */
export function stepWords(record: Recorded, index: number): string {
  const takes = takesOf(record, index);
  const rows = countsAt(record, momentAt(record, takes[takes.length - 1].end));
  const phrase = listed(takes.map((take) => takeWords(record, take)));
  return record.isBoard ? phrase : `${phrase}, ${countWords(record, rows)}`;
}

/** Whether a step's text is a sentence, and no line of a log. */
export function isSentence(text: string): boolean {
  return /[.!?]$/.test(text) && !/ {2,}/.test(text);
}

/** What a step came to, in words: its own text where that is a sentence, and no line of a log. */
export function endWords(record: Recorded, index: number): string {
  const text = record.header.steps[index].text.trim();
  if (isSentence(text)) return text;
  const takes = takesOf(record, index);
  const moment = momentAt(record, takes[takes.length - 1].end);
  const colours = record.header.colours.map(({ name }) => name);
  const some = (numbers: number[]) => listed(numbers.flatMap((number, i) => (number ? [`${number} ${colours[i]}`] : [])));
  if (record.isBoard) {
    const zones = record.header.apparatus.zones.map(({ name }) => plainName(name));
    const lying = lyingAt(record, moment).map((cubes) => colours.map((_, i) => cubes.filter((cube) => record.colourOf.get(cube) === i).length));
    const said = lying.flatMap((numbers, i) => (some(numbers) ? [`${zones[i]}: ${some(numbers)}`] : [])).join("; ");
    return said ? `${capital(said)}.` : "No cube lies in a zone.";
  }
  const rows = countsAt(record, moment);
  const [out, inside] = (["out", "inside"] as const).map((where) => rows.map((row) => row[where]));
  const came = summed(rows, "out");
  const stay = summed(rows, "inside");
  const first = came ? `${counted(came, "cube")} came out: ${some(out)}.` : "No cube came out.";
  return `${first} ${stay ? `${stay} ${stay === 1 ? "stays" : "stay"} inside: ${some(inside)}.` : "None stays inside."}`;
}

/** An event as a sentence. */
export function eventWords(record: Recorded, event: Event): string {
  const paint = event.cube === null ? null : record.header.colours[record.colourOf.get(event.cube)!];
  const which = paint ? `A ${paint.name} cube` : "";
  const words: Record<string, string> = {
    thrown: `${which} leaves the hand.`,
    out: `${which} comes out.`,
    rest: `${which} comes to rest${placeWords(event.place)}.`,
    woken: `${which} that lay inside is moved.`,
    knocked: "A knock on the table.",
  };
  if (record.isBoard) words.woken = `${which} that lay is moved.`;
  return words[event.word] || `${which} ${event.word}.`;
}

/** " in the zone coins", " on the ramp": a place's own word with what joins it to a sentence. */
export function placeWords(place?: string | null): string {
  if (!place) return "";
  const [kind, name] = place.includes(":") ? place.split(/:(.*)/s) : [place, ""];
  const plain = plainName(name);
  if (kind === "zone") {
    return ` in the zone ${plain}`;
  }
  if (kind === "inside") return plain ? ` inside: ${plain}` : " inside";
  return kind === "tray" ? " in the tray" : ` on the ${kind}`;
}

/** A time in words of a clock: minutes, seconds and tenths. */
export function clockWords(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  const minutes = Math.floor(tenths / 600);
  const rest = ((tenths % 600) / 10).toFixed(1);
  return minutes ? `${minutes}:${rest.padStart(4, "0")}` : `${rest} s`;
}
